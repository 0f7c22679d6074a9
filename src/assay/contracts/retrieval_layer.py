"""The retrieval layer of seed 002 (`seeds/002`): two Python functions, and a few more for convenience.

    from assay.contracts.retrieval_layer import generate_query_embedding, retrieve_content_chunks

    embedding = generate_query_embedding("How do nodes communicate?")
    for result in retrieve_content_chunks(embedding.vector, limit=5):
        print(result.relevance_score, result.source_url, result.text)

They use the settings of the environment and of assay.toml in the working directory. The first call opens Assay, which
follows every promotion and is closed at exit. All functions are safe to call from several threads.
"""

import atexit
import os
import threading
from collections.abc import Mapping, Sequence

from assay.contracts.opening import open_retriever
from assay.contracts.retrieval_entities import (
    ConfigurationCheck,
    QueryEmbedding,
    RetrievalResult,
    RetrieverStatistics,
)
from assay.contracts.retriever import DEFAULT_LIMIT, MINIMUM_RELEVANCE, Retriever
from assay.errors import ConfigurationError

__all__ = [
    "ConfigurationCheck",
    "QueryEmbedding",
    "RetrievalResult",
    "RetrieverStatistics",
    "check_configuration",
    "close",
    "generate_query_embedding",
    "retrieve",
    "retrieve_batch",
    "retrieve_content_chunks",
    "statistics",
]


def generate_query_embedding(query: str) -> QueryEmbedding:
    """Embed a query of 1 to 1,000 characters.

    Raises ValueError for an empty or longer query, EmbeddingError when the model fails, and ConfigurationError.
    """
    return _default.retriever().generate_query_embedding(query)


def retrieve_content_chunks(
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
    NoLiveGeneration before the first promotion; IdentityMismatch, VectorStoreError, CatalogError, ConfigurationError.
    """
    return _default.retriever().retrieve_content_chunks(
        query_embedding, limit, minimum_relevance=minimum_relevance, filters=filters
    )


def retrieve(
    query: str,
    limit: int = DEFAULT_LIMIT,
    *,
    minimum_relevance: float = MINIMUM_RELEVANCE,
    filters: Mapping[str, object] | None = None,
) -> list[RetrievalResult]:
    """Embed a query and return the best chunks, with the arguments and errors of the two functions above."""
    return _default.retriever().retrieve(query, limit, minimum_relevance=minimum_relevance, filters=filters)


def retrieve_batch(
    queries: Sequence[str],
    limit: int = DEFAULT_LIMIT,
    *,
    minimum_relevance: float = MINIMUM_RELEVANCE,
    filters: Mapping[str, object] | None = None,
) -> list[list[RetrievalResult]]:
    """Return the results of several queries, in their order. An invalid query raises before any search."""
    return _default.retriever().retrieve_batch(queries, limit, minimum_relevance=minimum_relevance, filters=filters)


def statistics() -> RetrieverStatistics:
    """Return the live generation and the query counts. Raises NoLiveGeneration, ConfigurationError."""
    return _default.retriever().statistics()


def check_configuration() -> ConfigurationCheck:
    """Return the problems that prevent queries. Problems are returned, not raised."""
    try:
        return _default.retriever().check_configuration()
    except ConfigurationError as error:
        return ConfigurationCheck((str(error),))


def close() -> None:
    """Close the index and the catalog; the next call reads the environment again and reopens them."""
    _default.close()


class _Default:
    """The retriever of this process, opened on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retriever: Retriever | None = None
        self._abandoned: list[Retriever | None] = []

    def retriever(self) -> Retriever:
        """Return the retriever. Raises ConfigurationError."""
        found = self._retriever
        if found is None:
            with self._lock:
                found = self._retriever = self._retriever or open_retriever()
        return found

    def close(self) -> None:
        with self._lock:
            found, self._retriever = self._retriever, None
        if found is not None:
            found.close()

    def abandon(self) -> None:
        """Forget the parent's retriever in a forked child, without closing its connections and threads."""
        self._lock = threading.Lock()
        # Kept, because garbage collection would close the connections that the parent still uses.
        self._abandoned.append(self._retriever)
        self._retriever = None


_default = _Default()
atexit.register(_default.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_default.abandon)
