"""Searching a collection that Assay did not make."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from qdrant_client import models

from assay.adapters.stores.adopted import filters as wanted
from assay.adapters.stores.adopted.access import CollectionReader, Selector
from assay.adapters.stores.adopted.mapping import FieldMapping, PointReader
from assay.adapters.stores.adopted.shape import DenseVector
from assay.adapters.stores.points import TIES, end_of_ties, first_by_id, require_direction
from assay.errors import InputError, StoreUnavailable
from assay.model.documents import Chunk
from assay.model.lru_cache import LruCache
from assay.model.ranking import Filters
from assay.ports import AdoptedPoint, Compared, IndexAnswer, IndexQuery, Scored, SparseVector, StoredPoint, Vector

_COSINE = "Cosine"
_REMEMBERED = 50_000
"""Chunk ids whose points are remembered, some 10 MB: a search finds them and then asks for them."""

_DEEPEST = 10_000
_DEEPER = 4
_MORE_CANDIDATES = 4
"""How many times the limit is taken from a server whose distance is not the cosine, to be ordered anew."""

PointId = models.ExtendedPointId

_DIGITS = 20
"""Digits of the largest id that a point can have, 2⁶⁴ minus 1."""

_UUID = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Searched:
    """What of a collection is searched, and how its points are read.

    narrow: the mapping with only those paths that points were seen to have, to filter by.
    unseen: fields that no sampled point had.
    sparse: name of the sparse vectors that keyword search may use; None where it cannot.
    quantized: whether the server searches a smaller copy of the vectors first.
    """

    dense: DenseVector
    reader: PointReader
    narrow: FieldMapping
    unseen: frozenset[str]
    sparse: str | None
    quantized: bool


class AdoptedIndex:
    """A collection, open for reading; safe to use from several threads.

    What the collection's owner writes is seen at once: points come and go between two calls. A point without text is
    never found, for nothing of it could be shown.
    """

    def __init__(self, collection: CollectionReader, searched: Searched) -> None:
        self._collection = collection
        self._searched = searched
        self._points = LruCache[str, PointId](_REMEMBERED)
        self._confirmed: set[tuple[str, ...]] = set()
        self._closed = False

    @property
    def has_keywords(self) -> bool:
        """Whether there are sparse vectors that BM25 can ask."""
        return self._searched.sparse is not None

    def count(self) -> int:
        """Number of points at the moment."""
        self._require_open()
        return self._collection.count()

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides. Of points with the same chunk id the best counts.

        Raises VectorStoreError; InvalidEmbedding for a vector of no direction; InputError for a filter that the
        collection cannot answer.
        """
        self._require_open()
        where = self._where(query.filters)
        dense: tuple[Scored, ...] = ()
        sparse: tuple[Scored, ...] = ()
        if query.dense is not None:
            require_direction(query.dense, self._searched.dense.dimension)
            dense = self._side(query, query.dense, where)
        if query.sparse is not None and self._searched.sparse is not None:
            sparse = self._side(query, query.sparse, where)
        return IndexAnswer(dense, sparse)

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; those that are gone, or have no text any more, are left out."""
        return {
            chunk_id: point.chunk
            for chunk_id, point, _ in self._read(chunk_ids, vectors=False)
            if point.chunk is not None
        }

    def compare(self, vector: Vector, chunk_ids: Sequence[str]) -> dict[str, Compared]:
        """The stored chunks with the cosine of each and a vector, computed here from the vectors as they are stored."""
        self._require_open()
        require_direction(vector, self._searched.dense.dimension)
        return {
            chunk_id: Compared(point.chunk, cosine(vector, point.vector))
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
            if point.chunk is not None
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, as the server keeps them: of length 1 where it compares by cosine."""
        return {
            chunk_id: point.vector
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
            if point.vector is not None
        }

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points of these ids with passage and dense vector; sparse vectors, which others made, are not read."""
        return {
            chunk_id: StoredPoint(point.chunk, point.vector, None)
            for chunk_id, point, _ in self._read(chunk_ids, vectors=True)
        }

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        self._require_open()
        mapping = self._searched.reader.mapping
        payload = roots(mapping.of("chunk_id"))
        found: set[str] = set()
        offset: Any = None
        while True:
            records, offset = self._collection.page(offset, payload=payload, vectors=False)
            found.update(self._chunk_id(record) for record in records)
            if offset is None:
                break
        yield from sorted(found)

    def points(self) -> Iterator[AdoptedPoint]:
        """Every point with its vector, in the order of the server's ids."""
        self._require_open()
        offset: Any = None
        while True:
            records, offset = self._collection.page(offset, payload=True, vectors=self._vector_names())
            for record in records:
                vector = _vector_of(record, self._searched.dense.name)
                yield self._searched.reader.read(str(record.id), record.payload or {}, vector)
            if offset is None:
                return

    def close(self) -> None:
        """Let go of the index; a second call does nothing. The connection is the store's."""
        self._closed = True

    # --- searching -------------------------------------------------------------------------------------------------

    def _side(
        self, query: IndexQuery, vector: Vector | SparseVector, where: models.Filter | None
    ) -> tuple[Scored, ...]:
        """One side, asked deeper as long as points fall out and there are more."""
        factor = 1 if isinstance(vector, SparseVector) or self._by_cosine else _MORE_CANDIDATES
        deepest = max(min(_DEEPEST, self._collection.most), query.limit)
        limit = min(query.limit * factor + TIES, deepest)
        while True:
            (points,) = self._collection.query([self._request(query, vector, limit, where)])
            found = self._scored(query, vector, points)
            if len(found) >= query.limit or len(points) < limit or limit >= deepest:
                end = end_of_ties([scored.score for scored in found], query.limit)
                return first_by_id(found[:end], query.limit)
            limit = min(limit * _DEEPER, deepest)

    def _scored(
        self, query: IndexQuery, vector: Vector | SparseVector, points: Sequence[models.ScoredPoint]
    ) -> list[Scored]:
        """The points that count, best first, each chunk id once, and where they are."""
        prefix = query.filters.url_prefix
        below = None if prefix is None else wanted.url_matches(prefix)
        best: dict[str, Scored] = {}
        places: dict[str, PointId] = {}
        for point in points:
            payload = point.payload or {}
            if below is not None and not below(self._searched.reader.url(str(point.id), payload)):
                continue
            score = point.score
            if not isinstance(vector, SparseVector) and not self._by_cosine:
                score = cosine(vector, _vector_of(point, self._searched.dense.name))
            if math.isnan(score):
                continue  # a stored vector of no direction is near nothing
            chunk_id = self._chunk_id(point)
            if chunk_id not in best or best[chunk_id].score < score:
                best[chunk_id] = Scored(chunk_id, score)
                places[chunk_id] = point.id
        self._points.update(places)
        return sorted(best.values(), key=lambda scored: (-scored.score, scored.chunk_id))

    def _request(
        self, query: IndexQuery, vector: Vector | SparseVector, limit: int, where: models.Filter | None
    ) -> models.QueryRequest:
        searched, mapping = self._searched, self._searched.reader.mapping
        fields = mapping.of("chunk_id")
        if query.filters.url_prefix is not None:
            fields += mapping.of("url") + mapping.of("source_path")
        payload: Any = roots(fields) or False
        if isinstance(vector, SparseVector):
            terms = models.SparseVector(indices=list(vector.indices), values=list(vector.values))
            nearest, using, params = models.NearestQuery(nearest=terms), searched.sparse, None
        else:
            nearest, using = models.NearestQuery(nearest=vector.tolist()), searched.dense.name or None
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
        if self._searched.quantized:
            again = models.QuantizationSearchParams(rescore=True, oversampling=self._collection.oversampling)
        return models.SearchParams(hnsw_ef=self._collection.search_width, quantization=again)

    @property
    def _by_cosine(self) -> bool:
        """Whether the server's score is the cosine."""
        return self._searched.dense.distance == _COSINE

    def _where(self, filters: Filters) -> models.Filter | None:
        narrow = self._searched.narrow
        for name, paths in wanted.asked_fields(filters, narrow).items():
            self._require_somewhere(name, paths)
        return wanted.conditions(filters, narrow, self._collection.name)

    def _require_somewhere(self, name: str, paths: tuple[str, ...]) -> None:
        """Raise InputError where no point has a field that is filtered by: to find nothing would be misread."""
        if paths in self._confirmed:
            return
        field = name.removesuffix("s")
        if field in self._searched.unseen and not self._collection.matching(wanted.has_any(paths), 1, payload=False):
            raise InputError(
                f"filters.{name}: no point of the adopted collection {self._collection.name} has {' or '.join(paths)}.",
                hint=f"Set [index.mapping] {field} to where the payload has it, or ask without this filter.",
            )
        self._confirmed.add(paths)

    # --- reading ---------------------------------------------------------------------------------------------------

    def _read(self, chunk_ids: Sequence[str], *, vectors: bool) -> Iterator[tuple[str, AdoptedPoint, PointId]]:
        """The points of these chunks, as far as they are there."""
        self._require_open()
        names = self._vector_names() if vectors else False
        where = self._places(chunk_ids)
        left = dict.fromkeys(chunk_ids)
        for record in self._collection.retrieve(list(where.values()), payload=True, vectors=names):
            chunk_id = self._chunk_id(record)
            if chunk_id in left:
                del left[chunk_id]
                vector = _vector_of(record, self._searched.dense.name) if vectors else None
                yield chunk_id, self._searched.reader.read(str(record.id), record.payload or {}, vector), record.id

    def _places(self, chunk_ids: Sequence[str]) -> dict[str, PointId]:
        """The point of each chunk: as a search found it, else by the payload, else the chunk's id is the point's."""
        asked = list(dict.fromkeys(chunk_ids))
        places = {chunk_id: point for chunk_id in asked if (point := self._points.get(chunk_id)) is not None}
        unknown = [chunk_id for chunk_id in asked if chunk_id not in places]
        paths = self._searched.narrow.of("chunk_id")
        if unknown and wanted.keys_of(paths):
            records = self._collection.matching(
                wanted.has_value(paths, unknown), _DEEPER * len(unknown), payload=roots(paths)
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
        return self._searched.reader.chunk_id(str(point.id), point.payload or {})

    def _vector_names(self) -> Any:  # noqa: ANN401 - names, or all where there is one without a name
        return [self._searched.dense.name] if self._searched.dense.name else True

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"The collection {self._collection.name} is closed.")


