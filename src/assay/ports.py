"""What the core needs of the outside world, as small Protocols. `assay.testing` has a conformance kit for each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.model.documents import Chunk, Document, DocumentInfo, Link, PageRead, Section
from assay.model.evaluation import Passage
from assay.model.generations import EmbedderIdentity, Generation, SparseIdentity, State
from assay.model.ranking import Filters

Vector = NDArray[np.float32]  # (dimension,)
Vectors = NDArray[np.float32]  # (texts, dimension)

TokenCounter = Callable[[Sequence[str]], list[int]]
"""Number of tokens of each text. A function of a module can be pickled; so can an object that loads its model anew."""


# --- sources -------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """Where documents come from: a folder, a site."""

    @property
    def name(self) -> str:
        """Short name, unique among the sources of an index; kept with every document."""

    def read(self, known: Mapping[str, str], progress: "Progress | None" = None) -> Iterator[PageRead]:
        """Yield every page that the source has, each key once, in an order that does not change between runs.

        known: source hash by page key, from the live generation. A page whose hash is still the same may be
            yielded as PageUnchanged without its content; with an empty mapping every page comes in full.
        progress: told of a stage of its own by a source that has long work to do before its first page.

        A page that fails is yielded as PageFailed. A known page that is not yielded is gone; PageGone says why.
        Raises SourceError when the source itself cannot be read.
        """


# --- embedding -----------------------------------------------------------------------------------------------------


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


class Embedder(Protocol):
    """The model behind an adapter."""

    @property
    def identity(self) -> EmbedderIdentity:
        """What the meaning of its vectors depends on."""

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

    @property
    def batching(self) -> Batching:
        """How it is best asked for the vectors of many texts."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found. Returns float32 of shape (len(texts), dimension), each row of length 1.

        A text gives the same bits whatever else is in the call. A text in which the model knows nothing (only
        unknown or no tokens) raises InvalidEmbedding. Raises EmbeddingError.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a text to find with. Returns float32 of shape (dimension,), of length 1. Raises EmbeddingError."""

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
class SparseVector:
    """Term ids and their weights, ids ascending and unique."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


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


# --- vector stores -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """What an index has to hold.

    dimension: length of the dense vectors.
    expected_points: how many are coming, as far as known; decides whether an approximate index is worth building.
    """

    dimension: int
    expected_points: int

    @classmethod
    def of(cls, generation: Generation) -> "IndexSpec":
        """What the index of a generation has to hold."""
        return cls(generation.embedder.dimension, generation.chunks)


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """A chunk with its vectors, as an index stores it."""

    chunk: Chunk
    dense: Vector
    sparse: SparseVector


class Scored(NamedTuple):
    """A chunk id with a score: a cosine (not clipped) or a BM25 score.

    A tuple, for a search makes hundreds and a dataclass takes four times as long to make.
    """

    chunk_id: str
    score: float


class Compared(NamedTuple):
    """A stored chunk with its true cosine (not clipped) to a vector."""

    chunk: Chunk
    cosine: float


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """One search of an index.

    dense, sparse: what to look for; None leaves that side out.
    limit: the most results of each side.
    filters: what the results have to be from.
    exact: compare with every vector instead of the approximate index.
    """

    dense: Vector | None
    sparse: SparseVector | None
    limit: int
    filters: Filters
    exact: bool = False


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Best first for each side, equal scores by chunk id; empty for a side that was left out."""

    dense: tuple[Scored, ...]
    sparse: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A point as an index keeps it, for whoever checks it: nothing is refused, and what cannot be read is None.

    chunk: None where the fields of one cannot be made out.
    dense: of whatever length and direction; None where there is none.
    sparse: None where there is none.
    problems: what is wrong with how the chunk is kept, each as the end of a sentence about the point.
    """

    chunk: Chunk | None
    dense: Vector | None
    sparse: SparseVector | None
    problems: tuple[str, ...] = ()


class VectorIndex(Protocol):
    """One generation's sealed index, open for reading; safe to use from several threads."""

    def count(self) -> int:
        """Number of points."""

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one go; never returns an empty answer for a failure.

        Raises VectorStoreError; InvalidEmbedding for a vector of the wrong length, not finite, or zero.
        """

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""

    def compare(self, vector: Vector, chunk_ids: Sequence[str]) -> dict[str, Compared]:
        """The stored chunks with the cosine of each and a vector, in one go; ids that the index lacks are left out.

        Raises VectorStoreError; InvalidEmbedding for a vector of the wrong length, not finite, or zero.
        """

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points of these ids with all that is kept of them, damaged ones too; missing ids are left out.

        Dense values are bit for bit as they were written, sparse ones as far as float32 goes.
        """

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""

    def close(self) -> None:
        """Let go of the index; a second call does nothing."""


