"""Connections to SQLite and Postgres that behave alike: many readers with a steady view, one writer at a time."""

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from sqlalchemy import Connection, Engine, Table, create_engine, event, insert
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, QueuePool

from assay.adapters.catalog.sql import postgres
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.packing import json_text
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.errors import ConfigurationError
from assay.model.batches import batched

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.lookups import LookUps

WAIT_SECONDS = 30
"""How long a writer waits for another one. The largest single transaction, 50,000 chunks, takes about three."""

_ROWS = 1_000  # rows in one statement

_URL_HINT = "Use sqlite:///path/to/catalog.db or postgresql://user:password@host/database."
_MODE = "assay_mode"  # execution option, read when a transaction begins
_SQLITE_BEGIN = {
    # A write begins as one, so that it waits for its turn instead of failing half way.
    "read": ("BEGIN",),
    "write": ("PRAGMA synchronous=NORMAL", "BEGIN IMMEDIATE"),
    # With a write-ahead log FULL flushes the log at commit, and with it every earlier transaction.
    "durable": ("PRAGMA synchronous=FULL", "BEGIN IMMEDIATE"),
}
_NO_ROOM = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_POSTGRES_WRITE = (
    f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'",
    # Readers pass; a second writer waits, as it does in SQLite. Before any query, so that none sees an older state.
    "LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE",
)


