"""Store each document's sections and links and the resolved passages of judgments; index chunks and pages by text."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

GENERATION_ID = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    # Nullable, because documents stored earlier have none until their page is read again.
    op.add_column("document_revisions", sa.Column("outline", sa.LargeBinary()))
    op.create_index("ix_document_revisions_text_hash", "document_revisions", ["text_hash"])
    op.create_index("ix_chunks_content_hash", "chunks", ["content_hash"])
    op.create_table(
        "anchors",
        sa.Column("key", sa.String(64), nullable=False),
        # No foreign key: an anchor outlives the generation on which it was found.
        sa.Column("generation_id", GENERATION_ID, nullable=False),
        sa.Column("kept_at", sa.TIMESTAMP(), nullable=False),
        sa.Column("passage", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_anchors"),
    )
