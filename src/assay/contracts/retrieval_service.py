"""The retrieval implementation, seed 004 (`seeds/004`): POST /api/v1/search and GET /api/v1/health.

The configured search selects the results, sorted by similarity. A setting can change the order (`ordering.Shaping`);
the score is always the cosine. The answer to a query shorter than the seed recommends has a warning; a query that is
too long is refused.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Moment, RequestModel, check_fields
from assay.model.health import Health
from assay.model.ids import query_embedding_id
from assay.model.ranking import Hit, Mode, Query, Ranking
from assay.ports import ChunkMetadata

QUERY_LIMIT = 500
RECOMMENDED_LENGTH = 10
"""The seed's "should": a shorter query gets a warning."""

TOP_K_LIMIT = 100
DEFAULT_TOP_K = 5
DEFAULT_THRESHOLD = 0.5


class ServiceQuery(RequestModel):
    """The seed's Search Query, without the id and time that the server adds."""

    query_text: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK] = Field(
        description="The query in plain words, preferably 10 characters or more; not only white space.",
        examples=["How do nodes communicate?"],
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=DEFAULT_TOP_K, description="The maximum number of results.", examples=[5]
    )
    similarity_threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=DEFAULT_THRESHOLD, description="The minimum similarity of a result.", examples=[0.5]
    )


class Algorithm(StrEnum):
    """The seed's similarity algorithms for embeddings."""

    COSINE = "cosine-similarity"


class SimilarityScore(AnswerModel):
    """The similarity of query and chunk, its algorithm, and the two embeddings."""

    score: float = Field(ge=0, le=1, description="The similarity, 0 to 1.")
    algorithm: Algorithm = Field(description="The similarity algorithm.")
    query_embedding_id: str = Field(
        json_schema_extra={"format": "uuid"}, description="UUIDv5 of the model's identity and the query's text."
    )
    result_embedding_id: str = Field(min_length=1, description="Id of the chunk's point in the vector store.")


class MetadataPackage(AnswerModel):
    """Page and section of a chunk."""

    url: str = Field(min_length=1, json_schema_extra={"format": "uri"}, description="URL of the page.")
    section_url: str = Field(
        min_length=1,
        json_schema_extra={"format": "uri"},
        description="Deep link to the section in which the passage begins.",
    )
    section: str = Field(
        description="Heading of the section in which the passage begins; empty before the first heading."
    )
    chunk_id: str = Field(min_length=1, description="Id of the chunk.")
    document_id: str = Field(min_length=1, description="Id of the page; the same URL keeps it.")
    document_title: str | None = Field(description="Title of the page; null if it has none.")
    source_type: str = Field(description="Kind of page, such as `docusaurus-page`.")


class ServiceChunk(AnswerModel):
    """The seed's Retrieved Chunk: one chunk that answers the query."""

    content: str = Field(min_length=1, description="The chunk's text.")
    similarity_score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")
    chunk_id: str = Field(min_length=1, description="Id of the chunk; the same text on the same page keeps it.")
    position: int = Field(ge=0, description="Index of the chunk in the page, from 0.")
    metadata: MetadataPackage = Field(description="Page and section of the chunk.")
    similarity: SimilarityScore = Field(description="The similarity in detail.")


class SearchParams(AnswerModel):
    """The parameters of the search, and warnings."""

    top_k: int = Field(ge=1, le=TOP_K_LIMIT, description="The maximum number of results.")
    similarity_threshold: float = Field(ge=0, le=1, description="The minimum similarity.")
    warnings: list[str] = Field(description="Limitations of the query or the response; usually empty.")


class QueryStatus(StrEnum):
    """The outcome of a query."""

    SUCCESS = "success"
    PARTIAL = "partial"
    NO_RESULTS = "no_results"


class ServiceResults(AnswerModel):
    """The response without its time, which is known last."""

    query_id: str = Field(json_schema_extra={"format": "uuid"}, description="Id of this query, new for each request.")
    created_at: Moment = Field(description="When the query arrived: ISO 8601, UTC.")
    status: QueryStatus = Field(
        description="`success`; `no_results` when nothing reaches the threshold; `partial` when the response is "
        "incomplete, with the reason in `warnings`."
    )
    results: list[ServiceChunk] = Field(
        max_length=TOP_K_LIMIT, description="Best first; empty when nothing reaches the threshold."
    )
    total_results: int = Field(ge=0, description="Number of results.")
    search_params: SearchParams = Field(description="The parameters of the search, and warnings.")


class ServiceTime(AnswerModel):
    """The last fields of the response."""

    query_time_ms: float = Field(ge=0, description="Milliseconds from the query's arrival to its formatted response.")


class ServiceResponse(ServiceTime, ServiceResults):
    """The seed's Query Response: the retrieved chunks, the parameters and the outcome."""


