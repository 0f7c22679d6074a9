"""Where vectors are kept and searched."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.model.ranking import Filters
from assay.ports.vectors import SparseVector, Vector


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
