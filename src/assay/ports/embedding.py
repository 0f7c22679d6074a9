"""Embedders and sparse encoders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.model.documents import Chunk
from assay.model.generations import EmbedderIdentity, SparseIdentity
from assay.ports.vectors import SparseVector, Vector, Vectors

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Number of tokens of each text. Picklable: a module's function, or an object that reloads its model."""


TextEmbedder = Callable[[Sequence[str]], Vectors]
"""As embed_documents of an Embedder, in other processes. Picklable, as TokenCounter."""


@dataclass(frozen=True, slots=True)
class Batching:
    """How to batch the texts of a build.

    texts: texts per call of embed_documents.
    calls: number of concurrent calls.
    costly: whether vectors cost money or hours, so that they are cached on disk until a generation uses them.
    """

    texts: int
    calls: int
    costly: bool


@dataclass(frozen=True, slots=True)
class EmbedderCall:
    """One request to an embedding provider, for metrics.

    purpose: `document` or `query`.
    tokens: as counted by the provider, else by count_tokens; 0 if the request failed.
    seconds: from sending the request to receiving the whole answer.
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
"""Called after each request, failed ones too, from several threads; must not raise."""


class QueryEmbedder(Protocol):
    """The part of an embedder that a search needs."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Everything that the meaning of its vectors depends on."""

    @property
    def batching(self) -> Batching:
        """How to batch the texts of a build."""

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""


class Embedder(QueryEmbedder, Protocol):
    """The model behind an adapter."""

    @property
    def max_tokens(self) -> int | None:
        """Maximum number of tokens of one text; None without a limit."""

    @property
    def tokenizer(self) -> str:
        """Name of the tokenizer that count_tokens uses."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, by `tokenizer`."""

    @property
    def token_counter(self) -> TokenCounter | None:
        """A picklable equivalent of count_tokens, for other processes; None if there is none."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed documents. Returns float32 of shape (len(texts), dimension), each row of length 1.

        A text's vector does not depend on the other texts of the call. Raises InvalidEmbedding for a text without a
        token that the model knows; EmbeddingError.
        """

    @property
    def local_embedder(self) -> TextEmbedder | None:
        """A picklable equivalent of embed_documents that needs no network and little memory; None if there is none.

        With it, the workers of a build embed what they read.
        """

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Embed queries in few calls, so that embed_query answers these texts from memory.

        seconds: time limit of all retries; None for that of a build.

        Replaces what was prefetched before. Texts that cannot be embedded are left for embed_query to refuse. Raises
        EmbeddingError.
        """

    def interrupt(self) -> None:
        """End the waiting of running embed_documents calls in other threads; they raise EmbedderUnavailable.

        A request that was sent is not cancelled, since it has to be paid. Later calls are not affected.
        """

    def close(self) -> None:
        """Close connections; a second call does nothing."""


class EmbeddingCache(Protocol):
    """Stores paid vectors until a live generation holds them, so that a crash loses none."""

    def vectors(self, embedder: EmbedderIdentity, hashes: Sequence[str]) -> dict[str, Vector]:
        """The stored vectors, bit for bit, by hash of the embedded text; missing ones are left out."""

    def keep(self, embedder: EmbedderIdentity, vectors: Mapping[str, Vector]) -> None:
        """Store vectors durably by hash of the embedded text.

        Never raises for a store that cannot be written: that is logged, and the vectors are not stored.
        """

    def clear(self) -> None:
        """Delete everything."""

    def close(self) -> None:
        """Close the store; a second call does nothing."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the page and sections that begin in a text; a query that is such a name looks for it.

    title: of the page if the text is its beginning; else "".
    """

    title: str
    headings: tuple[str, ...]

    @classmethod
    def of(cls, chunk: Chunk) -> "Names":
        """The names of the page and sections that begin in a chunk."""
        return cls(chunk.document.title if chunk.position == 0 else "", chunk.headings)


class SparseEncoder(Protocol):
    """Makes BM25 vectors of texts. Picklable: the workers of a build count the terms of what they read."""

    def term_counts(self, texts: Sequence[str], names: Sequence[Names] = ()) -> list[SparseVector]:
        """Count the terms of each text without stop words; values are whole numbers.

        names: of each text; empty for none. A name is one more term; a query has it only if it is the whole name.
        """

    def weigh(self, counts: Sequence[SparseVector], average_length: float) -> list[SparseVector]:
        """BM25 document weights from term counts; the index adds the IDF."""

    def encode_query(self, text: str, names: Sequence[str] = ()) -> SparseVector:
        """Each distinct term of a query and the names that it may be, with weight 1; empty for stop words alone.

        names: further names that the query may become, the likeliest first; they weigh less.
        """

    def identity(self, average_length: float) -> SparseIdentity:
        """Everything that vectors with this average length depend on."""
