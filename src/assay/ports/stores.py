"""Vector stores and indexes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.model.ranking import Filters
from assay.ports.vectors import SparseVector, Vector


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """Size of an index.

    dimension: length of the dense vectors.
    points: number of points that will be written, as far as it is known.
    """

    dimension: int
    points: int = 0

    @classmethod
    def of(cls, generation: Generation) -> "IndexSpec":
        """The size of a generation's index."""
        return cls(generation.embedder.dimension, generation.chunks)


@dataclass(frozen=True, slots=True)
class IndexPoint:
    """A chunk with its vectors."""

    chunk: Chunk
    dense: Vector
    sparse: SparseVector


PointKey = Any
"""Names a point in the answers of one index: its chunk id, or a number. Numbers are ordered as the chunk ids are."""


class Scored(NamedTuple):
    """A point with a score: a cosine (not clipped) or a BM25 score.

    A tuple because a search makes hundreds, and a dataclass takes four times as long to make.
    """

    point: PointKey
    score: float


class Compared(NamedTuple):
    """A stored chunk with its true cosine (not clipped) to a vector."""

    chunk: Chunk
    cosine: float


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """One search of an index.

    dense, sparse: query vectors; None leaves that side out.
    limit: maximum number of results of each side.
    exact: compare with every vector instead of using the approximate index.
    known_versions: all versions of the generation, for filters that add pages without a version: no facet marks these.
        An adopted collection needs none.
    """

    dense: Vector | None
    sparse: SparseVector | None
    limit: int
    filters: Filters
    exact: bool = False
    known_versions: frozenset[str] = frozenset()

    @property
    def excluded_versions(self) -> frozenset[str]:
        """The versions that no result may have, if the filters add pages without a version; else none."""
        return self.known_versions.difference(self.filters.versions) if self.filters.adds_unversioned else frozenset()


class NumberedPoints(Protocol):
    """The points of an index that names them by numbers."""

    def chunk_id(self, point: PointKey) -> str:
        """The chunk id of a point."""

    def text_key(self, point: PointKey) -> int | None:
        """64 bits of the hash of a point's text; None if it can only be computed from its chunk."""


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Best first for each side, equal scores by chunk id; empty for a side that was left out.

    numbered: None if the points are named by their chunk ids.
    """

    dense: tuple[Scored, ...]
    sparse: tuple[Scored, ...]
    numbered: NumberedPoints | None = field(default=None, compare=False)

    def by_chunk_id(self) -> "IndexAnswer":
        """The same answer, with points named by their chunk ids."""
        if self.numbered is None:
            return self
        name = self.numbered.chunk_id
        dense, sparse = (
            tuple(Scored(name(point), score) for point, score in side) for side in (self.dense, self.sparse)
        )
        return IndexAnswer(dense, sparse)


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A point as it is stored, for checks: damaged parts are None instead of an error.

    chunk: None if its fields cannot be read.
    dense: of any length and direction; None if missing.
    sparse: None if missing.
    problems: faults of the stored chunk, each as the end of a sentence about the point.
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
        """Search both sides in one request; a failure is never returned as an empty answer.

        Raises VectorStoreError; InvalidEmbedding for a vector of the wrong length, not finite, or zero.
        """

    def chunks(self, points: Sequence[PointKey]) -> dict[PointKey, Chunk]:
        """The stored chunks by point; points that the index lacks are left out."""

    def compare(
        self, vector: Vector, points: Sequence[PointKey], known: Mapping[PointKey, float]
    ) -> dict[PointKey, Compared]:
        """The stored chunks with their cosine to a vector, in one request; points that the index lacks are left out.

        known: cosines that a search of this index for the vector gave, which need not be computed again.

        Raises VectorStoreError; InvalidEmbedding for a vector of the wrong length, not finite, or zero.
        """

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out.

        Dense values are bit for bit as they were written, sparse ones to float32 precision.
        """

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""

    def close(self) -> None:
        """Close the index; a second call does nothing."""


class IndexWriter(Protocol):
    """Writes one generation's index; used by one thread."""

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id.

        Raises InvalidEmbedding, or VectorStoreError for a point that cannot be stored; then none of these points is
        written. Raises StoreUnavailable, StorageFull if the store fails; then some may be written: abort.
        """

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""

    def abort(self) -> None:
        """Discard the index; does nothing once it is sealed."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """An index opened for checks.

    index: None if it cannot be opened safely.
    problems: sentences that say how it differs from what was sealed; empty if it does not.
    """

    index: VectorIndex | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreReport:
    """The state of a vector store, for `assay doctor`.

    summary: kind and location, without a full stop.
    problems: faults that do not stop it, each a sentence without its capital and full stop.
    shown: the generation that the alias names; None if there is no alias, or if it names no generation.
    """

    summary: str
    problems: tuple[str, ...]
    shown: str | None


@dataclass(frozen=True, slots=True)
class AdoptedPoint:
    """A point of a collection that Assay did not make, as a field mapping reads it.

    point: its id there.
    chunk: as searches return it, with placeholders for missing fields; None for a point without text.
    missing: fields that the payload lacks or holds with the wrong type.
    stored_hash: the SHA-256 of the text in the payload, in lower case; None if it has none.
    embedded_text: the text that was embedded, if the payload shows it.
    vector: as stored, of any length and direction; None if missing or not requested.
    """

    point: str
    chunk: Chunk | None
    missing: tuple[str, ...]
    stored_hash: str | None
    embedded_text: str
    vector: Vector | None


class VectorStore(Protocol):
    """Holds one index for each generation."""

    @property
    def owns_all_indexes(self) -> bool:
        """Whether only Assay keeps indexes there, so that one unknown to the catalog is a leftover to delete."""

    def create(self, generation: str, spec: IndexSpec) -> IndexWriter:
        """Create an index. Raises VectorStoreError if it exists."""

    def open(self, generation: str, spec: IndexSpec, *, patient: bool = False) -> VectorIndex:
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable.

        patient: retry each read for as long as a build waits for the store, not only while a user would wait.
        """

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index for checks; a missing or damaged one is reported and not raised.

        Compares everything that was sealed, however long that takes. Raises StoreUnavailable.
        """

    def delete(self, generation: str) -> None:
        """Delete an index, sealed or not; does nothing if there is none."""

    def generations(self) -> list[str]:
        """Ids of all generations with an index here, sealed or not, ascending."""

    def switch_alias(self, generation: str) -> None:
        """Point the alias for outside readers at an index; does nothing in a store without aliases.

        Raises VectorStoreError; then the alias is unchanged.
        """

    def check(self) -> None:
        """Raise VectorStoreError unless the store can be reached and read; takes at most a second."""

    def describe(self) -> StoreReport:
        """The state of the store. Raises VectorStoreError."""

    def close(self) -> None:
        """Close connections; a second call does nothing. Open indexes stay usable."""
