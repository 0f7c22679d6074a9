"""The retrieval API of seed 003 (`seeds/003`): POST /search, GET /health and the error body that every route shares.

The configured search chooses the results, and they come ordered by similarity; an operator may choose another order
(`ordering.Shaping`), and the score stays the cosine. What is too long or out of range is refused, never cut.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import IS_ASKING, IS_TEXT, AnswerModel, RequestModel, check_fields
from assay.model.ranking import Hit, Mode, Query, Ranking
from assay.ports import ChunkMetadata

QUERY_LIMIT = 500
TOP_K_LIMIT = 20


class SearchRequest(RequestModel):
    """Search request with query and optional parameters."""

    query: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, IS_ASKING] = Field(
        description="What to look for, in plain words; not white space only.", examples=["How do nodes communicate?"]
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=5, description="The most results to return.", examples=[5]
    )


class SearchResult(AnswerModel):
    """One chunk that answers the query."""

    chunk_id: str = Field(description="Id of the chunk; the same text on the same page keeps it.")
    snippet: str = Field(description="The chunk's text.")
    source_path: str = Field(description="Path of the page in its source.")
    slug: str = Field(description="The last parts of that path, joined by hyphens.")
    title: str | None = Field(default=None, description="Title of the page; null where it has none.")
    score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")


class SearchResponse(AnswerModel):
    """The query as it was sent, and the ranked results."""

    query: str = Field(description="The query as it was sent.")
    results: list[SearchResult] = Field(default_factory=list, description="Best first; empty when nothing matches.")


class HealthStatus(StrEnum):
    """How the service is, in seed 003's words."""

    OK = "ok"
    DEGRADED = "degraded"
    ERROR = "error"


class HealthResponse(AnswerModel):
    """Whether the service and what it depends on work."""

    status: HealthStatus = Field(
        description="`ok`; `degraded` when searches are answered but something is wrong; `error` when they are not."
    )
    qdrant: bool = Field(description="Whether the vector store can be reached, embedded or not.")
    postgres: bool = Field(description="Whether the catalog can be reached, SQLite or Postgres.")


class ErrorResponse(AnswerModel):
    """Why there is no answer."""

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
    ] = Field(description="What kind of error it is, for programs.")
    message: str = Field(description="What went wrong, for people.")


def parse(fields: Mapping[str, object], mode: Mode) -> Query:
    """The query that a request body asks; mode: of the search that chooses the results. Raises InputError."""
    request = check_fields(SearchRequest, fields)
    return Query(text=request.query, top_k=request.top_k, mode=mode)


def to_body(ranking: Ranking, rows: Mapping[str, ChunkMetadata]) -> dict[str, object]:
    """The answer.

    rows: what the catalog has of each chunk; a chunk without a row is described by what the index stores with it.
    """
    results = [_result(hit, rows.get(hit.chunk.id)) for hit in ranking.hits]
    return SearchResponse(query=ranking.query.text, results=results).to_dict()


def to_health(*, vector_store: bool, catalog: bool, serving: bool, problems: int) -> dict[str, object]:
    """The state of the service.

    serving: whether a generation is there to answer searches.
    problems: how many things are known to be wrong, those two included.
    """
    if not (vector_store and serving):
        status = HealthStatus.ERROR
    elif not catalog or problems:
        status = HealthStatus.DEGRADED
    else:
        status = HealthStatus.OK
    return HealthResponse(status=status, qdrant=vector_store, postgres=catalog).to_dict()


def _result(hit: Hit, row: ChunkMetadata | None) -> SearchResult:
    document = hit.chunk.document
    source = row or ChunkMetadata(hit.chunk.id, document.source_path, document.slug, document.short_title)
    return SearchResult(
        chunk_id=hit.chunk.id,
        snippet=hit.chunk.text,
        source_path=source.source_path,
        slug=source.slug,
        title=source.title or None,
        score=hit.known_similarity,
    )
