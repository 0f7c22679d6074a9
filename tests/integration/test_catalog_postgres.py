"""The catalog on a real Postgres server, started from a wheel; skipped where its packages are not installed."""

import re
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Select, event
from tests.forking import ForkedProgram, fork
from tests.integration.test_migrations import ROWS, VERSIONS
from tests.postgres import PostgresServer, catalog_options, open_catalog

from assay.adapters.catalog import sql_generations
from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql import database as database_module
from assay.adapters.catalog.sql import migrations, queries
from assay.adapters.catalog.sql.database import connect
from assay.adapters.catalog.sql.tables import SCHEMA_VERSION, VERSION_TABLE, metadata
from assay.errors import (
    BuildInProgress,
    CatalogError,
    CatalogNotFound,
    CatalogSchemaError,
    CatalogUnavailable,
)
from assay.model.generations import State
from assay.ports import Catalog
from assay.testing import CatalogConformance
from assay.testing.catalog_generations import agree
from assay.testing.catalog_samples import NOON, Stored, built, generation, in_state, page

psycopg = pytest.importorskip("psycopg", reason="needs the driver, psycopg[binary]")

LOCK = database_module._POSTGRES_WRITE[-1]


@pytest.fixture(scope="module")
def template(postgres: PostgresServer) -> str:
    """An empty catalog, to be copied: making one takes longer than most tests."""
    url = postgres.new_database()
    open_catalog(url, create=True).close()
    return url


@pytest.fixture
def url(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[str]:
    """A new database: empty, or a catalog where a test asks for one."""
    has_catalog = "catalog" in request.fixturenames
    url = postgres.new_database(request.getfixturevalue("template") if has_catalog else None)
    yield url
    postgres.drop_database(url)


@pytest.fixture
def catalog(url: str) -> Iterator[SqlCatalog]:
    catalog = open_catalog(url, create=False)
    yield catalog
    catalog.close()


@pytest.fixture(scope="module")
def kit_url(postgres: PostgresServer, template: str) -> str:
    """One database for the whole kit."""
    return postgres.new_database(template)


class TestSqlCatalogInPostgres(CatalogConformance):
    @pytest.fixture
    def catalog(self, kit_url: str) -> Iterator[Catalog]:
        with psycopg.connect(kit_url) as connection:
            connection.execute(
                "TRUNCATE live, generations, generation_documents, document_revisions, chunks, anchors, vocabularies"
            )
            connection.execute("INSERT INTO live VALUES (1, NULL)")
        catalog = open_catalog(kit_url, create=False)
        yield catalog
        catalog.close()


# --- schema --------------------------------------------------------------------------------------------------------


def test_the_migrations_lead_to_the_tables_that_the_code_uses(catalog: SqlCatalog) -> None:
    with catalog._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, metadata) == []
        sorted_as_bytes = (
            "SELECT count(*) FROM information_schema.columns WHERE collation_name = 'C' AND table_schema = 'public'"
            " AND table_name <> 'documents'"
        )
        made_so = [
            column
            for table in metadata.tables.values()
            for column in table.columns
            if getattr(column.type.dialect_impl(connection.dialect), "collation", None) == "C"
        ]
        assert connection.exec_driver_sql(sorted_as_bytes).scalar() == len(made_so) > 4


@pytest.mark.contract("003.22", "003.23", "003.24", "003.25", "003.26", "003.27", "003.28")
def test_the_documents_view_has_the_columns_types_and_order_of_the_seed(catalog: SqlCatalog, url: str) -> None:
    built(catalog, "g1", page("chapter-1/index", "one", "two", title="T" * 300))
    catalog.promote("g1", NOON)
    question = """
        SELECT column_name, data_type, character_maximum_length, column_default FROM information_schema.columns
        WHERE table_name = 'documents' ORDER BY ordinal_position"""
    with psycopg.connect(url) as connection:
        assert connection.execute(question).fetchall() == [
            ("chunk_id", "character varying", 50, None),
            ("source_path", "text", None, None),
            ("slug", "character varying", 100, None),
            ("title", "character varying", 255, None),
            ("order_index", "integer", None, None),
            ("snippet", "text", None, None),
            ("created_at", "timestamp without time zone", None, "now()"),
        ]
        rows = connection.execute("SELECT * FROM documents ORDER BY order_index").fetchall()
    when = NOON.replace(tzinfo=None)
    assert [row[1:] for row in rows] == [
        ("docs/chapter-1/index.md", "chapter-1-index", "T" * 255, 1, "one", when),
        ("docs/chapter-1/index.md", "chapter-1-index", "T" * 255, 2, "two", when),
    ]