class ServiceHealthStatus(StrEnum):
    """The health states of seed 004."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


class ServiceHealth(AnswerModel):
    """Health of the service and its stores."""

    status: ServiceHealthStatus = Field(
        description="`healthy`; `degraded` when searches work but something is wrong; `unavailable` when they fail."
    )
    vector_store: bool = Field(description="Whether the vector store is reachable.")
    catalog: bool = Field(description="Whether the catalog is reachable.")
    generation: str | None = Field(description="Id of the live generation; null when there is none.")


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """A parsed request body.

    id: a UUID of this query.
    created_at: arrival of the request, UTC.
    default_threshold: whether the request has no threshold.
    """

    query: Query
    id: str
    created_at: datetime
    default_threshold: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """Results under the default threshold. count: how many; least: the lowest similarity among them."""

    count: int
    least: float


def parse(fields: Mapping[str, object], mode: Mode, created_at: datetime) -> ServiceRequest:
    """Parse a request body. mode: of the search that selects the results. Raises InputError."""
    request = check_fields(ServiceQuery, fields)
    query = Query(text=request.query_text, top_k=request.top_k, mode=mode, threshold=request.similarity_threshold)
    return ServiceRequest(query, str(uuid4()), created_at, "similarity_threshold" not in request.model_fields_set)


def to_body(
    ranking: Ranking,
    request: ServiceRequest,
    rows: Mapping[str, ChunkMetadata] | None,
    embedder: str,
    dropped: Dropped | None = None,
) -> dict[str, object]:
    """The response without its time, a ServiceResults.

    rows: the catalog's metadata by chunk id, None when the catalog is down; the index's own metadata is used for a
        chunk without a row.
    embedder: fingerprint of the model that embedded the query.
    dropped: results that the default threshold dropped although the embedder's calibrated threshold keeps them.
    """
    query_embedding = query_embedding_id(embedder, ranking.query.text)
    return ServiceResults(
        query_id=request.id,
        created_at=request.created_at,
        status=_status(ranking, metadata_missing=rows is None),
        results=[_result(hit, (rows or {}).get(hit.chunk.id), query_embedding) for hit in ranking.hits],
        total_results=len(ranking.hits),
        search_params=SearchParams(
            top_k=request.query.top_k,
            similarity_threshold=request.query.threshold,
            warnings=_warnings(ranking, dropped, metadata_missing=rows is None),
        ),
    ).to_dict()


def to_time(elapsed_ms: float) -> dict[str, object]:
    """The last fields of the response."""
    return ServiceTime(query_time_ms=round(elapsed_ms, 3)).to_dict()


def to_health(health: Health) -> dict[str, object]:
    """The health response."""
    if not health.vector_store or health.generation is None:
        status = ServiceHealthStatus.UNAVAILABLE
    elif not health.catalog or health.problems:
        status = ServiceHealthStatus.DEGRADED
    else:
        status = ServiceHealthStatus.HEALTHY
    return ServiceHealth.of(health, status=status).to_dict()


def _status(ranking: Ranking, *, metadata_missing: bool) -> QueryStatus:
    if not ranking.hits:
        return QueryStatus.NO_RESULTS
    return QueryStatus.PARTIAL if metadata_missing or ranking.rerank_failed else QueryStatus.SUCCESS


def dropped_by_default(lower: Ranking) -> Dropped | None:
    """The hits under the default threshold in a ranking with a lower one; None if there are none."""
    under = [hit.known_similarity for hit in lower.hits if hit.known_similarity < DEFAULT_THRESHOLD]
    return Dropped(len(under), min(under)) if under else None


def _warnings(ranking: Ranking, dropped: Dropped | None, *, metadata_missing: bool) -> list[str]:
    length = len(ranking.query.text)
    warnings = []
    if length < RECOMMENDED_LENGTH:
        warnings.append(f"query_text: it has {length} characters; {RECOMMENDED_LENGTH} or more give better results.")
    if dropped is not None:
        results = "1 result" if dropped.count == 1 else f"{dropped.count} results"
        keeps = math.floor(dropped.least * 100) / 100
        warnings.append(
            f"similarity_threshold: the default of {DEFAULT_THRESHOLD:g} dropped {results} that the embedder's "
            f"calibrated threshold keeps; {keeps:.2f} would keep them."
        )
    if metadata_missing and ranking.hits:
        warnings.append("The catalog does not answer: titles come from the index.")
    warnings += [f"query_text: {one.typed!r} was searched as {one.used!r}." for one in ranking.corrections]
    return [*warnings, *ranking.warnings]


def _result(hit: Hit, row: ChunkMetadata | None, query_embedding: str) -> ServiceChunk:
    chunk, document = hit.chunk, hit.chunk.document
    title = (row.title if row else document.short_title) or None
    return ServiceChunk(
        content=chunk.text,
        similarity_score=hit.known_similarity,
        chunk_id=chunk.id,
        position=chunk.position,
        metadata=MetadataPackage.of(chunk, document, chunk_id=chunk.id, document_id=document.id, document_title=title),
        similarity=SimilarityScore(
            score=hit.known_similarity,
            algorithm=Algorithm.COSINE,
            query_embedding_id=query_embedding,
            result_embedding_id=chunk.id,
        ),
    )
