"""Keep the words and names of each generation, by which queries are completed and corrected."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    key = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
    op.create_table(
        "vocabularies",
        sa.Column("generation_id", key, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("generation_id", name="pk_vocabularies"),
        sa.ForeignKeyConstraint(
            ["generation_id"],
            ["generations.id"],
            name="fk_vocabularies_generation_id",
            ondelete="CASCADE",
        ),
    )