class IndexWriter(Protocol):
    """One generation's index while it is built; used by one thread."""

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points. A point whose id was written before replaces it.

        Raises InvalidEmbedding, and VectorStoreError for a point that cannot be stored; then none of these points is
        written. Raises StoreUnavailable, StorageFull when the store itself fails; then some may be: abort.
        """

    def seal(self) -> None:
        """Make everything durable and complete, build the approximate index if it is worth it, and let go.

        Only a sealed index can be opened.
        """

    def abort(self) -> None:
        """Throw the index away; does nothing once sealed."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """An index as far as it can be opened, for whoever checks it.

    index: None where it cannot be opened at all, or not safely.
    problems: sentences that say why it is not what was sealed; empty for a sound one.
    """

    index: VectorIndex | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreReport:
    """What a vector store says of itself, for `assay doctor`.

    summary: what and where it is, without a full stop.
    problems: what does not stop it and should be mended, each a sentence without its capital and full stop.
    shown: the generation that outside readers are led to; None where none is, or there are no outside readers.
    """

    summary: str
    problems: tuple[str, ...]
    shown: str | None


@dataclass(frozen=True, slots=True)
class AdoptedPoint:
    """A point of a collection that Assay did not make, as a field mapping reads it.

    point: its id there.
    chunk: what searches return, stand-ins where the payload has nothing; None for a point without text.
    missing: fields that the payload lacks, or has as something that they cannot be.
    stored_hash: the SHA-256 of the text that the payload names, in lower case; None where it names none.
    embedded_text: what went to the model, as far as the payload says.
    vector: as it is stored, of whatever length and direction; None where there is none or it was not asked for.
    """

    point: str
    chunk: Chunk | None
    missing: tuple[str, ...]
    stored_hash: str | None
    embedded_text: str
    vector: Vector | None


class VectorStore(Protocol):
    """Where indexes live, one for each generation."""

    @property
    def exclusive(self) -> bool:
        """Whether nobody else keeps indexes there: then one that the catalog does not know is a leftover of ours."""

    def create(self, generation: str, spec: IndexSpec) -> IndexWriter:
        """Start an index. Raises VectorStoreError when one of that name is there already."""

    def open(self, generation: str, spec: IndexSpec) -> VectorIndex:
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index to be checked and not to be searched; one that is missing or damaged is no error here.

        All that was sealed is compared, however long that takes. Raises StoreUnavailable.
        """

    def delete(self, generation: str) -> None:
        """Remove an index, sealed or not; does nothing when there is none."""

    def generations(self) -> list[str]:
        """Ids of all generations that have something here, sealed or not, ascending."""

    def point_at(self, generation: str) -> None:
        """Lead those who read the store from outside to an index; does nothing where nobody can.

        Raises VectorStoreError, then they are led where they were before.
        """

    def check(self) -> None:
        """Raise VectorStoreError unless the store can be reached and read; takes no more than a second."""

    def describe(self) -> StoreReport:
        """What and where it is. Raises VectorStoreError."""

    def close(self) -> None:
        """Let go of connections; a second call does nothing. Indexes that are open stay so, or open them anew."""


