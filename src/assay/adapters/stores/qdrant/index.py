"""Reading a generation's collection on a Qdrant server."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qdrant_client import QdrantClient, models

from assay.adapters.stores.facet_conditions import Conditions, narrowing_conditions, scope_conditions
from assay.adapters.stores.payload import FACETS, dense_vector, from_payload, stored_point
from assay.adapters.stores.points import CHUNK_ID, DENSE, SPARSE, TIES, break_ties, count_with_ties, require_direction
from assay.adapters.stores.qdrant.collection import Marker, collection_name
from assay.adapters.stores.qdrant.errors import FailedRequest
from assay.adapters.stores.qdrant.options import ReadOptions
from assay.adapters.stores.qdrant.server import QdrantServer, Retry, consistency_of
from assay.errors import StoreUnavailable
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.ports import Compared, IndexAnswer, IndexQuery, Scored, StoredPoint, Vector

_PAGE = 1_000
"""Ids per request."""

_VECTORS_AT_ONCE = 512


class QdrantIndex:
    """One generation's sealed collection; safe to use from several threads.

    Calls raise StoreUnavailable while the server is unavailable, and work again afterwards.

    retry: how long each call retries.
    """

    def __init__(self, server: QdrantServer, marker: Marker, reading: ReadOptions, retry: Retry) -> None:
        self._server = server
        self._retry = retry
        self._marker = marker
        self._name = marker.generation
        self._collection = collection_name(marker.collection, marker.generation)
        self._everywhere = frozenset(marker.everywhere)
        self._reading = reading
        self._closed = False

    def count(self) -> int:
        """Number of points."""
        self._require_open()
        return count_points(self._server, self._name, self._collection, self._retry)

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Search both sides in one request; a failure is never returned as an empty answer."""
        self._require_open()
        scope = scope_conditions(query, self._everywhere)
        where = _filter(scope + narrowing_conditions(query.filters, self._everywhere))
        asked: Any = {"limit": query.limit + TIES, "filter": where, "with_payload": False, "with_vector": False}
        requests = []
        if query.dense is not None:
            require_direction(query.dense, self._marker.dimension)
            nearest = models.NearestQuery(nearest=query.dense.tolist())
            requests.append(models.QueryRequest(query=nearest, using=DENSE, params=self._dense_params(query), **asked))
        if query.sparse is not None:
            # IDF is computed within the filter's scope.
            corpus = _filter(scope)
            weighing = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus)) if corpus else None
            terms = models.SparseVector(indices=list(query.sparse.indices), values=list(query.sparse.values))
            nearest = models.NearestQuery(nearest=terms)
            requests.append(models.QueryRequest(query=nearest, using=SPARSE, params=weighing, **asked))
        answers = iter([_ranked(points, query.limit) for points in self._query(requests)])
        return IndexAnswer(
            dense=next(answers) if query.dense is not None else (),
            sparse=next(answers) if query.sparse is not None else (),
        )

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """The stored chunks by id; ids that the index lacks are left out."""
        records = self._records(chunk_ids, with_payload=True, with_vectors=False)
        return {str(record.id): from_payload(record.payload or {}, str(record.id)) for record in records}

    def compare(
        self,
        vector: Vector,
        chunk_ids: Sequence[str],
        known: Mapping[str, float],  # noqa: ARG002
    ) -> dict[str, Compared]:
        """The stored chunks with their cosine to a vector, in one request; ids that the index lacks are left out."""
        self._require_open()
        require_direction(vector, self._marker.dimension)
        ids = _points(chunk_ids)
        if not ids:
            return {}
        (points,) = self._query([_comparison(vector, ids)])
        return {
            str(point.id): Compared(from_payload(point.payload or {}, str(point.id)), point.score) for point in points
        }

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, Vector]:
        """The stored dense vectors by id, bit for bit as they were written; missing ids are left out."""
        found: dict[str, Vector] = {}
        for batch in batched(chunk_ids, _VECTORS_AT_ONCE):
            for record in self._records(batch, with_payload=False, with_vectors=[DENSE]):
                found[str(record.id)] = dense_vector(str(record.id), record.vector)
        return found

    def stored(self, chunk_ids: Sequence[str]) -> dict[str, StoredPoint]:
        """The points with these ids, damaged ones too; missing ids are left out."""
        found: dict[str, StoredPoint] = {}
        for batch in batched(chunk_ids, _VECTORS_AT_ONCE):
            records = self._records(batch, with_payload=True, with_vectors=[DENSE, SPARSE])
            for record in records:
                point = str(record.id)
                found[point] = stored_point(point, record.payload, record.vector, models.SparseVector)
        return found

    def ids(self) -> Iterator[str]:
        """Every chunk id, in ascending order."""
        self._require_open()
        yield from scroll_ids(self._server, self._name, self._collection, Retry.LONG)

    def close(self) -> None:
        """Close the index; a second call does nothing."""
        self._closed = True

    def _dense_params(self, query: IndexQuery) -> models.SearchParams:
        if query.exact:
            return models.SearchParams(exact=True)
        compared_again = models.QuantizationSearchParams(rescore=True, oversampling=self._reading.oversampling)
        return models.SearchParams(hnsw_ef=self._reading.search_width, quantization=compared_again)

    def _query(self, requests: Sequence[models.QueryRequest]) -> list[list[models.ScoredPoint]]:
        if not requests:
            return []

        def ask(client: QdrantClient) -> list[models.QueryResponse]:
            return client.query_batch_points(
                self._collection,
                requests=requests,
                consistency=consistency_of(self._reading),
                timeout=self._server.search_seconds,
            )

        return self._server.rankings(
            self._name, self._server.search("search", self._name, ask, self._retry), len(requests)
        )

    def _records(
        self, chunk_ids: Sequence[str], *, with_payload: bool, with_vectors: bool | list[str]
    ) -> list[models.Record]:
        self._require_open()
        ids = _points(chunk_ids)
        if not ids:
            return []

        def ask(client: QdrantClient) -> list[models.Record]:
            return client.retrieve(
                self._collection,
                ids=ids,
                with_payload=with_payload,
                with_vectors=with_vectors,
                consistency=consistency_of(self._reading),
                timeout=self._server.search_seconds,
            )

        return self._server.search("read", self._name, ask, self._retry)

    def _require_open(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"The index {self._name} is closed.")


