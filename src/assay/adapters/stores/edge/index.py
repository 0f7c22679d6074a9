"""Reading an embedded index."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import qdrant_edge as edge

from assay.adapters.stores.edge.engine import SEARCH_WIDTH, SearchKind, engine_errors, full_filter, scope_filter
from assay.adapters.stores.edge.opening import TemporaryCopy
from assay.adapters.stores.edge.point_ids import PointId, PointIds
from assay.adapters.stores.edge.seal import Seal
from assay.adapters.stores.payload import dense_vector, from_payload, stored_point
from assay.adapters.stores.points import DENSE, SPARSE, TIES, break_ties, count_with_ties, require_direction
from assay.errors import IndexCorrupt, StoreUnavailable, VectorStoreError
from assay.model.documents import Chunk
from assay.ports import Compared, IndexAnswer, IndexQuery, PointKey, Scored, StoredPoint, Vector

_MIN_LIMIT = 50
"""Least limit for which results of the compressed search are rescored."""

_PAGE = 10_000

_new_scored: Callable[[tuple[PointKey, float]], Scored] = partial(tuple.__new__, Scored)
"""Takes half the time of calling Scored."""


class EdgeIndex:
    """One generation's sealed index, open for reading; safe to use from several threads.

    If many points share the last score within the limit, the engine chooses which are returned, always the same ones.

    point_ids: translates the ids of points.
    copy: a folder to remove after closing; None for none.
    oversampling: this many times the limit is rescored, if there is a compressed copy.
    """

    def __init__(
        self,
        folder: Path,
        shard: edge.EdgeShard,
        seal: Seal,
        point_ids: PointIds,
        copy: TemporaryCopy | None,
        oversampling: float,
    ) -> None:
        self._folder = folder
        self._oversampling = oversampling
        self._shard: edge.EdgeShard | None = shard
        self._point_ids = point_ids
        self._copy_folder = copy
        self._dimension = seal.dimension
        self._everywhere = frozenset(seal.everywhere)
        self._kind = seal.kind

    def count(self) -> int:
        """Number of points."""
        with self._engine() as shard:
            return shard.count(edge.CountRequest())

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one request; a failure is never returned as an empty answer."""
        scope = scope_filter(query, self._everywhere)
        where = full_filter(query.filters, scope, self._everywhere)
        requests = []
        limit = query.limit + TIES
        if query.dense is not None:
            require_direction(query.dense, self._dimension)
            params = _dense_params(SearchKind.EXACT if query.exact else self._kind, query.limit, self._oversampling)
            nearest = edge.Query.Nearest(query.dense.tolist(), using=DENSE)
            requests.append(edge.QueryRequest(limit=limit, query=nearest, filter=where, params=params))
        if query.sparse is not None:
            # IDF is computed within the filter's scope.
            weighing = edge.SearchParams(idf=edge.IdfParams(scope)) if scope else None
            terms = edge.SparseVector(list(query.sparse.indices), list(query.sparse.values))
            nearest = edge.Query.Nearest(terms, using=SPARSE)
            requests.append(edge.QueryRequest(limit=limit, query=nearest, filter=where, params=weighing))
        with self._engine() as shard:
            found = shard.query_batch(edge.QueryBatchRequest(requests))
        answers = iter([self._ranked(points, query.limit) for points in found])
        return IndexAnswer(
            dense=next(answers) if query.dense is not None else (),
            sparse=next(answers) if query.sparse is not None else (),
            numbered=self._point_ids.numbered,
        )

    def chunks(self, points: Sequence[PointKey]) -> dict[PointKey, Chunk]:
        """The stored chunks by point; points that the index lacks are left out."""
        read = self._records(points, with_payload=True, with_vector=False)
        return {key: from_payload(record.payload or {}, self._id_of(record)) for key, record in read}

    def compare(
        self, vector: Vector, points: Sequence[PointKey], known: Mapping[PointKey, float]
    ) -> dict[PointKey, Compared]:
        """The stored chunks with their cosine to a vector, in one request; points that the index lacks are left out."""
        require_direction(vector, self._dimension)
        cosines = {**known, **self._cosines(vector, [point for point in points if point not in known])}
        chunks = self.chunks(points)
        return {point: Compared(chunk, cosines[point]) for point, chunk in chunks.items() if point in cosines}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        read = self._records(chunk_ids, with_payload=False, with_vector=[DENSE])
        return {chunk_id: dense_vector(chunk_id, record.vector) for chunk_id, record in read}

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out."""
        read = self._records(chunk_ids, with_payload=True, with_vector=True)
        return {
            chunk_id: stored_point(chunk_id, record.payload, record.vector, edge.SparseVector)
            for chunk_id, record in read
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        offset: PointId | None = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=_PAGE, with_payload=False, with_vector=False)
            with self._engine() as shard:
                records, offset = shard.scroll(request)
            yield from map(self._id_of, records)
            if offset is None:
                return

    def close(self) -> None:
        """Close the index; a second call does nothing."""
        shard, self._shard = self._shard, None
        if shard is not None:
            try:
                with engine_errors("close", self._folder, VectorStoreError):
                    shard.close()
            finally:
                if self._copy_folder is not None:
                    self._copy_folder.cleanup()

    def _records(
        self, points: Sequence[PointKey], *, with_payload: bool, with_vector: bool | list[str]
    ) -> list[tuple[PointKey, edge.Record]]:
        """The stored points, each with the key asked for; points that the index lacks are left out."""
        # Scrolling with a filter by id takes a seventh of the time of `retrieve`.
        keys = self._point_ids.points(points)
        if not keys:
            return []
        where = edge.Filter(must=[edge.HasIdCondition(set(keys))])
        request = edge.ScrollRequest(limit=len(keys), filter=where, with_payload=with_payload, with_vector=with_vector)
        with self._engine() as shard:
            records, _ = shard.scroll(request)
        found = self._point_ids.keys([record.id for record in records])
        return [(keys[point], record) for point, record in zip(found, records, strict=True)]

    def _cosines(self, vector: Vector, points: Sequence[PointKey]) -> dict[PointKey, float]:
        """The cosines of a vector and the stored vectors of points, from their full precision."""
        # The engine computes them in a third of the time that it takes to read the vectors.
        keys = self._point_ids.points(points)
        if not keys:
            return {}
        request = edge.QueryRequest(
            limit=len(keys),
            query=edge.Query.Nearest(vector.tolist(), using=DENSE),
            filter=edge.Filter(must=[edge.HasIdCondition(set(keys))]),
            params=edge.SearchParams(exact=True),
        )
        with self._engine() as shard:
            (found,) = shard.query_batch(edge.QueryBatchRequest([request]))
        numbers = self._point_ids.keys([point.id for point in found])
        return {keys[number]: point.score for number, point in zip(numbers, found, strict=True)}

    def _ranked(self, points: Sequence[edge.ScoredPoint], limit: int) -> tuple[Scored, ...]:
        """The best results, equal scores by id. points: best first."""
        scores = [point.score for point in points]
        end = count_with_ties(scores, limit)
        keys = self._point_ids.keys([point.id for point in points[:end]])
        return break_ties(list(map(_new_scored, zip(keys, scores, strict=False))), limit)

    def _id_of(self, record: edge.Record) -> str:
        return self._point_ids.chunk_id(record.id)

    @contextmanager
    def _engine(self) -> Iterator[edge.EdgeShard]:
        shard = self._shard
        if shard is None:
            raise StoreUnavailable(f"The index {self._folder.name} is closed.")
        with engine_errors("read", self._folder, IndexCorrupt):
            yield shard


def _dense_params(kind: SearchKind, limit: int, oversampling: float) -> edge.SearchParams:
    if kind is SearchKind.EXACT:
        return edge.SearchParams(exact=True)
    factor = oversampling * max(1.0, _MIN_LIMIT / limit)
    compared_again = edge.QuantizationSearchParams(rescore=True, oversampling=factor)
    return edge.SearchParams(hnsw_ef=SEARCH_WIDTH, quantization=compared_again)
