"""The retrieval layer of seed 002 (`seeds/002`): two Python functions, and what goes with them.

    from assay.contracts.retrieval_layer import generate_query_embedding, retrieve_content_chunks

    embedding = generate_query_embedding("How do nodes communicate?")
    for result in retrieve_content_chunks(embedding.vector, limit=5):
        print(result.relevance_score, result.source_url, result.text)

They work over the Assay that the environment (and assay.toml in the working directory) names. It is opened by the first
call, follows every promotion, and is closed when the process ends. All of them can be called from several threads.
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

    Raises ValueError for another query; EmbeddingError when the model fails; ConfigurationError.
    """
    return _default.retriever().generate_query_embedding(query)


def retrieve_content_chunks(
    query_embedding: QueryEmbedding | Sequence[float],
    limit: int = DEFAULT_LIMIT,
    *,
    minimum_relevance: float = 0.0,
    filters: Mapping[str, object] | None = None,
) -> list[RetrievalResult]:
    """The chunks nearest to an embedding, most relevant first; [] when there are none.

    query_embedding: from generate_query_embedding, or its vector.
    limit: the most results, 1 to 100.
    minimum_relevance: the least relevance_score of a result, 0 to 1.
    filters: as in POST /v1/search: `versions`, `locales`, `url_prefix`, `sections`, `sources`, `everything`.

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
    """The chunks that answer a query: both steps in one; arguments and errors are those of the two."""
    return _default.retriever().retrieve(query, limit, minimum_relevance=minimum_relevance, filters=filters)


def retrieve_batch(
    queries: Sequence[str],
    limit: int = DEFAULT_LIMIT,
    *,
    minimum_relevance: float = MINIMUM_RELEVANCE,
    filters: Mapping[str, object] | None = None,
) -> list[list[RetrievalResult]]:
    """The answers to several queries, in their order. No query is asked when one of them is invalid."""
    return _default.retriever().retrieve_batch(queries, limit, minimum_relevance=minimum_relevance, filters=filters)


def statistics() -> RetrieverStatistics:
    """What is answered from, and what was done so far. Raises NoLiveGeneration, ConfigurationError."""
    return _default.retriever().statistics()


def check_configuration() -> ConfigurationCheck:
    """Whether queries can be answered, and if not, why; raises nothing for what is wrong."""
    try:
        return _default.retriever().check_configuration()
    except ConfigurationError as error:
        return ConfigurationCheck((str(error),))


def close() -> None:
    """Let go of the index and the catalog; the next call opens them again, as the environment is then."""
    _default.close()


class _Default:
    """The retriever of this process, opened when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._retriever: Retriever | None = None
        self._abandoned: list[Retriever | None] = []

    def retriever(self) -> Retriever:
        """The one retriever. Raises ConfigurationError."""
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
        """After a fork, in the child: leave to the parent what is the parent's, connections and threads included."""
        self._lock = threading.Lock()
        # Kept, for its connections would tell their servers good-bye when they are collected.
        self._abandoned.append(self._retriever)
        self._retriever = None


_default = _Default()
atexit.register(_default.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_default.abandon)
