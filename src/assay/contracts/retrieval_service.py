"""The retrieval implementation, seed 004 (`seeds/004`): POST /api/v1/search and GET /api/v1/health.

The configured search chooses the results, and they come ordered by similarity; an operator may choose another order
(`ordering.Shaping`), and the score stays the cosine. A query shorter than the seed recommends is answered with a
warning; one that is too long is refused.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import uuid4

from pydantic import Field

from assay.contracts.fields import IS_ASKING, IS_TEXT, AnswerModel, Moment, RequestModel, check_fields
from assay.model.ids import query_embedding_id
from assay.model.ranking import Hit, Mode, Query, Ranking
from assay.ports import ChunkMetadata

QUERY_LIMIT = 500
RECOMMENDED_LENGTH = 10
"""The seed's "should": a shorter query is answered, and told."""

TOP_K_LIMIT = 100
DEFAULT_TOP_K = 5
DEFAULT_THRESHOLD = 0.5


class ServiceQuery(RequestModel):
    """The seed's Search Query: what to find. Its id and time are made here."""

    query_text: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, IS_ASKING] = Field(
        description="What to look for, in plain words, better 10 characters or more; not white space only.",
        examples=["How do nodes communicate?"],
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=DEFAULT_TOP_K, description="The most results to return.", examples=[5]
    )
    similarity_threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=DEFAULT_THRESHOLD, description="The least similarity of a result.", examples=[0.5]
    )


class Algorithm(StrEnum):
    """The approved ways to compare two embeddings."""

    COSINE = "cosine-similarity"


class SimilarityScore(AnswerModel):
    """How similar query and chunk are, by which algorithm, and which two embeddings were compared."""

    score: float = Field(ge=0, le=1, description="The similarity, 0 to 1.")
    algorithm: Algorithm = Field(description="How it was computed.")
    query_embedding_id: str = Field(
        json_schema_extra={"format": "uuid"}, description="UUIDv5 of the model's identity and the query's text."
    )
    result_embedding_id: str = Field(min_length=1, description="Id of the chunk's point in the vector store.")


class MetadataPackage(AnswerModel):
    """Where a chunk is from."""

    url: str = Field(min_length=1, json_schema_extra={"format": "uri"}, description="The page.")
    section_url: str = Field(
        min_length=1, json_schema_extra={"format": "uri"}, description="Deep link to where the passage begins."
    )
    section: str = Field(description="Heading of the section in which the passage begins; empty before the first.")
    chunk_id: str = Field(min_length=1, description="Id of the chunk.")
    document_id: str = Field(min_length=1, description="Id of the page; the same URL keeps it.")
    document_title: str | None = Field(description="Title of the page; null where it has none.")
    source_type: str = Field(description="What kind of page it is, e.g. `docusaurus-page`.")


class ServiceChunk(AnswerModel):
    """The seed's Retrieved Chunk: one chunk that answers the query."""

    content: str = Field(min_length=1, description="The chunk's text.")
    similarity_score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")
    chunk_id: str = Field(min_length=1, description="Id of the chunk; the same text on the same page keeps it.")
    position: int = Field(ge=0, description="0, 1, 2, … within the page.")
    metadata: MetadataPackage = Field(description="Where the chunk is from.")
    similarity: SimilarityScore = Field(description="The score, how it was computed, and what was compared.")


class SearchParams(AnswerModel):
    """What was searched with."""

    top_k: int = Field(ge=1, le=TOP_K_LIMIT, description="Number of results asked for.")
    similarity_threshold: float = Field(ge=0, le=1, description="The least similarity used.")
    warnings: list[str] = Field(description="What to know about the query or the answer; usually empty.")


class QueryStatus(StrEnum):
    """How the query went."""

    SUCCESS = "success"
    PARTIAL = "partial"
    NO_RESULTS = "no_results"


class ServiceResults(AnswerModel):
    """The answer without its time, which is known last."""

    query_id: str = Field(json_schema_extra={"format": "uuid"}, description="Id of this query, made when it came.")
    created_at: Moment = Field(description="When the query came: ISO 8601, UTC.")
    status: QueryStatus = Field(
        description="`success`; `no_results` when nothing reaches the threshold; `partial` when the answer lacks "
        "something, and a warning says what."
    )
    results: list[ServiceChunk] = Field(
        max_length=TOP_K_LIMIT, description="Best first; empty when nothing reaches the threshold."
    )
    total_results: int = Field(ge=0, description="Number of results.")
    search_params: SearchParams = Field(description="What was searched with.")


class ServiceTime(AnswerModel):
    """What closes the answer."""

    query_time_ms: float = Field(ge=0, description="Milliseconds from when the query came until it was formatted.")


class ServiceResponse(ServiceTime, ServiceResults):
    """The seed's Query Response: the retrieved chunks with what was asked and how it went."""


