"""Logged queries of readers, their clicks, and counts of both."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.model.ranking import Filters


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One answered search.

    id: random; the client reports clicks with it.
    text: as it was sent; the log stores it without personal data and secrets.
    route: path pattern of the route that was asked, or `mcp`.
    hits: ids of the chunks, best first.
    answered: whether there was a hit, and the answer was not marked as probably wrong.
    typing: whether somebody was typing.
    reports_clicks: whether the client reports clicks.
    client: a name for the client that only this server's processes can compute; "" if it is unknown.
    """

    id: str
    at: datetime
    text: str
    route: str
    filters: Filters
    generation: str
    hits: tuple[str, ...]
    answered: bool
    typing: bool = False
    reports_clicks: bool = False
    client: str = ""


@dataclass(frozen=True, slots=True)
class Click:
    """A hit that somebody opened. query_id: id of the LoggedQuery."""

    query_id: str
    chunk_id: str
    at: datetime


class QueryKind(StrEnum):
    """Which queries to list."""

    TOP = "top"
    NO_RESULTS = "no-results"
    NO_CLICKS = "no-clicks"


@dataclass(frozen=True, slots=True)
class QueryCount:
    """Searches with the same text, without regard to case, accents' encoding, and punctuation at the end.

    text: of one of these searches.
    searches, unanswered: number of searches, and of those without a good answer.
    with_clicks_reported, clicked: number of searches whose client reports clicks, and of those with a click.
    mean_position: mean rank, from 1, of the best clicked hit of each clicked search; None without clicks.
    filters: those of all these searches; no filters if they differ.
    """

    text: str
    searches: int
    unanswered: int
    with_clicks_reported: int
    clicked: int
    mean_position: float | None
    last_at: datetime
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class QueryTotals:
    """Counts over all logged searches of a time; see QueryCount. queries: number of different texts."""

    searches: int
    queries: int
    unanswered: int
    with_clicks_reported: int
    clicked: int
    mean_position: float | None


@dataclass(frozen=True, slots=True)
class QueryReport:
    """Counts of the logged searches since a time. since: None for all that are kept."""

    kind: QueryKind
    since: datetime | None
    totals: QueryTotals
    queries: tuple[QueryCount, ...]


@dataclass(frozen=True, slots=True)
class AddedTopics:
    """Topics that were added to a test set.

    topics: ids and texts. known: number of queries that the test set had already.
    """

    topics: tuple[tuple[str, str], ...]
    known: int
