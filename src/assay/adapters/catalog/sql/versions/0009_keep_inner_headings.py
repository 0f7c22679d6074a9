"""Keep the headings inside each chunk, so that a link leads to the one nearest above the match."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("chunks", sa.Column("inner_headings", sa.JSON(none_as_null=True), nullable=True))
