"""Searching an adopted collection."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from qdrant_client import models

from assay.adapters.stores.adopted import filters as payload_filters
from assay.adapters.stores.adopted.access import AdoptedCollection, Selector
from assay.adapters.stores.adopted.mapping import FieldMapping, PointReader
from assay.adapters.stores.adopted.shape import DenseVector
from assay.adapters.stores.points import TIES, break_ties, count_with_ties, require_direction
from assay.errors import InputError, StoreUnavailable
from assay.model.documents import Chunk
from assay.model.lru_cache import LruCache
from assay.model.ranking import Filters
from assay.ports import AdoptedPoint, Compared, IndexAnswer, IndexQuery, Scored, SparseVector, StoredPoint, Vector

_COSINE = "Cosine"
_REMEMBERED = 50_000
"""Chunk ids whose point ids are cached, about 10 MB: a search requests the chunks that it found."""

_DEEPEST = 10_000
_DEEPER = 4
_MORE_CANDIDATES = 4
"""Multiple of the limit requested if the server's distance is not cosine, for reordering."""

PointId = models.ExtendedPointId

_DIGITS = 20
"""Digits of the largest id that a point can have, 2⁶⁴ minus 1."""

_UUID = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Vectors and fields of a collection that searches use.

    filter_mapping: the mapping with only the paths that sampled points have.
    absent_fields: fields that no sampled point has.
    sparse: name of the sparse vectors for keyword search; None without it.
    quantized: whether the server searches a compressed copy of the vectors first.
    """

    dense: DenseVector
    reader: PointReader
    filter_mapping: FieldMapping
    absent_fields: frozenset[str]
    sparse: str | None
    quantized: bool


class AdoptedIndex:
    """A collection, open for reading; safe to use from several threads.

    Its owner may add and delete points at any time. Points without text are never returned.

    has_keywords: it has sparse vectors for BM25.
    """

    def __init__(self, collection: AdoptedCollection, plan: SearchPlan) -> None:
        self._collection = collection
        self._plan = plan
        self._by_cosine = plan.dense.distance == _COSINE  # the server's score is the cosine
        self.has_keywords = plan.sparse is not None
        self._points = LruCache[str, PointId](_REMEMBERED)
        self._present: set[tuple[str, ...]] = set()
        self._closed = False

    def count(self) -> int:
        """Current number of points."""
        self._require_open()
        return self._collection.count()

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides. Of points with the same chunk id, the best counts.

        Raises VectorStoreError; InvalidEmbedding for a vector of the wrong length, not finite, or zero; InputError for
        a filter that the collection does not support.
        """
        self._require_open()
        where = self._where(query.filters)
        dense: tuple[Scored, ...] = ()
        sparse: tuple[Scored, ...] = ()
        if query.dense is not None:
            require_direction(query.dense, self._plan.dense.dimension)
            dense = self._side(query, query.dense, where)
        if query.sparse is not None and self._plan.sparse is not None:
            sparse = self._side(query, query.sparse, where)
        return IndexAnswer(dense, sparse)

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""
        return {
            chunk_id: point.chunk
            for chunk_id, point, _ in self._read(chunk_ids, vectors=False)
            if point.chunk is not None
        }

    def compare(
        self,
        vector: Vector,
        chunk_ids: Sequence[str],
        known: Mapping[str, float],  # noqa: ARG002
    ) -> dict[str, Compared]:
        """The stored chunks with their cosine to a vector, computed here from the stored vectors."""
        self._require_open()
        require_direction(vector, self._plan.dense.dimension)
        return {
            chunk_id: Compared(point.chunk, cosine(vector, point.vector))
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
            if point.chunk is not None
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id; of length 1 if the server's distance is cosine."""
        return {
            chunk_id: point.vector
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
            if point.vector is not None
        }

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, without their sparse vectors, which Assay did not make."""
        return {
            chunk_id: StoredPoint(point.chunk, point.vector, None)
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        self._require_open()
        mapping = self._plan.reader.mapping
        records = self._collection.records(payload=top_level_fields(mapping.of("chunk_id")), vectors=False)
        yield from sorted({self._chunk_id(record) for record in records})

    def points(self) -> Iterator[AdoptedPoint]:
        """Every point with its vector, in the order of the server's ids."""
        self._require_open()
        for record in self._collection.records(payload=True, vectors=self._vector_names()):
            vector = _vector_of(record, self._plan.dense.name)
            yield self._plan.reader.read(str(record.id), record.payload or {}, vector)

    def close(self) -> None:
        """Close the index; a second call does nothing."""
        self._closed = True

    # --- searching -------------------------------------------------------------------------------------------------

    def _side(
        self, query: IndexQuery, vector: Vector | SparseVector, where: models.Filter | None
    ) -> tuple[Scored, ...]:
        """Search one side, with a larger limit while points are dropped and there are more."""
        factor = 1 if isinstance(vector, SparseVector) or self._by_cosine else _MORE_CANDIDATES
        deepest = max(min(_DEEPEST, self._collection.max_limit), query.limit)
        limit = min(query.limit * factor + TIES, deepest)
        while True:
            (points,) = self._collection.query([self._request(query, vector, limit, where)])
            found = self._scored(query, vector, points)
            if len(found) >= query.limit or len(points) < limit or limit >= deepest:
                end = count_with_ties([scored.score for scored in found], query.limit)
                return break_ties(found[:end], query.limit)
            limit = min(limit * _DEEPER, deepest)

    def _scored(
        self, query: IndexQuery, vector: Vector | SparseVector, points: Sequence[models.ScoredPoint]
    ) -> list[Scored]:
        """The matching points, best first, each chunk id once; caches their point ids."""
        prefix = query.filters.url_prefix
        below = None if prefix is None else payload_filters.url_matches(prefix)
        best: dict[str, Scored] = {}
        places: dict[str, PointId] = {}
        for point in points:
            payload = point.payload or {}
            if below is not None and not below(self._plan.reader.url(str(point.id), payload)):
                continue
            score = point.score
            if not isinstance(vector, SparseVector) and not self._by_cosine:
                score = cosine(vector, _vector_of(point, self._plan.dense.name))
            if math.isnan(score):
                continue  # the stored vector has no direction
            chunk_id = self._chunk_id(point)
            if chunk_id not in best or best[chunk_id].score < score:
                best[chunk_id] = Scored(chunk_id, score)
                places[chunk_id] = point.id
        self._points.update(places)
        return sorted(best.values(), key=lambda scored: (-scored.score, scored.point))

    def _request(
        self, query: IndexQuery, vector: Vector | SparseVector, limit: int, where: models.Filter | None
    ) -> models.QueryRequest:
        plan, mapping = self._plan, self._plan.reader.mapping
        fields = mapping.of("chunk_id")
        if query.filters.url_prefix is not None:
            fields += mapping.of("url") + mapping.of("source_path")
        payload: Any = top_level_fields(fields) or False
        if isinstance(vector, SparseVector):
            terms = models.SparseVector(indices=list(vector.indices), values=list(vector.values))
            nearest, using, params = models.NearestQuery(nearest=terms), plan.sparse, None
        else:
            nearest, using = models.NearestQuery(nearest=vector.tolist()), plan.dense.name or None
            params = self._params(query)
        with_vector: Any = False
        if not isinstance(vector, SparseVector) and not self._by_cosine:
            with_vector = self._vector_names()
        return models.QueryRequest(
            query=nearest,
            using=using,
            limit=limit,
            filter=where,
            params=params,
            with_payload=payload,
            with_vector=with_vector,
        )

    def _params(self, query: IndexQuery) -> models.SearchParams:
        if query.exact:
            return models.SearchParams(exact=True)
        again = None
        if self._plan.quantized:
            again = models.QuantizationSearchParams(rescore=True, oversampling=self._collection.oversampling)
        return models.SearchParams(hnsw_ef=self._collection.search_width, quantization=again)

    def _where(self, filters: Filters) -> models.Filter | None:
        filter_mapping = self._plan.filter_mapping
        for name, paths in payload_filters.filter_fields(filters, filter_mapping).items():
            self._require_present(name, paths)
        return payload_filters.conditions(filters, filter_mapping, self._collection.name)

    def _require_present(self, name: str, paths: tuple[str, ...]) -> None:
        """Raise InputError if no point has the filtered field, because an empty answer would be misleading."""
        if paths in self._present:
            return
        field = name.removesuffix("s")
        if field in self._plan.absent_fields and not self._collection.matching(
            payload_filters.any_present(paths), 1, payload=False
        ):
            raise InputError(
                f"filters.{name}: no point of the adopted collection {self._collection.name} has {' or '.join(paths)}.",
                hint=f"Set [index.mapping] {field} to its path in the payload, or remove this filter.",
            )
        self._present.add(paths)

    # --- reading ---------------------------------------------------------------------------------------------------

    def _read(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[tuple[str, AdoptedPoint, PointId]]:
        """The existing points of these chunks."""
        self._require_open()
        names = self._vector_names() if vectors else False
        where = self._point_ids(chunk_ids)
        left = dict.fromkeys(chunk_ids)
        for record in self._collection.retrieve(list(where.values()), payload=True, vectors=names):
            chunk_id = self._chunk_id(record)
            if chunk_id in left:
                del left[chunk_id]
                vector = _vector_of(record, self._plan.dense.name) if vectors else None
                yield chunk_id, self._plan.reader.read(str(record.id), record.payload or {}, vector), record.id

    def _point_ids(self, chunk_ids: Sequence[str]) -> dict[str, PointId]:
        """Point id of each chunk: from a search, else by the payload, else the chunk id itself."""
        asked = list(dict.fromkeys(chunk_ids))
        places = {chunk_id: point for chunk_id in asked if (point := self._points.get(chunk_id)) is not None}
        unknown = [chunk_id for chunk_id in asked if chunk_id not in places]
        paths = self._plan.filter_mapping.of("chunk_id")
        if unknown and payload_filters.server_keys(paths):
            records = self._collection.matching(
                payload_filters.any_equal(paths, unknown), _DEEPER * len(unknown), payload=top_level_fields(paths)
            )
            found: dict[str, PointId] = {}
            for record in records:
                found.setdefault(self._chunk_id(record), record.id)
            self._points.update(found)
            places |= {chunk_id: found[chunk_id] for chunk_id in unknown if chunk_id in found}
        for chunk_id in unknown:
            if chunk_id not in places and (point := _point_id(chunk_id)) is not None:
                places[chunk_id] = point
        return places

    def _chunk_id(self, point: models.Record | models.ScoredPoint) -> str:
        return self._plan.reader.chunk_id(str(point.id), point.payload or {})

    def _vector_names(self) -> Any:  # noqa: ANN401 - names, or all if the vector has no name
        return [self._plan.dense.name] if self._plan.dense.name else True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"The collection {self._collection.name} is closed.")


def cosine(query: Vector, stored: Vector | None) -> float:
    """The cosine of a query of length 1 and a stored vector of any length; NaN if that has no direction."""
    if stored is None or stored.shape != query.shape:
        return math.nan
    wide = stored.astype(np.float64)
    length = float(np.linalg.norm(wide))
    return float(query.astype(np.float64) @ wide) / length if 0.0 < length < math.inf else math.nan


def _vector_of(record: models.Record | models.ScoredPoint, name: str) -> Vector | None:
    """The dense vector of this name; None if the point has none."""
    given: Any = record.vector
    if isinstance(given, dict):
        given = given.get(name)
    if not isinstance(given, list) or (given and isinstance(given[0], list)):
        return None
    return np.array(given, dtype=np.float32)


def top_level_fields(paths: Sequence[str]) -> Selector:
    """Top-level payload fields of these paths, because the server cannot look into JSON that is stored as text.

    All fields if the server's syntax cannot express one.
    """
    names = list(dict.fromkeys(path.split(".")[0] for path in paths))
    keys = [key for name in names for key in payload_filters.server_keys((name,))]
    return keys if len(keys) == len(names) else True


def _point_id(chunk_id: str) -> PointId | None:
    """The chunk id as a point id; None if it cannot be one."""
    if chunk_id.isascii() and chunk_id.isdigit() and len(chunk_id) <= _DIGITS:
        return int(chunk_id) if int(chunk_id) < 2**64 else None
    return chunk_id if _UUID.fullmatch(chunk_id) else None
