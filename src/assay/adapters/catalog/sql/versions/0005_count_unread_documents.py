"""Keep how many documents of its sources no reader took, so that the gate can judge their share."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("generations", sa.Column("unread_documents", sa.JSON(none_as_null=True)))