def count_points(server: QdrantServer, name: str, collection: str, retry: Retry) -> int:
    """The exact number of points, by listing ids if strict mode forbids exact counts. Raises VectorStoreError."""
    answer = server.try_request(lambda client: client.count(collection, exact=True), retry)
    if isinstance(answer, FailedRequest):
        if answer.forbids_exact:
            return sum(1 for _ in scroll_ids(server, name, collection, retry))
        raise server.error(answer, "count", name)
    return answer.count


def scroll_ids(server: QdrantServer, name: str, collection: str, retry: Retry) -> Iterator[str]:
    """Every id of a collection, in ascending order. Raises VectorStoreError."""
    offset: Any = None
    page = _PAGE
    while True:

        def ask(client: QdrantClient, offset: Any = offset, limit: int = page) -> tuple[list[models.Record], Any]:  # noqa: ANN401 - an id
            return client.scroll(collection, limit=limit, offset=offset, with_payload=False, with_vectors=False)

        answer = server.try_request(ask, retry)
        if isinstance(answer, FailedRequest):
            if answer.allowed_limit and answer.allowed_limit < page:
                page = answer.allowed_limit
                continue
            raise server.error(answer, "list", name)
        records, offset = answer
        yield from (str(record.id) for record in records)
        if offset is None:
            return


def _comparison(vector: Vector, ids: list[models.ExtendedPointId]) -> models.QueryRequest:
    """A request for the exact cosines of a vector and these points, without quantization."""
    return models.QueryRequest(
        query=models.NearestQuery(nearest=vector.tolist()),
        using=DENSE,
        limit=len(ids),
        filter=models.Filter(must=[models.HasIdCondition(has_id=ids)]),
        params=models.SearchParams(quantization=models.QuantizationSearchParams(ignore=True)),
        with_payload=True,
        with_vector=False,
    )


def _filter(conditions: Conditions) -> models.Filter | None:
    must: list[models.Condition] = [_one_of(facets) for facets in conditions.wanted]
    must_not: list[models.Condition] = [_one_of(conditions.unwanted)] if conditions.unwanted else []
    return models.Filter(must=must or None, must_not=must_not or None) if conditions else None


def _one_of(facets: Sequence[str]) -> models.FieldCondition:
    if len(facets) == 1:
        return models.FieldCondition(key=FACETS, match=models.MatchValue(value=facets[0]))
    return models.FieldCondition(key=FACETS, match=models.MatchAny(any=list(facets)))


def _points(chunk_ids: Sequence[str]) -> list[models.ExtendedPointId]:
    """The ids that are UUIDs, without duplicates."""
    return list(dict.fromkeys(chunk_id for chunk_id in chunk_ids if CHUNK_ID.fullmatch(chunk_id)))


def _ranked(points: Sequence[models.ScoredPoint], limit: int) -> tuple[Scored, ...]:
    end = count_with_ties([point.score for point in points], limit)
    return break_ties([Scored(str(point.id), point.score) for point in points[:end]], limit)
