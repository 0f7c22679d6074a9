"""The catalog's tables in the current schema; `versions/` has the migrations.

    live ──────────────► generations ◄─── generation_documents ───► document_revisions ◄─── chunks
    one row, may point     one row a        one row for each           a document's text,      one row
    at no generation       build            document of a build        once for all builds     a chunk

The table `anchors` has a row for each judgment that names a chunk, a section or a page, and `vocabularies` one for
each generation.

A document's text with its chunks is a *revision*, named by its content. A build that changes one page of 2,341
stores one revision and 2,341 mapping rows. The view `documents` shows the chunks of the live generation as
seed 003 has them: its columns carry the seed's types because the columns below it do, in both databases.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

SCHEMA_VERSION = "0009"
"""The last migration in `versions/`."""

VERSION_TABLE = "catalog_version"
"""Table of the schema's version. Not Alembic's default name, because the database may be shared."""

NAMING = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}
"""Every constraint has a name, so that a later migration can change it in both databases."""

metadata = sa.MetaData(naming_convention=NAMING)


class UtcTimestamp(TypeDecorator[datetime]):
    """An aware datetime, stored as UTC in a column without a time zone."""

    impl = sa.TIMESTAMP
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002 - fixed signature
        """Convert to UTC. Raises ValueError for a datetime without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a time zone: {value.isoformat()}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002 - fixed signature
        """Set the zone to UTC."""
        return None if value is None else value.replace(tzinfo=UTC)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """Read a stored time. SQLite stores any type in any column; a value that is no time raises ValueError."""
        process = super().result_processor(dialect, coltype)

        def read(value: Any) -> datetime | None:  # noqa: ANN401 - whatever is stored
            try:
                return process(value) if process else value
            except TypeError as error:
                raise ValueError(f"no time: {value!r}") from error

        return read


RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")  # SQLite autoincrements only INTEGER
ByteOrderText = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")  # sorted as SQLite and Python sort
GenerationId = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
OptionalJson = sa.JSON(none_as_null=True)

