"""Reading an embedded index."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from uuid import UUID

import numpy as np
from qdrant_edge import (
    CountRequest,
    EdgeShard,
    Filter,
    HasIdCondition,
    IdfParams,
    QuantizationSearchParams,
    Query,
    QueryBatchRequest,
    QueryRequest,
    Record,
    ScoredPoint,
    ScrollRequest,
    SearchParams,
    SparseVector,
)

from assay.adapters.stores.edge.engine import GRAPH, SearchKind, engine_errors, scope_filter, whole_filter
from assay.adapters.stores.edge.opening import Place
from assay.adapters.stores.edge.seal import Seal
from assay.adapters.stores.payload import from_payload, read_stored
from assay.adapters.stores.points import (
    CHUNK_ID,
    DENSE,
    REBUILD,
    SPARSE,
    TIES,
    end_of_ties,
    require_direction,
    sorted_terms,
)
from assay.errors import IndexCorrupt, PointCorrupt, StoreUnavailable, VectorStoreError
from assay.model.documents import Chunk
from assay.ports import Compared, IndexAnswer, IndexQuery, Scored, StoredPoint, Vector

_OVERSAMPLING = 2.0
_COMPARED_AGAIN = 100
"""How many results of the compressed scan are compared again in full: twice the limit, and no fewer than these."""

_PAGE = 10_000

_PointId = int | UUID | str

_new_scored: Callable[[tuple[str, float]], Scored] = partial(tuple.__new__, Scored)
"""Half the time that calling Scored takes."""


class EdgeIndex:
    """One generation's sealed index, open for reading; safe to use from several threads.

    Where the last score that a search may return is that of many points, which of them are returned is the engine's
    choice; it is the same for every search of this index.

    place: a folder to remove once the index is closed; None for none.
    """

    def __init__(self, folder: Path, shard: EdgeShard, seal: Seal, place: Place | None) -> None:
        self._folder = folder
        self._shard: EdgeShard | None = shard
        self._place = place
        self._dimension = seal.dimension
        self._everywhere = frozenset(seal.everywhere)
        self._kind = seal.kind

    def count(self) -> int:
        """Number of points."""
        with self._engine() as shard:
            return shard.count(CountRequest())

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one go. Raises VectorStoreError; InvalidEmbedding for a vector that points nowhere."""
        scope = scope_filter(query.filters, self._everywhere)
        where = whole_filter(query.filters, scope, self._everywhere)
        requests = []
        limit = query.limit + TIES
        if query.dense is not None:
            require_direction(query.dense, self._dimension)
            params = _dense_params(SearchKind.EXACT if query.exact else self._kind, query.limit)
            nearest = Query.Nearest(query.dense.tolist(), using=DENSE)
            requests.append(QueryRequest(limit=limit, query=nearest, filter=where, params=params))
        if query.sparse is not None:
            # Rare is what is rare where the search looks: other versions and locales have no say.
            weighing = SearchParams(idf=IdfParams(scope)) if scope else None
            terms = SparseVector(list(query.sparse.indices), list(query.sparse.values))
            nearest = Query.Nearest(terms, using=SPARSE)
            requests.append(QueryRequest(limit=limit, query=nearest, filter=where, params=weighing))
        with self._engine() as shard:
            found = shard.query_batch(QueryBatchRequest(requests))
        answers = iter([_ranked(points, query.limit) for points in found])
        return IndexAnswer(
            dense=next(answers) if query.dense is not None else (),
            sparse=next(answers) if query.sparse is not None else (),
        )

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out. Raises IndexCorrupt."""
        records = self._records(chunk_ids, with_payload=True, with_vector=False)
        return {point: from_payload(record.payload or {}, point) for record in records for point in (_id_of(record),)}

    def compare(self, vector: Vector, chunk_ids: Sequence[str]) -> dict[str, Compared]:
        """The stored chunks with the true cosine of each and a vector. Raises IndexCorrupt, InvalidEmbedding."""
        require_direction(vector, self._dimension)
        where = _having(chunk_ids)
        if where is None:
            return {}
        nearest = Query.Nearest(vector.tolist(), using=DENSE)
        exact = SearchParams(exact=True)
        request = QueryRequest(
            limit=len(chunk_ids), query=nearest, filter=where, params=exact, with_payload=True, with_vector=False
        )
        with self._engine() as shard:
            points = shard.query(request)
        return {
            chunk_id: Compared(from_payload(point.payload or {}, chunk_id), point.score)
            for point in points
            for chunk_id in (_id_of(point),)
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        records = self._records(chunk_ids, with_payload=False, with_vector=[DENSE])
        return {_id_of(record): _dense(record) for record in records}

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points of these ids with all that is kept of them; ids that the index lacks are left out."""
        records = self._records(chunk_ids, with_payload=True, with_vector=True)
        return {_id_of(record): _stored(record) for record in records}

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        offset: _PointId | None = None
        while True:
            request = ScrollRequest(offset=offset, limit=_PAGE, with_payload=False, with_vector=False)
            with self._engine() as shard:
                records, offset = shard.scroll(request)
            yield from map(_id_of, records)
            if offset is None:
                return

    def close(self) -> None:
        """Let go of the index; a second call does nothing."""
        shard, self._shard = self._shard, None
        if shard is not None:
            try:
                with engine_errors("close", self._folder, VectorStoreError):
                    shard.close()
            finally:
                if self._place is not None:
                    self._place.cleanup()

    def _records(self, chunk_ids: Sequence[str], *, with_payload: bool, with_vector: bool | list[str]) -> list[Record]:
        # Scrolling through a set of ids takes a seventh of the time that the engine's retrieve takes.
        where = _having(chunk_ids)
        if where is None:
            return []
        request = ScrollRequest(limit=len(chunk_ids), filter=where, with_payload=with_payload, with_vector=with_vector)
        with self._engine() as shard:
            records, _ = shard.scroll(request)
        return records

    @contextmanager
    def _engine(self) -> Iterator[EdgeShard]:
        shard = self._shard
        if shard is None:
            raise StoreUnavailable(f"The index {self._folder.name} is closed.")
        with engine_errors("read", self._folder, IndexCorrupt):
            yield shard