@pytest.mark.contract("003.29")
@pytest.mark.parametrize("sent_as", ["text[]", "varchar[]"])
def test_the_seeds_own_query_works_on_the_view_and_uses_the_index(catalog: SqlCatalog, url: str, sent_as: str) -> None:
    built(catalog, "g1", *(page(f"p{number}", "one", "two") for number in range(300)))
    catalog.promote("g1", NOON)
    ids = [chunk.id for chunk in list(catalog.chunks("g1"))[:2]]
    query = "SELECT chunk_id, source_path, slug, title FROM documents WHERE chunk_id = ANY($1)"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        connection.execute(f"PREPARE seed ({sent_as}) AS {query}")
        value = psycopg.sql.Literal(ids)
        found = connection.execute(psycopg.sql.SQL("EXECUTE seed ({})").format(value)).fetchall()
        plan = connection.execute(psycopg.sql.SQL("EXPLAIN EXECUTE seed ({})").format(value)).fetchall()
    assert sorted(found) == sorted((each, "docs/p0.md", "p0", "A page") for each in ids)
    assert "ix_chunks_chunk_id" in str(plan)


def test_a_list_is_all_that_a_program_has_to_send(catalog: SqlCatalog, url: str) -> None:
    built(catalog, "g1", page("a", "one", "two"), page("b"))
    catalog.promote("g1", NOON)
    ids = [chunk.id for chunk in catalog.chunks("g1")][:2]
    query = "SELECT chunk_id, source_path, slug, title FROM documents WHERE chunk_id = ANY(%s)"
    with psycopg.connect(url) as connection:
        found = connection.execute(query, [[*ids, "doc-001-0001"]]).fetchall()
    assert sorted(found) == sorted((each, "docs/a.md", "a", "A page") for each in ids)


def test_a_look_up_begins_with_its_chunks_though_nothing_is_known_of_the_live_row(
    catalog: SqlCatalog, url: str
) -> None:
    built(catalog, "g1", *(page(f"p{number}", "one", "two") for number in range(500)))
    catalog.promote("g1", NOON)  # after the statistics were gathered, as in every release
    ids = [chunk.id for chunk in catalog.chunks("g1")][:5]
    with psycopg.connect(url) as connection:
        question = f"EXPLAIN (ANALYZE, FORMAT JSON) {catalog._database.qualified(queries.METADATA_IN_POSTGRES)}"
        rows = connection.execute(question, [ids, "g1"]).fetchall()
    of_chunks = [step for step in steps_of(rows[0][0][0]["Plan"]) if step.get("Relation Name") == "chunks"]
    assert [step["Actual Loops"] for step in of_chunks] == [1]  # and not one for each document


def steps_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A step of a plan and all below it."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from steps_of(part)


def test_the_view_never_shows_part_of_a_generation(catalog: SqlCatalog, url: str) -> None:
    built(catalog, "g0", *(page(f"p{number}", "one", "two") for number in range(40)))
    catalog.promote("g0", NOON)
    ended = threading.Event()

    def look() -> set[tuple[int, int]]:
        seen = set()
        with psycopg.connect(url, autocommit=True) as connection:
            while not ended.is_set():
                counts = connection.execute("SELECT count(*), count(DISTINCT title) FROM documents").fetchall()
                seen.add(counts[0])
        return seen

    with ThreadPoolExecutor(1) as threads:
        looking = threads.submit(look)
        for turn in range(1, 6):
            catalog.add_generation(generation(f"g{turn}"))
            for number in range(40 + turn):
                catalog.add_documents(f"g{turn}", [page(f"p{number}", "one", "two", title=f"Title {turn}")])
            catalog.transition(f"g{turn}", State.CANDIDATE)
            catalog.promote(f"g{turn}", NOON)
            catalog.forget(f"g{turn - 1}")
        ended.set()
        seen = looking.result(timeout=60)
    assert seen <= {(2 * (40 + turn), 1) for turn in range(6)}
    assert len(seen) > 1


