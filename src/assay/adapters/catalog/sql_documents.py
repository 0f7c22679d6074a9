"""The documents and chunks of the generations of a SQL catalog."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Select

from assay.adapters.catalog.sql import queries, rules
from assay.adapters.catalog.sql.database import Database
from assay.adapters.catalog.sql.packing import packed_checksums, unpacked_checksums, unpacked_text
from assay.adapters.catalog.sql.records import (
    Row,
    chunk_of,
    chunk_place_of,
    chunk_row,
    info_of,
    known_page_of,
    listed_document_of,
    now_utc,
    revision_row,
    stored_document_of,
)
from assay.adapters.catalog.sql.repair import Revision, damaged, repair
from assay.adapters.catalog.sql.tables import chunks as chunks_table
from assay.adapters.catalog.sql.tables import document_revisions, generation_documents
from assay.adapters.catalog.sql_generations import SqlGenerations, state_of
from assay.model.batches import batched
from assay.model.documents import Chunk, Document
from assay.ports import ChunkMetadata, ChunkPlace, EmbeddedChunk, KnownPage, ListedDocument, StoredDocument

T = TypeVar("T")

VALUES = 500  # values in one statement; some SQLite builds allow 999
_DOCUMENTS = 200  # documents read in one transaction


class SqlDocuments(SqlGenerations):
    """The methods of SqlCatalog for documents, their chunks, and the checksums of these.

    Its iterators raise GenerationNotFound if the generation is deleted meanwhile.
    """

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """The pages of a generation, by (source name, key)."""
        with self._database.reading() as connection:
            state_of(connection, generation_id)
            pages = map(known_page_of, connection.execute(queries.known_pages(generation_id)).mappings())
            return {(page.source, page.key): page for page in pages}

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction. URLs are unique in a generation."""
        # Read all before the transaction begins: making chunks takes longer than storing them.
        revisions: dict[str, Revision] = {}
        for document, chunks in documents:
            rules.check_storable(document, chunks)
            revision = Revision(rules.revision_id(document, chunks), document, chunks)
            revisions[revision.id] = revision
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, state_of(connection, generation_id))
            known = _numbers(connection, list(revisions))
            repair(connection, [revision for revision in revisions.values() if revision.id in known], known)
            new = [revision for revision in revisions.values() if revision.id not in known]
            _store(self._database, connection, new)
            _include(self._database, connection, generation_id, list(revisions))

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include stored documents in a generation, in one transaction."""
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, state_of(connection, generation_id))
            _include(self._database, connection, generation_id, list(dict.fromkeys(revisions)))

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:
        """The revisions whose rows no longer match their id."""
        found: set[str] = set()
        for batch in batched(revisions, _DOCUMENTS):
            with self._database.reading() as connection:
                found |= damaged(connection, _numbers(connection, batch))
        return found

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL."""
        self.generation(generation_id)
        return chain.from_iterable(
            self._in_batches(generation_id, queries.documents_after, lambda _, rows: [*map(stored_document_of, rows)])
        )

    def listing(self, generation_id: str) -> Iterator[ListedDocument]:
        """Every document of a generation, by URL, without its text: much less is read."""
        self.generation(generation_id)
        return chain.from_iterable(
            self._in_batches(generation_id, queries.infos_after, lambda _, rows: [*map(listed_document_of, rows)])
        )

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""
        with self._database.reading() as connection:
            state_of(connection, generation_id)
            row = connection.execute(queries.document(generation_id, url)).mappings().one_or_none()
            return None if row is None else stored_document_of(row)

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, ordered by URL; unknown URLs are left out."""
        self.generation(generation_id)
        return chain.from_iterable(self._documents_at(generation_id, urls))

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation with these texts, ascending; unknown hashes are left out."""
        found: dict[str, list[str]] = {}
        for row in self._rows_for(generation_id, text_hashes, queries.urls_of_texts):
            found.setdefault(row["text_hash"], []).append(row["url"])
        return {text_hash: tuple(urls) for text_hash, urls in found.items()}

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, from any stored document."""
        with self._database.reading() as connection:
            row = connection.execute(queries.text_of(text_hash)).mappings().one_or_none()
        return None if row is None else unpacked_text(row["text"], f"text of {row['url']}")

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks of a generation, by URL and position; only those of the given revisions, if given."""
        self.generation(generation_id)
        if revisions is None:
            return chain.from_iterable(self._in_batches(generation_id, queries.infos_after, _chunks_in))
        return chain.from_iterable(self._chunks_of(generation_id, revisions))

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks while this generation is live; else none."""
        rows = chain.from_iterable(self._metadata(batch, generation_id) for batch in batched(chunk_ids, VALUES))
        return {row[0]: ChunkMetadata(*row) for row in rows}

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks of the documents at these URLs, by URL and position."""
        return _sorted_places(self._rows_for(generation_id, urls, queries.places_at))

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Positions of these chunks, by URL and position; ids that the generation lacks are left out."""
        return _sorted_places(self._rows_for(generation_id, chunk_ids, queries.places_of_ids))

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Positions of the chunks with these texts, by URL and position."""
        return _sorted_places(self._rows_for(generation_id, content_hashes, queries.places_of_texts))

    def embedded_chunks(self, generation_id: str, hashes: Sequence[str]) -> dict[str, EmbeddedChunk]:
        """One chunk of this generation for each of these hashes of embedded texts; unknown hashes are left out."""
        found: dict[str, EmbeddedChunk] = {}
        with self._database.reading() as connection:
            state_of(connection, generation_id)
            for batch in batched(dict.fromkeys(hashes), VALUES):
                rows = connection.execute(queries.embedded_chunks(generation_id, batch)).all()
                numbers = batched(dict.fromkeys(row[0] for row in rows), VALUES)
                packed = [
                    row
                    for some in numbers
                    for row in _checksum_rows(connection, queries.checksums_of(generation_id, some))
                ]
                required = packed or connection.scalar(queries.has_checksums(generation_id)) is not None
                known = unpacked_checksums(packed, ((row[0], row[2]) for row in rows), skip_damaged=True)
                chunks = ((digest, EmbeddedChunk(chunk_id, known.get(chunk_id))) for _, digest, chunk_id in rows)
                found.update((digest, one) for digest, one in chunks if one.checksum is not None or not required)
        return found

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the vector checksums of whole documents, by URL and chunk id, in one transaction."""
        values = [{"at": url, "packed": packed_checksums(by_id)} for url, by_id in checksums.items()]
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, state_of(connection, generation_id))
            if values:
                connection.execute(queries.record_checksums(generation_id), values)

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded vector checksums of the documents at these URLs, by chunk id."""
        found: dict[str, bytes] = {}
        with self._database.reading() as connection:
            state_of(connection, generation_id)
            for batch in batched(dict.fromkeys(urls), VALUES):
                packed = _checksum_rows(connection, queries.checksums_at(generation_id, batch))
                chunks = connection.execute(queries.chunk_ids_at(generation_id, batch)).all() if packed else ()
                found |= unpacked_checksums(packed, ((row[0], row[2]) for row in chunks))
        return found

    def _rows_for(
        self, generation_id: str, values: Sequence[str], statement: Callable[[str, list[str]], Select[Any]]
    ) -> list[Row]:
        """Rows of a statement for these values, in as many queries as they need."""
        with self._database.reading() as connection:
            state_of(connection, generation_id)
            batches = batched(dict.fromkeys(values), VALUES)
            return [row for batch in batches for row in read_rows(connection, statement(generation_id, batch))]

    def _metadata(self, chunk_ids: list[str], generation_id: str) -> Iterable[Sequence[Any]]:
        lookups = self._database.lookups
        if lookups is not None:
            return lookups.fetch(self._database.qualified(queries.METADATA_IN_POSTGRES), (chunk_ids, generation_id))
        with self._database.reading() as connection:
            return connection.execute(queries.metadata_of(chunk_ids, generation_id)).all()

    # A whole generation is read in short transactions, so that a slow reader blocks nobody and lets no log grow.
    # A sealed generation does not change; each transaction checks that it still exists.

    def _in_batches(
        self,
        generation_id: str,
        statement: Callable[[str, str, int], Select[Any]],
        read: Callable[[Connection, Sequence[Row]], list[T]],
    ) -> Iterator[list[T]]:
        """Results of `read` for batches of documents, by URL. statement: selects up to N rows after a URL."""
        url = ""
        while True:
            with self._database.reading() as connection:
                state_of(connection, generation_id)
                rows = read_rows(connection, statement(generation_id, url, _DOCUMENTS))
                found = read(connection, rows)
            if not rows:
                return
            yield found
            url = rows[-1]["next_after"]

    def _documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[list[StoredDocument]]:
        for batch in batched(sorted(set(urls)), _DOCUMENTS):
            with self._database.reading() as connection:
                state_of(connection, generation_id)
                rows = read_rows(connection, queries.documents_at(generation_id, batch))
            yield [stored_document_of(row) for row in rows]

    def _chunks_of(self, generation_id: str, revisions: Sequence[str]) -> Iterator[list[Chunk]]:
        rows: list[Row] = []
        with self._database.reading() as connection:
            for batch in batched(dict.fromkeys(revisions), VALUES):
                rows += read_rows(connection, queries.infos_of(generation_id, batch))
        for part in batched(sorted(rows, key=lambda row: str(row["url"])), _DOCUMENTS):
            with self._database.reading() as connection:
                state_of(connection, generation_id)
                found = _chunks_in(connection, part)
            yield found


