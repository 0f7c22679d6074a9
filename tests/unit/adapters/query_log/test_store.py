"""The log of queries in SQLite and in Postgres: what is kept, what is counted, what is deleted."""

import signal
import sqlite3
import stat
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.forking import ForkedProgram
from tests.postgres import PostgresServer, catalog_options

from assay.adapters.query_log.redaction import QueryRedactor
from assay.adapters.query_log.store import PAUSE, QueryLog
from assay.errors import CatalogError
from assay.model.queries import Click, LoggedQuery, QueryKind
from assay.model.ranking import Filters

AT = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
TYPED = LoggedQuery("", AT, "", "/v1/search", Filters(), "g1", ("a", "b"), answered=True, typing=True, client="ada")


def query(text: str, number: int = 0, seconds: float = 0, **changes: object) -> LoggedQuery:
    """A query with an id of its own, some seconds after AT; not typed unless it is said."""
    fields = {"id": f"{number:032x}", "text": text, "at": AT + timedelta(seconds=seconds), "typing": False}
    return replace(TYPED, **({**fields, "reports_clicks": True} | changes))  # type: ignore[arg-type]  # fields by name


def plain(text: str) -> str:
    return text


@pytest.fixture(scope="module")
def database(postgres: PostgresServer) -> Iterator[str]:
    """URL of a database that the tests use one after the other."""
    url = postgres.new_database()
    yield url
    postgres.drop_database(url)