def test_tables_that_somebody_else_made_are_left_alone(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE documents (chunk_id VARCHAR(50) PRIMARY KEY)")
        with pytest.raises(CatalogSchemaError, match="did not make: documents"):
            open_catalog(url, create=True)
        connection.execute("CREATE SCHEMA assay")
    catalog = open_catalog(f"{url}&options=-csearch_path%3Dassay", create=True)
    catalog.check()
    catalog.close()
    with psycopg.connect(url) as connection:
        tables = "SELECT table_schema FROM information_schema.tables WHERE table_name IN ('documents', 'chunks')"
        assert sorted(connection.execute(tables).fetchall()) == [("assay",), ("assay",), ("public",)]


def test_a_migration_that_fails_leaves_nothing_behind(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE theirs (a integer)")
        connection.execute("CREATE INDEX ix_chunks_embedded ON theirs (a)")
        with pytest.raises(CatalogError):
            open_catalog(url, create=True)
        names = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
        assert connection.execute(names).fetchall() == [("ix_chunks_embedded",), ("theirs",)]
        connection.execute("DROP TABLE theirs")
    open_catalog(url, create=True).close()


def test_a_database_without_a_catalog_is_refused_unless_one_is_to_be_made(url: str) -> None:
    with pytest.raises(CatalogNotFound, match="holds no catalog: nothing has been ingested") as refused:
        open_catalog(url, create=False)
    assert "DATABASE_URL names another database" in str(refused.value.hint)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_catalog_of_any_version_is_upgraded_with_everything_in_it(
    postgres: PostgresServer, url: str, version: str
) -> None:
    with connect(url, create=True, options=catalog_options()).changing_schema() as connection:
        migrations.upgrade(connection, version)
    rows = ROWS[max(known for known in ROWS if known <= version)]
    postgres.execute(re.sub(r"x'([0-9a-f]+)'", r"'\\x\1'", rows), url)
    catalog = open_catalog(url, create=True)
    catalog.check()
    found = catalog.generation("g1")
    assert (catalog.live_id(), found.created_at, found.embedder.dimension) == ("g1", NOON, 8)
    [stored] = catalog.documents("g1")
    assert (stored.info.tags, stored.text, stored.sections, stored.links) == (("x",), "this is old", None, None)
    [chunk] = catalog.chunks("g1")
    assert (chunk.text, chunk.heading_path) == ("some text", ("Guide", "Part"))
    assert catalog.chunk_metadata(["c1"], "g1")["c1"].title == "A page"
    assert postgres.execute("SELECT chunk_id, slug FROM documents", url) == [("c1", "a")]
    defaults = "SELECT column_default FROM information_schema.columns WHERE table_name = 'documents'"
    assert ("now()",) in postgres.execute(defaults, url)
    catalog.close()


def make_catalog(url: str) -> None:
    open_catalog(url, create=True).check()


def test_processes_that_make_the_catalog_at_once_do_not_disturb_each_other(postgres: PostgresServer, url: str) -> None:
    running = [fork(make_catalog, url) for _ in range(4)]
    for process in running:
        process.join(120)
    assert [process.exitcode for process in running] == [0] * 4
    assert postgres.execute("SELECT version_num FROM catalog_version", url) == [(SCHEMA_VERSION,)]
    assert postgres.execute("SELECT * FROM live", url) == [(1, None)]


def test_connections_that_make_the_catalog_at_once_do_not_disturb_each_other(url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        for catalog in threads.map(lambda _: open_catalog(url, create=True), range(4)):
            catalog.check()
            catalog.close()


# --- processes and failures ----------------------------------------------------------------------------------------


def hold_build_lock(url: str) -> None:
    with open_catalog(url, create=False).build_lock():
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        signal.pause()


def test_another_process_that_builds_is_named_and_its_right_ends_with_it(
    catalog: SqlCatalog, url: str, tmp_path: Path
) -> None:
    holder = ForkedProgram(tmp_path / "log", hold_build_lock, url)
    assert holder.stdout.readline() == "ready\n"
    with pytest.raises(BuildInProgress, match=rf"process {holder.pid}, since 20.*Z, on .* is running"):
        catalog.build_lock().__enter__()
    holder.close()
    for _ in range(100):  # the server notices in a moment
        try:
            with catalog.build_lock():
                return
        except BuildInProgress:
            threading.Event().wait(0.1)
    pytest.fail("the lock outlived its holder")


def test_the_open_transaction_of_a_build_keeps_vacuum_from_nothing(catalog: SqlCatalog, url: str) -> None:
    with catalog.build_lock(), psycopg.connect(url) as connection:
        held = "SELECT backend_xid, backend_xmin FROM pg_stat_activity WHERE application_name LIKE 'assay build:%'"
        assert connection.execute(held).fetchall() == [(None, None)]


def test_a_long_removal_lets_writers_in_and_the_next_one_finishes_an_interrupted_one(
    catalog: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(catalog, "g1", *(page(f"p{number}", "one") for number in range(4)))
    built(catalog, "g2", page("kept"))
    monkeypatch.setattr(sql_generations, "_DELETED", 2)
    select_unused, calls = queries.unused_revisions, []

    def promote_then_interrupt(after: int, limit: int) -> Select[Any]:
        if calls:
            raise KeyboardInterrupt
        calls.append(catalog.promote("g2", NOON))
        return select_unused(after, limit)

    with monkeypatch.context() as patched:
        patched.setattr(queries, "unused_revisions", promote_then_interrupt)
        with pytest.raises(KeyboardInterrupt):
            catalog.forget("g1")
    assert count_chunks(catalog) == 3
    assert [each.id for each in catalog.generations()] == ["g2"]
    assert catalog.live_id() == "g2"
    built(catalog, "g3")
    catalog.forget("g3")
    assert count_chunks(catalog) == 1


def count_chunks(catalog: SqlCatalog) -> int:
    with catalog._database.reading() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM chunks").scalar() or 0)


def test_readers_do_not_wait_for_a_writer_and_see_what_was_before(catalog: SqlCatalog) -> None:
    built(catalog, "g1", page("a", "one"))
    catalog.promote("g1", NOON)
    with catalog._database.writing(durable=True) as connection:
        connection.exec_driver_sql("UPDATE live SET generation_id = NULL")
        connection.exec_driver_sql("DELETE FROM chunks")
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(catalog.live_id).result(timeout=120) == "g1"
            texts = threads.submit(lambda: [chunk.text for chunk in catalog.chunks("g1")]).result(timeout=120)
            assert texts == ["one"]


def test_a_writer_that_waits_too_long_says_so(catalog: SqlCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    in_state(catalog, "g1", State.CANDIDATE)
    monkeypatch.setattr(database_module, "_POSTGRES_WRITE", ("SET LOCAL lock_timeout = '50ms'", LOCK))
    with catalog._database.writing(durable=True), ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(catalog.promote, "g1", NOON)
        assert isinstance(waiting.exception(timeout=120), CatalogUnavailable)
        assert "locked by another process" in str(waiting.exception())
    catalog.promote("g1", NOON)


def test_a_server_that_ended_the_connections_is_found_again(catalog: SqlCatalog, url: str) -> None:
    in_state(catalog, "g1", State.LIVE)
    with psycopg.connect(url, autocommit=True) as connection:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = %s"
        connection.execute(others, [connection.info.dbname])
    assert catalog.live_id() == "g1"


def test_a_connection_that_ends_in_the_middle_is_an_error_of_the_catalog(catalog: SqlCatalog, url: str) -> None:
    catalog.add_generation(generation("g1"))

    def cut_off() -> Iterator[Stored]:
        yield page("a")
        event.listen(catalog._database.engine, "commit", end, once=True)

    def end(mine: Connection) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            number = mine.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            connection.execute("SELECT pg_terminate_backend(%s, 5000)", [number])

    with pytest.raises(CatalogUnavailable):
        catalog.add_documents("g1", cut_off())
    assert catalog.known_pages("g1") == {}
    catalog.add_documents("g1", [page("a")])


def test_what_copy_could_take_for_its_own_signs_is_stored_as_it_is(catalog: SqlCatalog) -> None:
    texts = [
        "tab\there",
        "line\nbreak\r\n",
        "\\N",
        "\\.",
        "back\\slash \\t",
        "NULL",
        "日🤖 é\u0301",
        '{"a": "\\u0000"}',
    ]
    built(catalog, "g1", page("a", *texts, title="\\N"))
    assert [chunk.text for chunk in catalog.chunks("g1")] == texts
    assert [stored.info.title for stored in catalog.documents("g1")] == ["\\N"]


def test_a_null_byte_that_postgres_cannot_hold_is_an_error_that_stores_nothing(catalog: SqlCatalog) -> None:
    catalog.add_generation(generation("g1"))
    with pytest.raises(CatalogError, match="cannot hold"):
        catalog.add_documents("g1", [page("a"), page("b", "null \0 byte")])
    assert catalog.known_pages("g1") == {}


def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    with pytest.raises(CatalogUnavailable, match=r"me:\*\*\*@127.0.0.1:1/db cannot be reached") as caught:
        open_catalog("postgres://me:secret@127.0.0.1:1/db", create=True)
    assert "secret" not in str(caught.value)


def test_a_database_that_is_not_there_is_named(url: str) -> None:
    with pytest.raises(CatalogError, match="does not exist"):
        open_catalog(url.replace("/assay_", "/nowhere_"), create=True)


def test_a_user_without_rights_is_refused(catalog: SqlCatalog, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    in_state(catalog, "g1", State.LIVE)
    reader = open_catalog(url.replace("postgres:@", "reader:@"), create=False)
    assert reader.live_id() == "g1"
    with pytest.raises(CatalogError, match="does not allow"):
        reader.add_generation(generation("g2"))
    reader.close()


def test_promotions_at_the_same_time_by_two_catalogs_leave_one_live(catalog: SqlCatalog, url: str) -> None:
    for name in "abcd":
        in_state(catalog, name, State.CANDIDATE)
    other = open_catalog(url, create=False)
    with ThreadPoolExecutor(2) as threads:
        list(
            threads.map(
                lambda pair: [pair[0].promote(name, NOON) for name in pair[1]], [(catalog, "ab"), (other, "cd")]
            )
        )
    agree(catalog)
    other.close()
