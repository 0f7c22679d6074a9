"""Bring a database to the current schema, or say why it is not there."""

from pathlib import Path

from sqlalchemy import Connection, inspect, select

from assay.adapters.catalog.sql.database import Database, is_there
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.locks import build_lock
from assay.adapters.catalog.sql.queries import VERSION
from assay.adapters.catalog.sql.tables import SCHEMA_VERSION, VERSION_TABLE, catalog_version, documents_view, metadata
from assay.errors import CatalogError, CatalogNotFound, CatalogSchemaError

SCRIPTS = Path(__file__).parent
"""The folder with Alembic's env.py and `versions/`."""

_FIRST_INGEST = "`assay ingest` makes one, and `assay publish` makes it live; --data-dir names another place."


def prepare(database: Database, *, create: bool) -> None:
    """Make sure that the database has the current schema; create: make or upgrade it where it has not.

    Raises CatalogNotFound when there is no catalog, CatalogSchemaError when it belongs to another version.
    """
    if create and database.path is not None:
        _make_folder(database.path)
    if not create and database.path is not None and not is_there(database.path):
        raise CatalogNotFound(
            f"There is no catalog at {database.name}: nothing has been ingested here yet.", hint=_FIRST_INGEST
        )
    version = stored_version(database)
    if version is None and database.path is None:
        _refuse_hidden(database)
    if version != SCHEMA_VERSION and create:
        _refuse_newer(database, version)
        if version is None and database.schema is not None:
            _make_schema(database, database.schema)
        _upgrade(database)
    else:
        _require_current(database, version)


def check_schema(database: Database, *, seconds: float) -> None:
    """Raise CatalogError unless the database can be read and has the current schema.

    seconds: how long Postgres may take.
    """
    if database.path is not None:
        prepare(database, create=False)
        return
    try:
        version: str | None = database.value_of(VERSION, seconds=seconds)
    except CatalogSchemaError:  # there is no such table
        version = None
    _require_current(database, version)


def _require_current(database: Database, version: str | None) -> None:
    if version is None:
        raise CatalogNotFound(
            f"{database.name} holds no catalog: nothing has been ingested here yet.", hint=_FIRST_INGEST
        )
    _refuse_newer(database, version)
    if version != SCHEMA_VERSION:
        raise CatalogSchemaError(
            f"The catalog {database.name} has schema {version}; this version of Assay needs {SCHEMA_VERSION}.",
            hint="`assay ingest` upgrades it.",
        )


def stored_version(database: Database) -> str | None:
    """The schema's version; None in a database that has never had one."""
    try:
        with database.reading() as connection:
            return _version(connection)
    except CatalogSchemaError:  # there is no such table
        return None


def upgrade(connection: Connection, target: str) -> None:
    """Run the migrations that are missing up to a version ("head" is the last), in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _version(connection: Connection) -> str | None:
    version: str | None = connection.scalar(select(catalog_version.c.version_num))
    return version


def _refuse_hidden(database: Database) -> None:
    """Raise CatalogError when there may be a catalog in a schema that this user may not look into."""
    with database.reading() as connection:
        hidden = connection.exec_driver_sql(
            "SELECT string_agg(nspname, ', ') FROM pg_namespace WHERE NOT has_schema_privilege(oid, 'USAGE')"
            " AND nspname = ANY (string_to_array(replace(current_setting('search_path'), ' ', ''), ','))"
        ).scalar()
    if hidden is not None:
        raise CatalogError(
            f"The catalog {database.name} does not let this user look into the schema {hidden}.",
            hint=f"Grant it: `GRANT USAGE ON SCHEMA {hidden} TO …`, and SELECT on the tables in it.",
        )


def _make_schema(database: Database, schema: str) -> None:
    """Make a schema of that name unless there is one; by then several processes may be at it."""
    with database.changing_schema() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('assay schema'))")
        found = connection.exec_driver_sql("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).scalar()
        if found is None:
            connection.exec_driver_sql(f'CREATE SCHEMA "{schema}"')


def _upgrade(database: Database) -> None:
    """Upgrade while nobody builds; of two processes that come at once the second finds it done."""
    with build_lock(database, wait=True):
        if database.path is not None:
            _log_writes_ahead(database)
        with database.changing_schema() as connection:
            tables = set(inspect(connection).get_table_names()) | set(inspect(connection).get_view_names())
            version = _version(connection) if VERSION_TABLE in tables else None
            if version == SCHEMA_VERSION:
                return
            _refuse_newer(database, version)
            if version is None:
                _refuse_foreign(database, tables)
            upgrade(connection, "head")


def _log_writes_ahead(database: Database) -> None:
    """Turn on the write-ahead log, with which readers and the writer do not wait for each other.

    It is kept in the file. It cannot be turned on within a transaction.
    """
    with mapped(database.name):
        connection = database.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode=WAL")
        finally:
            connection.close()


def _refuse_newer(database: Database, version: str | None) -> None:
    known = {path.name[:4] for path in (SCRIPTS / "versions").glob("[0-9]*.py")}
    if version is not None and version not in known:
        raise CatalogSchemaError(
            f"The catalog {database.name} has schema {version}; this version of Assay knows up to {SCHEMA_VERSION}.",
            hint="A newer version of Assay made it: install that one, or use another catalog.",
        )


def _refuse_foreign(database: Database, tables: set[str]) -> None:
    ours = tables & ({*metadata.tables} | {documents_view.name})
    if ours:
        raise CatalogSchemaError(
            f"{database.name} has tables of the same names that Assay did not make: {', '.join(sorted(ours))}.",
            hint="Give Assay a database or schema of its own, or rename those tables.",
        )


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CatalogError(
            f"The folder {path.parent} cannot be made ({error.strerror}).", hint="Set --data-dir to another folder."
        ) from error
