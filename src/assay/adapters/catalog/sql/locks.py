"""The build lock: a locked file next to the SQLite file, an advisory lock in Postgres. Both end with the process."""

import errno
import json
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.catalog.sql.database import LOCK_TIMEOUT_SECONDS, Database
from assay.adapters.catalog.sql.faults import DISK_HINT, mapped
from assay.adapters.catalog.sql.records import now_utc
from assay.errors import BuildInProgress, CatalogError, CatalogUnavailable

_BUSY_HINT = "Wait until it ends, or end that process; that releases the lock."
_SETTINGS = {
    # Without keepalives the server waits two hours for a holder whose machine is gone.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # Limits that end a transaction which is open for as long as a build takes. An hour, because behind a pooler the
    # server does not notice that a machine is gone, and because the embedded index may hold up all threads when sealed.
    "idle_in_transaction_session_timeout": "1h",
    "transaction_timeout": "0",
}
"""Settings of the server for the transaction that holds the lock."""

_SET_IF_KNOWN = text(
    "SELECT set_config(name, :value, true) FROM pg_settings WHERE name = :setting"  # older servers lack some
)
_THE_LOCK = (
    "locktype = 'advisory' AND granted AND classid::bigint = :space AND objid::bigint = :key & 4294967295"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_HELD = text(f"SELECT count(*) FROM pg_locks WHERE {_THE_LOCK} AND pid = :process")  # noqa: S608 - constants
_HOLDER = text(f"SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE {_THE_LOCK}")  # noqa: S608
_PING_SECONDS = 15.0

_KEY_SPACE = 0x61737361  # "assa": the first of the two numbers of our advisory locks


@contextmanager
def build_lock(database: Database, *, wait: bool) -> Iterator[None]:
    """Hold the lock for the block. wait: wait up to LOCK_TIMEOUT_SECONDS for another holder.

    Raises BuildInProgress, with the holder if it is known.
    """
    if database.path is not None:
        with _file_lock(database.path, LOCK_TIMEOUT_SECONDS if wait else 0):
            yield
    else:
        with _advisory_lock(database, wait=wait):
            yield


@contextmanager
def _file_lock(path: Path, seconds: float) -> Iterator[None]:
    lock = FileLock(path.with_name(f"{path.name}.build-lock"), thread_local=False)
    # The holder is in a separate file because some versions of filelock empty the locked file.
    holder_file = path.with_name(f"{path.name}.build-holder")
    try:
        lock.acquire(timeout=seconds, poll_interval=0.05)
        holder_file.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}))
    except Timeout:
        raise _in_progress(_holder(holder_file)) from None
    except OSError as error:
        lock.release()
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise CatalogError(
            f"The lock file {lock.lock_file} cannot be written ({error.strerror or error}).",
            hint=DISK_HINT if full else "Building needs write access to the catalog's folder.",
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):  # ignored while the lock is free
            holder_file.unlink()
        lock.release()


def _holder(holder_file: Path) -> str:
    """Describe the lock's holder; "" if it is not written yet, or already removed."""
    try:
        given = json.loads(holder_file.read_text())
        return f"process {given['pid']} on {given['host']}, since {given['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


@contextmanager
def _advisory_lock(database: Database, *, wait: bool) -> Iterator[None]:
    with mapped(database.name):
        # With a stricter isolation the open transaction would keep a snapshot, and vacuum could remove nothing.
        connection = database.engine.connect().execution_options(isolation_level="READ COMMITTED")
    try:
        with mapped(database.name):
            held = _AdvisoryLock.acquire(database.name, connection, wait=wait)
        with held.kept_open(), database.checking(held.check):
            if not wait:
                # After an empty write transaction, an earlier holder that lost the lock can commit nothing more.
                with database.writing(durable=False):
                    pass
            yield
    finally:
        try:
            connection.rollback()
        except SQLAlchemyError:  # the connection is lost, and with it the lock
            connection.invalidate()
        connection.close()


@dataclass(frozen=True, slots=True)
class _AdvisoryLock:
    """An advisory lock of a transaction that stays open, which works through a pooler too.

    key: the two numbers of the lock. process: id of the server's process that holds it.
    """

    name: str
    connection: Connection
    key: Mapping[str, int]
    process: int

    @classmethod
    def acquire(cls, name: str, connection: Connection, *, wait: bool) -> "_AdvisoryLock":
        """Take the lock. name: the database's name for messages. Raises BuildInProgress."""
        title = f"assay build: process {os.getpid()}, since {_now()}, on {socket.gethostname()}"
        for setting, value in {"application_name": title[:63], **_SETTINGS}.items():
            connection.execute(_SET_IF_KNOWN, {"setting": setting, "value": value})
        number = connection.scalar(text("SELECT hashtext(coalesce(current_schema(), ''))"))
        key = {"space": _KEY_SPACE, "key": int(number or 0)}  # different for each schema of a database
        if wait:
            connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:space, :key)"), key)
        elif not connection.scalar(text("SELECT pg_try_advisory_xact_lock(:space, :key)"), key):
            raise _in_progress(_session_holder(connection, key))
        return cls(name, connection, key, int(connection.scalar(text("SELECT pg_backend_pid()")) or 0))

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Use the connection regularly, so that no pooler or firewall ends it as idle."""
        ended = threading.Event()
        thread = threading.Thread(target=self._ping_until, args=(ended,), name="build-lock", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _ping_until(self, ended: threading.Event) -> None:
        while not ended.wait(_PING_SECONDS):
            try:
                self.connection.exec_driver_sql("SELECT 1")
            except SQLAlchemyError:  # `check` reports it at the next write
                return

    def check(self, connection: Connection) -> None:
        """Raise CatalogUnavailable unless the lock is still held. connection: that of a write transaction."""
        if not connection.scalar(_HELD, {**self.key, "process": self.process}):
            raise CatalogUnavailable(
                f"This build lost its lock: its connection to the catalog {self.name} ended.",
                hint="Run the command again; the live generation is unchanged.",
            )


def _session_holder(connection: Connection, key: Mapping[str, int]) -> str:
    """Describe the lock's holder, from its session's name."""
    found = connection.scalar(_HOLDER, key)
    return str(found or "").removeprefix("assay build: ")


def _in_progress(holder: str) -> BuildInProgress:
    return BuildInProgress(f"Another build{f' ({holder})' if holder else ''} is running.", hint=_BUSY_HINT)


def _now() -> str:
    return now_utc().isoformat(timespec="seconds").replace("+00:00", "Z")