# --- catalog -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What the catalog remembers of a page in a generation.

    revision: id of the stored document with its chunks; a new generation may include it as it is.
    """

    key: str
    source: str
    url: str
    source_hash: str
    revision: str


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the catalog keeps it.

    revision: id of this text with these chunks.
    sections, links: as in Document; None for one that was stored before they were kept.
    """

    revision: str
    info: DocumentInfo
    key: str
    source_hash: str
    text: str
    text_hash: str
    chunk_count: int
    sections: tuple[Section, ...] | None = None
    links: tuple[Link, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where a chunk stands: as in Chunk, without what is in it."""

    chunk_id: str
    url: str
    position: int
    start: int
    end: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """The columns of seed 003's documents table that a search joins."""

    chunk_id: str
    source_path: str
    slug: str
    title: str | None


class Catalog(Protocol):
    """The relational store: documents, chunks, generations. Every method raises CatalogError."""

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the one right to build; freed when the process dies. Raises BuildInProgress when it is taken."""

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation, in state building."""

    def update_generation(self, generation: Generation) -> None:
        """Store the fields of a generation anew, except its state and when it went live. Raises GenerationNotFound.

        Both belong to the steps that change them, of which another process may take one at the same time.
        """

    def generation(self, generation_id: str) -> Generation:
        """One generation. Raises GenerationNotFound."""

    def generations(self) -> list[Generation]:
        """All generations, newest first."""

    def live_id(self) -> str | None:
        """Id of the live generation; a fast look at one row."""

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live. Raises InvalidTransition, GenerationNotFound."""

    def promote(self, generation_id: str, at: datetime) -> Generation:
        """In one transaction: make a candidate or retired generation live and the live one retired.

        Raises InvalidTransition, GenerationNotFound.
        """

    def forget(self, generation_id: str) -> None:
        """Delete the rows of a generation that is not live, and every document that no generation has any more."""

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """What a generation knows of each page, by (source name, key)."""

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction. URLs are unique in a generation."""

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include documents that are stored already, in one transaction."""

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, by URL; URLs that it has none at are left out."""

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation that have these texts, ascending; hashes of no text are left out."""

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, of any document that is still stored."""

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks of a generation, by URL and position; only those of the given revisions, if given."""

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks, as long as this generation is the live one; else none.

        A search waits for it: a catalog that is slow or does not answer is CatalogUnavailable soon.
        """

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks of the documents at these URLs stand, by URL and position."""

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Where these chunks stand, by URL and position; ids that the generation lacks are left out."""

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks with these texts stand, by URL and position."""

    def embedded_hashes(self, generation_id: str) -> dict[str, str]:
        """For each hash of an embedded text, the id of a chunk of this generation that has it."""

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """What is kept under these keys; those that nothing is kept under are left out."""

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Keep what judgments turned out to be about on a generation, longer than that generation.

        What is kept under a key already stays as it is. Raises GenerationNotFound.
        """

    def check(self) -> None:
        """Raise CatalogError unless the catalog can be reached and has this version's schema."""

    def close(self) -> None:
        """Let go of all connections; a second call does nothing."""


# --- progress ------------------------------------------------------------------------------------------------------


class Progress(Protocol):
    """Someone who wants to see how far long work has come: a bar on a terminal, lines in a log."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts, within the one that goes on if there is one.

        total: how many steps it has; None when that is not known yet.
        """

    def expect(self, total: int) -> None:
        """The stage has so many steps, as far as is known by now."""

    def advance(self, steps: int = 1) -> None:
        """So many steps of the stage are done."""

    def remark(self, text: str) -> None:
        """What else is worth knowing at this moment, in a few words: `3 failed`. It stands for the one before."""

    def end(self) -> None:
        """The stage is over; the one that it began in goes on."""


class Silence:
    """The progress that nobody looks at."""

    def begin(self, stage: str, total: int | None) -> None:
        """Say nothing."""

    def expect(self, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int = 1) -> None:
        """Say nothing."""

    def remark(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""
