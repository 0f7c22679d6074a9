"""Nothing that a database raises leaves the catalog unmapped."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from types import SimpleNamespace

import pytest
from sqlalchemy import exc

from assay.adapters.catalog.sql.faults import map_driver_error, mapped
from assay.errors import CatalogCorrupt, CatalogError, CatalogSchemaError, CatalogUnavailable, GenerationNotFound


def every_kind(kind: type[Exception]) -> Iterator[type[Exception]]:
    """The class and all its descendants."""
    yield kind
    for child in kind.__subclasses__():
        yield from every_kind(child)


def instance(kind: type[Exception]) -> Exception:
    """An error of that class, whatever its arguments are."""
    if issubclass(kind, exc.DBAPIError):
        return kind("SELECT 1", {}, Exception("what the driver said"))
    if issubclass(kind, exc.StatementError):
        return kind("what it said", "SELECT 1", {}, TypeError("what the type said"))
    error = kind.__new__(kind)
    error.args = ("what the driver said",)
    return error


KINDS = sorted({*every_kind(exc.SQLAlchemyError), *every_kind(sqlite3.Error)}, key=str)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_of_sqlalchemy_and_sqlite_becomes_one_of_the_catalog(kind: type[Exception]) -> None:
    with pytest.raises(CatalogError, match=r"my\.db") as caught, mapped("my.db"):
        raise instance(kind)
    assert caught.value.hint


def sqlite_error(name: str, said: str = "what it said") -> sqlite3.Error:
    error = sqlite3.OperationalError(said)
    error.sqlite_errorcode = getattr(sqlite3, name)
    return error


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("SQLITE_BUSY", CatalogUnavailable, "locked by another process"),
        ("SQLITE_BUSY_SNAPSHOT", CatalogUnavailable, "locked by another process"),
        ("SQLITE_LOCKED", CatalogUnavailable, "locked"),
        ("SQLITE_CANTOPEN", CatalogUnavailable, "cannot be opened"),
        ("SQLITE_PERM", CatalogUnavailable, "permissions"),
        ("SQLITE_READONLY", CatalogError, "write access"),
        ("SQLITE_READONLY_DIRECTORY", CatalogError, "write access"),
        ("SQLITE_FULL", CatalogError, "no space left"),
        ("SQLITE_IOERR_WRITE", CatalogError, "Check the disk"),
        ("SQLITE_CORRUPT", CatalogCorrupt, "is damaged"),
        ("SQLITE_NOTADB", CatalogCorrupt, "is damaged at its beginning, or was never"),
        ("SQLITE_CONSTRAINT_UNIQUE", CatalogError, "contradicts"),
        ("SQLITE_TOOBIG", CatalogError, "size"),
        ("SQLITE_ERROR", CatalogError, "fault in Assay"),
    ],
)
def test_a_code_of_sqlite_says_what_is_wrong(code: str, kind: type[CatalogError], said: str) -> None:
    raw = sqlite_error(code)
    for error in (raw, exc.OperationalError("SELECT 1", {}, raw)):
        with pytest.raises(CatalogError, match=said) as caught, mapped("my.db"):
            raise error
        assert type(caught.value) is kind


def test_a_missing_table_means_another_schema() -> None:
    with pytest.raises(CatalogSchemaError, match="no such table: chunks"), mapped("my.db"):
        raise sqlite_error("SQLITE_ERROR", "no such table: chunks")


class DriverError(Exception):
    """What psycopg raises, as far as it is looked at."""

    def __init__(self, said: str, sqlstate: str | None) -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("state", "kind", "said"),
    [
        ("08006", CatalogUnavailable, "cannot be reached"),
        ("08P01", CatalogUnavailable, "cannot be reached"),
        ("22021", CatalogError, "cannot hold a value"),
        ("23505", CatalogError, "contradicts"),
        ("25006", CatalogError, "primary server"),
        ("28P01", CatalogError, "user or password"),
        ("3D000", CatalogError, "createdb"),
        ("3F000", CatalogError, "schema"),
        ("40001", CatalogUnavailable, "at the same time"),
        ("42501", CatalogError, "let the user own the schema"),
        ("42P01", CatalogSchemaError, "another schema"),
        ("42703", CatalogSchemaError, "another schema"),
        ("42601", CatalogError, "fault in Assay"),
        ("53300", CatalogUnavailable, "connections"),
        ("53100", CatalogError, "no space left"),
        ("55P03", CatalogUnavailable, "locked by another process"),
        ("57P01", CatalogUnavailable, "server is up"),
        ("XX001", CatalogCorrupt, "damaged"),
        (None, CatalogUnavailable, "cannot be reached"),
    ],
)
def test_a_state_of_postgres_says_what_is_wrong(state: str | None, kind: type[CatalogError], said: str) -> None:
    error = exc.OperationalError("SELECT 1", {}, DriverError("what it said\nDETAIL: a row", state))
    with pytest.raises(CatalogError, match=said) as caught, mapped("postgresql://me:***@host/db"):
        raise error
    assert type(caught.value) is kind
    assert "what it said" in caught.value.message
    assert "DETAIL" not in str(caught.value)


def test_statements_and_values_stay_out_of_the_message() -> None:
    error = exc.IntegrityError("INSERT INTO chunks", {"text": "a secret page"}, sqlite_error("SQLITE_CONSTRAINT"))
    with pytest.raises(CatalogError) as caught, mapped("my.db"):
        raise error
    assert "INSERT" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_values_that_cannot_be_kept_or_read_are_errors_of_the_catalog() -> None:
    with pytest.raises(CatalogCorrupt, match="broken JSON"), mapped("my.db"):
        json.loads("{")
    with pytest.raises(CatalogError, match="cannot hold or give back"), mapped("my.db"):
        "\ud800".encode()


def test_a_value_that_cannot_be_understood_where_only_is_read_was_stored_damaged() -> None:
    with pytest.raises(CatalogCorrupt, match="is damaged"), mapped("my.db", only_reads=True):
        datetime.fromisoformat("yesterday")
    with pytest.raises(CatalogError, match="cannot hold or give back") as caught, mapped("my.db", only_reads=True):
        "\ud800".encode()
    assert type(caught.value) is CatalogError


def test_errors_of_assay_and_of_the_caller_pass_as_they_are() -> None:
    mine = GenerationNotFound("There is no generation g1.")
    with pytest.raises(GenerationNotFound) as caught, mapped("my.db"):
        raise mine
    assert caught.value is mine
    with pytest.raises(ZeroDivisionError), mapped("my.db"):
        raise ZeroDivisionError


# --- connections that fail -----------------------------------------------------------------------------------------


class Refused(Exception):
    """What psycopg raises for a connection that cannot be made: words of the server, of a pooler or of libpq."""

    sqlstate = None


Refused.__name__ = "OperationalError"
AT = 'connection to server at "10.0.0.5", port 5432 failed: '


@pytest.mark.parametrize(
    ("said", "kind", "hint"),
    [
        (f'{AT}FATAL:  password authentication failed for user "me"', CatalogError, "escaped"),
        (f"{AT}fe_sendauth: no password supplied", CatalogError, "escaped"),
        (f'{AT}FATAL:  no pg_hba.conf entry for host "10.0.0.9", user "me", SSL off', CatalogError, "escaped"),
        (f'{AT}FATAL:  role "me" does not exist', CatalogError, "escaped"),
        (f'{AT}FATAL:  database "docs" does not exist', CatalogError, "createdb"),
        (f'{AT}FATAL:  permission denied for database "docs"', CatalogError, "grant USAGE"),
        (f"{AT}FATAL:  sorry, too many clients already", CatalogUnavailable, "pool_size"),
        (f"{AT}FATAL:  remaining connection slots are reserved", CatalogUnavailable, "pool_size"),
        (f"{AT}FATAL:  the database system is starting up", CatalogUnavailable, "when the server is up"),
        (f"{AT}server does not support SSL, but SSL was required", CatalogError, "sslmode"),
        (f"{AT}SSL error: certificate verify failed", CatalogError, "sslmode"),
        (f"{AT}FATAL:  unsupported startup parameter: options", CatalogError, "server's own address"),
        (
            "failed to resolve host 'db.nowhere': [Errno -2] Name or service not known",
            CatalogUnavailable,
            "host's name",
        ),
        (f"{AT}Connection refused\n\tIs the server running on that host?", CatalogUnavailable, "server is running"),
        ("connection timeout expired", CatalogUnavailable, "overloaded"),
        ("anything else", CatalogUnavailable, "server is running"),
    ],
)
def test_a_connection_that_fails_says_why_and_what_to_do(said: str, kind: type[CatalogError], hint: str) -> None:
    for error in (map_driver_error("the database", Refused(said)), through_sqlalchemy(Refused(said))):
        assert type(error) is kind
        assert hint in error.hint
        assert said.split("\n", maxsplit=1)[0] in error.message


@pytest.mark.parametrize(
    ("said", "kind", "hint"),
    [
        ("transaction blocks not allowed in statement pooling mode", CatalogError, "pool_mode = transaction"),
        ("query_wait_timeout", CatalogUnavailable, "default_pool_size"),
    ],
)
def test_what_a_pooler_refuses_says_what_to_set(said: str, kind: type[CatalogError], hint: str) -> None:
    error = map_driver_error("the database", DriverError(said, "08P01"))
    assert type(error) is kind
    assert hint in error.hint


def through_sqlalchemy(original: Exception) -> CatalogError:
    with pytest.raises(CatalogError) as caught, mapped("the database"):
        raise exc.OperationalError(None, None, original)
    return caught.value


def test_a_server_that_asks_for_a_password_in_any_language_is_understood() -> None:
    error = Refused("FATAL:  Passwort-Authentifizierung für Benutzer fehlgeschlagen")
    error.pgconn = SimpleNamespace(needs_password=True)  # type: ignore[attr-defined]
    assert "refused the user or password" in map_driver_error("the database", error).message
