"""Alembic's entry point, run in a transaction that migrations.py opened."""

from alembic import context

from assay.adapters.catalog.sql.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE
)
with context.begin_transaction():
    context.run_migrations()
