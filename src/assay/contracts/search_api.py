"""The retrieval API of seed 003 (`seeds/003`): POST /search, GET /health and the error body that every route shares.

The configured search selects the results, sorted by similarity. A setting can change the order (`ordering.Shaping`);
the score is always the cosine. Values that are too long or out of range are refused, never truncated.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, RequestModel, check_fields
from assay.model.health import Health
from assay.model.ranking import Hit, Mode, Query, Ranking
from assay.ports import ChunkMetadata

QUERY_LIMIT = 500
TOP_K_LIMIT = 20


class SearchRequest(RequestModel):
    """Search request with query and optional parameters."""

    query: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK] = Field(
        description="The query in plain words; not only white space.", examples=["How do nodes communicate?"]
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=5, description="The maximum number of results.", examples=[5]
    )


class SearchResult(AnswerModel):
    """One chunk that answers the query."""

    chunk_id: str = Field(description="Id of the chunk; the same text on the same page keeps it.")
    snippet: str = Field(description="The chunk's text.")
    source_path: str = Field(description="Path of the page in its source.")
    slug: str = Field(description="The last parts of that path, joined by hyphens.")
    title: str | None = Field(default=None, description="Title of the page; null if it has none.")
    score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")


class SearchResponse(AnswerModel):
    """The query as it was sent, and the ranked results."""

    query: str = Field(description="The query as it was sent.")
    results: list[SearchResult] = Field(default_factory=list, description="Best first; empty without a match.")


class HealthStatus(StrEnum):
    """The health states of seed 003."""

    OK = "ok"
    DEGRADED = "degraded"
    ERROR = "error"


class HealthResponse(AnswerModel):
    """Health of the service and its stores."""

    status: HealthStatus = Field(
        description="`ok`; `degraded` when searches work but something is wrong; `error` when they fail."
    )
    qdrant: bool = Field(description="Whether the vector store is reachable, embedded or not.")
    postgres: bool = Field(description="Whether the catalog is reachable, SQLite or Postgres.")


class ErrorResponse(AnswerModel):
    """An error, for programs and for people."""

    error: Literal[
        "validation_error",
        "unauthorized",
        "forbidden",
        "not_found",
        "method_not_allowed",
        "request_timeout",
        "conflict",
        "payload_too_large",
        "rate_limited",
        "upstream_error",
        "service_unavailable",
        "internal_error",
    ] = Field(description="The kind of error, for programs.")
    message: str = Field(description="The error message, for people.")


def parse(fields: Mapping[str, object], mode: Mode) -> Query:
    """Parse a request body. mode: of the search that selects the results. Raises InputError."""
    request = check_fields(SearchRequest, fields)
    return Query(text=request.query, top_k=request.top_k, mode=mode)


def to_body(ranking: Ranking, rows: Mapping[str, ChunkMetadata]) -> dict[str, object]:
    """The response body.

    rows: the catalog's metadata by chunk id; the index's own metadata is used for a chunk without a row.
    """
    results = [_result(hit, rows.get(hit.chunk.id)) for hit in ranking.hits]
    return SearchResponse(query=ranking.query.text, results=results).to_dict()


def to_health(health: Health) -> dict[str, object]:
    """The health response."""
    if not health.vector_store or health.generation is None:
        status = HealthStatus.ERROR
    elif not health.catalog or health.problems:
        status = HealthStatus.DEGRADED
    else:
        status = HealthStatus.OK
    return HealthResponse(status=status, qdrant=health.vector_store, postgres=health.catalog).to_dict()


def _result(hit: Hit, row: ChunkMetadata | None) -> SearchResult:
    document = hit.chunk.document
    source = row or ChunkMetadata(hit.chunk.id, document.source_path, document.slug, document.short_title)
    return SearchResult.of(source, title=source.title or None, snippet=hit.chunk.text, score=hit.known_similarity)
