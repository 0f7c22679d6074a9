"""Reading an embedded index."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from operator import itemgetter
from pathlib import Path
from uuid import UUID

import numpy as np
import qdrant_edge as edge

from assay.adapters.stores.edge.engine import SEARCH_WIDTH, SearchKind, engine_errors, full_filter, scope_filter
from assay.adapters.stores.edge.opening import TemporaryCopy
from assay.adapters.stores.edge.seal import Seal
from assay.adapters.stores.payload import dense_vector, from_payload, stored_point
from assay.adapters.stores.points import CHUNK_ID, DENSE, SPARSE, TIES, count_with_ties, require_direction
from assay.errors import IndexCorrupt, StoreUnavailable, VectorStoreError
from assay.model.documents import Chunk
from assay.ports import Compared, IndexAnswer, IndexQuery, Scored, StoredPoint, Vector

_OVERSAMPLING = 2.0
_MIN_RESCORED = 100
"""Results of the compressed search that are rescored: twice the limit, at least _MIN_RESCORED."""

_PAGE = 10_000

_PointId = int | UUID | str

_new_scored: Callable[[tuple[str, float]], Scored] = partial(tuple.__new__, Scored)
"""Takes half the time of calling Scored."""


class EdgeIndex:
    """One generation's sealed index, open for reading; safe to use from several threads.

    If many points share the last score within the limit, the engine chooses which are returned, always the same ones.

    copy: a folder to remove after closing; None for none.
    """

    def __init__(self, folder: Path, shard: edge.EdgeShard, seal: Seal, copy: TemporaryCopy | None) -> None:
        self._folder = folder
        self._shard: edge.EdgeShard | None = shard
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
        scope = scope_filter(query.filters, self._everywhere)
        where = full_filter(query.filters, scope, self._everywhere)
        requests = []
        limit = query.limit + TIES
        if query.dense is not None:
            require_direction(query.dense, self._dimension)
            params = _dense_params(SearchKind.EXACT if query.exact else self._kind, query.limit)
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
        answers = iter([_ranked(points, query.limit) for points in found])
        return IndexAnswer(
            dense=next(answers) if query.dense is not None else (),
            sparse=next(answers) if query.sparse is not None else (),
        )

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""
        records = self._records(chunk_ids, with_payload=True, with_vector=False)
        return {point: from_payload(record.payload or {}, point) for record in records for point in (_id_of(record),)}

    def compare(self, vector: Vector, chunk_ids: Sequence[str]) -> dict[str, Compared]:
        """The stored chunks with their cosine to a vector, in one request; ids that the index lacks are left out."""
        require_direction(vector, self._dimension)
        records = self._records(chunk_ids, with_payload=True, with_vector=[DENSE])
        direction = vector / np.linalg.norm(vector)
        found = {}
        for record in records:
            point = _id_of(record)
            # Stored vectors have length 1.
            cosine = float(direction @ dense_vector(point, record.vector))
            found[point] = Compared(from_payload(record.payload or {}, point), cosine)
        return found

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        records = self._records(chunk_ids, with_payload=False, with_vector=[DENSE])
        return {_id_of(record): dense_vector(_id_of(record), record.vector) for record in records}

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out."""
        records = self._records(chunk_ids, with_payload=True, with_vector=True)
        return {
            point: stored_point(point, record.payload, record.vector, edge.SparseVector)
            for record in records
            for point in (_id_of(record),)
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        offset: _PointId | None = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=_PAGE, with_payload=False, with_vector=False)
            with self._engine() as shard:
                records, offset = shard.scroll(request)
            yield from map(_id_of, records)
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
        self, chunk_ids: Sequence[str], *, with_payload: bool, with_vector: bool | list[str]
    ) -> list[edge.Record]:
        # Scrolling with a filter by id takes a seventh of the time of `retrieve`.
        where = _id_filter(chunk_ids)
        if where is None:
            return []
        request = edge.ScrollRequest(
            limit=len(chunk_ids), filter=where, with_payload=with_payload, with_vector=with_vector
        )
        with self._engine() as shard:
            records, _ = shard.scroll(request)
        return records

    @contextmanager
    def _engine(self) -> Iterator[edge.EdgeShard]:
        shard = self._shard
        if shard is None:
            raise StoreUnavailable(f"The index {self._folder.name} is closed.")
        with engine_errors("read", self._folder, IndexCorrupt):
            yield shard


def _dense_params(kind: SearchKind, limit: int) -> edge.SearchParams:
    if kind is SearchKind.EXACT:
        return edge.SearchParams(exact=True)
    oversampling = max(_OVERSAMPLING, _MIN_RESCORED / limit)
    compared_again = edge.QuantizationSearchParams(rescore=True, oversampling=oversampling)
    return edge.SearchParams(hnsw_ef=SEARCH_WIDTH, quantization=compared_again)


def _id_filter(chunk_ids: Sequence[str]) -> edge.Filter | None:
    """A filter for these ids; None if none is a UUID."""
    points: set[_PointId] = {chunk_id for chunk_id in chunk_ids if CHUNK_ID.fullmatch(chunk_id)}
    return edge.Filter(must=[edge.HasIdCondition(points)]) if points else None


def _ranked(points: Sequence[edge.ScoredPoint], limit: int) -> tuple[Scored, ...]:
    """The best results, equal scores by id."""
    # UUIDs are sorted as integers, which have the same order as their text and are faster.
    scores = [point.score for point in points]
    end = count_with_ties(scores, limit)
    found = [(point.id.int, score) for point, score in zip(points[:end], scores, strict=False)]  # type: ignore[union-attr]
    if len(set(scores[:end])) < end:
        found.sort()  # the next sort keeps this order of equal scores
    found.sort(key=itemgetter(1), reverse=True)
    return tuple(map(_new_scored, [(_written(number), score) for number, score in found[:limit]]))


def _id_of(point: edge.ScoredPoint | edge.Record) -> str:
    return _written(point.id.int)  # type: ignore[union-attr]  # every id was written as a UUID


@lru_cache(16_384)
def _written(number: int) -> str:
    """Text of a UUID. A search writes two hundred, most of them again and again."""
    digits = number.to_bytes(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
