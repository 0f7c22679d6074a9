"""The build lock: a locked file next to the SQLite file, an advisory lock in Postgres. Both end with the process."""

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

from assay.adapters.catalog.sql.database import LOCK_TIMEOUT_SECONDS, Database
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.records import now_utc
from assay.errors import BuildInProgress, CatalogError

_DISK_HINT = "Free some space and run the command again; what was live still is."
_BUSY_HINT = "Wait until it ends, or end that process; that releases the lock."
_NOTICE_DEAD_HOLDERS = (
    "SELECT set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""Without keepalives the server waits two hours for a holder whose machine is gone."""

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
            hint=_DISK_HINT if full else "Building needs write access to the catalog's folder.",
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
        connection = database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    try:
        with mapped(database.name):
            name = f"assay build: process {os.getpid()}, since {_now()}, on {socket.gethostname()}"
            connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": name[:63]})
            connection.execute(text(_NOTICE_DEAD_HOLDERS))
            number = connection.scalar(text("SELECT hashtext(coalesce(current_schema(), ''))"))
            key = {"space": _KEY_SPACE, "key": int(number or 0)}  # different for each schema of a database
            if wait:
                connection.execute(text(f"SET lock_timeout = '{LOCK_TIMEOUT_SECONDS}s'"))
                connection.execute(text("SELECT pg_advisory_lock(:space, :key)"), key)
            elif not connection.scalar(text("SELECT pg_try_advisory_lock(:space, :key)"), key):
                raise _in_progress(_session_holder(connection, key))
        yield
    finally:
        with suppress(SQLAlchemyError):  # a closed session has no lock
            connection.execute(text("SELECT pg_advisory_unlock_all()"))
        # Not returned to the pool, where it would keep its name.
        connection.invalidate()
        connection.close()


def _session_holder(connection: Connection, key: dict[str, int]) -> str:
    """Describe the lock's holder, from its session's name."""
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
    return BuildInProgress(f"Another build{f' ({holder})' if holder else ''} is running.", hint=_BUSY_HINT)


def _now() -> str:
    return now_utc().isoformat(timespec="seconds").replace("+00:00", "Z")
