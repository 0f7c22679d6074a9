"""Retrieval testing, seed 000 (`seeds/000`): POST /query and the six states of a retrieval.

The configured search selects the results, sorted by similarity. A setting can change the order (`ordering.Shaping`);
the score is always the cosine. Values that are too long or out of range are refused, never truncated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Moment, RequestModel, check_fields
from assay.model.ranking import Hit, Mode, Query, Ranking

QUERY_LIMIT = 1_999
"""The seed's limit is "< 2000 characters"."""

TOP_K_LIMIT = 20
DEFAULT_TOP_K = 5


class QueryRequest(RequestModel):
    """A query that initiates a retrieval."""

    query_text: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK] = Field(
        description="The query in plain words; not only white space.", examples=["How do nodes communicate?"]
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] = Field(
        default=DEFAULT_TOP_K, description="The maximum number of results.", examples=[5]
    )
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        default=0.0, description="The minimum similarity of a result.", examples=[0.0]
    )
    include_metadata: bool = Field(
        default=True, description="Send `metadata` of each result: page, section and source.", examples=[True]
    )


class ChunkDetails(AnswerModel):
    """Page, section and source of a chunk."""

    title: str | None = Field(description="Title of the page; null if it has none.")
    section: str = Field(
        description="Heading of the section in which the passage begins; empty before the first heading."
    )
    section_url: str = Field(
        json_schema_extra={"format": "uri"}, description="Deep link to the section in which the passage begins."
    )
    headings: list[str] = Field(description="Headings from the outermost to the section's.")
    version: str | None = Field(description="Version of the documentation; null if there is only one.")
    locale: str | None = Field(description="Locale of the page; null if there is only one.")
    source: str = Field(description="Name of the source.")
    content_hash: str = Field(description="SHA-256 of the content as UTF-8, in hex.")


class RetrievedChunk(AnswerModel):
    """One chunk that answers the query."""

    content: str = Field(min_length=1, description="The chunk's text, as stored.")
    similarity_score: float = Field(ge=0, le=1, description="Cosine similarity of query and chunk, 0 to 1.")
    chunk_id: str = Field(min_length=1, description="Id of the chunk; the same text on the same page keeps it.")
    url: str = Field(json_schema_extra={"format": "uri"}, description="URL of the page.")
    position: int = Field(ge=0, description="Index of the chunk in the page, from 0.")
    created_at: Moment | None = Field(
        description="When the chunk was first stored: ISO 8601, UTC; null if an adopted index does not contain it."
    )
    metadata: ChunkDetails | None = Field(
        default=None, description="Page, section and source; omitted if `include_metadata` is false."
    )


class LifecycleState(StrEnum):
    """The states that a retrieval passes through, in this order."""

    RECEIVED = "received"
    EMBEDDED = "embedded"
    SEARCHED = "searched"
    FILTERED = "filtered"
    FORMATTED = "formatted"
    RETURNED = "returned"


class LifecycleStep(AnswerModel):
    """A state of the retrieval and its time."""

    state: LifecycleState = Field(description="The state.")
    at: Moment = Field(description="Time of the state: ISO 8601, UTC.")
    elapsed_ms: float = Field(ge=0, description="Milliseconds since the request was received.")


class QueryMetadata(AnswerModel):
    """Time and counts of the retrieval."""

    query_time_ms: int = Field(ge=0, description="Milliseconds from received to formatted, rounded.")
    total_results: int = Field(ge=0, description="Number of results.")
    timestamp: Moment = Field(description="When the query was received: ISO 8601, UTC.")
    lifecycle: list[LifecycleStep] = Field(
        min_length=6, max_length=6, description="The six states in order, each with its time."
    )


class QueryResults(AnswerModel):
    """The response without its metadata, which is known last."""

    query: str = Field(description="The query as it was sent.")
    results: list[RetrievedChunk] = Field(
        max_length=TOP_K_LIMIT, description="Best first; empty when nothing reaches the threshold."
    )


class QueryTrailer(AnswerModel):
    """The last fields of the response."""

    metadata: QueryMetadata = Field(description="Timing and counts.")


class QueryResponse(QueryTrailer, QueryResults):
    """The retrieved chunks, best first."""


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """A parsed request body."""

    query: Query
    include_metadata: bool


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The times of a retrieval's states, in milliseconds since it was received, in ascending order.

    received: arrival of the request, UTC.
    searched_ms: as if all searching came before filtering, even if they alternate.
    returned_ms: when the response was passed on for sending.
    """

    received: datetime
    embedded_ms: float
    searched_ms: float
    filtered_ms: float
    formatted_ms: float
    returned_ms: float

    @classmethod
    def of(
        cls, ranking: Ranking, received: datetime, filtered_ms: float, formatted_ms: float, returned_ms: float
    ) -> "Lifecycle":
        """Compute the lifecycle from a ranking's timings. filtered_ms: when the ranking was ready."""
        timings = ranking.timings
        embedded = max(filtered_ms - timings.total_ms + timings.embed_ms, 0.0)
        searched = min(embedded + timings.search_ms + timings.fuse_ms, filtered_ms)
        return cls(received, min(embedded, searched), searched, filtered_ms, formatted_ms, returned_ms)

    def steps(self) -> list[LifecycleStep]:
        """The six states."""
        reached = (0.0, self.embedded_ms, self.searched_ms, self.filtered_ms, self.formatted_ms, self.returned_ms)
        return [
            LifecycleStep(state=state, at=self.received + timedelta(milliseconds=elapsed), elapsed_ms=round(elapsed, 3))
            for state, elapsed in zip(LifecycleState, reached, strict=True)
        ]


def parse(fields: Mapping[str, object], mode: Mode) -> RetrievalRequest:
    """Parse a request body. mode: of the search that selects the results. Raises InputError."""
    request = check_fields(QueryRequest, fields)
    query = Query(text=request.query_text, top_k=request.top_k, mode=mode, threshold=request.threshold)
    return RetrievalRequest(query, request.include_metadata)


def to_body(ranking: Ranking, *, include_metadata: bool) -> dict[str, object]:
    """The response without its metadata, a QueryResults."""
    results = [_result(hit, include_metadata=include_metadata) for hit in ranking.hits]
    return QueryResults(query=ranking.query.text, results=results).to_dict()


def to_metadata(ranking: Ranking, lifecycle: Lifecycle) -> dict[str, object]:
    """The last fields of the response."""
    metadata = QueryMetadata(
        query_time_ms=round(lifecycle.formatted_ms),
        total_results=len(ranking.hits),
        timestamp=lifecycle.received,
        lifecycle=lifecycle.steps(),
    )
    return QueryTrailer(metadata=metadata).to_dict()


def _result(hit: Hit, *, include_metadata: bool) -> RetrievedChunk:
    chunk, document = hit.chunk, hit.chunk.document
    details = {}
    if include_metadata:
        headings = list(chunk.heading_path)
        details["metadata"] = ChunkDetails.of(chunk, document, title=document.title or None, headings=headings)
    return RetrievedChunk.of(
        chunk, document, content=chunk.text, similarity_score=hit.known_similarity, chunk_id=chunk.id, **details
    )
