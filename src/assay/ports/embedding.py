"""What makes vectors of texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.model.documents import Chunk
from assay.model.generations import EmbedderIdentity, SparseIdentity
from assay.ports.vectors import SparseVector, Vector, Vectors

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Number of tokens of each text. A function of a module can be pickled; so can an object that loads its model anew."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How an embedder is best asked for the vectors of many texts.

    texts: texts of one call of embed_documents.
    calls: calls that are worth making at the same time.
    costly: whether vectors are worth keeping on disk until they are in use, because making them costs money or hours.
    """

    texts: int
    calls: int
    costly: bool


@dataclass(frozen=True, slots=True)
class EmbedderCall:
    """One request to a provider of embeddings, for whoever keeps count.

    purpose: `document` or `query`.
    tokens: as the provider counted them, else as count_tokens does; 0 when the request failed.
    seconds: from sending to the whole answer.
    status: `ok`, the HTTP status (`429`), `unreachable`, `timeout`, `cut`, or `unusable` for an answer without the
        vectors that were asked for.
    """

    provider: str
    model: str
    purpose: str
    texts: int
    tokens: int
    seconds: float
    status: str


EmbedderObserver = Callable[[EmbedderCall], None]
"""Told of every request, also of those that failed; called from several threads, and must not raise."""


class QueryEmbedder(Protocol):
    """The part of an embedder that a search needs."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What the meaning of its vectors depends on."""

    @property
    def batching(self) -> Batching:
        """How it is best asked for the vectors of many texts."""

    def embed_query(self, text: str) -> Vector:
        """Embed a text to find with. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""


class Embedder(QueryEmbedder, Protocol):
    """The model behind an adapter."""

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of one text; None when there is no limit."""

    @property
    def tokenizer(self) -> str:
        """Name of the tokenizer that count_tokens uses."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, as the model or its named stand-in counts them."""

    @property
    def token_counter(self) -> TokenCounter | None:
        """What counts as count_tokens does and can be pickled, to count in another process; None if nothing can."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found. Returns float32 of shape (len(texts), dimension), each row of length 1.

        A text gives the same bits whatever else is in the call. A text in which the model knows nothing (only
        unknown or no tokens) raises InvalidEmbedding. Raises EmbeddingError.
        """

    def expect_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """These will be asked next by embed_query: a provider that is paid by the call embeds them in few calls.

        seconds: after which nothing more is tried; None for the patience of a build.

        What was expected before is forgotten. Texts that cannot be embedded are left for embed_query to refuse. Raises
        EmbeddingError.
        """

    def interrupt(self) -> None:
        """End the waiting of calls of embed_documents that go on in other threads; they raise EmbedderUnavailable.

        A request that a provider is working on is not given up, for it has to be paid. Later calls are not touched.
        """

    def close(self) -> None:
        """Let go of connections; a second call does nothing."""


class EmbeddingCache(Protocol):
    """Vectors that were paid for, kept through a crash until a generation that holds them is in use."""

    def vectors(self, embedder: EmbedderIdentity, hashes: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are there, bit for bit as they were kept, by hash of the embedded text."""

    def keep(self, embedder: EmbedderIdentity, vectors: Mapping[str, Vector]) -> None:
        """Keep vectors by hash of the embedded text; when this returns, they are there after a crash.

        Never raises for what happens to the store: a store that cannot be written is logged, and gone without.
        """

    def clear(self) -> None:
        """Forget everything."""

    def close(self) -> None:
        """Let go of the store; a second call does nothing."""


@dataclass(frozen=True, slots=True)
class Names:
    """What the places are called that begin in a text: who asks for nothing but such a name is looking for it.

    title: of the page, where the text is its beginning; else "".
    """

    title: str
    headings: tuple[str, ...]

    @classmethod
    def of(cls, chunk: Chunk) -> "Names":
        """The names of what begins in a chunk."""
        return cls(chunk.document.title if chunk.position == 0 else "", chunk.headings)


class SparseEncoder(Protocol):
    """Turns text into BM25 vectors."""

    def term_counts(self, texts: Sequence[str], names: Sequence[Names] = ()) -> list[SparseVector]:
        """How often each term occurs in each text, stop words left out; values are whole numbers.

        names: of each text; none have any if empty. A name is a term more, which a query has that says nothing else.
        """

    def weigh(self, counts: Sequence[SparseVector], average_length: float) -> list[SparseVector]:
        """BM25 document weights from term counts; the index adds the IDF."""

    def encode_query(self, text: str) -> SparseVector:
        """Each distinct term of a query, and the names that it may be, each with weight 1.

        Empty when only stop words are in it.
        """

    def identity(self, average_length: float) -> SparseIdentity:
        """What vectors made with this average length depend on."""