def read_rows(connection: Connection, statement: Executable) -> list[Row]:
    """All rows of a statement."""
    return list(connection.execute(statement).mappings())


def _chunks_in(connection: Connection, documents: Sequence[Row]) -> list[Chunk]:
    """The chunks of a few documents, in the order of the documents and by position."""
    infos = {row["id"]: info_of(row) for row in documents}
    found: dict[int, list[Chunk]] = {number: [] for number in infos}
    for row in connection.execute(queries.chunks_of(list(infos))).mappings():
        number = row["revision_id"]
        found[number].append(chunk_of(row, infos[number]))
    return [chunk for of_document in found.values() for chunk in of_document]


def _numbers(connection: Connection, revisions: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Row number and URL of the stored ones of these revisions."""
    return {
        row.revision: (row.id, row.url)
        for batch in batched(revisions, VALUES)
        for row in connection.execute(queries.stored(batch))
    }


def _store(database: Database, connection: Connection, revisions: Sequence[Revision]) -> None:
    """Store new revisions."""
    rows = (revision_row(revision.id, revision.document, len(revision.chunks)) for revision in revisions)
    database.insert_many(connection, document_revisions, rows)
    numbers = _numbers(connection, [revision.id for revision in revisions])
    now = now_utc()
    chunk_rows = (chunk_row(numbers[revision.id][0], chunk, now) for revision in revisions for chunk in revision.chunks)
    database.insert_many(connection, chunks_table, chunk_rows)


def _include(database: Database, connection: Connection, generation_id: str, revisions: Sequence[str]) -> None:
    """Include stored revisions in a generation; those it already has stay."""
    numbers = _numbers(connection, revisions)
    wanted: dict[str, int] = {}
    for revision in revisions:
        if revision not in numbers:
            raise rules.unknown_revision(revision)
        number, url = numbers[revision]
        if wanted.setdefault(url, number) != number:
            raise rules.duplicate_url(generation_id, url)
    for batch in batched(tuple(wanted), VALUES):
        for row in connection.execute(queries.included(generation_id, batch)):
            if wanted.pop(row.url) != row.revision_id:
                raise rules.duplicate_url(generation_id, row.url)
    rows = [{"generation_id": generation_id, "revision_id": number, "url": url} for url, number in wanted.items()]
    database.insert_many(connection, generation_documents, rows)


def _checksum_rows(connection: Connection, statement: Executable) -> list[tuple[int, str, bytes]]:
    return [(row[0], row[1], row[2]) for row in connection.execute(statement)]


def _sorted_places(rows: Iterable[Row]) -> list[ChunkPlace]:
    return sorted(map(chunk_place_of, rows), key=lambda place: (place.url, place.position))
