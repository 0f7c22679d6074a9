"""Connections to SQLite and Postgres with the same behavior: many readers with snapshots, one writer at a time."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from sqlalchemy import Column, Connection, Engine, Table, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, QueuePool

from assay.adapters.catalog.sql import postgres
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.packing import json_text, read_json
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.errors import ConfigurationError
from assay.model.batches import batched
from assay.path_checks import exists

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.lookups import Lookups

LOCK_TIMEOUT_SECONDS = 30
"""Wait of a writer for another one. The largest transaction, 50,000 chunks, takes about three seconds."""

_ROWS = 1_000  # rows in one statement

_URL_HINT = "Use sqlite:///path/to/catalog.db or postgresql://user:password@host/database."
_MODE = "assay_mode"  # execution option, read when a transaction begins
_SQLITE_BEGIN = {
    # A write transaction takes the lock at its beginning, so that it waits instead of failing half way.
    "read": ("BEGIN",),
    "write": ("PRAGMA synchronous=NORMAL", "BEGIN IMMEDIATE"),
    # With a write-ahead log, FULL flushes the log at commit, which includes every earlier transaction.
    "durable": ("PRAGMA synchronous=FULL", "BEGIN IMMEDIATE"),
}
_DISK_ERRORS = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_POSTGRES_WRITE = (
    f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'",
    # Readers pass and a second writer waits, as in SQLite. Locked first, so that no query sees an older state.
    "LOCK TABLE live IN SHARE ROW EXCLUSIVE MODE",
)


@dataclass(frozen=True, slots=True)
class Database:
    """One catalog's database.

    name: for messages, without the password.
    path: the SQLite file; None for Postgres.
    lookups: connections for the queries that a search waits for in Postgres; None for SQLite.
    schema: the configured Postgres schema; None for the first one of the search path.
    checks: called with the connection of each write transaction when it begins.
    """

    name: str
    engine: Engine
    path: Path | None
    lookups: "Lookups | None"
    schema: str | None
    checks: list[Callable[[Connection], None]] = field(default_factory=list)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite and not Postgres."""
        return self.path is not None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a read transaction with a snapshot of the catalog. Raises CatalogError."""
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with mapped(self.name, only_reads=True), self.engine.connect() as plain:
            yield plain.execution_options(**options)

    @contextmanager
    def writing(self, *, durable: bool) -> Iterator[Connection]:
        """Open the only write transaction, rolled back if the block raises. Raises CatalogError.

        durable: whether this commit and all earlier ones survive a power failure once it returns.
        """
        with mapped(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**{_MODE: "durable" if durable else "write"})
            with connection.begin():
                if not self.is_sqlite:
                    for statement in _POSTGRES_WRITE:
                        connection.exec_driver_sql(statement)
                for check in self.checks:
                    check(connection)
                yield connection

    @contextmanager
    def checking(self, check: Callable[[Connection], None]) -> Iterator[None]:
        """Run a check at the beginning of each write transaction of the block, in any thread."""
        self.checks.append(check)
        try:
            yield
        finally:
            self.checks.remove(check)

    @contextmanager
    def changing_schema(self, *, durable: bool = True) -> Iterator[Connection]:
        """Open a transaction that may create tables; it does not lock the live row. Raises CatalogError.

        durable: as in `writing`.
        """
        with mapped(self.name), self.engine.connect() as plain:
            connection = plain.execution_options(**{_MODE: "durable" if durable else "write"})
            with connection.begin():
                yield connection

    def insert_many(self, connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows with equal columns in a transaction of `writing`. Raises CatalogError."""
        for batch in batched(rows, _ROWS):
            columns = [table.columns[name] for name in batch[0]]
            values = driver_values(connection, columns, batch)
            if self.is_sqlite:
                # An `insert` of SQLAlchemy takes longer to make its parameters than SQLite takes to store the rows.
                listed, marks = ", ".join(f'"{column.name}"' for column in columns), ", ".join("?" * len(columns))
                statement = f'INSERT INTO "{table.name}" ({listed}) VALUES ({marks})'  # noqa: S608 - our own names
                connection.exec_driver_sql(statement, list(values))
            else:
                postgres.copy_rows(self.name, connection, table, columns, values)

    def value_of(self, sql: str, *, seconds: float | None = None) -> Any:  # noqa: ANN401 - a value of any column
        """The value of a statement with at most one row, without a transaction; None for no row.

        Without a transaction SQLite takes 0.01 ms instead of 0.08.

        seconds: time limit for Postgres, None for that of connecting. SQLite's readers do not wait.

        Raises CatalogError.
        """
        sql = self.qualified(sql)
        if self.lookups is not None:
            rows = self.lookups.fetch_despite_pause(sql, (), seconds=seconds)
            return rows[0][0] if rows else None
        with mapped(self.name):
            pooled = self.engine.raw_connection()
            try:
                row = pooled.cursor().execute(sql).fetchone()
            finally:
                pooled.close()
            return row and row[0]

    def update_statistics(self, connection: Connection) -> None:
        """Update the statistics of Postgres's query planner; SQLite needs none."""
        if not self.is_sqlite:
            connection.exec_driver_sql("ANALYZE live, generation_documents, document_revisions, chunks")

    def qualified(self, sql: str) -> str:
        """A statement of queries.py with the configured schema for `{schema}`: lookups have no search path."""
        return sql.format(schema=f'"{self.schema}".' if self.schema else "")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        if self.lookups is not None:
            self.lookups.close()


