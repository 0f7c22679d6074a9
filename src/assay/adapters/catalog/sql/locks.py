"""The one right to build: a locked file beside SQLite's, an advisory lock in Postgres. Both end with the process."""

import errno
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from assay.adapters.catalog.sql.database import WAIT_SECONDS, Database
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.records import now_utc
from assay.errors import BuildInProgress, CatalogError

_FREE = "Free some space and run the command again; what was live still is."
_HINT = "Wait for it to end, or end that process; the lock goes with it."
_NOTICE_DEAD_HOLDERS = (
    "SELECT set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""A holder whose machine is gone closes no connection; without this the server waits two hours for it."""

_KEY_SPACE = 0x61737361  # "assa": the first of the two numbers of our advisory locks


@contextmanager
def build_lock(database: Database, *, wait: bool) -> Iterator[None]:
    """Hold the lock for the block. wait: up to WAIT_SECONDS for another holder instead of none.

    Raises BuildInProgress, naming the holder where it is known.
    """
    if database.path is not None:
        with _file_lock(database.path, WAIT_SECONDS if wait else 0):
            yield
    else:
        with _advisory_lock(database, wait=wait):
            yield


@contextmanager
def _file_lock(path: Path, seconds: float) -> Iterator[None]:
    lock = FileLock(path.with_name(f"{path.name}.build-lock"), thread_local=False)
    # The note is a file of its own: some versions of filelock empty the locked file of another holder.
    note = path.with_name(f"{path.name}.build-holder")
    try:
        lock.acquire(timeout=seconds, poll_interval=0.05)
        note.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}))
    except Timeout:
        raise _in_progress(_holder(note)) from None
    except OSError as error:
        lock.release()
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise CatalogError(
            f"The lock file {lock.lock_file} cannot be written ({error.strerror or error}).",
            hint=_FREE if full else "Building needs write access to the catalog's folder.",
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):  # the note says nothing once the lock is free
            note.unlink()
        lock.release()


def _holder(note: Path) -> str:
    """Who holds the lock, by the note; "" in the moment between lock and note, and after it."""
    try:
        said = json.loads(note.read_text())
        return f"process {said['pid']} on {said['host']}, since {said['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


@contextmanager
def _advisory_lock(database: Database, *, wait: bool) -> Iterator[None]:
    with mapped(database.name):
        connection = database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    try:
        with mapped(database.name):
            name = f"assay build: process {os.getpid()}, since {_now()}, on {socket.gethostname()}"
            connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name[:63]})
            connection.execute(text(_NOTICE_DEAD_HOLDERS))
            key = _lock_key(connection)
            if wait:
                connection.execute(text(f"SET lock_timeout = '{WAIT_SECONDS}s'"))
                connection.execute(text("SELECT pg_advisory_lock(:space, :key)"), key)
            elif not connection.scalar(text("SELECT pg_try_advisory_lock(:space, :key)"), key):
                raise _in_progress(_session(connection, key))
        yield
    finally:
        with suppress(SQLAlchemyError):  # a session that is gone has no lock any more
            connection.execute(text("SELECT pg_advisory_unlock_all()"))
        # Closed and not given back to the pool, where it would keep its name.
        connection.invalidate()
        connection.close()


def _lock_key(connection: Connection) -> dict[str, int]:
    """The lock's two numbers; two catalogs in two schemas of one database do not stand in each other's way."""
    key = connection.scalar(text("SELECT hashtext(coalesce(current_schema(), ''))"))
    return {"space": _KEY_SPACE, "key": int(key or 0)}


def _session(connection: Connection, key: dict[str, int]) -> str:
    """Who holds the lock, by the name that the session gave itself."""
    found = connection.scalar(
        text(
            "SELECT application_name FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE locktype = 'advisory'"
            " AND granted AND classid::bigint = :space AND objid::bigint = :key & 4294967295"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        ),
        key,
    )
    return str(found or "").removeprefix("assay build: ")


def _in_progress(holder: str) -> BuildInProgress:
    return BuildInProgress(f"Another build{f' ({holder})' if holder else ''} is running.", hint=_HINT)


def _now() -> str:
    return now_utc().isoformat(timespec="seconds").replace("+00:00", "Z")
