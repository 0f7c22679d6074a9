"""The schema of a new SQLite catalog, made by the migrations once and repeated for every further catalog of a run.

Many tests begin with an empty catalog, and its migrations take a fifth of a small build.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection

from assay.adapters.catalog.sql import migrations
from assay.adapters.catalog.sql.tables import VERSION_TABLE

_SCHEMA = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"


@contextmanager
def schema_made_once() -> Iterator[None]:
    """Run the migrations for the first empty SQLite database only; for every other kind of database as ever."""
    run_migrations = migrations.upgrade
    statements: list[tuple[str, tuple[object, ...]]] = []

    def upgrade(connection: Connection, target: str) -> None:
        is_new = connection.dialect.name == "sqlite" and not connection.exec_driver_sql(_SCHEMA).all()
        if not is_new or target != "head":
            run_migrations(connection, target)
        elif statements:
            for statement, values in statements:
                connection.exec_driver_sql(statement, values)
        else:
            run_migrations(connection, target)
            statements.extend(_statements(connection))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "upgrade", upgrade)
        yield


def _statements(connection: Connection) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What makes this database again: its tables, and the rows that migrations leave in them."""
    for (statement,) in connection.exec_driver_sql(_SCHEMA).all():
        yield str(statement), ()
    for table in (VERSION_TABLE, "live"):
        for row in connection.exec_driver_sql(f"SELECT * FROM {table}"):
            yield f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", tuple(row)
