"""The catalog in SQLite or Postgres, chosen by its URL."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Connection, insert

from assay.adapters.catalog.sql import queries
from assay.adapters.catalog.sql.database import connect, sqlite_url
from assay.adapters.catalog.sql.locks import build_lock
from assay.adapters.catalog.sql.migrations import check_schema, prepare
from assay.adapters.catalog.sql.packing import packed_passage, packed_vocabulary, unpacked_passage, unpacked_vocabulary
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.adapters.catalog.sql.records import now_utc
from assay.adapters.catalog.sql.tables import anchors as anchors_table
from assay.adapters.catalog.sql.tables import vocabularies
from assay.adapters.catalog.sql_documents import VALUES, SqlDocuments, read_rows
from assay.adapters.catalog.sql_generations import state_of
from assay.model.batches import batched
from assay.model.evaluation import Passage
from assay.model.vocabulary import Vocabulary

__all__ = ["SqlCatalog", "sqlite_url"]

_CHECK_SECONDS = 0.75  # for each of two queries: a health check has two seconds for all parts


class SqlCatalog(SqlDocuments):
    """Catalog over SQLAlchemy Core; safe to use from several threads and processes. Made by `open`.

    Its iterators raise GenerationNotFound if the generation is deleted meanwhile.
    """

    @classmethod
    def open(cls, url: str, *, create: bool, options: PostgresOptions | None = None) -> "SqlCatalog":
        """Open the catalog at a URL: sqlite:///path/to/catalog.db or postgresql://user:password@host/database.

        create: create the catalog, or upgrade it to this version's schema, if needed.
        options: settings of a Postgres catalog; None for a SQLite file.

        Raises ConfigurationError for an invalid URL, CatalogNotFound, CatalogUnavailable, CatalogSchemaError for a
        catalog of another version, BuildInProgress if an upgrade would disturb a build.
        """
        database = connect(url, create=create, options=options)
        try:
            prepare(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the build lock, released when the process dies. Raises BuildInProgress if another process holds it."""
        return build_lock(self._database, wait=False)

    def check(self) -> None:
        """Raise CatalogError unless the catalog can be reached and has this version's schema."""
        check_schema(self._database, seconds=_CHECK_SECONDS)
        self._database.value_of(queries.LIVE_ID, seconds=_CHECK_SECONDS)

    def close(self) -> None:
        """Close all connections; a second call does nothing."""
        self._database.close()

    # vocabularies

    def keep_vocabulary(self, generation_id: str, vocabulary: Vocabulary) -> None:
        """Store the vocabulary of a generation, in place of an earlier one. Raises GenerationNotFound."""
        content = packed_vocabulary(vocabulary)
        with self._database.writing(durable=True) as connection:
            state_of(connection, generation_id)
            connection.execute(queries.delete_vocabulary(generation_id))
            connection.execute(insert(vocabularies).values(generation_id=generation_id, content=content))

    def vocabulary(self, generation_id: str) -> Vocabulary | None:
        """The vocabulary of a generation; None if it has none. Raises CatalogCorrupt if it is damaged."""
        with self._database.reading() as connection:
            content = connection.scalar(queries.vocabulary_of(generation_id))
        return None if content is None else unpacked_vocabulary(content, generation_id)

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """The stored passages by key; unknown keys are left out."""
        with self._database.reading() as connection:
            return _anchors(connection, keys)

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Store the passages that judgments resolved to on a generation; they outlive it."""
        rows = [
            {"key": key, "generation_id": generation_id, "kept_at": now_utc(), "passage": packed_passage(passage)}
            for key, passage in anchors.items()
        ]
        with self._database.writing(durable=True) as connection:
            state_of(connection, generation_id)
            known = _anchors(connection, list(anchors))
            self._database.insert_many(connection, anchors_table, (row for row in rows if row["key"] not in known))


def _anchors(connection: Connection, keys: Sequence[str]) -> dict[str, Passage]:
    rows = [row for batch in batched(keys, VALUES) for row in read_rows(connection, queries.anchors_of(batch))]
    return {row["key"]: unpacked_passage(row["passage"]) for row in rows}
