"""A vector store in memory, exact, for tests and as a reference."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.adapters.stores import payload
from assay.adapters.stores.facet_conditions import narrowing_conditions
from assay.adapters.stores.points import require_direction, unit_rows
from assay.errors import IndexCorrupt, IndexNotFound, StoreUnavailable, VectorStoreError
from assay.model.counting import counted
from assay.model.documents import Chunk
from assay.ports import (
    Compared,
    IndexAnswer,
    IndexPoint,
    IndexQuery,
    IndexSpec,
    Inspected,
    Scored,
    SparseVector,
    StoredPoint,
    StoreReport,
    Vector,
)


@dataclass(slots=True)
class _Contents:
    """One generation's points, by chunk id."""

    dimension: int
    points: dict[str, IndexPoint] = field(default_factory=dict)
    sealed: bool = False


class MemoryStore:
    """Indexes in memory. Safe to use from several threads."""

    owns_all_indexes = True

    def __init__(self) -> None:
        self._generations: dict[str, _Contents] = {}
        self._lock = threading.Lock()

    def create(self, generation: str, spec: IndexSpec) -> "MemoryWriter":
        """Create an index. Raises VectorStoreError if it exists."""
        with self._lock:
            if generation in self._generations:
                raise VectorStoreError(f"The index {generation} already exists.", hint="Delete it first.")
            contents = self._generations[generation] = _Contents(spec.dimension)
        return MemoryWriter(self, generation, contents)

    def open(self, generation: str, spec: IndexSpec, *, patient: bool = False) -> "MemoryIndex":  # noqa: ARG002 - nothing to retry
        """Open a sealed index. Raises IndexNotFound, IndexCorrupt, StoreUnavailable."""
        contents = self._generations.get(generation)
        if contents is None:
            raise IndexNotFound(f"There is no index {generation}.", hint="Build one with `assay ingest`.")
        if not contents.sealed:
            raise IndexCorrupt(f"The index {generation} was never finished.", hint="Rebuild it.")
        if contents.dimension != spec.dimension:
            raise IndexCorrupt(f"The index {generation} has {contents.dimension} dimensions, not {spec.dimension}.")
        return MemoryIndex(generation, contents.dimension, contents.points)

    def inspect(self, generation: str, spec: IndexSpec) -> Inspected:
        """Open an index for checks; a missing or damaged one is reported and not raised."""
        try:
            return Inspected(self.open(generation, spec))
        except (IndexNotFound, IndexCorrupt) as error:
            return Inspected(None, (error.message,))

    def delete(self, generation: str) -> None:
        """Delete an index, sealed or not; does nothing if there is none."""
        with self._lock:
            self._generations.pop(generation, None)

    def generations(self) -> list[str]:
        """Ids of all generations with an index here, sealed or not, ascending."""
        return sorted(self._generations)

    def switch_alias(self, generation: str) -> None:
        """Do nothing."""

    def check(self) -> None:
        """Do nothing."""

    def describe(self) -> StoreReport:
        """The state of the store. Raises VectorStoreError."""
        return StoreReport(f"{counted(len(self._generations), 'index', 'indexes')} in memory", (), None)

    def close(self) -> None:
        """Do nothing."""


class MemoryWriter:
    """Writes one generation's index; used by one thread."""

    def __init__(self, store: MemoryStore, generation: str, contents: _Contents) -> None:
        self._store = store
        self._generation = generation
        self._contents = contents

    def add(self, points: Sequence[IndexPoint]) -> None:
        """Write points; a point replaces an earlier one with the same id."""
        if self._contents.sealed:
            raise StoreUnavailable(f"The index {self._generation} is sealed and takes no more points.")
        if points:
            unit_rows(points, self._contents.dimension)
        self._contents.points.update((point.chunk.id, point) for point in points)

    def seal(self) -> None:
        """Flush everything, build the approximate index if it pays, and close. Only a sealed index can be opened."""
        self._contents.sealed = True

    def abort(self) -> None:
        """Discard the index; does nothing once it is sealed."""
        if not self._contents.sealed:
            self._store.delete(self._generation)


