"""A catalog's database in Postgres: which URLs name one, and how it is connected to."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, Table, create_engine

from assay.adapters.catalog.sql.faults import from_postgres
from assay.adapters.catalog.sql.packing import json_text
from assay.errors import ConfigurationError

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.driver import Connector
    from assay.adapters.catalog.sql.lookups import LookUps

_SCHEMES = re.compile(r"postgres(ql)?(\+\w+)?://", re.IGNORECASE)
_SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_OF_OTHER_DRIVERS = frozenset(
    {"pgbouncer", "connection_limit", "pool_timeout", "statement_cache_size", "prepared_statement_cache_size"}
)
"""Parameters for the pools of Prisma and asyncpg, which a DATABASE_URL may have; they say nothing about the server."""

_DEFAULTS = {
    "application_name": "assay",
    # A connection that a firewall has forgotten, or whose server's machine is gone, is noticed in a minute.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}

_URL_HINT = (
    "Write postgresql://user:password@host/database; in the password, characters such as @ : / ? # % have to be "
    "escaped (%40 for @)."
)


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """How a Postgres catalog is used.

    schema_name: where the tables are; None for the first schema of the user's search path.
    pool_size: the most connections of this process for look-ups, and again as many for all else.
    connect_seconds: how long connecting may take; 2 or more.
    lookup_seconds: how long a search may wait for the catalog.
    statement_seconds: how long a statement of a build may take.
    """

    schema_name: str | None
    pool_size: int
    connect_seconds: int
    lookup_seconds: float
    statement_seconds: float


def is_postgres(url: str) -> bool:
    """Whether this is the URL of a Postgres database, for whichever driver."""
    return _SCHEMES.match(url) is not None


def connector(url: str, options: PostgresOptions) -> "Connector":
    """How to reach the database at a URL, which may say all that libpq understands.

    Raises ConfigurationError, which never repeats the URL: it may hold a password in a place where none is expected.
    """
    try:
        from assay.adapters.catalog.sql.driver import KEYWORDS, Connector, InvalidUrl
    except ImportError:
        raise ConfigurationError(
            "A catalog in Postgres needs the package psycopg, which is not installed.",
            hint="Install it: `pip install '.[postgres]'` in Assay's checkout.",
        ) from None
    address, _, query = _SCHEMES.sub("postgresql://", url, count=1).partition("?")
    if address.count("@") > 1 or "@" in query.partition("=")[0]:
        raise ConfigurationError("The catalog's URL has an @ too many; one of them is of the password.", hint=_URL_HINT)
    said, schema = _understood(query, KEYWORDS)
    defaults = {**_DEFAULTS, "connect_timeout": str(options.connect_seconds)}
    try:
        found = Connector.of(f"{address}?{said}" if said else address, defaults)
    except InvalidUrl:
        raise ConfigurationError("The catalog's URL cannot be read.", hint=_URL_HINT) from None
    parameters = dict(found.parameters)
    for port in parameters.get("port", "").split(","):
        if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise ConfigurationError("The catalog's URL has a port that is no number.", hint=_URL_HINT)
    if schema := options.schema_name or schema:
        _check_schema_name(schema)
        parameters["options"] = f"{parameters.get('options', '')} -csearch_path={schema}".strip()
    return Connector(parameters, schema)


def display_name(parameters: Mapping[str, str]) -> str:
    """The URL of a database as messages show it: with its user, host and name, and without its password."""
    user = parameters.get("user", "")
    secret = ":***" if "password" in parameters else ""
    hosts = parameters.get("host", parameters.get("hostaddr", "")).split(",")
    ports = parameters.get("port", "").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    by_socket = hosts[0].startswith("/")
    where = (
        "" if by_socket else ",".join(f"{host}:{port}".rstrip(":") for host, port in zip(hosts, ports, strict=False))
    )
    account = f"{user}{secret}@" if user or secret else ""
    return f"postgresql://{account}{where}/{parameters.get('dbname', '')}{f'?host={hosts[0]}' if by_socket else ''}"


def engine(connector: "Connector", options: PostgresOptions) -> Engine:
    """Connections for everything but look-ups: builds, lists, migrations."""
    return create_engine(
        "postgresql+psycopg://",
        creator=lambda: connector.connect(patience=options.statement_seconds, autocommit=False),
        json_serializer=json_text,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_size=2,
        max_overflow=max(options.pool_size - 2, 0),
        pool_timeout=options.connect_seconds,
    )


def look_ups(connector: "Connector", name: str, options: PostgresOptions) -> "LookUps":
    """Connections for what a search waits for."""
    from assay.adapters.catalog.sql.lookups import LookUps

    return LookUps(connector, name, options)


def copy_rows(name: str, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with COPY, in less than half the time of INSERT. name: what to call the database in messages."""
    from assay.adapters.catalog.sql.driver import Error

    columns = [table.columns[column] for column in rows[0]]
    processors = [column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) for column in columns]
    listed = ", ".join(f'"{column.name}"' for column in columns)
    cursor = connection.connection.cursor()
    try:
        with cursor.copy(f'COPY "{table.name}" ({listed}) FROM STDIN') as copy:
            for row in rows:
                values = zip(processors, row.values(), strict=True)
                copy.write_row([value if process is None else process(value) for process, value in values])
    except Error as error:
        raise from_postgres(name, error) from error
    finally:
        cursor.close()


def _understood(query: str, keywords: frozenset[str]) -> tuple[str, str | None]:
    """The parameters of a URL in libpq's words, and the schema where one is named. Raises ConfigurationError."""
    parts, schema = [], None
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if name == "schema":
            schema = value
        elif name == "ssl":  # as asyncpg has it
            parts.append(f"sslmode={'require' if value in {'true', '1', 'True'} else value}")
        elif name in keywords:
            parts.append(part)
        elif name not in _OF_OTHER_DRIVERS:
            raise ConfigurationError(
                f"The catalog's URL has a parameter that Postgres does not know: {name[:40]}.",
                hint="Take it out of DATABASE_URL, or give Assay a URL of its own in catalog.url.",
            )
    return "&".join(parts), schema


def _check_schema_name(schema: str) -> None:
    if not _SCHEMA_NAME.fullmatch(schema):
        raise ConfigurationError(
            f"A schema for the catalog cannot be called {schema!r}.",
            hint="Use lower-case letters, digits and underscores, at most 63, beginning with no digit.",
        )
