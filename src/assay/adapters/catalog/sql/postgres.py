"""Connections to a Postgres catalog."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Connection, Engine, Table, create_engine, event

from assay.adapters.catalog.sql.faults import map_driver_error
from assay.adapters.catalog.sql.packing import json_text
from assay.errors import ConfigurationError

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.driver import Connector
    from assay.adapters.catalog.sql.lookups import Lookups

_SCHEMES = re.compile(r"postgres(ql)?(\+\w+)?://", re.IGNORECASE)
_SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_OTHER_DRIVERS = frozenset(
    {"pgbouncer", "connection_limit", "pool_timeout", "statement_cache_size", "prepared_statement_cache_size"}
)
"""Parameters of Prisma and asyncpg that a DATABASE_URL may have; they do not concern the server."""

_DEFAULTS = {
    "application_name": "assay",
    # A dead connection is noticed within a minute.
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
    """Settings of a Postgres catalog.

    schema_name: schema of the tables; None for the first one of the user's search path.
    pool_size: maximum number of connections of this process for lookups, and as many for everything else.
    connect_seconds: time limit for connecting, 2 or more.
    lookup_seconds: time limit of a search's wait for the catalog.
    statement_seconds: time limit of a build's statement.
    """

    schema_name: str | None
    pool_size: int
    connect_seconds: int
    lookup_seconds: float
    statement_seconds: float


def is_postgres(url: str) -> bool:
    """Whether this is the URL of a Postgres database, for any driver."""
    return _SCHEMES.match(url) is not None


def connector(url: str, options: PostgresOptions) -> "Connector":
    """Return a connector for a URL, which may have every parameter of libpq.

    Raises ConfigurationError without the URL, because a password may be anywhere in it.
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
        raise ConfigurationError(
            "The catalog's URL has more than one @; an @ in the password has to be escaped.", hint=_URL_HINT
        )
    parameters_text, schema = _libpq_parameters(query, KEYWORDS)
    defaults = {**_DEFAULTS, "connect_timeout": str(options.connect_seconds)}
    try:
        found = Connector.of(f"{address}?{parameters_text}" if parameters_text else address, defaults)
    except InvalidUrl:
        raise ConfigurationError("The catalog's URL cannot be read.", hint=_URL_HINT) from None
    parameters = dict(found.parameters)
    for port in parameters.get("port", "").split(","):
        if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise ConfigurationError("The catalog's URL has an invalid port.", hint=_URL_HINT)
    if schema := options.schema_name or schema:
        _check_schema_name(schema)
    return Connector(parameters, schema)


def display_name(parameters: Mapping[str, str]) -> str:
    """The URL for messages: user, host and database, without the password."""
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
    """Make the engine for everything but lookups: builds, lists, migrations."""
    made = create_engine(
        "postgresql+psycopg://",
        creator=lambda: connector.connect(timeout=options.statement_seconds, autocommit=False),
        json_serializer=json_text,
        hide_parameters=True,
        pool_pre_ping=True,
        pool_size=2,
        max_overflow=max(options.pool_size - 2, 0),
        pool_timeout=options.connect_seconds,
    )
    if connector.schema is not None:
        event.listen(made, "begin", partial(_set_schema, connector.schema))
    return made


def _set_schema(schema: str, connection: Connection) -> None:
    # For one transaction: a pooler passes on no startup parameters, and gives the next one to another session.
    connection.exec_driver_sql("SELECT set_config('search_path', %s, true)", (schema,))


def lookups(connector: "Connector", name: str, options: PostgresOptions) -> "Lookups":
    """Make the connections for the queries that a search waits for."""
    from assay.adapters.catalog.sql.lookups import Lookups

    return Lookups(connector, name, options)


def copy_rows(
    name: str, connection: Connection, table: Table, columns: Sequence[Column[Any]], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert rows with COPY, which takes half the time of INSERT. name: the database's name for messages.

    rows: the driver's values of these columns.
    """
    from assay.adapters.catalog.sql.driver import Error

    listed = ", ".join(f'"{column.name}"' for column in columns)
    cursor = connection.connection.cursor()
    try:
        with cursor.copy(f'COPY "{table.name}" ({listed}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)
    except Error as error:
        raise map_driver_error(name, error) from error
    finally:
        cursor.close()


def _libpq_parameters(query: str, keywords: frozenset[str]) -> tuple[str, str | None]:
    """Translate a URL's parameters for libpq, and take out the schema, if any. Raises ConfigurationError."""
    parts, schema = [], None
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if name == "schema":
            schema = value
        elif name == "ssl":  # asyncpg's name
            parts.append(f"sslmode={'require' if value in {'true', '1', 'True'} else value}")
        elif name in keywords:
            parts.append(part)
        elif name not in _OTHER_DRIVERS:
            raise ConfigurationError(
                f"The catalog's URL has a parameter that Postgres does not know: {name[:40]}.",
                hint="Remove it from DATABASE_URL, or set catalog.url to a separate URL for Assay.",
            )
    return "&".join(parts), schema


def _check_schema_name(schema: str) -> None:
    if not _SCHEMA_NAME.fullmatch(schema):
        raise ConfigurationError(
            f"{schema!r} cannot be the name of the catalog's schema.",
            hint="Use at most 63 lower-case letters, digits and underscores; the first may not be a digit.",
        )
