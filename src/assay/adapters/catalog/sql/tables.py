"""The catalog's tables in the current schema; `versions/` has the migrations.

    live ──────────────► generations ◄─── generation_documents ───► document_revisions ◄─── chunks
    one row, may point     one row a        one row for each           a document's text,      one row
    at no generation       build            document of a build        once for all builds     a chunk

The table `anchors` has a row for each judgment that names a chunk, a section or a page.

A document's text with its chunks is a *revision*, named by its content. A build that changes one page of 2,341
stores one revision and 2,341 mapping rows. The view `documents` shows the chunks of the live generation as
seed 003 has them: its columns carry the seed's types because the columns below it do, in both databases.
"""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    TIMESTAMP,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Dialect,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeDecorator

SCHEMA_VERSION = "0006"
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

metadata = MetaData(naming_convention=NAMING)


class UtcTimestamp(TypeDecorator[datetime]):
    """An aware datetime, stored as UTC in a column without a time zone."""

    impl = TIMESTAMP
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - fixed signature
        """Convert to UTC. Raises ValueError for a datetime without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a time zone: {value.isoformat()}")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - fixed signature
        """Set the zone to UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


RowId = BigInteger().with_variant(Integer(), "sqlite")  # SQLite autoincrements only INTEGER
ByteOrderText = Text().with_variant(Text(collation="C"), "postgresql")  # sorted as SQLite and Python sort
GenerationId = String(64).with_variant(String(64, collation="C"), "postgresql")
OptionalJson = JSON(none_as_null=True)

generations = Table(
    "generations",
    metadata,
    Column("id", GenerationId, nullable=False),
    Column("state", String(16), nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("embedder", JSON, nullable=False),
    Column("chunker", JSON, nullable=False),
    Column("sparse", JSON, nullable=False),
    Column("sources", JSON, nullable=False),
    Column("parent", GenerationId),
    Column("documents", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("failed_pages", Integer, nullable=False),
    Column("carried_pages", Integer, nullable=False, server_default="0"),
    Column("unread_documents", OptionalJson),
    Column("has_variants", Boolean, nullable=False),
    Column("content_fingerprint", String(64), nullable=False),
    Column("sealed_at", UtcTimestamp),
    Column("promoted_at", UtcTimestamp),
    Column("verdict", OptionalJson),
    Column("reason", Text),
    Column("seconds", JSON, nullable=False),
    PrimaryKeyConstraint("id"),
    CheckConstraint(
        "state IN ('building', 'candidate', 'live', 'retired', 'rejected', 'failed')", name="state_is_known"
    ),
)
Index(
    "uq_generations_one_live",
    generations.c.state,
    unique=True,
    sqlite_where=text("state = 'live'"),
    postgresql_where=text("state = 'live'"),
)

live = Table(
    "live",
    metadata,
    Column("singleton", Integer, nullable=False, autoincrement=False),
    Column("generation_id", GenerationId, ForeignKey(generations.c.id)),
    PrimaryKeyConstraint("singleton"),
    UniqueConstraint("generation_id"),  # an index: without statistics SQLite looks chunks up by it
    CheckConstraint("singleton = 1", name="one_row"),
)

document_revisions = Table(
    "document_revisions",
    metadata,
    Column("id", RowId, Identity(), nullable=False),
    Column("revision", String(64), nullable=False),
    Column("source", ByteOrderText, nullable=False),
    Column("key", ByteOrderText, nullable=False),
    Column("url", ByteOrderText, nullable=False),
    Column("source_hash", Text, nullable=False),
    Column("source_path", Text, nullable=False),
    Column("slug", String(100), nullable=False),
    Column("title", Text, nullable=False),
    Column("short_title", String(255), Computed("nullif(substr(title, 1, 255), '')", persisted=True)),
    Column("more", JSON, nullable=False),
    Column("text_hash", String(64), nullable=False, index=True),
    Column("chunk_count", Integer, nullable=False),
    Column("text", LargeBinary, nullable=False),
    Column("outline", LargeBinary),
    PrimaryKeyConstraint("id"),
    UniqueConstraint("revision"),
    CheckConstraint("length(slug) <= 100", name="slug_fits"),
)
"""more: the fields of DocumentInfo without a column. text: UTF-8, compressed by zlib. outline: sections and links as
compressed JSON; null for a document stored by an older version."""

generation_documents = Table(
    "generation_documents",
    metadata,
    Column("generation_id", GenerationId, ForeignKey(generations.c.id, ondelete="CASCADE"), nullable=False),
    Column("revision_id", RowId, ForeignKey(document_revisions.c.id), nullable=False, index=True),
    Column("url", ByteOrderText, nullable=False),
    Column("vector_checksums", LargeBinary),
    PrimaryKeyConstraint("generation_id", "revision_id"),
    UniqueConstraint("generation_id", "url"),
)
"""vector_checksums: a hash of the id (8 bytes) and a checksum (16) for each chunk; null if not recorded.
Not in `chunks`, because a chunk may have different vectors in different generations."""

chunks = Table(
    "chunks",
    metadata,
    Column("revision_id", RowId, ForeignKey(document_revisions.c.id, ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False, autoincrement=False),
    Column("order_index", Integer, Computed("position + 1", persisted=True)),
    Column("chunk_id", String(50), nullable=False, index=True),
    Column("previous_id", String(50)),
    Column("next_id", String(50)),
    Column("span_start", Integer, nullable=False),
    Column("span_end", Integer, nullable=False),
    Column("section", Text, nullable=False),
    Column("heading_path", JSON, nullable=False),
    Column("anchor", Text),
    Column("token_count", Integer, nullable=False),
    Column("tokenizer", Text, nullable=False),
    Column("content_hash", String(64), nullable=False, index=True),
    Column("embedded_hash", String(64), nullable=False),
    Column("created_at", UtcTimestamp, nullable=False),
    Column("repeated_before", Text, nullable=False),
    Column("repeated_after", Text, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("revision_id", "position"),
    CheckConstraint("length(chunk_id) <= 50", name="chunk_id_fits"),
)
# Covers the search for unchanged chunks, so that their text is not read.
Index("ix_chunks_embedded", chunks.c.revision_id, chunks.c.embedded_hash, chunks.c.chunk_id)

anchors = Table(
    "anchors",
    metadata,
    Column("key", String(64), nullable=False),
    Column("generation_id", GenerationId, nullable=False),
    Column("kept_at", UtcTimestamp, nullable=False),
    Column("passage", LargeBinary, nullable=False),
    PrimaryKeyConstraint("key"),
)
"""The passage to which a judgment first resolved, on the generation named; it outlives that generation.

key: hash of the passage as the test set gives it. passage: JSON, compressed by zlib."""

catalog_version = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True))

documents_view = Table(
    "documents",
    MetaData(),  # separate, because it is a view and not created from here
    Column("chunk_id", String(50)),
    Column("source_path", Text),
    Column("slug", String(100)),
    Column("title", String(255)),
    Column("order_index", Integer),
    Column("snippet", Text),
    Column("created_at", UtcTimestamp),
)
"""Seed 003's table, as a view of the live generation. order_index counts from 1; title is cut to 255 characters."""