generations = sa.Table(
    "generations",
    metadata,
    sa.Column("id", GenerationId, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("created_at", UtcTimestamp, nullable=False),
    sa.Column("embedder", sa.JSON, nullable=False),
    sa.Column("chunker", sa.JSON, nullable=False),
    sa.Column("sparse", sa.JSON, nullable=False),
    sa.Column("sources", sa.JSON, nullable=False),
    sa.Column("parent", GenerationId),
    sa.Column("documents", sa.Integer, nullable=False),
    sa.Column("chunks", sa.Integer, nullable=False),
    sa.Column("failed_pages", sa.Integer, nullable=False),
    sa.Column("carried_pages", sa.Integer, nullable=False, server_default="0"),
    sa.Column("unread_documents", OptionalJson),
    sa.Column("has_variants", sa.Boolean, nullable=False),
    sa.Column("content_fingerprint", sa.String(64), nullable=False),
    sa.Column("sealed_at", UtcTimestamp),
    sa.Column("promoted_at", UtcTimestamp),
    sa.Column("verdict", OptionalJson),
    sa.Column("reason", sa.Text),
    sa.Column("seconds", sa.JSON, nullable=False),
    sa.PrimaryKeyConstraint("id"),
    sa.CheckConstraint(
        "state IN ('building', 'candidate', 'live', 'retired', 'rejected', 'failed')", name="state_is_known"
    ),
)
sa.Index(
    "uq_generations_one_live",
    generations.c.state,
    unique=True,
    sqlite_where=sa.text("state = 'live'"),
    postgresql_where=sa.text("state = 'live'"),
)

live = sa.Table(
    "live",
    metadata,
    sa.Column("singleton", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("generation_id", GenerationId, sa.ForeignKey(generations.c.id)),
    sa.PrimaryKeyConstraint("singleton"),
    sa.UniqueConstraint("generation_id"),  # an index: without statistics SQLite looks chunks up by it
    sa.CheckConstraint("singleton = 1", name="one_row"),
)

document_revisions = sa.Table(
    "document_revisions",
    metadata,
    sa.Column("id", RowId, sa.Identity(), nullable=False),
    sa.Column("revision", sa.String(64), nullable=False),
    sa.Column("source", ByteOrderText, nullable=False),
    sa.Column("key", ByteOrderText, nullable=False),
    sa.Column("url", ByteOrderText, nullable=False),
    sa.Column("source_hash", sa.Text, nullable=False),
    sa.Column("source_path", sa.Text, nullable=False),
    sa.Column("slug", sa.String(100), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("short_title", sa.String(255), sa.Computed("nullif(substr(title, 1, 255), '')", persisted=True)),
    sa.Column("more", sa.JSON, nullable=False),
    sa.Column("text_hash", sa.String(64), nullable=False, index=True),
    sa.Column("chunk_count", sa.Integer, nullable=False),
    sa.Column("text", sa.LargeBinary, nullable=False),
    sa.Column("outline", sa.LargeBinary),
    sa.PrimaryKeyConstraint("id"),
    sa.UniqueConstraint("revision"),
    sa.CheckConstraint("length(slug) <= 100", name="slug_fits"),
)
"""more: the fields of DocumentInfo without a column. text: UTF-8, compressed by zlib. outline: sections and links as
compressed JSON; null for a document stored by an older version."""

generation_documents = sa.Table(
    "generation_documents",
    metadata,
    sa.Column("generation_id", GenerationId, sa.ForeignKey(generations.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("revision_id", RowId, sa.ForeignKey(document_revisions.c.id), nullable=False, index=True),
    sa.Column("url", ByteOrderText, nullable=False),
    sa.Column("vector_checksums", sa.LargeBinary),
    sa.PrimaryKeyConstraint("generation_id", "revision_id"),
    sa.UniqueConstraint("generation_id", "url"),
)
"""vector_checksums: a hash of the id (8 bytes) and a checksum (16) for each chunk; null if not recorded.
Not in `chunks`, because a chunk may have different vectors in different generations."""

chunks = sa.Table(
    "chunks",
    metadata,
    sa.Column("revision_id", RowId, sa.ForeignKey(document_revisions.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("order_index", sa.Integer, sa.Computed("position + 1", persisted=True)),
    sa.Column("chunk_id", sa.String(50), nullable=False, index=True),
    sa.Column("previous_id", sa.String(50)),
    sa.Column("next_id", sa.String(50)),
    sa.Column("span_start", sa.Integer, nullable=False),
    sa.Column("span_end", sa.Integer, nullable=False),
    sa.Column("section", sa.Text, nullable=False),
    sa.Column("heading_path", sa.JSON, nullable=False),
    sa.Column("anchor", sa.Text),
    sa.Column("token_count", sa.Integer, nullable=False),
    sa.Column("tokenizer", sa.Text, nullable=False),
    sa.Column("content_hash", sa.String(64), nullable=False, index=True),
    sa.Column("embedded_hash", sa.String(64), nullable=False),
    sa.Column("created_at", UtcTimestamp, nullable=False),
    sa.Column("repeated_before", sa.Text, nullable=False),
    sa.Column("repeated_after", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("inner_headings", OptionalJson),
    sa.PrimaryKeyConstraint("revision_id", "position"),
    sa.CheckConstraint("length(chunk_id) <= 50", name="chunk_id_fits"),
)
"""inner_headings: offset, depth, text and anchor of each; null for none, and for chunks stored by an older version."""

# Covers the search for unchanged chunks, so that their text is not read.
sa.Index("ix_chunks_embedded_hash", chunks.c.embedded_hash, chunks.c.revision_id, chunks.c.chunk_id)

anchors = sa.Table(
    "anchors",
    metadata,
    sa.Column("key", sa.String(64), nullable=False),
    sa.Column("generation_id", GenerationId, nullable=False),
    sa.Column("kept_at", UtcTimestamp, nullable=False),
    sa.Column("passage", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("key"),
)
"""The passage to which a judgment first resolved, on the generation named; it outlives that generation.

key: hash of the passage as the test set gives it. passage: JSON, compressed by zlib."""

vocabularies = sa.Table(
    "vocabularies",
    metadata,
    sa.Column("generation_id", GenerationId, sa.ForeignKey(generations.c.id, ondelete="CASCADE"), nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("generation_id"),
)
"""content: a Vocabulary as JSON, compressed by zlib."""

catalog_version = sa.Table(VERSION_TABLE, sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))

documents_view = sa.Table(
    "documents",
    sa.MetaData(),  # separate, because it is a view and not created from here
    sa.Column("chunk_id", sa.String(50)),
    sa.Column("source_path", sa.Text),
    sa.Column("slug", sa.String(100)),
    sa.Column("title", sa.String(255)),
    sa.Column("order_index", sa.Integer),
    sa.Column("snippet", sa.Text),
    sa.Column("created_at", UtcTimestamp),
)
"""Seed 003's table, as a view of the live generation. order_index counts from 1; title is cut to 255 characters."""
