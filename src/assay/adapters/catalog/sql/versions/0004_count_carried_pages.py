"""Count the failed pages that keep the document that they had, so that no page counts twice in their share."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("generations", sa.Column("carried_pages", sa.Integer(), nullable=False, server_default="0"))