def _dense_params(kind: SearchKind, limit: int) -> SearchParams:
    if kind is SearchKind.EXACT:
        return SearchParams(exact=True)
    oversampling = max(_OVERSAMPLING, _COMPARED_AGAIN / limit)
    compared_again = QuantizationSearchParams(rescore=True, oversampling=oversampling)
    return SearchParams(hnsw_ef=GRAPH.search_width, quantization=compared_again)


def _having(chunk_ids: Sequence[str]) -> Filter | None:
    """A filter for these ids; None when none of them can be in an index, whose ids are UUIDs."""
    points: set[_PointId] = {chunk_id for chunk_id in chunk_ids if CHUNK_ID.fullmatch(chunk_id)}
    return Filter(must=[HasIdCondition(points)]) if points else None


def _ranked(points: Sequence[ScoredPoint], limit: int) -> tuple[Scored, ...]:
    """The best of a few more than the limit, equal scores by id."""
    # A search does this for hundreds of points: the numbers of ids sort as their digits do, and much faster.
    scores = [point.score for point in points]
    end = end_of_ties(scores, limit)
    order = [(-score, point.id.int) for point, score in zip(points[:end], scores, strict=False)]  # type: ignore[union-attr]
    order.sort()
    return tuple(map(_new_scored, [(_written(number), -score) for score, number in order[:limit]]))


def _id_of(point: ScoredPoint | Record) -> str:
    return _written(point.id.int)  # type: ignore[union-attr]  # every id was written as a UUID


def _written(number: int) -> str:
    """A UUID's digits, at half the price of making it write itself."""
    digits = number.to_bytes(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _stored(record: Record) -> StoredPoint:
    chunk, problems = read_stored(record.payload or {}, _id_of(record))
    vectors = record.vector if isinstance(record.vector, dict) else {}
    dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
    return StoredPoint(
        chunk,
        None if dense is None else np.array(dense, dtype=np.float32),
        sorted_terms(sparse.indices, sparse.values) if isinstance(sparse, SparseVector) else None,
        problems,
    )


def _dense(record: Record) -> Vector:
    vectors = record.vector
    if not isinstance(vectors, dict) or DENSE not in vectors:
        raise PointCorrupt(f"The point {record.id} of the index is damaged: it has no dense vector.", hint=REBUILD)
    return np.array(vectors[DENSE], dtype=np.float32)