@dataclass(frozen=True, slots=True)
class Database:
    """One catalog's database.

    name: what to call it in messages; without the password.
    engine: transactions.
    path: the SQLite file; None for Postgres.
    look_ups: the single statements that a search waits for in Postgres; None for SQLite.
    schema: the schema of Postgres that was asked for; None for whichever comes first on the search path.
    """

    name: str
    engine: Engine
    path: Path | None
    look_ups: "LookUps | None"
    schema: str | None

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite; otherwise it is Postgres."""
        return self.path is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, and sees one state of the catalog to its end. Raises CatalogError."""
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with mapped(self.name, only_reads=True), self.engine.connect() as plain:
            yield plain.execution_options(**options)

    @contextmanager
    def writing(self, *, durable: bool) -> Iterator[Connection]:
        """The one transaction that writes, rolled back when the block raises. Raises CatalogError.

        durable: whether this commit, and every one before it, has to survive a loss of power at once.
        """
        with mapped(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**{_MODE: "durable" if durable else "write"})
            with connection.begin():
                if not self.is_sqlite:
                    for statement in _POSTGRES_WRITE:
                        connection.exec_driver_sql(statement)
                yield connection

    @contextmanager
    def changing_schema(self) -> Iterator[Connection]:
        """A transaction that may make tables, without the lock on one of them. Raises CatalogError."""
        with mapped(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**{_MODE: "durable"})
            with connection.begin():
                yield connection

    def fill(self, connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert many rows, all with the same columns, in a transaction of `writing`. Raises CatalogError."""
        for some in batched(rows, _ROWS):
            if self.is_sqlite:
                connection.execute(insert(table), some)
            else:
                postgres.copy_rows(self.name, connection, table, some)

    def value_of(self, sql: str, *, seconds: float | None = None) -> Any:  # noqa: ANN401 - a value of any column
        """The value of a statement that gives at most one row, without a transaction; None for no row.

        In SQLite that takes 0.01 ms instead of 0.08.

        seconds: how long Postgres may take, None for as long as connecting may; with SQLite nobody waits, for readers
            pass writers.

        Raises CatalogError.
        """
        if self.look_ups is not None:
            rows = self.look_ups.insist(sql, (), seconds=seconds)
            return rows[0][0] if rows else None
        with mapped(self.name):
            pooled = self.engine.raw_connection()
            try:
                row = pooled.cursor().execute(sql).fetchone()
            finally:
                pooled.close()
            return row and row[0]

    def gather_statistics(self, connection: Connection) -> None:
        """Let Postgres plan with what was just stored; SQLite's plans need none."""
        if not self.is_sqlite:
            connection.exec_driver_sql("ANALYZE live, generation_documents, document_revisions, chunks")

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()
        if self.look_ups is not None:
            self.look_ups.close()


def connect(url: str, *, create: bool, options: PostgresOptions | None) -> Database:
    """The database at a URL; nothing is opened yet.

    create: whether a SQLite file that is not there may be made.
    options: how a database in Postgres is used; None for a SQLite file.

    Raises ConfigurationError for a URL that cannot be one of a catalog, ValueError for one of Postgres without options.
    """
    kind, separator, _ = url.partition(":")
    if postgres.is_postgres(url):
        if options is None:
            raise ValueError("a catalog in Postgres needs its options")
        connector = postgres.connector(url, options)
        name = postgres.display_name(connector.parameters)
        engine = postgres.engine(connector, options)
        return Database(name, engine, None, postgres.look_ups(connector, name, options), connector.schema)
    if url.startswith("sqlite://"):
        return _sqlite(url, create=create)
    if separator and re.fullmatch(r"[a-z][a-z0-9+]*", kind) and url.startswith(f"{kind}://"):
        raise ConfigurationError(f"A catalog cannot be kept in {kind!r}.", hint=_URL_HINT)
    # The URL is not repeated: it may hold a password where none is expected.
    raise ConfigurationError("The catalog's URL cannot be read.", hint=_URL_HINT)


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file, whatever characters its path has."""
    return f"sqlite:///{quote(str(path))}"


def is_there(path: Path) -> bool:
    """Whether there is a file; also when this user may not see it, so that opening it says what is wrong."""
    try:
        return path.exists()
    except OSError:
        return True


# --- SQLite --------------------------------------------------------------------------------------------------------


def _sqlite(url: str, *, create: bool) -> Database:
    # Not SQLAlchemy's reading of the path: its versions differ in what they do with escapes.
    written = unquote(url.partition("///")[2].partition("?")[0])
    if written in {"", ":memory:"} or written.startswith("file:"):
        raise ConfigurationError(
            f"A catalog needs a file; {url} names none.",
            hint=f"{_URL_HINT} For a catalog in memory there is MemoryCatalog.",
        )
    path = Path(written).expanduser().resolve()  # one file, one lock beside it
    engine = create_engine(
        "sqlite://",
        creator=partial(_open_sqlite, path, create=create),
        json_serializer=json_text,
        hide_parameters=True,
        **_sqlite_pool(path),
    )
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "checkin", _let_go_of_snapshots)
    return Database(str(path), engine, path, None, None)


def _sqlite_pool(path: Path) -> dict[str, Any]:
    if _only_readable(path):
        # Without shared memory a connection does not see what others write: each use looks at the file anew.
        return {"poolclass": NullPool}
    # A connection is a few pages of memory and no server's: as many as there are threads.
    return {"poolclass": QueuePool, "pool_size": 16, "max_overflow": -1}


def _only_readable(path: Path) -> bool:
    return is_there(path) and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _open_sqlite(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a file, and on a read-only medium without wanting to write beside it."""
    mode = "rwc" if create else "rw"
    if _only_readable(path):
        log = path.with_name(path.name + "-wal")
        # With no log there is no writer, and nothing but the file to look at.
        mode = "ro" if is_there(log) else "ro&immutable=1"
    try:
        return _connect_sqlite(path, mode, sqlite3.Connection)
    except sqlite3.OperationalError as error:
        # On a full disk there is no room for the shared memory beside the file, with which a log is read.
        if mode != "rw" or error.sqlite_errorcode & 0xFF not in _NO_ROOM or _has_log(path):
            raise
        return _connect_sqlite(path, "ro&immutable=1", _Snapshot)


def _connect_sqlite(path: Path, mode: str, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=WAIT_SECONDS,
        check_same_thread=False,  # the pool hands it to one thread at a time
        isolation_level=None,  # transactions begin where _begin_sqlite says, not where sqlite3 guesses
        factory=factory,
    )
    try:
        for pragma in ("foreign_keys=ON", "synchronous=NORMAL", "cache_size=-16000", "journal_size_limit=67108864"):
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


class _Snapshot(sqlite3.Connection):
    """Sees the file as it was when it was opened, and needs nothing beside it."""


def _has_log(path: Path) -> bool:
    """Whether something is written that is not in the file itself yet."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _let_go_of_snapshots(connection: object, record: ConnectionPoolEntry) -> None:
    """The next use looks at the file anew, and writes again once there is room."""
    if isinstance(connection, _Snapshot):
        record.invalidate()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_MODE, "read") != "read"
    if writes and isinstance(connection.connection.driver_connection, _Snapshot):
        error = sqlite3.OperationalError("database or disk is full")  # and not read-only, as SQLite would say
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error
    for statement in _SQLITE_BEGIN[connection.get_execution_options().get(_MODE, "read")]:
        connection.exec_driver_sql(statement)
