"""The log of queries: recording, counting, and topics for a test set."""

import re
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assay.adapters.query_log.redaction import grouping_key, is_masked
from assay.app.parts import Parts
from assay.app.testsets import append_topics, load_test_set, name_of, save_test_set
from assay.errors import InputError
from assay.model.evaluation import Topic
from assay.model.queries import AddedTopics, Click, LoggedQuery, QueryCount, QueryKind, QueryReport
from assay.model.ranking import Ranking
from assay.path_checks import exists
from assay.validation.testsets.plain import make_test_set

_ID_CHARACTERS = 50


class Queries:
    """Records queries and clicks if `[queries] log` is set, and counts them. Thread-safe.

    test_set_path: finds the test set that judges candidates; None without one.
    """

    def __init__(self, parts: Parts, test_set_path: Callable[[], Path | None]) -> None:
        self._parts = parts
        self._test_set_path = test_set_path

    @property
    def are_logged(self) -> bool:
        """Whether queries are recorded."""
        return self._parts.settings.queries.log

    def prepare(self, observe: Callable[[str, int], None]) -> None:
        """Start the writer, before requests in several threads need it. Raises ConfigurationError.

        observe: called with `logged`, `clicks` or `dropped`, and a number.
        """
        if self._parts.query_observer is None:
            self._parts.query_observer = observe
        self._parts.query_writer.start()

    def record(self, ranking: Ranking, route: str, *, client: str = "", reports_clicks: bool = False) -> str | None:
        """Record an answered search; return its id for `click`, or None if queries are not logged.

        route, client, reports_clicks: as in LoggedQuery. Never waits for the log, and never fails because of it.
        """
        if not self.are_logged:
            return None
        query_id = secrets.token_hex(16)
        query = LoggedQuery(
            id=query_id,
            at=datetime.now(UTC),
            text=ranking.query.text,
            route=route,
            filters=ranking.query.filters,
            generation=ranking.generation,
            hits=tuple([hit.chunk.id for hit in ranking.hits]),
            answered=bool(ranking.hits) and not ranking.no_good_answer,
            typing=ranking.query.typing,
            reports_clicks=reports_clicks,
            client=client,
        )
        self._parts.query_writer.put(query)
        return query_id

    def click(self, query_id: str, chunk_id: str) -> None:
        """Record that a hit was opened. What the log does not know is ignored."""
        if self.are_logged:
            self._parts.query_writer.put(Click(query_id, chunk_id, datetime.now(UTC)))

    def report(self, kind: QueryKind = QueryKind.TOP, *, days: int | None = None, limit: int = 20) -> QueryReport:
        """Count the logged searches, and list texts of a kind, most frequent first.

        days: only searches of the last days; None for all that are kept. limit: maximum number of texts.

        Raises CatalogError.
        """
        since = None if days is None else datetime.now(UTC) - timedelta(days=days)
        return self._parts.query_log.report(kind, since, limit)

    def topic_candidates(
        self, kind: QueryKind = QueryKind.TOP, *, days: int | None = None, limit: int = 50, at_least: int = 1
    ) -> list[QueryCount]:
        """The queries of a report that make good topics.

        Queries in which, or in whose filters, something was masked are left out, and of the most frequent ones those
        that never had a good answer: they need pages and not labels.

        at_least: the least number of searches. kind, days, limit: as in `report`. Raises CatalogError.
        """
        return [
            one
            for one in self.report(kind, days=days, limit=limit).queries
            if one.searches >= at_least
            and not is_masked(f"{one.text} {one.filters}")
            and (kind is not QueryKind.TOP or one.unanswered < one.searches)
        ]

    def forget(self, text: str | None = None, *, containing: bool = False, older_than_days: int | None = None) -> int:
        """Delete searches with their clicks; return the number of searches.

        text: of the searches, in any case. containing: also delete searches whose text contains it.
        older_than_days: instead of a text, delete all searches before; 0 for all.

        Raises InputError unless there is either a text or a number of days, CatalogError.
        """
        if (text is None) == (older_than_days is None):
            raise InputError("Name either the text of the queries to delete, or their age.")
        if text is not None:
            redacted = self._parts.redact_query(text)
            if not redacted:
                raise InputError("text: it must not be blank.")
            return self._parts.query_log.forget(redacted, containing=containing)
        assert older_than_days is not None
        if older_than_days == 0:  # also those that a clock dated in the future
            before = datetime.max.replace(tzinfo=UTC)
        else:
            before = datetime.now(UTC) - timedelta(days=older_than_days)
        return self._parts.query_log.purge(before, self._parts.settings.queries.keep)

    def add_topics(self, queries: Sequence[QueryCount], path: Path | None = None) -> tuple[Path, AddedTopics]:
        """Add queries to a test set, as topics without judgments, so that their hits can be labelled.

        queries: those that the test set has already, with the same filters, are left out.
        path: the file, created if it is missing; None for the test set that judges candidates.

        Raises InputError if there is no such test set, or its file cannot be edited; CatalogError.
        """
        path = path or self._test_set_path()
        if path is None:
            raise InputError(
                "There is no test set that judges candidates.",
                hint="Name a file, or set [validation] testset in assay.toml.",
            )
        present = load_test_set(path).topics if exists(path) else ()
        known = {(grouping_key(topic.text), topic.filters) for topic in present}
        asked = {(grouping_key(one.text), one.filters): one for one in queries}
        new = [one for key, one in asked.items() if key not in known]
        ids = {topic.id for topic in present}
        topics = [Topic(_new_id(one.text, ids), one.text, filters=one.filters) for one in new]
        if topics and exists(path):
            append_topics(path, topics)
        elif topics:
            save_test_set(path, make_test_set(name_of(path), topics))
        added = tuple((topic.id, topic.text) for topic in topics)
        return path, AddedTopics(added, len(asked) - len(new))

    def add_texts(self, texts: Sequence[str]) -> AddedTopics:
        """Add queries by text, redacted as in the log, to the test set that judges candidates; see add_topics."""
        now = datetime.now(UTC)
        stored = filter(None, map(self._parts.redact_query, texts))
        return self.add_topics([QueryCount(text, 1, 0, 0, 0, None, now) for text in stored])[1]


def _new_id(text: str, ids: set[str]) -> str:
    """An id of the words of a text that is not in `ids`, which it is added to."""
    words = re.sub(r"[\W_]+", "-", grouping_key(text))[:_ID_CHARACTERS].strip("-") or "query"
    number = 1
    while (found := words if number == 1 else f"{words}-{number}") in ids:
        number += 1
    ids.add(found)
    return found
