"""Postgres's plans of the catalog's statements, for benchmarks.catalog."""

import sys
from collections.abc import Sequence

from assay.adapters.catalog.sql import queries
from assay.adapters.catalog.sql.database import Database
from assay.model.documents import Chunk, Document


def print_plans(database: Database, name: str, some: Sequence[tuple[Document, Sequence[Chunk]]]) -> None:
    """Print Postgres's plan of each statement, with values of these pages."""
    chunks = [chunk for _, of_page in some for chunk in of_page]
    ids, hashes = [one.id for one in chunks][:100], [one.content_hash for one in chunks]
    urls = [document.info.url for document, _ in some]
    with database.reading() as connection:
        numbers = [row.id for row in connection.execute(queries.infos_after(name, "", 200))]
        statements = {
            "metadata_of": queries.metadata_of(ids, name),
            "known_pages": queries.known_pages(name),
            "infos_after": queries.infos_after(name, urls[len(urls) // 2], 200),
            "documents_after": queries.documents_after(name, urls[len(urls) // 2], 200),
            "chunks_of": queries.chunks_of(numbers),
            "places_of_ids": queries.places_of_ids(name, ids),
            "places_of_texts": queries.places_of_texts(name, hashes[:100]),
            "places_at": queries.places_at(name, urls),
            "urls_of_texts": queries.urls_of_texts(name, hashes[:100]),
            "embedded_chunks": queries.embedded_chunks(name, [one.embedded_hash for one in chunks][:500]),
            "checksums_at": queries.checksums_at(name, urls),
        }
        for label, statement in statements.items():
            compiled = statement.compile(connection.engine, compile_kwargs={"render_postcompile": True})
            rows = (
                str(row)[:160]
                for row in connection.exec_driver_sql(f"EXPLAIN ANALYZE {compiled}", dict(compiled.params)).scalars()
            )
            print(f"--- {label}", *rows, sep="\n", file=sys.stderr)
