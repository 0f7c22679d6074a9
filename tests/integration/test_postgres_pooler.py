"""The catalog through a real PgBouncer, whose address the environment gives.

ASSAY_TEST_PGBOUNCER_URL: URL of a database through PgBouncer with `pool_mode = transaction` or session, for a user who
    may create databases; it has to pass on any database of its server (`* = …`).
ASSAY_TEST_PGBOUNCER_STATEMENT_URL: the same with `pool_mode = statement`.
"""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forking import ForkedProgram
from tests.integration.test_catalog_postgres import hold_build_lock
from tests.postgres import open_catalog

from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql import locks
from assay.errors import BuildInProgress, CatalogError, CatalogUnavailable
from assay.ports import Catalog
from assay.testing import CatalogConformance
from assay.testing.catalog_samples import NOON, built, generation, page

psycopg = pytest.importorskip("psycopg", reason="needs the driver, psycopg[binary]")


def given(name: str) -> str:
    """The URL in a variable of the environment; skips the test without it."""
    return os.environ.get(name) or pytest.skip(f"needs a real PgBouncer: set {name}")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A new database through the pooler."""
    pooler = given("ASSAY_TEST_PGBOUNCER_URL")
    name = f"assay_pooler_{os.getpid()}"
    with psycopg.connect(pooler, autocommit=True, prepare_threshold=None) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        host, _, database = pooler.partition("?")[0].rpartition("/")
        yield pooler.replace(f"{host}/{database}", f"{host}/{name}", 1)
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def pooled(url: str) -> Iterator[SqlCatalog]:
    open_catalog(url, create=True).close()
    with psycopg.connect(url, prepare_threshold=None) as connection:
        connection.execute(
            "TRUNCATE live, generations, generation_documents, document_revisions, chunks, anchors, vocabularies"
        )
        connection.execute("INSERT INTO live VALUES (1, NULL)")
    catalog = open_catalog(url, create=False)
    yield catalog
    catalog.close()


class TestSqlCatalogThroughPgBouncer(CatalogConformance):
    @pytest.fixture
    def catalog(self, pooled: SqlCatalog) -> Catalog:
        return pooled


def test_the_lock_is_held_while_the_build_says_nothing_and_ends_with_its_process(
    pooled: SqlCatalog, url: str, tmp_path: Path
) -> None:
    holder = ForkedProgram(tmp_path / "log", hold_build_lock, url)
    assert holder.stdout.readline() == "ready\n"
    with pytest.raises(BuildInProgress, match=rf"process {holder.pid}, since 20.*Z, on .* is running"):
        pooled.build_lock().__enter__()
    os.kill(holder.pid, signal.SIGKILL)
    for _ in range(100):  # the pooler notices in a moment
        try:
            with pooled.build_lock():
                break
        except BuildInProgress:
            threading.Event().wait(0.1)
    else:
        pytest.fail("the lock outlived its holder")
    holder.close()


def test_a_build_whose_lock_the_server_ended_is_told_so(
    pooled: SqlCatalog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(locks._SETTINGS, "idle_in_transaction_session_timeout", "100ms")
    with pooled.build_lock():
        pooled.add_generation(generation("g1"))
        other = open_catalog(url, create=False)
        for _ in range(100):
            try:
                with other.build_lock():
                    break
            except BuildInProgress:
                threading.Event().wait(0.1)
        with pytest.raises(CatalogUnavailable, match="lost its lock"):
            pooled.add_documents("g1", [page("a")])
        other.close()


def test_a_schema_of_its_own_needs_no_startup_parameter(url: str) -> None:
    catalog = open_catalog(url, create=True, schema_name="docs")
    built(catalog, "g1", page("a", "one"))
    catalog.promote("g1", NOON)
    [chunk] = catalog.chunks("g1")
    assert catalog.chunk_metadata([chunk.id], "g1")[chunk.id].slug == "a"
    catalog.check()
    catalog.close()
    with psycopg.connect(url, prepare_threshold=None) as connection:
        assert connection.execute("SELECT count(*) FROM docs.chunks").fetchone() == (1,)


def test_statement_mode_is_refused_with_what_to_set() -> None:
    url = given("ASSAY_TEST_PGBOUNCER_STATEMENT_URL")
    for create in (True, False):
        with pytest.raises(CatalogError, match=r"statement mode.*pool_mode = transaction"):
            open_catalog(url, create=create)
