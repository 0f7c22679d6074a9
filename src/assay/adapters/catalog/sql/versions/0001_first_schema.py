"""Make the first schema: generations, the live row, documents in revisions, their chunks, and the documents view."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# Not imported from tables.py, which changes, while this migration must not.
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BYTE_ORDER_TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
GENERATION_ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")

DOCUMENTS_VIEW = """
CREATE VIEW documents (chunk_id, source_path, slug, title, order_index, snippet, created_at) AS
SELECT c.chunk_id, r.source_path, r.slug, r.short_title, c.order_index, c.text, c.created_at
FROM chunks AS c
JOIN document_revisions AS r ON r.id = c.revision_id
JOIN generation_documents AS g ON g.revision_id = r.id
JOIN live AS l ON l.generation_id = g.generation_id
"""


def upgrade() -> None:
    _make_generations()
    _make_documents()
    _make_chunks()
    op.execute(DOCUMENTS_VIEW)


def _make_generations() -> None:
    op.create_table(
        "generations",
        sa.Column("id", GENERATION_ID, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(), nullable=False),
        sa.Column("embedder", sa.JSON(), nullable=False),
        sa.Column("chunker", sa.JSON(), nullable=False),
        sa.Column("sparse", sa.JSON(), nullable=False),
        sa.Column("sources", sa.JSON(), nullable=False),
        sa.Column("parent", GENERATION_ID),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("failed_pages", sa.Integer(), nullable=False),
        sa.Column("has_variants", sa.Boolean(), nullable=False),
        sa.Column("content_fingerprint", sa.String(64), nullable=False),
        sa.Column("sealed_at", sa.TIMESTAMP()),
        sa.Column("promoted_at", sa.TIMESTAMP()),
        sa.Column("verdict", sa.JSON()),
        sa.Column("reason", sa.Text()),
        sa.Column("seconds", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_generations"),
        sa.CheckConstraint(
            "state IN ('building', 'candidate', 'live', 'retired', 'rejected', 'failed')",
            name=op.f("ck_generations_state_is_known"),
        ),
    )
    only_live = sa.text("state = 'live'")
    op.create_index(
        "uq_generations_one_live",
        "generations",
        ["state"],
        unique=True,
        sqlite_where=only_live,
        postgresql_where=only_live,
    )
    op.create_table(
        "live",
        sa.Column("singleton", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("generation_id", GENERATION_ID),
        sa.PrimaryKeyConstraint("singleton", name="pk_live"),
        sa.UniqueConstraint("generation_id", name="uq_live_generation_id"),
        sa.ForeignKeyConstraint(["generation_id"], ["generations.id"], name="fk_live_generation_id"),
        sa.CheckConstraint("singleton = 1", name=op.f("ck_live_one_row")),
    )
    op.execute("INSERT INTO live (singleton, generation_id) VALUES (1, NULL)")


def _make_documents() -> None:
    op.create_table(
        "document_revisions",
        sa.Column("id", ROW_ID, sa.Identity(), nullable=False),
        sa.Column("revision", sa.String(64), nullable=False),
        sa.Column("source", BYTE_ORDER_TEXT, nullable=False),
        sa.Column("key", BYTE_ORDER_TEXT, nullable=False),
        sa.Column("url", BYTE_ORDER_TEXT, nullable=False),
        sa.Column("source_hash", sa.Text(), nullable=False),
        sa.Column("source_path", sa.Text(), nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("short_title", sa.String(255), sa.Computed("nullif(substr(title, 1, 255), '')", persisted=True)),
        sa.Column("more", sa.JSON(), nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_document_revisions"),
        sa.UniqueConstraint("revision", name="uq_document_revisions_revision"),
        sa.CheckConstraint("length(slug) <= 100", name=op.f("ck_document_revisions_slug_fits")),
    )
    op.create_table(
        "generation_documents",
        sa.Column("generation_id", GENERATION_ID, nullable=False),
        sa.Column("revision_id", ROW_ID, nullable=False),
        sa.Column("url", BYTE_ORDER_TEXT, nullable=False),
        sa.PrimaryKeyConstraint("generation_id", "revision_id", name="pk_generation_documents"),
        sa.UniqueConstraint("generation_id", "url", name="uq_generation_documents_generation_id_url"),
        sa.ForeignKeyConstraint(
            ["generation_id"], ["generations.id"], name="fk_generation_documents_generation_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["revision_id"], ["document_revisions.id"], name="fk_generation_documents_revision_id"),
    )
    op.create_index("ix_generation_documents_revision_id", "generation_documents", ["revision_id"])


def _make_chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("revision_id", ROW_ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("order_index", sa.Integer(), sa.Computed("position + 1", persisted=True)),
        sa.Column("chunk_id", sa.String(50), nullable=False),
        sa.Column("previous_id", sa.String(50)),
        sa.Column("next_id", sa.String(50)),
        sa.Column("span_start", sa.Integer(), nullable=False),
        sa.Column("span_end", sa.Integer(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("anchor", sa.Text()),
        sa.Column("token_count", sa.Integer(), nullable=False),
        sa.Column("tokenizer", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("embedded_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.TIMESTAMP(), nullable=False),
        sa.Column("repeated_before", sa.Text(), nullable=False),
        sa.Column("repeated_after", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("revision_id", "position", name="pk_chunks"),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["document_revisions.id"], name="fk_chunks_revision_id", ondelete="CASCADE"
        ),
        sa.CheckConstraint("length(chunk_id) <= 50", name=op.f("ck_chunks_chunk_id_fits")),
    )
    op.create_index("ix_chunks_chunk_id", "chunks", ["chunk_id"])
    op.create_index("ix_chunks_embedded", "chunks", ["revision_id", "embedded_hash", "chunk_id"])
