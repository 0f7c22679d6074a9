"""The catalog's schema is made, upgraded and refused as it should be."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from tests.forking import fork
from tests.schemas import schema_made_once

from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql import locks, migrations
from assay.adapters.catalog.sql.database import Database, connect
from assay.adapters.catalog.sql.tables import SCHEMA_VERSION, VERSION_TABLE, metadata
from assay.errors import BuildInProgress, CatalogError, CatalogNotFound, CatalogSchemaError
from assay.model.generations import State
from assay.testing.catalog_samples import NOON, built, page

HASH = "a" * 64
RUN_MIGRATIONS = migrations.upgrade
"""As it is before tests make schemas without it."""

ROWS = {
    "0001": f"""
    INSERT INTO generations (id, state, created_at, embedder, chunker, sparse, sources, documents, chunks, failed_pages,
        has_variants, content_fingerprint, promoted_at, verdict, seconds)
    VALUES ('g1', 'live', '2026-03-14 12:00:00.123456',
        '{{"provider": "static", "model": "tiny", "dimension": 8}}',
        '{{"reader": "1", "chunker": "1", "max_characters": 2000, "max_tokens": null, "overlap": 0, "tokenizer": "w"}}',
        '{{"language": "english", "k": 1.2, "b": 0.75, "average_length": 80.5}}',
        '["docs"]', 1, 1, 0, true, '{HASH}', '2026-03-14 13:00:00.000000', '{{"result": "PASS"}}', '{{}}');
    UPDATE live SET generation_id = 'g1';
    INSERT INTO document_revisions (id, revision, source, key, url, source_hash, source_path, slug, title, more,
        text_hash, chunk_count, text)
    VALUES (7, '{HASH}', 'docs', 'a.md', 'https://docs.example.org/a', '{HASH}', 'docs/a.md', 'a', 'A page',
        '{{"id": "d1", "source_type": "markdown", "version": null, "locale": "en", "tags": ["x"]}}', '{HASH}', 1,
        x'78012bc9c82c5600a2fc9c140018fe0414');
    INSERT INTO generation_documents (generation_id, revision_id, url) VALUES ('g1', 7, 'https://docs.example.org/a');
    INSERT INTO chunks (revision_id, position, chunk_id, span_start, span_end, section, heading_path, anchor,
        token_count, tokenizer, content_hash, embedded_hash, created_at, repeated_before, repeated_after, text)
    VALUES (7, 0, 'c1', 0, 9, 'Part', '["Guide", "Part"]', 'part', 1, 'w', '{HASH}', '{HASH}',
        '2026-03-14 12:00:00.000000', '', '', 'some text');
    """,
}
"""Rows as each version of the schema had them; a version that is not named here has those of the one before."""


@pytest.fixture(autouse=True)
def _every_schema_is_made_by_the_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "upgrade", RUN_MIGRATIONS)


def test_a_schema_that_tests_repeat_is_that_of_the_migrations(tmp_path: Path) -> None:
    with schema_made_once():
        for name in ("first", "second"):
            SqlCatalog.open(f"sqlite:///{tmp_path}/{name}.db", create=True).close()
    dumps = []
    for name in ("first", "second"):
        with sqlite3.connect(tmp_path / f"{name}.db") as connection:
            dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[1]
    assert len(dumps[0]) > 10


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


VERSIONS = sorted(script.revision for script in scripts().walk_revisions())


@contextmanager
def database_at(path: Path, version: str) -> Iterator[Database]:
    """A database of an earlier version."""
    database = connect(f"sqlite:///{path}", create=True, options=None)
    with database.changing_schema() as connection:
        migrations.upgrade(connection, version)
    yield database
    database.close()


def test_the_versions_make_one_line_and_the_code_is_written_for_the_last() -> None:
    assert scripts().get_heads() == [SCHEMA_VERSION]
    assert [f"{number:04}" for number in range(1, len(VERSIONS) + 1)] == VERSIONS
    names = [path.name for path in (migrations.SCRIPTS / "versions").glob("*.py")]
    assert sorted(name[:4] for name in names) == VERSIONS
    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.py", name) for name in names)


def test_the_migrations_lead_to_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    with (
        database_at(tmp_path / "catalog.db", "head") as database,
        database.reading() as connection,
    ):
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, metadata) == []
        constraints = _constraint_names(tmp_path / "catalog.db")
    made = {constraint.name for table in metadata.tables.values() for constraint in table.constraints}
    made = {str(name) for name in made if name is not None and "::" not in str(name)}
    assert constraints >= {name for name in made if name.startswith(("ck_", "uq_", "fk_", "pk_"))}


def _constraint_names(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        statements = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")]
    return set(re.findall(r"CONSTRAINT (\w+)", "\n".join(statements)))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_catalog_of_any_version_is_upgraded_with_everything_in_it(tmp_path: Path, version: str) -> None:
    path = tmp_path / "catalog.db"
    with database_at(path, version):
        pass
    with sqlite3.connect(path) as connection:
        connection.executescript(ROWS[max(known for known in ROWS if known <= version)])
    catalog = SqlCatalog.open(f"sqlite:///{path}", create=True)
    catalog.check()
    assert catalog.live_id() == "g1"
    generation = catalog.generation("g1")
    assert (generation.state, generation.created_at) == (State.LIVE, NOON)
    assert (generation.embedder.dimension, generation.has_variants, generation.verdict) == (8, True, {"result": "PASS"})
    [stored] = catalog.documents("g1")
    assert (stored.info.tags, stored.info.locale, stored.text) == (("x",), "en", "this is old")
    assert (stored.sections, stored.links) == (None, None)
    assert [place.chunk_id for place in catalog.places_of_texts("g1", [HASH])] == ["c1"]
    [chunk] = catalog.chunks("g1")
    assert (chunk.id, chunk.text, chunk.heading_path) == ("c1", "some text", ("Guide", "Part"))
    assert chunk.inner_headings == ()
    assert catalog.chunk_metadata(["c1"], "g1")["c1"].title == "A page"
    built(catalog, "g2", page("b"))
    catalog.promote("g2", NOON)
    catalog.forget("g1")
    catalog.close()


def test_the_documents_view_has_the_columns_types_and_order_of_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqlCatalog.open(f"sqlite:///{path}", create=True)
    built(catalog, "g1", page("chapter-1/index", "one", "two", title="T" * 300), page("b", title=""))
    catalog.promote("g1", NOON)
    catalog.close()
    with sqlite3.connect(path) as connection:
        columns = [(row[1], row[2]) for row in connection.execute("PRAGMA table_info(documents)")]
        rows = connection.execute("SELECT * FROM documents ORDER BY slug, order_index").fetchall()
    assert columns == [
        ("chunk_id", "VARCHAR(50)"),
        ("source_path", "TEXT"),
        ("slug", "VARCHAR(100)"),
        ("title", "VARCHAR(255)"),
        ("order_index", "INTEGER"),
        ("snippet", "TEXT"),
        ("created_at", "TIMESTAMP"),
    ]
    when = "2026-03-14 12:00:00.123456"
    assert [row[1:] for row in rows] == [
        ("docs/b.md", "b", None, 1, "What b says.", when),
        ("docs/chapter-1/index.md", "chapter-1-index", "T" * 255, 1, "one", when),
        ("docs/chapter-1/index.md", "chapter-1-index", "T" * 255, 2, "two", when),
    ]


def test_chunks_are_looked_up_in_the_view_by_their_index(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    SqlCatalog.open(f"sqlite:///{path}", create=True).close()
    with sqlite3.connect(path) as connection:
        for condition in ("= 'a'", "IN ('a', 'b', 'c')"):
            plan = connection.execute(f"EXPLAIN QUERY PLAN SELECT * FROM documents WHERE chunk_id {condition}")
            steps = [step for *_, step in plan]
            assert "ix_chunks_chunk_id" in steps[0]
            assert not any("SCAN" in step or "AUTOMATIC" in step for step in steps), steps


def test_a_list_of_chunks_is_looked_up_in_the_view_as_it_is_in_postgres(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqlCatalog.open(f"sqlite:///{path}", create=True)
    built(catalog, "g1", page("a", "one", "two"), page("b"))
    catalog.promote("g1", NOON)
    ids = [chunk.id for chunk in catalog.chunks("g1")][:2]
    catalog.close()
    # SQLite has no arrays: a list goes in as JSON.
    query = (
        "SELECT chunk_id, source_path, slug, title FROM documents WHERE chunk_id IN (SELECT value FROM json_each(?))"
    )
    with sqlite3.connect(path) as connection:
        found = connection.execute(query, [json.dumps([*ids, "doc-001-0001"])]).fetchall()
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", [json.dumps(ids)]).fetchall()
    assert sorted(found) == sorted((each, "docs/a.md", "a", "A page") for each in ids)
    assert "ix_chunks_chunk_id" in str(plan)


def test_a_catalog_that_is_not_there_is_made_only_when_asked(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/in/catalog.db"
    with pytest.raises(CatalogNotFound, match=r"no catalog at .*nothing has been ingested here yet.*assay ingest"):
        SqlCatalog.open(url, create=False)
    assert list(tmp_path.iterdir()) == []
    SqlCatalog.open(url, create=True).close()
    SqlCatalog.open(url, create=False).close()


def test_an_empty_database_is_no_catalog(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").touch()
    with pytest.raises(CatalogNotFound, match="holds no catalog: nothing has been ingested") as refused:
        SqlCatalog.open(f"sqlite:///{tmp_path}/catalog.db", create=False)
    assert "--data-dir names another folder" in str(refused.value.hint)


def test_a_catalog_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    SqlCatalog.open(f"sqlite:///{path}", create=True).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '7777'")
    for create in (True, False):
        with pytest.raises(CatalogSchemaError, match=r"7777.*newer version"):
            SqlCatalog.open(f"sqlite:///{path}", create=create)
    with sqlite3.connect(path) as connection:
        assert connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() == [("7777",)]


def test_a_catalog_of_an_older_version_is_upgraded_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/catalog.db"
    catalog = SqlCatalog.open(url, create=True)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", "9999")
    with pytest.raises(CatalogSchemaError, match=f"has schema {SCHEMA_VERSION}.*needs 9999.*assay publish"):
        SqlCatalog.open(url, create=False)
    with pytest.raises(CatalogSchemaError, match="needs 9999"):
        catalog.check()
    catalog.close()


def test_the_schema_is_not_changed_under_a_running_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/catalog.db"
    catalog = SqlCatalog.open(url, create=True)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", "9999")
    monkeypatch.setattr(locks, "LOCK_TIMEOUT_SECONDS", 0.05)
    with catalog.build_lock(), pytest.raises(BuildInProgress, match="is running"):
        SqlCatalog.open(url, create=True)
    catalog.close()


def test_tables_that_somebody_else_made_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE documents (chunk_id TEXT); INSERT INTO documents VALUES ('theirs')")
    with pytest.raises(CatalogSchemaError, match="did not make: documents"):
        SqlCatalog.open(f"sqlite:///{path}", create=True)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("documents",)]
        assert connection.execute("SELECT * FROM documents").fetchall() == [("theirs",)]


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE theirs (a); CREATE INDEX ix_chunks_embedded ON theirs (a)")
    with pytest.raises(CatalogError):
        SqlCatalog.open(f"sqlite:///{path}", create=True)
    with sqlite3.connect(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY name")]
        assert names == ["ix_chunks_embedded", "theirs"]
        connection.execute("DROP TABLE theirs")
    SqlCatalog.open(f"sqlite:///{path}", create=True).close()


OPENING = """
import sys
from assay.adapters.catalog.catalog import SqlCatalog
catalog = SqlCatalog.open(sys.argv[1], create=True)
catalog.check()
print("alembic" in sys.modules)
"""


def make_catalog(url: str) -> None:
    SqlCatalog.open(url, create=True).check()


def test_processes_that_make_the_catalog_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/catalog.db"
    running = [fork(make_catalog, url) for _ in range(4)]
    for process in running:
        process.join(120)
    assert [process.exitcode for process in running] == [0] * 4


def test_threads_can_make_catalogs_at_once(tmp_path: Path) -> None:
    def make(number: int) -> None:
        SqlCatalog.open(f"sqlite:///{tmp_path}/{number}.db", create=True).close()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(make, range(16))) == [None] * 16


def test_opening_a_current_catalog_does_not_load_the_migration_tool(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/catalog.db"
    SqlCatalog.open(url, create=True).close()
    said = subprocess.run([sys.executable, "-c", OPENING, url], capture_output=True, text=True, check=True, timeout=120)
    assert said.stdout == "False\n"
