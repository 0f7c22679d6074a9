"""Creation, upgrade and check of the schema."""

from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, inspect, select

from assay.adapters.catalog.sql.database import Database, may_exist
from assay.adapters.catalog.sql.faults import mapped
from assay.adapters.catalog.sql.locks import build_lock
from assay.adapters.catalog.sql.queries import VERSION
from assay.adapters.catalog.sql.tables import SCHEMA_VERSION, VERSION_TABLE, catalog_version, documents_view, metadata
from assay.errors import CatalogError, CatalogNotFound, CatalogSchemaError

SCRIPTS = Path(__file__).parent
"""The folder with Alembic's env.py and `versions/`."""

_migrating = Lock()
"""Alembic keeps the running migration in variables of its modules."""

_INGEST_HINT = "`assay ingest` creates one, and `assay publish` also makes it live; {elsewhere}."
_OTHER_FOLDER = _INGEST_HINT.format(elsewhere="--data-dir names another folder")
_OTHER_DATABASE = _INGEST_HINT.format(elsewhere="DATABASE_URL names another database")


def prepare(database: Database, *, create: bool) -> None:
    """Ensure that the database has the current schema. create: create or upgrade it if needed.

    Raises CatalogNotFound, CatalogSchemaError for another version's schema.
    """
    if create and database.path is not None:
        _make_folder(database.path)
    if not create and database.path is not None and not may_exist(database.path):
        raise CatalogNotFound(
            f"There is no catalog at {database.name}: nothing has been ingested here yet.", hint=_OTHER_FOLDER
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

    seconds: time limit for Postgres.
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
            f"{database.name} holds no catalog: nothing has been ingested here yet.",
            hint=_OTHER_DATABASE if database.path is None else _OTHER_FOLDER,
        )
    _refuse_newer(database, version)
    if version != SCHEMA_VERSION:
        raise CatalogSchemaError(
            f"The catalog {database.name} has schema {version}; this version of Assay needs {SCHEMA_VERSION}.",
            hint="`assay publish` upgrades it. Back it up first: older versions of Assay refuse it from then on.",
        )


def stored_version(database: Database) -> str | None:
    """Version of the schema; None without a catalog."""
    try:
        with database.reading() as connection:
            return _version(connection)
    except CatalogSchemaError:  # there is no such table
        return None


def upgrade(connection: Connection, target: str) -> None:
    """Run the missing migrations up to a version ("head" is the last) in the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    with _migrating:
        command.upgrade(config, target)


def _version(connection: Connection) -> str | None:
    version: str | None = connection.scalar(select(catalog_version.c.version_num))
    return version


def _refuse_hidden(database: Database) -> None:
    """Raise CatalogError if this user lacks access to a schema of the search path, which may have a catalog."""
    with database.reading() as connection:
        hidden = connection.exec_driver_sql(
            "SELECT string_agg(nspname, ', ') FROM pg_namespace WHERE NOT has_schema_privilege(oid, 'USAGE')"
            " AND nspname = ANY (string_to_array(replace(current_setting('search_path'), ' ', ''), ','))"
        ).scalar()
    if hidden is not None:
        raise CatalogError(
            f"The catalog {database.name} does not give this user access to the schema {hidden}.",
            hint=f"Grant it: `GRANT USAGE ON SCHEMA {hidden} TO …`, and SELECT on the tables in it.",
        )


def _make_schema(database: Database, schema: str) -> None:
    """Create a schema unless it exists; safe against other processes that do the same."""
    with database.changing_schema() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('assay schema'))")
        found = connection.exec_driver_sql("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)).scalar()
        if found is None:
            connection.exec_driver_sql(f'CREATE SCHEMA "{schema}"')


def _upgrade(database: Database) -> None:
    """Upgrade under the build lock."""
    with build_lock(database, wait=True):
        if database.path is not None:
            _enable_wal(database)
        with database.changing_schema() as connection:
            tables = set(inspect(connection).get_table_names()) | set(inspect(connection).get_view_names())
            version = _version(connection) if VERSION_TABLE in tables else None
            if version == SCHEMA_VERSION:
                return
            _refuse_newer(database, version)
            if version is None:
                _refuse_foreign(database, tables)
            upgrade(connection, "head")


def _enable_wal(database: Database) -> None:
    """Enable write-ahead logging, so that readers and the writer do not block each other.

    SQLite stores the setting in the file, and refuses it within a transaction.
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
            hint="A newer version of Assay created it: install that version, or use another catalog.",
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
            f"The folder {path.parent} cannot be created ({error.strerror}).", hint="Set --data-dir to another folder."
        ) from error
