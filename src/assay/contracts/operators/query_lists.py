"""The logged queries as JSON: `assay queries … --json` and /v1/admin/queries."""

from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import IS_TEXT, AnswerModel, Moment, RequestModel
from assay.model.queries import AddedTopics, QueryCount, QueryKind, QueryReport, QueryTotals

_MOST_LISTED = 1_000
_MOST_TOPICS = 200


class QueryListQuery(RequestModel):
    """Which logged queries to list."""

    kind: Literal["top", "no-results", "no-clicks"] = Field(
        default="top",
        description="`top`, `no-results` (without a good answer) or `no-clicks` (with one, and no result was opened).",
    )
    days: Annotated[int, Field(ge=1, le=3_650)] | None = Field(
        default=None, description="Only searches of the last days; all that are kept if omitted."
    )
    limit: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = Field(default=50, description="The most queries to list.")


class SearchFigures(AnswerModel):
    """Counts of searches."""

    searches: int = Field(ge=0, description="Number of searches.")
    unanswered: int = Field(ge=0, description="Searches without a result, or whose results are probably wrong.")
    with_clicks_reported: int = Field(ge=0, description="Searches whose client reports clicks.")
    clicked: int = Field(ge=0, description="Searches of which a result was opened.")
    click_rate: float | None = Field(
        description="`clicked` / `with_clicks_reported`; null if no client reports clicks."
    )
    mean_position: float | None = Field(
        description="Mean rank, from 1, of the best opened result of a search; null without clicks."
    )


class QueryFigures(SearchFigures):
    """Counts of the searches with one text."""

    text: str = Field(description="The text, as it is stored.")
    last_at: Moment = Field(description="Time of the last search: ISO 8601, UTC.")


class QueryList(AnswerModel):
    """Logged queries, most frequent first."""

    logged: bool = Field(description="Whether this server logs queries (`[queries] log`).")
    kind: QueryKind = Field(description="As sent.")
    queries: int = Field(ge=0, description="Number of different texts.")
    totals: SearchFigures = Field(description="Of all searches.")
    listed: list[QueryFigures] = Field(description="The texts of this kind.")


class TopicsRequest(RequestModel):
    """Queries to add to the test set that judges candidates."""

    queries: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=2_000), IS_TEXT]],
        Field(min_length=1, max_length=_MOST_TOPICS),
    ] = Field(description="Texts; those that it has already are left out.", examples=[["How do nodes communicate?"]])


class TopicsAnswer(AnswerModel):
    """The topics that were added."""

    topics: list[str] = Field(description="Their ids. They have no judgments: label their hits.")
    known: int = Field(ge=0, description="Number of queries that the test set had already.")


def to_list(report: QueryReport, *, logged: bool) -> dict[str, object]:
    """The response body, a QueryList."""
    listed = [QueryFigures.of(one, **_means(one)) for one in report.queries]
    totals = SearchFigures.of(report.totals, **_means(report.totals))
    return QueryList.of(report, logged=logged, queries=report.totals.queries, totals=totals, listed=listed).to_dict()


def to_topics(added: AddedTopics) -> dict[str, object]:
    """The response body, a TopicsAnswer."""
    return TopicsAnswer(topics=[topic_id for topic_id, _ in added.topics], known=added.known).to_dict()


def _means(of: QueryCount | QueryTotals) -> dict[str, float | None]:
    rate = round(of.clicked / of.with_clicks_reported, 4) if of.with_clicks_reported else None
    position = None if of.mean_position is None else round(of.mean_position, 2)
    return {"click_rate": rate, "mean_position": position}