class ServiceHealthStatus(StrEnum):
    """How the service is, in seed 004's words."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


class ServiceHealth(AnswerModel):
    """Whether the service and what it depends on work."""

    status: ServiceHealthStatus = Field(
        description="`healthy`; `degraded` when searches are answered but something is wrong; `unavailable` when they "
        "are not."
    )
    vector_store: bool = Field(description="Whether the vector store can be reached.")
    catalog: bool = Field(description="Whether the catalog can be reached.")
    generation: str | None = Field(description="Id of the generation that answers; null when none does.")


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """What a request body asks. id: a UUID of this one query. created_at: when it came, UTC.

    default_threshold: whether it names no threshold of its own.
    """

    query: Query
    id: str
    created_at: datetime
    default_threshold: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the default threshold left out. count: results under it; least: the lowest similarity among them."""

    count: int
    least: float


def parse(fields: Mapping[str, object], mode: Mode, created_at: datetime) -> ServiceRequest:
    """What a request body asks; mode: of the search that chooses the results. Raises InputError."""
    asked = check_fields(ServiceQuery, fields)
    query = Query(text=asked.query_text, top_k=asked.top_k, mode=mode, threshold=asked.similarity_threshold)
    return ServiceRequest(query, str(uuid4()), created_at, "similarity_threshold" not in asked.model_fields_set)


def to_body(
    ranking: Ranking,
    request: ServiceRequest,
    rows: Mapping[str, ChunkMetadata] | None,
    embedder: str,
    dropped: Dropped | None = None,
) -> dict[str, object]:
    """The answer without its time, as ServiceResults.

    rows: what the catalog has of each chunk, None when it could not be asked; a chunk without a row is described by
        what the index stores with it.
    embedder: fingerprint of the model that embedded the query.
    dropped: what the default threshold left out, where a lower one suits the embedder.
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
    """What closes the answer: `query_time_ms`."""
    return ServiceTime(query_time_ms=round(elapsed_ms, 3)).to_dict()


def to_health(*, vector_store: bool, catalog: bool, generation: str | None, problems: int) -> dict[str, object]:
    """The state of the service.

    generation: the one that answers searches; None when none does.
    problems: how many things are known to be wrong, the others included.
    """
    if not vector_store or generation is None:
        status = ServiceHealthStatus.UNAVAILABLE
    elif not catalog or problems:
        status = ServiceHealthStatus.DEGRADED
    else:
        status = ServiceHealthStatus.HEALTHY
    health = ServiceHealth(status=status, vector_store=vector_store, catalog=catalog, generation=generation)
    return health.to_dict()


def _status(ranking: Ranking, *, metadata_missing: bool) -> QueryStatus:
    if not ranking.hits:
        return QueryStatus.NO_RESULTS
    return QueryStatus.PARTIAL if metadata_missing else QueryStatus.SUCCESS


def dropped_by_default(lower: Ranking) -> Dropped | None:
    """What the default threshold leaves out of a ranking by a lower one; None where that is nothing."""
    under = [hit.known_similarity for hit in lower.hits if hit.known_similarity < DEFAULT_THRESHOLD]
    return Dropped(len(under), min(under)) if under else None


def _warnings(ranking: Ranking, dropped: Dropped | None, *, metadata_missing: bool) -> list[str]:
    length = len(ranking.query.text)
    warnings = []
    if length < RECOMMENDED_LENGTH:
        warnings.append(
            f"query_text: it has {length} characters; with {RECOMMENDED_LENGTH} or more there is more to compare."
        )
    if dropped is not None:
        results = "1 result" if dropped.count == 1 else f"{dropped.count} results"
        keeps = math.floor(dropped.least * 100) / 100
        warnings.append(
            f"similarity_threshold: its default of {DEFAULT_THRESHOLD:g} left out {results} that this index is "
            f"calibrated to keep; {keeps:.2f} would keep them."
        )
    if metadata_missing and ranking.hits:
        warnings.append("The catalog could not be asked: titles are those that the index stores.")
    return [*warnings, *ranking.warnings]


def _result(hit: Hit, row: ChunkMetadata | None, query_embedding: str) -> ServiceChunk:
    chunk = hit.chunk
    document = chunk.document
    return ServiceChunk(
        content=chunk.text,
        similarity_score=hit.known_similarity,
        chunk_id=chunk.id,
        position=chunk.position,
        metadata=MetadataPackage(
            url=document.url,
            section_url=chunk.section_url,
            section=chunk.section,
            chunk_id=chunk.id,
            document_id=document.id,
            document_title=(row.title if row else document.short_title) or None,
            source_type=document.source_type,
        ),
        similarity=SimilarityScore(
            score=hit.known_similarity,
            algorithm=Algorithm.COSINE,
            query_embedding_id=query_embedding,
            result_embedding_id=chunk.id,
        ),
    )
