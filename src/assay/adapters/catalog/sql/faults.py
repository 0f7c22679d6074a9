"""Maps errors of SQLite, Postgres and SQLAlchemy to CatalogErrors. No other file knows their errors."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import exc

from assay.adapters.catalog.sql.postgres_faults import SCHEMA_HINT, UNSTORABLE, fault_of
from assay.errors import AssayError, CatalogCorrupt, CatalogError, CatalogSchemaError, CatalogUnavailable

_REBUILD = "Restore it from a backup, or move the data directory away and run `assay publish` again."

# https://www.sqlite.org/rescode.html: the low byte of an extended code is its primary code.
DISK_HINT = "Free some space and run the command again; the live generation is unchanged."

_SQLITE: dict[int, tuple[type[CatalogError], str, str]] = {
    sqlite3.SQLITE_BUSY: (CatalogUnavailable, "is locked by another process", "Try again when that one is done."),
    sqlite3.SQLITE_LOCKED: (CatalogUnavailable, "is locked by another thread", "Try again in a moment."),
    sqlite3.SQLITE_CANTOPEN: (
        CatalogUnavailable,
        "cannot be opened",
        "Check that the file is there and may be read, and for a new one that its folder can be written.",
    ),
    sqlite3.SQLITE_PERM: (CatalogUnavailable, "may not be opened by this user", "Check the file's permissions."),
    sqlite3.SQLITE_READONLY: (
        CatalogError,
        "cannot be written",
        "Building and promoting need write access to the file and to its folder; serving does not.",
    ),
    sqlite3.SQLITE_FULL: (
        CatalogError,
        "has no space left",
        DISK_HINT,
    ),
    sqlite3.SQLITE_IOERR: (CatalogError, "cannot be read or written", "Check the disk, and the space left on it."),
    sqlite3.SQLITE_CORRUPT: (CatalogCorrupt, "is damaged", _REBUILD),
    sqlite3.SQLITE_NOTADB: (
        CatalogCorrupt,
        "is damaged at its beginning, or was never a SQLite database",
        f"{_REBUILD} If the file is not Assay's, set [catalog] url to another.",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        CatalogError,
        "refused a row that contradicts what it holds",
        "Another program may be writing to the same catalog; if not, this is a fault in Assay.",
    ),
    sqlite3.SQLITE_TOOBIG: (CatalogError, "cannot hold a value of that size", "Leave out the page that is so large."),
}


@contextmanager
def mapped(name: str, *, only_reads: bool = False) -> Iterator[None]:
    """Turn errors of a database into CatalogErrors.

    name: the database's name for messages, without its password.
    only_reads: whether the block only reads, so that an unreadable value means a damaged catalog.
    """
    try:
        yield
    except AssayError:
        raise
    except (exc.SQLAlchemyError, sqlite3.Error) as error:
        raise _catalog_error(name, error) from error
    except json.JSONDecodeError as error:
        raise CatalogCorrupt(
            f"The catalog {name} is damaged: it holds broken JSON ({error}).", hint=_REBUILD
        ) from error
    except (ValueError, OverflowError) as error:
        if only_reads and not isinstance(error, UnicodeEncodeError):  # that one comes from the query's own value
            raise CatalogCorrupt(f"The catalog {name} is damaged ({error}).", hint=_REBUILD) from error
        raise CatalogError(
            f"The catalog {name} cannot hold or give back a value ({error}).",
            hint="Leave out the page that has it; if no page does, this is a fault in Assay.",
        ) from error


def _catalog_error(name: str, error: Exception) -> CatalogError:
    original = getattr(error, "orig", None) or error
    if isinstance(original, sqlite3.Error):
        return _from_sqlite(name, original)
    if isinstance(error, exc.DBAPIError):
        lost = error.connection_invalidated or isinstance(error, exc.OperationalError)
        return map_driver_error(name, error.orig, lost=lost)
    if isinstance(error, exc.TimeoutError):
        return CatalogUnavailable(
            f"All connections to the catalog {name} are in use.", hint="Try again, or run more server processes."
        )
    return CatalogError(f"The catalog {name} failed: {_first_line(original)}.", hint="This is a fault in Assay.")


def _from_sqlite(name: str, error: sqlite3.Error) -> CatalogError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # absent if the Python module raised it
    kind, what, hint = _SQLITE.get(code, (CatalogError, "failed", "This is a fault in Assay."))
    if "Could not decode to UTF-8" in str(error):  # the module's own message, without a code
        return CatalogCorrupt(f"The catalog {name} is damaged: it holds text that is not UTF-8.", hint=_REBUILD)
    if code == sqlite3.SQLITE_ERROR and "no such" in str(error):
        kind, what, hint = CatalogSchemaError, "has another schema than this version of Assay", SCHEMA_HINT
    return kind(f"The catalog {name} {what} ({_first_line(error)}).", hint=hint)


def map_driver_error(name: str, error: BaseException | None, *, lost: bool = False) -> CatalogError:
    """Map an error of the driver, from connecting or from a statement, to a CatalogError.

    lost: whether the error ended the connection; it is assumed of an OperationalError without a code.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    fault = fault_of(error, disconnected=lost or "OperationalError" in kinds)
    if fault is None and "DataError" in kinds:
        fault = UNSTORABLE
    kind, what, hint = fault or (CatalogError, "failed", "This is a fault in Assay.")
    return kind(f"The catalog {name} {what} ({_first_line(error)}).", hint=hint)


def _first_line(error: object) -> str:
    """Return the message without the statement, its values and the server's details."""
    return str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
