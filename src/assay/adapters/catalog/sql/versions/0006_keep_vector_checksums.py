"""Keep a checksum of each vector that a generation was built with, so that another one in its place is noticed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("generation_documents", sa.Column("vector_checksums", sa.LargeBinary()))
