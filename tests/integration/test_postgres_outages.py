"""What a catalog in Postgres does when the server stalls, dies, comes back, or does not let us in."""

import importlib
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
from tests.postgres import PostgresServer, as_user, database_of, open_catalog, running_postgres

from assay.adapters.catalog.catalog import SqlCatalog
from assay.errors import CatalogError, CatalogNotFound, CatalogSchemaError, CatalogUnavailable
from assay.model.generations import State
from assay.testing.catalog_samples import NOON, built, generation, in_state, page

pytest.importorskip("psycopg", reason="needs the driver, psycopg[binary]")
lookups_module = importlib.import_module("assay.adapters.catalog.sql.lookups")

FAR_MORE_THAN_THE_LIMIT = 10.0
"""Seconds in which a call ends that would hang without a limit; the limits themselves are far below."""


@pytest.fixture(scope="module")
def own() -> Iterator[PostgresServer]:
    """A server that these tests may stall and kill."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def url(own: PostgresServer) -> str:
    return own.new_database()


@pytest.fixture
def catalog(url: str) -> Iterator[SqlCatalog]:
    """A catalog with a live generation of one chunk, and short limits."""
    catalog = open_catalog(url, create=True, lookup_seconds=0.3, statement_seconds=2.0)
    built(catalog, "g1", page("a", "one"))
    catalog.promote("g1", NOON)
    yield catalog
    catalog.close()


@pytest.fixture
def chunk(catalog: SqlCatalog) -> str:
    return next(iter(catalog.chunks("g1"))).id


@pytest.fixture
def stalled(own: PostgresServer) -> Iterator[Callable[[], None]]:
    """Stalls the server until the test is over."""
    yield own.stall
    own.go_on()


def seconds_of(call: Callable[[], object], error: type[Exception]) -> float:
    started = monotonic()
    with pytest.raises(error):
        call()
    return monotonic() - started


# --- a server that stands still ------------------------------------------------------------------------------------


def test_no_look_up_waits_for_a_server_that_stands_still(
    catalog: SqlCatalog, chunk: str, stalled: Callable[[], None]
) -> None:
    assert catalog.chunk_metadata([chunk], "g1")
    stalled()
    with pytest.raises(CatalogUnavailable, match="does not answer in time"):
        catalog.chunk_metadata([chunk], "g1")
    with pytest.raises(CatalogUnavailable, match="did not answer a moment ago"):
        catalog.chunk_metadata([chunk], "g1")


def test_a_new_connection_to_a_server_that_stands_still_is_waited_for_no_longer(
    url: str, catalog: SqlCatalog, chunk: str, stalled: Callable[[], None]
) -> None:
    fresh = open_catalog(url, create=False, lookup_seconds=0.2, connect_seconds=300)
    stalled()
    with ThreadPoolExecutor(8) as threads:
        waits = [threads.submit(seconds_of, lambda: fresh.chunk_metadata([chunk], "g1"), CatalogUnavailable)] * 8
        assert max(wait.result(timeout=60) for wait in waits) < FAR_MORE_THAN_THE_LIMIT
    assert seconds_of(fresh.check, CatalogUnavailable) < FAR_MORE_THAN_THE_LIMIT
    fresh.close()


def test_a_connection_that_came_too_late_serves_the_next_question(
    own: PostgresServer, url: str, catalog: SqlCatalog, chunk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups_module, "PAUSE_SECONDS", 0.0)
    fresh = open_catalog(url, create=False, lookup_seconds=0.2)
    own.stall()
    try:
        with pytest.raises(CatalogUnavailable):
            fresh.chunk_metadata([chunk], "g1")
    finally:
        own.go_on()
    lookups = fresh._database.lookups
    assert lookups is not None
    [left] = lookups._connects._abandoned
    connection = left.result(timeout=120)
    assert fresh.chunk_metadata([chunk], "g1")
    assert list(lookups._idle) == [connection]
    fresh.close()


def test_a_statement_of_a_build_ends_too_when_the_server_stands_still(
    catalog: SqlCatalog, stalled: Callable[[], None]
) -> None:
    catalog.add_generation(generation("g2"))
    stalled()
    assert seconds_of(lambda: catalog.add_documents("g2", [page("b")]), CatalogUnavailable) < 60


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one(
    own: PostgresServer, url: str, catalog: SqlCatalog, chunk: str
) -> None:
    catalog.chunk_metadata([chunk], "g1")
    lookups = catalog._database.lookups
    assert lookups is not None
    with pytest.raises(CatalogUnavailable):
        lookups.fetch("SELECT 'late' FROM pg_sleep(1)", (), seconds=0.2)
    assert lookups.fetch_despite_pause("SELECT 'asked for'", (), seconds=5) == [("asked for",)]
    assert catalog.chunk_metadata([chunk], "g1")[chunk].slug == "a"


def test_a_connection_whose_answer_did_not_come_is_not_used_again(catalog: SqlCatalog) -> None:
    with pytest.raises(CatalogUnavailable), catalog._database.reading() as connection:
        connection.exec_driver_sql("SELECT pg_sleep(60)")
    assert [each.id for each in catalog.generations()] == ["g1"]


def test_after_a_failure_one_look_up_tries_when_the_pause_is_over(
    catalog: SqlCatalog, chunk: str, own: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.stall()
    try:
        with pytest.raises(CatalogUnavailable):
            catalog.chunk_metadata([chunk], "g1")
    finally:
        own.go_on()
    with pytest.raises(CatalogUnavailable, match="a moment ago"):
        catalog.chunk_metadata([chunk], "g1")
    now = monotonic() + lookups_module.PAUSE_SECONDS
    monkeypatch.setattr(lookups_module, "monotonic", lambda: now)
    assert catalog.chunk_metadata([chunk], "g1")
    assert catalog.chunk_metadata([chunk], "g1")


def test_whoever_finds_the_server_answering_lets_the_look_ups_ask_again(
    catalog: SqlCatalog, chunk: str, own: PostgresServer
) -> None:
    for question in (catalog.live_id, catalog.check):
        own.stall()
        try:
            with pytest.raises(CatalogUnavailable):
                catalog.chunk_metadata([chunk], "g1")
        finally:
            own.go_on()
        question()
        assert catalog.chunk_metadata([chunk], "g1")


# --- a server that is killed ---------------------------------------------------------------------------------------


def test_a_restart_of_the_server_is_not_noticed_afterwards(
    catalog: SqlCatalog, chunk: str, url: str, own: PostgresServer
) -> None:
    catalog.close()
    catalog = open_catalog(url, create=False, lookup_seconds=FAR_MORE_THAN_THE_LIMIT)  # a busy machine connects slowly
    together = threading.Barrier(4)

    def metadata(_: int) -> object:
        together.wait(30)
        return catalog.chunk_metadata([chunk], "g1")

    with ThreadPoolExecutor(4) as threads:
        before = list(threads.map(metadata, range(4)))
        assert list(catalog.documents("g1"))
        own.kill()
        own.start()
        # Every connection of both pools is dead now; nobody has been told.
        assert list(threads.map(metadata, range(4))) == before
    assert catalog.live_id() == "g1"
    assert list(catalog.documents("g1"))
    catalog.close()


def test_while_the_server_is_away_every_call_says_so_and_nothing_is_lost(
    catalog: SqlCatalog, chunk: str, own: PostgresServer
) -> None:
    catalog.add_generation(generation("g2"))
    own.kill()
    try:
        for call in (catalog.live_id, catalog.check, catalog.generations, lambda: catalog.promote("g1", NOON)):
            with pytest.raises(CatalogUnavailable, match=r"cannot be reached|shutting down|does not answer"):
                call()
        with pytest.raises(CatalogUnavailable):
            catalog.chunk_metadata([chunk], "g1")
    finally:
        own.start()
    assert catalog.live_id() == "g1"
    assert catalog.chunk_metadata([chunk], "g1")
    assert {each.id for each in catalog.generations()} == {"g1", "g2"}


def test_a_server_killed_in_the_middle_of_a_transaction_keeps_none_of_it(
    catalog: SqlCatalog, own: PostgresServer
) -> None:
    catalog.add_generation(generation("g2"))

    def write() -> None:
        with catalog._database.writing(durable=True) as connection:
            connection.exec_driver_sql("DELETE FROM chunks")
            own.kill()
            connection.exec_driver_sql("UPDATE live SET generation_id = NULL")

    try:
        with pytest.raises(CatalogUnavailable):
            write()
    finally:
        own.start()
    assert catalog.live_id() == "g1"
    assert [each.text for each in catalog.chunks("g1")] == ["one"]
    catalog.add_documents("g2", [page("b")])


def test_a_build_whose_lock_ended_with_the_server_changes_nothing_any_more(
    catalog: SqlCatalog, url: str, own: PostgresServer
) -> None:
    other = open_catalog(url, create=False)
    with catalog.build_lock():
        catalog.add_generation(generation("g2"))
        own.kill()
        own.start()
        for change in (lambda: catalog.add_documents("g2", [page("b")]), lambda: catalog.forget("g2")):
            with pytest.raises(CatalogUnavailable, match=r"lost its lock.*Run the command again"):
                change()
        with other.build_lock():
            other.forget("g2")
            with pytest.raises(CatalogUnavailable, match="lost its lock"):
                catalog.transition("g1", State.RETIRED)
            other.add_generation(generation("g3"))
    with catalog.build_lock():
        catalog.add_documents("g3", [page("c")])
    other.close()


# --- who may not come in -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded() -> Iterator[PostgresServer]:
    """A server that wants passwords."""
    with running_postgres() as server:
        server.require_passwords()
        server.execute("CREATE ROLE ada LOGIN PASSWORD 'p@ss:w/rd?#%'")
        yield server


def test_a_password_with_every_special_character_is_taken_when_escaped(guarded: PostgresServer) -> None:
    url = guarded.new_database()
    guarded.execute(f"ALTER DATABASE {database_of(url)} OWNER TO ada")
    catalog = open_catalog(as_user(url, "ada", "p@ss:w/rd?#%"), create=True)
    in_state(catalog, "g1", State.LIVE)
    assert catalog.live_id() == "g1"
    catalog.close()


@pytest.mark.parametrize(
    ("user", "password", "said"),
    [("ada", "wr0ng-s3cret", "refused the user or password"), ("nobody", "wr0ng-s3cret", "refused the user")],
)
def test_a_wrong_password_is_said_and_not_repeated(
    guarded: PostgresServer, user: str, password: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    url = as_user(guarded.new_database(), user, password)
    with caplog.at_level("DEBUG"), pytest.raises(CatalogError, match=said) as caught:
        open_catalog(url, create=True)
    assert not isinstance(caught.value, CatalogUnavailable)  # another try will not work
    shown = f"{caught.value} {caught.value.hint} {caught.value!r} {caught.value.__cause__!r} {caplog.text}"
    assert password not in shown
    assert f"{user}:***@" in shown


def test_a_missing_password_is_said(guarded: PostgresServer) -> None:
    url = as_user(guarded.new_database(), "ada", "").replace("ada:@", "ada@")
    with pytest.raises(CatalogError, match="refused the user or password"):
        open_catalog(url, create=True)


def test_a_user_who_may_not_make_tables_is_told_what_is_needed(guarded: PostgresServer) -> None:
    url = as_user(guarded.new_database(), "ada", "p@ss:w/rd?#%")
    with pytest.raises(CatalogError, match=r"does not allow that to this user.*let the user own the schema"):
        open_catalog(url, create=True)


def test_a_schema_that_the_user_may_not_use_is_no_empty_catalog(guarded: PostgresServer) -> None:
    url = guarded.new_database()
    open_catalog(url, create=True, schema_name="docs").close()
    with pytest.raises(CatalogError, match=r"docs.*USAGE") as caught:
        open_catalog(as_user(url, "ada", "p@ss:w/rd?#%"), create=False, schema_name="docs")
    assert not isinstance(caught.value, CatalogNotFound)


def test_encryption_that_the_server_does_not_have_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as threads:

        def refuse() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(8)  # the request for encryption
                connection.sendall(b"N")
                connection.recv(1)

        refused = threads.submit(refuse)
        with pytest.raises(CatalogError, match=r"encryption.*sslmode") as caught:
            open_catalog(f"postgresql://127.0.0.1:{listening.getsockname()[1]}/docs?sslmode=require", create=True)
        refused.result(timeout=120)
    assert not isinstance(caught.value, CatalogUnavailable)


# --- a schema of its own -------------------------------------------------------------------------------------------


def test_a_build_makes_the_schema_and_touches_nothing_else(own: PostgresServer, url: str) -> None:
    own.execute("CREATE TABLE documents (theirs text); INSERT INTO documents VALUES ('theirs')", url)
    with pytest.raises(CatalogNotFound):
        open_catalog(url, create=False, schema_name="docs")
    with ThreadPoolExecutor(4) as threads:
        opened = list(threads.map(lambda _: open_catalog(url, create=True, schema_name="docs"), range(4)))
    built(opened[0], "g1", page("a", "one"))
    opened[0].promote("g1", NOON)
    [chunk] = opened[0].chunks("g1")
    assert opened[0].chunk_metadata([chunk.id], "g1")[chunk.id].slug == "a"
    for catalog in opened:
        catalog.close()
    assert own.execute("SELECT * FROM public.documents", url) == [("theirs",)]
    schemas = "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name IN ('chunks', 'live')"
    assert own.execute(schemas, url) == [("docs",)]


def test_a_catalog_of_a_newer_version_is_refused_and_left_as_it_is(own: PostgresServer, url: str) -> None:
    open_catalog(url, create=True).close()
    own.execute("UPDATE catalog_version SET version_num = '7777'", url)
    for create in (True, False):
        with pytest.raises(CatalogSchemaError, match=r"7777.*newer version"):
            open_catalog(url, create=create)
    assert own.execute("SELECT version_num FROM catalog_version", url) == [("7777",)]