class MemoryIndex:
    """One generation's sealed index; safe to use from several threads."""

    def __init__(self, generation: str, dimension: int, points: Mapping[str, IndexPoint]) -> None:
        self._generation = generation
        self._points = {chunk_id: points[chunk_id] for chunk_id in sorted(points)}
        self._rows = {chunk_id: row for row, chunk_id in enumerate(self._points)}
        self._matrix: NDArray[np.float32] = np.zeros((len(points), dimension), dtype=np.float32)  # (points, dimension)
        for row, point in enumerate(self._points.values()):
            self._matrix[row] = point.dense
        self._facets = [frozenset(payload.facets(point.chunk)) for point in self._points.values()]
        self._weights = [dict(zip(p.sparse.indices, p.sparse.values, strict=True)) for p in self._points.values()]
        self._dimension = dimension
        self._closed = False

    def count(self) -> int:
        """Number of points."""
        return len(self._open())

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one request; a failure is never returned as an empty answer."""
        self._open()
        if query.dense is not None:
            require_direction(query.dense, self._dimension)
        in_scope = [_is_in_scope(query, facets) for facets in self._facets]
        narrowing = narrowing_conditions(query.filters, frozenset()).wanted
        wanted = [scope and _all_of(narrowing, facets) for scope, facets in zip(in_scope, self._facets, strict=True)]
        return IndexAnswer(
            dense=() if query.dense is None else self._dense(query.dense, wanted, query.limit),
            sparse=() if query.sparse is None else self._sparse(query.sparse, in_scope, wanted, query.limit),
        )

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""
        points = self._open()
        return {chunk_id: points[chunk_id].chunk for chunk_id in chunk_ids if chunk_id in points}

    def compare(
        self,
        vector: Vector,
        chunk_ids: Sequence[str],
        known: Mapping[str, float],  # noqa: ARG002 - computing costs nothing here
    ) -> dict[str, Compared]:
        """The stored chunks with their cosine to a vector, in one request; ids that the index lacks are left out."""
        points = self._open()
        require_direction(vector, self._dimension)
        cosines = self._matrix @ _unit(vector)
        return {
            chunk_id: Compared(points[chunk_id].chunk, float(cosines[self._rows[chunk_id]]))
            for chunk_id in chunk_ids
            if chunk_id in points
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        points = self._open()
        return {chunk_id: points[chunk_id].dense.copy() for chunk_id in chunk_ids if chunk_id in points}

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out."""
        points = self._open()
        return {
            chunk_id: StoredPoint(points[chunk_id].chunk, points[chunk_id].dense.copy(), points[chunk_id].sparse)
            for chunk_id in chunk_ids
            if chunk_id in points
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        return iter(list(self._open()))

    def close(self) -> None:
        """Close the index; a second call does nothing."""
        self._closed = True

    def _open(self) -> Mapping[str, IndexPoint]:
        if self._closed:
            raise StoreUnavailable(f"The index {self._generation} is closed.")
        return self._points

    def _dense(self, vector: Vector, wanted: Sequence[bool], limit: int) -> tuple[Scored, ...]:
        cosines = (self._matrix @ _unit(vector)).tolist()
        return _best(
            ((i, cosine) for i, cosine, want in zip(self._points, cosines, wanted, strict=True) if want), limit
        )

    def _sparse(
        self, terms: SparseVector, in_scope: Sequence[bool], wanted: Sequence[bool], limit: int
    ) -> tuple[Scored, ...]:
        """BM25 with the IDF of the scope, ln(1 + (N - df + 0.5) / (df + 0.5)); only points with a common term."""
        scope = [weights for weights, inside in zip(self._weights, in_scope, strict=True) if inside]
        query: dict[int, float] = {}
        for term, weight in zip(terms.indices, terms.values, strict=True):
            frequency = sum(term in weights for weights in scope)
            query[term] = weight * float(np.log1p((len(scope) - frequency + 0.5) / (frequency + 0.5)))
        scores = (
            (chunk_id, sum(weights[term] * query[term] for term in query if term in weights))
            for chunk_id, weights, want in zip(self._points, self._weights, wanted, strict=True)
            if want and not query.keys().isdisjoint(weights)
        )
        return _best(scores, limit)


def _unit(vector: Vector) -> Vector:
    return vector / np.float32(np.linalg.norm(vector))


def _best(scores: Iterator[tuple[str, float]], limit: int) -> tuple[Scored, ...]:
    ranked = sorted(scores, key=lambda scored: (-scored[1], scored[0]))
    return tuple(Scored(chunk_id, score) for chunk_id, score in ranked[:limit])


def _is_in_scope(query: IndexQuery, facets: frozenset[str]) -> bool:
    """Whether a point is of a version and a locale that the filters allow."""
    filters = query.filters
    wanted = [
        [payload.version_facet(version) for version in filters.versions]
        or ([] if filters.everything else [payload.CURRENT_VERSION]),
        [payload.locale_facet(locale) for locale in filters.locales]
        or ([] if filters.everything else [payload.DEFAULT_LOCALE]),
    ]
    if filters.adds_unversioned:
        wanted[0] = []
    return facets.isdisjoint(map(payload.version_facet, query.excluded_versions)) and _all_of(wanted, facets)


def _all_of(wanted: Sequence[Sequence[str]], facets: frozenset[str]) -> bool:
    return all(not facets.isdisjoint(choices) for choices in wanted if choices)