@pytest.fixture(params=["sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[QueryLog]:
    """An empty log."""
    url = "sqlite:///unused" if request.param == "sqlite" else request.getfixturevalue("database")
    opened = QueryLog.open(url, tmp_path / "data" / "queries.sqlite", catalog_options())
    yield opened
    opened.purge(AT + timedelta(days=1), 1)
    opened.close()


def texts(log: QueryLog, kind: QueryKind = QueryKind.TOP) -> list[str]:
    return [one.text for one in log.report(kind, None, 100).queries]


def test_nothing_is_there_before_the_first_query_and_reading_makes_no_file(log: QueryLog, tmp_path: Path) -> None:
    assert log.report(QueryKind.TOP, None, 10).totals.searches == 0
    assert log.forget("x", containing=True) == 0
    assert not (tmp_path / "data").exists()


def test_searches_are_counted_by_text_with_their_clicks(log: QueryLog) -> None:
    filtered = Filters(versions=("1.0",))
    log.append(
        [
            query("Nodes?", 1, 1, filters=filtered),
            query("nodes", 2, 2, filters=filtered),
            query("topics", 3, 3, filters=filtered),
            query("TOPICS", 4, 4),
            query("zebra", 5, 5, answered=False, hits=()),
            query("by a program", 6, 6, reports_clicks=False),
        ],
        [Click(f"{1:032x}", "b", AT), Click(f"{3:032x}", "a", AT), Click(f"{3:032x}", "b", AT)],
        plain,
    )
    report = log.report(QueryKind.TOP, None, 2)
    totals = report.totals
    assert (totals.searches, totals.queries, totals.unanswered) == (6, 4, 1)
    assert (totals.with_clicks_reported, totals.clicked, totals.mean_position) == (5, 2, 1.5)
    nodes, topics = report.queries
    assert (nodes.searches, nodes.clicked, nodes.mean_position, nodes.filters) == (2, 1, 2.0, filtered)
    assert (topics.last_at, topics.filters) == (AT + timedelta(seconds=4), Filters())
    assert texts(log, QueryKind.NO_RESULTS) == ["zebra"]
    assert texts(log, QueryKind.NO_CLICKS) == []
    assert log.report(QueryKind.TOP, AT + timedelta(seconds=5), 9).totals.searches == 2


def test_personal_data_in_filters_are_masked_and_other_filters_stay_as_they_are(log: QueryLog) -> None:
    filters = Filters(url_prefix="https://ada:pw@example.org/a", sections=("Mail ada@example.org", "Two  ½ words"))
    log.append([query("nodes", filters=filters)], [], QueryRedactor())
    (found,) = log.report(QueryKind.TOP, None, 9).queries
    assert found.filters.url_prefix == "https://[key]@example.org/a"
    assert found.filters.sections == ("Mail [email]", "Two  ½ words")


def test_a_click_on_an_unknown_search_or_on_what_it_did_not_show_is_not_counted(log: QueryLog) -> None:
    silent = query("silent", 2, reports_clicks=False)
    unknown = Click(f"{9:032x}", "a", AT)
    wrong, twice = Click(f"{1:032x}", "z", AT), Click(f"{1:032x}", "a", AT)
    assert log.append([query("nodes", 1), silent], [unknown, wrong, twice, Click(silent.id, "a", AT)], plain) == [
        unknown
    ]
    assert log.append([], [twice], plain) == []
    assert log.report(QueryKind.TOP, None, 9).totals.clicked == 1


def test_queries_with_answers_that_nobody_opens_are_listed(log: QueryLog) -> None:
    log.append([query("nodes", 1), query("nodes", 2, 30), query("topics", 3)], [Click(f"{3:032x}", "a", AT)], plain)
    assert texts(log, QueryKind.NO_CLICKS) == ["nodes"]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_of_a_typed_query_the_last_state_stays_whichever_worker_writes_first(log: QueryLog, order: list[int]) -> None:
    typed = [query(text, n, 8 * n, typing=True) for n, text in enumerate(["n", "no", "nod", "nodes"])]
    for number in order:
        log.append([typed[number]], [], plain)
    assert texts(log) == ["nodes"]


def test_a_typed_query_stays_if_it_has_a_click_or_nothing_continues_it_in_time(log: QueryLog) -> None:
    pause = PAUSE.total_seconds()
    log.append(
        [
            query("no", 1, 0, typing=True),
            query("nodes", 2, 1, typing=True),
            query("late", 3, 0, typing=True, client="bob"),
            query("later", 4, pause + 1, typing=True, client="bob"),
            query("one", 5, 0, typing=True, client="eve"),
            query("two", 6, 1, typing=True, client="eve"),
            query("to", 7, 0, typing=True, client="zoe"),
            query("topics", 8, 1, typing=True, client="sam"),
            query("x", 9, 0, typing=True, client="tim"),
            query("x", 10, 1, client="tim"),
        ],
        [Click(f"{1:032x}", "a", AT)],
        plain,
    )
    assert sorted(texts(log)) == ["late", "later", "no", "nodes", "one", "to", "topics", "two", "x"]


def test_the_beginning_of_a_masked_address_does_not_stay(log: QueryLog) -> None:
    log.append([query("ada.love", 1, 0, typing=True), query("[email]", 2, 1, typing=True)], [], plain)
    assert texts(log) == ["[email]"]


def test_the_name_of_a_client_is_removed(log: QueryLog) -> None:
    log.append([query("no", 1, 0, typing=True)], [], plain)
    log.forget_clients(AT + PAUSE)
    log.append([query("nodes", 2, 1, typing=True)], [], plain)
    assert sorted(texts(log)) == ["no", "nodes"]


def test_old_searches_and_those_over_the_limit_are_deleted_with_their_clicks(log: QueryLog) -> None:
    log.append([query(f"q{n}", n, n) for n in range(10)], [Click(f"{n:032x}", "a", AT) for n in (0, 9)], plain)
    assert log.purge(AT + timedelta(seconds=3), 4) == 6
    assert sorted(texts(log)) == ["q6", "q7", "q8", "q9"]
    log.append([query("q0", 0)], [], plain)
    assert log.report(QueryKind.TOP, None, 9).totals.clicked == 1  # and not that of the deleted one


def test_a_text_is_forgotten_alone_or_wherever_it_is(log: QueryLog) -> None:
    log.append([query("Ada's 100%", 1), query("about ADA's 100% plan", 2), query("other", 3)], [], plain)
    assert log.forget("ada's 100%?", containing=False) == 1
    assert log.forget("s 1__%", containing=True) == 0
    assert log.forget("ada's 100%", containing=True) == 1
    assert texts(log) == ["other"]


def test_many_writers_lose_nothing(log: QueryLog) -> None:
    def write(writer: int) -> None:
        for batch in range(5):
            start = writer * 100 + batch * 20
            log.append([query(f"q{n}", n, n, client="") for n in range(start, start + 20)], [], plain)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert log.report(QueryKind.TOP, None, 1).totals.searches == 400


def in_file(folder: Path) -> QueryLog:
    return QueryLog.open("sqlite:///unused", folder / "queries.sqlite", catalog_options())


def test_the_file_is_private_and_keeps_nothing_of_a_forgotten_query(tmp_path: Path) -> None:
    log = in_file(tmp_path)
    log.append([query(f"xylophone{n}", n, n) for n in range(50)], [], plain)
    assert log.forget("xylophone", containing=True) == 50
    log.close()
    files = list(tmp_path.iterdir())
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * len(files)
    assert not any(b"xylophone" in file.read_bytes() for file in files)


def test_a_transaction_that_was_not_finished_leaves_the_log_whole(tmp_path: Path) -> None:
    log = in_file(tmp_path)
    log.append([query("nodes", 1)], [], plain)
    with sqlite3.connect(tmp_path / "queries.sqlite", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE query_log SET text = 'half'")
        copied = tmp_path / "copy"  # what a killed process leaves
        copied.mkdir()
        for file in tmp_path.glob("queries.sqlite*"):
            (copied / file.name).write_bytes(file.read_bytes())
        other.execute("ROLLBACK")
    assert texts(in_file(copied)) == ["nodes"]


def _append_without_end(folder: Path) -> None:
    log = in_file(folder)
    for batch in range(10_000):
        log.append([query(f"q{n}", batch * 50 + n, n, client="") for n in range(50)], [], plain)
        if batch == 3:
            sys.stdout.write("begun\n")
            sys.stdout.flush()


def test_a_process_that_is_killed_while_it_writes_leaves_whole_batches(tmp_path: Path) -> None:
    process = ForkedProgram(None, _append_without_end, tmp_path)
    assert "begun" in process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.close()
    log = in_file(tmp_path)
    log.append([query("later", 10**9)], [], plain)
    searches = log.report(QueryKind.TOP, None, 1).totals.searches
    assert searches >= 200
    assert searches % 50 == 1


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_file_is_said_to_be_the_log_and_not_the_catalog(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "queries.sqlite"
    path.write_bytes(damage)
    log = in_file(tmp_path)
    if not damage:
        assert texts(log) == []
        return
    with pytest.raises(CatalogError, match=r"The log of queries .*queries\.sqlite") as caught:
        log.append([query("nodes")], [], plain)
    assert "Searches do not need the log" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CatalogError, match=r"The log of queries .*cannot be written"):
        in_file(tmp_path / "file").append([query("nodes")], [], plain)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed")
def test_what_follows_the_removal_of_the_file_is_in_a_new_one(tmp_path: Path) -> None:
    one, other = in_file(tmp_path), in_file(tmp_path)
    for log in (one, other):
        log.append([query("before", id(log))], [], plain)
    for path in tmp_path.iterdir():
        path.unlink()
    one.forget_clients(AT)
    assert list(tmp_path.iterdir()) == []
    for number, log in enumerate((one, other, one)):
        log.append([query("after", number)], [], plain)
    one.close()
    assert other.report(QueryKind.TOP, None, 9).totals.searches == 3
    assert texts(other) == ["after"]
