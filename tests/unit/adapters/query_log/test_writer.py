"""The queue in front of the log: nothing waits for it, and what is lost is counted."""

import logging
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.disks import fill_disk
from tests.postgres import catalog_options

from assay.adapters.query_log import writer as module
from assay.adapters.query_log.store import QueryLog
from assay.adapters.query_log.writer import LogRules, QueryWriter
from assay.errors import CatalogError
from assay.model.queries import Click, LoggedQuery, QueryKind
from assay.model.ranking import Filters

RULES = LogRules(timedelta(days=30), 1_000, str.upper)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FLUSH_SECONDS", 0.01)


def query(number: int, age: timedelta = timedelta(), **changes: object) -> LoggedQuery:
    fields = {"answered": True, "reports_clicks": True, **changes}
    return LoggedQuery(
        f"{number:032x}",
        datetime.now(UTC) - age,
        f"query {number}",
        "/",
        Filters(),
        "g",
        ("a",),
        **fields,  # type: ignore[arg-type]  # fields by name
    )


class Kept:
    """Stands for the log: keeps what is written, and fails or waits if it is told."""

    def __init__(self) -> None:
        self.batches: list[Sequence[LoggedQuery]] = []
        self.clicks: list[Sequence[Click]] = []
        self.error: Exception | None = None
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.forgotten = 0

    def append(self, queries: Sequence[LoggedQuery], clicks: Sequence[Click], _redact: object) -> Sequence[Click]:
        self.may_go_on.wait(10)
        if self.error:
            raise self.error
        self.batches.append(queries)
        self.clicks.append(clicks)
        known = {one.id for batch in self.batches for one in batch}
        return [click for click in clicks if click.query_id not in known]

    def forget_clients(self, _before: datetime) -> None:
        self.forgotten += 1

    def purge(self, _before: datetime, _most: int) -> int:
        return 0


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def counts() -> Counter[str]:
    return Counter()


@pytest.fixture
def writer(kept: Kept, counts: Counter[str]) -> Iterator[QueryWriter]:
    opened = QueryWriter(kept, RULES, lambda event, number: counts.update({event: number}))  # type: ignore[arg-type]  # stands for a log
    yield opened
    kept.may_go_on.set()
    opened.close()


def test_a_log_that_hangs_holds_nobody_up_and_a_full_queue_is_counted(
    writer: QueryWriter, kept: Kept, counts: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 20)
    kept.may_go_on.clear()
    for number in range(100):
        writer.put(query(number))
    kept.may_go_on.set()
    writer.close()
    assert counts["logged"] + counts["dropped"] == 100
    assert counts["dropped"] >= 60
    assert sum(map(len, kept.batches)) == counts["logged"]


@pytest.mark.parametrize("error", [CatalogError("The log of queries has no space left"), RuntimeError("a bug")])
def test_an_error_costs_one_batch_and_is_said_once(
    writer: QueryWriter, kept: Kept, counts: Counter[str], caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    kept.error = error
    for number in range(1_200):
        writer.put(query(number))
    writer.close()
    assert counts == {"dropped": 1_200}
    if isinstance(error, CatalogError):
        assert [record.getMessage() for record in caplog.records] == [f"Queries are not logged: {error}"]


def test_after_the_end_queries_are_dropped(writer: QueryWriter, counts: Counter[str]) -> None:
    writer.close()
    writer.put(query(1))
    assert counts == {"dropped": 1}


def test_a_click_waits_for_a_search_that_another_process_has_yet_to_write(
    writer: QueryWriter, kept: Kept, counts: Counter[str]
) -> None:
    arrived = threading.Event()
    append = kept.append

    def later(queries: Sequence[LoggedQuery], clicks: Sequence[Click], redact: object) -> Sequence[Click]:
        unknown = append(queries, clicks, redact)
        if len(kept.batches) == 2:
            kept.batches.append([query(1)])  # the other process has written it
        if len(kept.batches) > 3:
            arrived.set()
        return unknown

    kept.append = later  # type: ignore[method-assign]
    writer.put(Click(f"{1:032x}", "a", datetime.now(UTC)))
    assert arrived.wait(5)
    writer.close()
    assert counts["clicks"] == 1


def test_a_click_on_nothing_is_given_up(writer: QueryWriter, kept: Kept, counts: Counter[str]) -> None:
    tried = threading.Event()
    append = kept.append

    def count(queries: Sequence[LoggedQuery], clicks: Sequence[Click], redact: object) -> Sequence[Click]:
        unknown = append(queries, clicks, redact)
        if len(kept.clicks) == 5:
            tried.set()
        return unknown

    kept.append = count  # type: ignore[method-assign]
    writer.put(Click(f"{1:032x}", "a", datetime.now(UTC)))
    assert tried.wait(5)
    writer.close()
    assert len(kept.clicks) == 5
    assert counts["clicks"] == 0


def test_the_names_of_clients_are_forgotten_at_the_end(writer: QueryWriter, kept: Kept) -> None:
    writer.put(query(1, client="ada", typing=True))
    writer.close()
    assert kept.forgotten >= 1


def test_a_server_forgets_the_names_that_a_killed_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CLIENT_SECONDS", 0.01)
    path = tmp_path / "queries.sqlite"
    log = QueryLog.open("sqlite:///unused", path, catalog_options())
    log.append([query(1, timedelta(seconds=1), client="ada")], [], str)
    later = QueryWriter(log, RULES, lambda *_: None)
    later.start()
    later.close()
    log.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT client FROM query_log").fetchall() == [(None,)]


def test_two_processes_write_one_file_redacted_and_without_what_is_old(tmp_path: Path, counts: Counter[str]) -> None:
    logs = [QueryLog.open("sqlite:///unused", tmp_path / "queries.sqlite", catalog_options()) for _ in range(2)]
    writers = [QueryWriter(log, RULES, lambda event, number: counts.update({event: number})) for log in logs]
    for number in range(200):
        writers[number % 2].put(query(number))
    writers[0].put(query(300, timedelta(days=31)))
    writers[1].put(Click(f"{0:032x}", "a", datetime.now(UTC)))  # on a search that the other one writes
    for writer in writers:
        writer.close()
    later = QueryWriter(logs[0], RULES, lambda *_: None)
    later.start()
    later.close()
    report = logs[0].report(QueryKind.TOP, None, 1)
    assert report.totals.searches == 200
    assert report.queries[0].text.startswith("QUERY")
    for log in logs:
        log.close()


def test_a_full_disk_drops_queries_and_later_ones_are_kept(
    small_disk: Path, counts: Counter[str], caplog: pytest.LogCaptureFixture
) -> None:
    log = QueryLog.open("sqlite:///unused", small_disk / "queries.sqlite", catalog_options())
    first = QueryWriter(log, RULES, lambda event, number: counts.update({event: number}))
    first.put(query(1))
    first.close()
    filler = fill_disk(small_disk)
    second = QueryWriter(log, RULES, lambda event, number: counts.update({event: number}))
    with caplog.at_level(logging.WARNING):
        for number in range(2, 3_000):
            second.put(query(number))
        second.close()
    assert counts["dropped"] > 0
    assert counts["dropped"] + counts["logged"] == 2_999
    assert "no space left" in caplog.text
    filler.unlink()
    third = QueryWriter(log, RULES, lambda event, number: counts.update({event: number}))
    third.put(query(5_000))
    third.close()
    assert log.report(QueryKind.TOP, None, 1).totals.searches == counts["logged"]
    log.close()
