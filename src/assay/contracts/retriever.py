"""The implementation of seed 002's functions, over an open engine."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, RequestModel, check_fields, was_sent
from assay.contracts.native import to_filters
from assay.contracts.native_entities import SearchFilters
from assay.contracts.ordering import Shaping
from assay.contracts.retrieval_entities import (
    ConfigurationCheck,
    QueryEmbedding,
    RetrievalResult,
    RetrieverStatistics,
    check_vector,
)
from assay.errors import AssayError, IndexCorrupt, InputError
from assay.model.generations import Generation
from assay.model.health import Health
from assay.model.ranking import Embed, Hit, Mode, Query, Ranking
from assay.ports import Embedder, Vector

QUERY_LIMIT = 1_000
LIMIT_LIMIT = 100
DEFAULT_LIMIT = 5
MINIMUM_RELEVANCE = 0.3
"""The default minimum relevance of `retrieve`."""

_BATCH_THREADS = 8
_BY_DEFAULT, _DENSE = Shaping(Mode.HYBRID), Shaping(Mode.DENSE)
_UNIT_TOLERANCE = 1e-6


# --- the engine ----------------------------------------------------------------------------------------------------


class Engine(Protocol):
    """The part of an open Assay that retrieval needs; safe to use from several threads."""

    @property
    def embedder(self) -> Embedder:
        """The configured model."""

    def embed_query(self, text: str) -> Vector:
        """Embed a query."""

    def search(self, query: Query, *, embed: Embed | None = None) -> Ranking:
        """Search the live generation. embed: when to embed the query."""

    def search_embedding(self, query: Query, vector: Vector) -> Ranking:
        """Search the live generation with an embedding."""

    def served_generation(self) -> Generation:
        """The live generation."""

    def health(self) -> Health:
        """The health of the stores."""


# --- the retriever -------------------------------------------------------------------------------------------------


class _Question(RequestModel):
    query: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK]


class _Bounds(RequestModel):
    limit: Annotated[int, Field(ge=1, le=LIMIT_LIMIT)]
    minimum_relevance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    filters: SearchFilters = SearchFilters()


class Retriever:
    """Embeds queries and retrieves chunks. Safe to use from several threads.

    shaping: of `retrieve`; retrieve_content_chunks has no query text, so it is always dense.
    on_close: closes the engine.
    """

    def __init__(
        self, engine: Engine, shaping: Shaping = _BY_DEFAULT, on_close: Callable[[], None] | None = None
    ) -> None:
        self._engine = engine
        self._shaping = shaping
        self._on_close = on_close
        self._count = _Count()

    def generate_query_embedding(self, query: str) -> QueryEmbedding:
        """Embed a query of 1 to 1,000 characters. Raises ValueError for other lengths, and EmbeddingError."""
        text = check_fields(_Question, {"query": query}).query
        vector = self._engine.embed_query(text)
        return QueryEmbedding(vector.tolist(), text, self._engine.embedder.identity.model)

    def retrieve_content_chunks(
        self,
        query_embedding: QueryEmbedding | Sequence[float],
        limit: int = DEFAULT_LIMIT,
        *,
        minimum_relevance: float = 0.0,
        filters: Mapping[str, object] | None = None,
    ) -> list[RetrievalResult]:
        """Return the chunks nearest to an embedding, most relevant first; [] without results.

        query_embedding: from generate_query_embedding, or its vector.
        limit: the most results, 1 to 100.
        minimum_relevance: the least relevance_score of a result, 0 to 1.
        filters: as in POST /v1/search: `versions`, `locales`, `url_prefix`, `sections`, `sources`, `everything`,
            `include_unversioned`.

        Raises ValueError for a vector of another dimension or model, and for other arguments out of range;
        NoLiveGeneration before the first promotion; IdentityMismatch, VectorStoreError.
        """
        bounds = _bounds(limit, minimum_relevance, filters)
        vector = self._vector(query_embedding)
        query = Query("", bounds.limit, Mode.DENSE, bounds.minimum_relevance, to_filters(bounds.filters))
        return self._count.of(lambda: _results(_DENSE.reorder(self._engine.search_embedding(query, vector))))

    def retrieve(
        self,
        query: str,
        limit: int = DEFAULT_LIMIT,
        *,
        minimum_relevance: float = MINIMUM_RELEVANCE,
        filters: Mapping[str, object] | None = None,
    ) -> list[RetrievalResult]:
        """Embed a query and return the best chunks, with the arguments and errors of the two methods above.

        minimum_relevance is 0.3 by default.
        """
        text = check_fields(_Question, {"query": query}).query
        return self._retrieve(text, _bounds(limit, minimum_relevance, filters))

    def retrieve_batch(
        self,
        queries: Sequence[str],
        limit: int = DEFAULT_LIMIT,
        *,
        minimum_relevance: float = MINIMUM_RELEVANCE,
        filters: Mapping[str, object] | None = None,
    ) -> list[list[RetrievalResult]]:
        """Return the results of several queries, in their order. An invalid query raises before any search."""
        if isinstance(queries, str):
            raise InputError(f"queries: it must be a list of strings; {was_sent(queries)}.")
        bounds = _bounds(limit, minimum_relevance, filters)
        texts = [check_fields(_Question, {"query": query}).query for query in queries]
        with ThreadPoolExecutor(_BATCH_THREADS, "retrieve") as threads:
            return list(threads.map(lambda text: self._retrieve(text, bounds), texts))

    def statistics(self) -> RetrieverStatistics:
        """Return the live generation and the query counts. Raises NoLiveGeneration."""
        generation = self._engine.served_generation()
        identity = self._engine.embedder.identity
        queries, empty, failed, mean_ms = self._count.totals()
        return RetrieverStatistics(
            generation.id,
            generation.documents,
            generation.chunks,
            identity.model,
            identity.dimension,
            queries,
            empty,
            failed,
            mean_ms,
        )

    def check_configuration(self) -> ConfigurationCheck:
        """Check everything that a query needs. Problems are returned, not raised."""
        try:
            identity = self._engine.embedder.identity
        except AssayError as error:
            return ConfigurationCheck((str(error),))
        health = self._engine.health()
        problems = list(health.problems)
        try:
            self._engine.served_generation()
        except AssayError as error:
            problems.append(str(error))
        return ConfigurationCheck(tuple(problems), identity.model, identity.dimension, health.generation)

    def close(self) -> None:
        """Close the engine, if the retriever owns it."""
        if self._on_close is not None:
            self._on_close()

    def _retrieve(self, text: str, bounds: _Bounds) -> list[RetrievalResult]:
        shaping = self._shaping
        query = Query(text, bounds.limit, shaping.mode, bounds.minimum_relevance, to_filters(bounds.filters))
        return self._count.of(
            lambda: _results(shaping.reorder(self._engine.search(shaping.query(query), embed=Embed.ALWAYS)))
        )

    def _vector(self, embedding: QueryEmbedding | Sequence[float]) -> Vector:
        """The embedding as a float32 unit vector."""
        identity = self._engine.embedder.identity
        if isinstance(embedding, QueryEmbedding) and embedding.model != identity.model:
            raise InputError(
                f"query_embedding: its model is {embedding.model}, but {identity.model} is configured.",
                hint="Embed the query again with generate_query_embedding.",
            )
        values = embedding.vector if isinstance(embedding, QueryEmbedding) else embedding
        check_vector(values, identity.dimension, identity.model, "query_embedding")
        return _direction(np.asarray(values, dtype=np.float64))


# --- rules ---------------------------------------------------------------------------------------------------------


def _bounds(limit: int, minimum_relevance: float, filters: Mapping[str, object] | None) -> _Bounds:
    fields: dict[str, object] = {"limit": limit, "minimum_relevance": minimum_relevance}
    return check_fields(_Bounds, fields if filters is None else fields | {"filters": dict(filters)})


def _direction(vector: NDArray[np.float64]) -> Vector:
    """The vector as a float32 unit vector; a unit vector stays unchanged, bit for bit."""
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise InputError("query_embedding: all its numbers are zero, so it has no direction.")
    length = float(np.linalg.norm(vector / largest)) * largest
    if abs(length - 1.0) < _UNIT_TOLERANCE:
        return vector.astype(np.float32)
    scaled = vector / largest  # first, because squares of very large or small numbers overflow or vanish
    return (scaled / np.linalg.norm(scaled)).astype(np.float32)


def _results(ranking: Ranking) -> list[RetrievalResult]:
    return [_result(hit) for hit in ranking.hits]


def _result(hit: Hit) -> RetrievalResult:
    document = hit.chunk.document
    try:
        return RetrievalResult(
            hit.chunk.text, document.url, hit.known_similarity, hit.chunk.id, hit.chunk.position, document.title
        )
    except InputError as error:
        raise IndexCorrupt(
            f"The index returned an incomplete chunk: {error.message}", hint="`assay doctor` lists what is missing."
        ) from error


class _Count:
    """Counts and times of queries; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answered = 0
        self._empty = 0
        self._failed = 0
        self._seconds = 0.0

    def of(self, retrieve: Callable[[], list[RetrievalResult]]) -> list[RetrievalResult]:
        """Return the results of one query, counted and timed; a query that raises counts as failed."""
        started = perf_counter()
        try:
            results = retrieve()
        except BaseException:
            with self._lock:
                self._failed += 1
            raise
        with self._lock:
            self._answered += 1
            self._empty += not results
            self._seconds += perf_counter() - started
        return results

    def totals(self) -> tuple[int, int, int, float | None]:
        """Queries, empty, failed, mean milliseconds."""
        with self._lock:
            mean = 1000.0 * self._seconds / self._answered if self._answered else None
            return self._answered + self._failed, self._empty, self._failed, mean
