"""In Postgres, let the documents view be planned well before anything is known of the live row; give it the default."""

from alembic import op

revision = "0002"
down_revision = "0001"

# Postgres plans a join with `live` by statistics of the previous generation, and then reads every document of the live
# generation instead of the few requested chunks.
DOCUMENTS_VIEW = """
CREATE OR REPLACE VIEW documents (chunk_id, source_path, slug, title, order_index, snippet, created_at) AS
SELECT c.chunk_id, r.source_path, r.slug, r.short_title, c.order_index, c.text, c.created_at
FROM chunks AS c
JOIN document_revisions AS r ON r.id = c.revision_id
JOIN generation_documents AS g ON g.revision_id = r.id
WHERE g.generation_id = (SELECT l.generation_id FROM live AS l)
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(DOCUMENTS_VIEW)
        op.execute("ALTER VIEW documents ALTER COLUMN created_at SET DEFAULT now()")