def cosine(query: Vector, stored: Vector | None) -> float:
    """The cosine of a query of length 1 and a stored vector of any length; NaN where that points nowhere."""
    if stored is None or stored.shape != query.shape:
        return math.nan
    wide = stored.astype(np.float64)
    length = float(np.linalg.norm(wide))
    return float(query.astype(np.float64) @ wide) / length if 0.0 < length < math.inf else math.nan


def _vector_of(record: models.Record | models.ScoredPoint, name: str) -> Vector | None:
    """The dense vector of a name; None for a point that has none."""
    given: Any = record.vector
    if isinstance(given, dict):
        given = given.get(name)
    if not isinstance(given, list) or (given and isinstance(given[0], list)):
        return None
    return np.array(given, dtype=np.float32)


def roots(paths: Sequence[str]) -> Selector:
    """The fields of the payload in which these paths begin, for a server knows no JSON inside a text.

    All fields where it has no way to write one.
    """
    names = list(dict.fromkeys(path.split(".")[0] for path in paths))
    keys = [key for name in names for key in wanted.keys_of((name,))]
    return keys if len(keys) == len(names) else True


def _point_id(chunk_id: str) -> PointId | None:
    """The point whose id a chunk has; None for what cannot be one."""
    if chunk_id.isascii() and chunk_id.isdigit() and len(chunk_id) <= _DIGITS:
        return int(chunk_id) if int(chunk_id) < 2**64 else None
    return chunk_id if _UUID.fullmatch(chunk_id) else None