def driver_values(
    connection: Connection, columns: Sequence[Column[Any]], rows: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """The values of rows in the order of their columns, as the driver takes them. rows: with exactly these columns."""
    kinds = [column.type.dialect_impl(connection.dialect) for column in columns]
    processors = [kind.bind_processor(connection.dialect) for kind in kinds]
    for row in rows:
        values = zip(processors, row.values(), strict=True)
        yield tuple([value if process is None else process(value) for process, value in values])


def connect(url: str, *, create: bool, options: PostgresOptions | None) -> Database:
    """Return the database at a URL, without opening a connection.

    create: whether to create a missing SQLite file.
    options: settings of a Postgres catalog; None for a SQLite file.

    Raises ConfigurationError for an invalid URL, ValueError for Postgres without options.
    """
    kind, separator, _ = url.partition(":")
    if postgres.is_postgres(url):
        if options is None:
            raise ValueError("a catalog in Postgres needs its options")
        connector = postgres.connector(url, options)
        name = postgres.display_name(connector.parameters)
        engine = postgres.engine(connector, options)
        return Database(name, engine, None, postgres.lookups(connector, name, options), connector.schema)
    if url.startswith("sqlite://"):
        return _sqlite(url, create=create)
    if separator and re.fullmatch(r"[a-z][a-z0-9+]*", kind) and url.startswith(f"{kind}://"):
        raise ConfigurationError(f"The catalog's URL has the unsupported scheme {kind!r}.", hint=_URL_HINT)
    # The URL is not shown, because a password may be anywhere in it.
    raise ConfigurationError("The catalog's URL cannot be read.", hint=_URL_HINT)


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file."""
    return f"sqlite:///{quote(str(path))}"


def may_exist(path: Path) -> bool:
    """Whether a file exists or this user may not see it, so that opening it raises the reason."""
    try:
        return exists(path)
    except OSError:
        return True


# --- SQLite --------------------------------------------------------------------------------------------------------


def _sqlite(url: str, *, create: bool) -> Database:
    # Parsed here because SQLAlchemy's versions treat escapes differently.
    written = unquote(url.partition("///")[2].partition("?")[0])
    if written in {"", ":memory:"} or written.startswith("file:"):
        raise ConfigurationError(
            f"A catalog needs a file; {url} names none.", hint=f"{_URL_HINT} For a catalog in memory use MemoryCatalog."
        )
    path = Path(written).expanduser().resolve()  # so that every spelling of the path has the same lock
    engine = create_engine(
        "sqlite://",
        creator=partial(_open_sqlite, path, create=create),
        json_serializer=json_text,
        json_deserializer=read_json,
        hide_parameters=True,
        **_sqlite_pool(path),
    )
    event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "checkin", _discard_snapshot)
    return Database(str(path), engine, path, None, None)


def _sqlite_pool(path: Path) -> dict[str, Any]:
    if _is_read_only(path):
        # Without shared memory a connection does not see later writes, so each use opens the file again.
        return {"poolclass": NullPool}
    # A connection costs only a few pages of memory, so each thread may have one.
    return {"poolclass": QueuePool, "pool_size": 16, "max_overflow": -1}


def _is_read_only(path: Path) -> bool:
    return may_exist(path) and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _open_sqlite(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open a file; on a read-only medium, without its write-ahead log."""
    mode = "rwc" if create else "rw"
    if _is_read_only(path):
        log = path.with_name(path.name + "-wal")
        # Without a log there is no writer, and the file is complete.
        mode = "ro" if may_exist(log) else "ro&immutable=1"
    try:
        return _connect_sqlite(path, mode, sqlite3.Connection)
    except sqlite3.OperationalError as error:
        # A full disk has no space for the shared-memory file that reading with a log needs.
        if mode != "rw" or error.sqlite_errorcode & 0xFF not in _DISK_ERRORS or _has_log(path):
            raise
        return _connect_sqlite(path, "ro&immutable=1", _Snapshot)


def _connect_sqlite(path: Path, mode: str, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=LOCK_TIMEOUT_SECONDS,
        check_same_thread=False,  # the pool hands it to one thread at a time
        isolation_level=None,  # _begin_sqlite begins transactions
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
    """Reads the file as it was when it was opened, without other files."""


def _has_log(path: Path) -> bool:
    """Whether the write-ahead log has transactions."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _discard_snapshot(connection: object, record: ConnectionPoolEntry) -> None:
    """Reopen the file for the next use, which may write again once there is space."""
    if isinstance(connection, _Snapshot):
        record.invalidate()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_MODE, "read") != "read"
    if writes and isinstance(connection.connection.driver_connection, _Snapshot):
        error = sqlite3.OperationalError("database or disk is full")  # SQLite would report "read-only"
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error
    for statement in _SQLITE_BEGIN[connection.get_execution_options().get(_MODE, "read")]:
        connection.exec_driver_sql(statement)
