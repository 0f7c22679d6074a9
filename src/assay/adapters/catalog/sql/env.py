"""Alembic's entry point. It only ever runs in a transaction that Assay opened; see migrations.py."""

from alembic import context

from assay.adapters.catalog.sql.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
