"""The catalog in SQLite or Postgres. Which of the two is a matter of the URL; everything else is the same."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, Select, insert, select

from assay.adapters.catalog.sql import queries, rules
from assay.adapters.catalog.sql.database import Database, connect, sqlite_url
from assay.adapters.catalog.sql.locks import build_lock
from assay.adapters.catalog.sql.mending import Revision, damaged, mend
from assay.adapters.catalog.sql.migrations import check_schema, prepare
from assay.adapters.catalog.sql.packing import (
    packed_checksums,
    packed_passage,
    unpacked_checksums,
    unpacked_passage,
    unpacked_text,
)
from assay.adapters.catalog.sql.postgres import PostgresOptions
from assay.adapters.catalog.sql.records import (
    Row,
    chunk_of,
    chunk_place_of,
    chunk_row,
    generation_of,
    generation_row,
    info_of,
    known_page_of,
    listed_document_of,
    now_utc,
    revision_row,
    stored_document_of,
)
from assay.adapters.catalog.sql.tables import anchors as anchors_table
from assay.adapters.catalog.sql.tables import chunks as chunks_table
from assay.adapters.catalog.sql.tables import document_revisions, generation_documents, generations, live
from assay.model.batches import batched
from assay.model.documents import Chunk, Document
from assay.model.evaluation import Passage
from assay.model.generations import Generation, State, check_transition
from assay.ports import ChunkMetadata, ChunkPlace, EmbeddedChunk, KnownPage, ListedDocument, StoredDocument

__all__ = ["SqlCatalog", "sqlite_url"]

T = TypeVar("T")

_CHECK_SECONDS = 0.75  # for each of two questions: a health check has two seconds for all the parts
_VALUES = 500  # values in one statement; SQLite builds exist that stop at 999
_DOCUMENTS = 200  # documents read in one transaction


class SqlCatalog:
    """Catalog over SQLAlchemy Core; safe to use from several threads and processes. Made by `open`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(cls, url: str, *, create: bool, options: PostgresOptions | None = None) -> "SqlCatalog":
        """Open the catalog at a URL: sqlite:///path/to/catalog.db or postgresql://user:password@host/database.

        create: make the catalog, or bring it to this version's schema, where that is needed.
        options: how a database in Postgres is used; None for a SQLite file.

        Raises ConfigurationError for a URL that cannot be one, CatalogNotFound where there is no catalog,
        CatalogUnavailable where it cannot be reached, CatalogSchemaError for one of another version, BuildInProgress
        when an upgrade would disturb a build.
        """
        database = connect(url, create=create, options=options)
        try:
            prepare(database, create=create)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the one right to build. Raises BuildInProgress, naming who holds it."""
        return build_lock(self._database, wait=False)

    def check(self) -> None:
        """Raise CatalogError unless the catalog can be reached and has this version's schema."""
        check_schema(self._database, seconds=_CHECK_SECONDS)
        self._database.value_of(queries.LIVE_ID, seconds=_CHECK_SECONDS)

    def close(self) -> None:
        """Let go of all connections."""
        self._database.close()

    # generations

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation."""
        rules.check_new(generation)
        row = generation_row(generation)
        with self._database.writing(durable=True) as connection:
            if connection.scalar(queries.state(generation.id)) is not None:
                raise rules.already_there(generation.id)
            connection.execute(insert(generations).values(row))

    def update_generation(self, generation: Generation) -> None:
        """Store the fields of a generation anew, except its state and when it went live."""
        row = generation_row(generation)
        del row["state"], row["promoted_at"]
        with self._database.writing(durable=True) as connection:
            _state(connection, generation.id)
            connection.execute(queries.change_generation(generation.id, **row))

    def generation(self, generation_id: str) -> Generation:
        """One generation."""
        with self._database.reading() as connection:
            return _generation(connection, generation_id)

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        with self._database.reading() as connection:
            return [generation_of(row) for row in connection.execute(queries.all_generations()).mappings()]

    def live_id(self) -> str | None:
        """Id of the live generation."""
        live_id: str | None = self._database.value_of(queries.LIVE_ID)
        return live_id

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live; a live generation that is retired leaves none in its place."""
        with self._database.writing(durable=True) as connection:
            current = _state(connection, generation_id)
            rules.check_step(generation_id, current, target)
            if current is State.LIVE:
                connection.execute(queries.point_live_at(None))
            values: dict[str, object] = {"state": str(target)}
            if reason is not None:
                values["reason"] = reason
            connection.execute(queries.change_generation(generation_id, **values))
            if target is State.CANDIDATE:
                self._database.gather_statistics(connection)
            return _generation(connection, generation_id)

    def promote(self, generation_id: str, at: datetime) -> Generation:
        """Make a candidate or retired generation live and the live one retired, in one durable transaction."""
        moment = rules.as_utc(at)
        with self._database.writing(durable=True) as connection:
            previous = connection.scalar(select(live.c.generation_id).with_for_update())
            check_transition(generation_id, _state(connection, generation_id), State.LIVE)
            if previous is not None:
                connection.execute(queries.change_generation(previous, state=str(State.RETIRED)))
            connection.execute(queries.change_generation(generation_id, state=str(State.LIVE), promoted_at=moment))
            connection.execute(queries.point_live_at(generation_id))
            return _generation(connection, generation_id)

    def forget(self, generation_id: str) -> None:
        """Delete a generation that is not live, and the documents that only it has; nothing for an unknown one."""
        with self._database.writing(durable=False) as connection:
            state = connection.scalar(queries.state(generation_id))
            if state is None:
                return
            rules.check_forgettable(generation_id, State(state))
            numbers = connection.scalars(queries.only_in(generation_id)).all()
            connection.execute(queries.delete_generation(generation_id))
            for some in batched(numbers, _VALUES):
                connection.execute(queries.delete_revisions(some))

    # documents and chunks

    def known_pages(self, generation_id: str) -> dict[tuple[str, str], KnownPage]:
        """What a generation knows of each page, by (source name, key)."""
        with self._database.reading() as connection:
            _state(connection, generation_id)
            pages = map(known_page_of, connection.execute(queries.known_pages(generation_id)).mappings())
            return {(page.source, page.key): page for page in pages}

    def add_documents(self, generation_id: str, documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> None:
        """Store documents with their chunks in a generation, in one transaction."""
        # All of it is read before the transaction begins: making chunks takes longer than storing them.
        revisions: dict[str, Revision] = {}
        for document, chunks in documents:
            rules.check_storable(document, chunks)
            revision = Revision(rules.revision_id(document, chunks), document, chunks)
            revisions[revision.id] = revision
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, _state(connection, generation_id))
            known = _numbers(connection, list(revisions))
            mend(connection, [revision for revision in revisions.values() if revision.id in known], known)
            _store(
                self._database, connection, [revision for revision in revisions.values() if revision.id not in known]
            )
            _include(self._database, connection, generation_id, list(revisions))

    def include_revisions(self, generation_id: str, revisions: Sequence[str]) -> None:
        """Include documents that are stored already, in one transaction."""
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, _state(connection, generation_id))
            _include(self._database, connection, generation_id, list(dict.fromkeys(revisions)))

    def damaged_revisions(self, revisions: Sequence[str]) -> set[str]:
        """Those of these stored documents whose id does not follow from their rows; a few documents at a time."""
        found: set[str] = set()
        for some in batched(revisions, _DOCUMENTS):
            with self._database.reading() as connection:
                found |= damaged(connection, _numbers(connection, some))
        return found

    def documents(self, generation_id: str) -> Iterator[StoredDocument]:
        """Every document of a generation, by URL; GenerationNotFound also when it is deleted meanwhile."""
        self.generation(generation_id)
        return chain.from_iterable(self._in_parts(generation_id, queries.documents_after, _stored_documents))

    def listing(self, generation_id: str) -> Iterator[ListedDocument]:
        """Every document of a generation, by URL, without its text."""
        self.generation(generation_id)
        return chain.from_iterable(self._in_parts(generation_id, queries.infos_after, _listed_documents))

    def document(self, generation_id: str, url: str) -> StoredDocument | None:
        """One document of a generation by its canonical URL."""
        with self._database.reading() as connection:
            _state(connection, generation_id)
            row = connection.execute(queries.document(generation_id, url)).mappings().one_or_none()
            return None if row is None else stored_document_of(row)

    def documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[StoredDocument]:
        """The documents of a generation at these URLs, by URL; GenerationNotFound also when it is deleted meanwhile."""
        self.generation(generation_id)
        return chain.from_iterable(self._documents_at(generation_id, urls))

    def urls_of_texts(self, generation_id: str, text_hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """URLs of the documents of a generation that have these texts, ascending."""
        found: dict[str, list[str]] = {}
        for row in self._rows_of(generation_id, text_hashes, queries.urls_of_texts):
            found.setdefault(row["text_hash"], []).append(row["url"])
        return {text_hash: tuple(urls) for text_hash, urls in found.items()}

    def text_of(self, text_hash: str) -> str | None:
        """The text with this hash, of any document that is still stored."""
        with self._database.reading() as connection:
            row = connection.execute(queries.text_of(text_hash)).mappings().one_or_none()
        return None if row is None else unpacked_text(row["text"], f"text of {row['url']}")

    def chunks(self, generation_id: str, revisions: Sequence[str] | None = None) -> Iterator[Chunk]:
        """Chunks by URL and position, of the whole generation or of these revisions in it.

        GenerationNotFound also when it is deleted meanwhile.
        """
        self.generation(generation_id)
        if revisions is None:
            return chain.from_iterable(self._in_parts(generation_id, queries.infos_after, _chunks_in))
        return chain.from_iterable(self._chunks_of(generation_id, revisions))

    def chunk_metadata(self, chunk_ids: Sequence[str], generation_id: str) -> dict[str, ChunkMetadata]:
        """Rows of the documents view for these chunks, as long as this generation is the live one; else none.

        Raises CatalogUnavailable when Postgres does not answer within lookup_seconds, or did not a moment ago.
        """
        rows = chain.from_iterable(self._metadata(some, generation_id) for some in batched(chunk_ids, _VALUES))
        return {row[0]: ChunkMetadata(*row) for row in rows}

    def places_at(self, generation_id: str, urls: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks of the documents at these URLs stand, by URL and position."""
        return _in_order(self._rows_of(generation_id, urls, queries.places_at))

    def places_of_ids(self, generation_id: str, chunk_ids: Sequence[str]) -> list[ChunkPlace]:
        """Where these chunks stand, by URL and position."""
        return _in_order(self._rows_of(generation_id, chunk_ids, queries.places_of_ids))

    def places_of_texts(self, generation_id: str, content_hashes: Sequence[str]) -> list[ChunkPlace]:
        """Where the chunks with these texts stand, by URL and position."""
        return _in_order(self._rows_of(generation_id, content_hashes, queries.places_of_texts))

    def embedded_hashes(self, generation_id: str) -> dict[str, EmbeddedChunk]:
        """For each hash of an embedded text, a chunk of this generation that has it."""
        with self._database.reading() as connection:
            _state(connection, generation_id)
            rows = connection.execute(queries.embedded_hashes(generation_id)).all()
            packed = _checksum_rows(connection, queries.checksums(generation_id))
        known = unpacked_checksums(packed, ((row[0], row[2]) for row in rows), skip_damaged=True)
        chunks = ((digest, EmbeddedChunk(chunk_id, known.get(chunk_id))) for _, digest, chunk_id in rows)
        return {digest: chunk for digest, chunk in chunks if chunk.checksum is not None or not packed}

    def record_checksums(self, generation_id: str, checksums: Mapping[str, Mapping[str, bytes]]) -> None:
        """Record the checksums of the vectors of whole documents, in one transaction: by URL, and by chunk id."""
        values = [{"at": url, "packed": packed_checksums(by_id)} for url, by_id in checksums.items()]
        with self._database.writing(durable=False) as connection:
            rules.check_building(generation_id, _state(connection, generation_id))
            if values:
                connection.execute(queries.record_checksums(generation_id), values)

    def checksums(self, generation_id: str, urls: Sequence[str]) -> dict[str, bytes]:
        """The recorded checksums of the vectors of the documents at these URLs, by chunk id."""
        found: dict[str, bytes] = {}
        with self._database.reading() as connection:
            _state(connection, generation_id)
            for some in batched(dict.fromkeys(urls), _VALUES):
                packed = _checksum_rows(connection, queries.checksums_at(generation_id, some))
                chunks = connection.execute(queries.embedded_hashes_at(generation_id, some)).all() if packed else ()
                found |= unpacked_checksums(packed, ((row[0], row[2]) for row in chunks))
        return found

    # judgments

    def anchors(self, keys: Sequence[str]) -> dict[str, Passage]:
        """What is kept under these keys."""
        with self._database.reading() as connection:
            return _anchors(connection, keys)

    def keep_anchors(self, generation_id: str, anchors: Mapping[str, Passage]) -> None:
        """Keep what judgments turned out to be about; what is kept already stays as it is."""
        rows = [
            {"key": key, "generation_id": generation_id, "kept_at": now_utc(), "passage": packed_passage(passage)}
            for key, passage in anchors.items()
        ]
        with self._database.writing(durable=True) as connection:
            _state(connection, generation_id)
            known = _anchors(connection, list(anchors))
            self._database.fill(connection, anchors_table, (row for row in rows if row["key"] not in known))

    def _rows_of(
        self, generation_id: str, values: Sequence[str], statement: Callable[[str, list[str]], Select[Any]]
    ) -> list[Row]:
        """What a statement finds in a generation for these values, however many they are."""
        with self._database.reading() as connection:
            _state(connection, generation_id)
            parts = batched(dict.fromkeys(values), _VALUES)
            return [row for some in parts for row in _rows(connection, statement(generation_id, some))]

    def _metadata(self, chunk_ids: list[str], generation_id: str) -> Iterable[Sequence[Any]]:
        look_ups = self._database.look_ups
        if look_ups is not None:
            values = (chunk_ids, generation_id)
            return look_ups.ask(queries.METADATA_IN_POSTGRES, values)
        with self._database.reading() as connection:
            return connection.execute(queries.metadata_of(chunk_ids, generation_id)).all()

    # Reading a whole generation takes one short transaction for each part: nobody has to wait for a slow reader,
    # and no log grows behind it. A generation does not change once it is sealed; that it is still there is checked.

    def _in_parts(
        self,
        generation_id: str,
        statement: Callable[[str, str, int], Select[Any]],
        read: Callable[[Connection, Sequence[Row]], list[T]],
    ) -> Iterator[list[T]]:
        """What `read` makes of a few documents at a time, by URL. statement: the rows after a URL, at most so many."""
        url = ""
        while True:
            with self._database.reading() as connection:
                _state(connection, generation_id)
                rows = _rows(connection, statement(generation_id, url, _DOCUMENTS))
                found = read(connection, rows)
            if not rows:
                return
            yield found
            url = rows[-1]["url"]

    def _documents_at(self, generation_id: str, urls: Sequence[str]) -> Iterator[list[StoredDocument]]:
        for some in batched(sorted(set(urls)), _DOCUMENTS):
            with self._database.reading() as connection:
                _state(connection, generation_id)
                rows = _rows(connection, queries.documents_at(generation_id, some))
            yield [stored_document_of(row) for row in rows]

    def _chunks_of(self, generation_id: str, revisions: Sequence[str]) -> Iterator[list[Chunk]]:
        rows: list[Row] = []
        with self._database.reading() as connection:
            for some in batched(dict.fromkeys(revisions), _VALUES):
                rows += _rows(connection, queries.infos_of(generation_id, some))
        for part in batched(sorted(rows, key=lambda row: str(row["url"])), _DOCUMENTS):
            with self._database.reading() as connection:
                _state(connection, generation_id)
                found = _chunks_in(connection, part)
            yield found


def _state(connection: Connection, generation_id: str) -> State:
    """A generation's state, or GenerationNotFound. A writer holds the only right to change it."""
    state = None if rules.is_none(generation_id) else connection.scalar(queries.state(generation_id))
    if state is None:
        raise rules.not_found(generation_id)
    return State(state)


def _generation(connection: Connection, generation_id: str) -> Generation:
    found = None if rules.is_none(generation_id) else connection.execute(queries.generation(generation_id))
    row = None if found is None else found.mappings().one_or_none()
    if row is None:
        raise rules.not_found(generation_id)
    return generation_of(row)


def _rows(connection: Connection, statement: Executable) -> list[Row]:
    return list(connection.execute(statement).mappings())


def _stored_documents(_: Connection, rows: Sequence[Row]) -> list[StoredDocument]:
    return [stored_document_of(row) for row in rows]


def _listed_documents(_: Connection, rows: Sequence[Row]) -> list[ListedDocument]:
    return [listed_document_of(row) for row in rows]


def _chunks_in(connection: Connection, documents: Sequence[Row]) -> list[Chunk]:
    """The chunks of a few documents, in the order of the documents and by position."""
    infos = {row["id"]: info_of(row) for row in documents}
    found: dict[int, list[Chunk]] = {number: [] for number in infos}
    for row in connection.execute(queries.chunks_of(list(infos))).mappings():
        number = row["revision_id"]
        found[number].append(chunk_of(row, infos[number]))
    return [chunk for of_document in found.values() for chunk in of_document]


def _numbers(connection: Connection, revisions: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Number and URL of each of these revisions that is stored."""
    return {
        row.revision: (row.id, row.url)
        for some in batched(revisions, _VALUES)
        for row in connection.execute(queries.stored(some))
    }


def _store(database: Database, connection: Connection, revisions: Sequence[Revision]) -> None:
    """Store revisions that are not stored yet."""
    rows = (revision_row(revision.id, revision.document, len(revision.chunks)) for revision in revisions)
    database.fill(connection, document_revisions, rows)
    numbers = _numbers(connection, [revision.id for revision in revisions])
    now = now_utc()
    chunk_rows = (chunk_row(numbers[revision.id][0], chunk, now) for revision in revisions for chunk in revision.chunks)
    database.fill(connection, chunks_table, chunk_rows)


def _include(database: Database, connection: Connection, generation_id: str, revisions: Sequence[str]) -> None:
    """Include stored revisions in a generation; those that it has already stay."""
    numbers = _numbers(connection, revisions)
    wanted: dict[str, int] = {}
    for revision in revisions:
        if revision not in numbers:
            raise rules.not_stored(revision)
        number, url = numbers[revision]
        if wanted.setdefault(url, number) != number:
            raise rules.two_documents(generation_id, url)
    for some in batched(tuple(wanted), _VALUES):
        for row in connection.execute(queries.included(generation_id, some)):
            if wanted.pop(row.url) != row.revision_id:
                raise rules.two_documents(generation_id, row.url)
    rows = [{"generation_id": generation_id, "revision_id": number, "url": url} for url, number in wanted.items()]
    database.fill(connection, generation_documents, rows)


def _checksum_rows(connection: Connection, statement: Executable) -> list[tuple[int, str, bytes]]:
    return [(row[0], row[1], row[2]) for row in connection.execute(statement)]


def _in_order(rows: Iterable[Row]) -> list[ChunkPlace]:
    return sorted(map(chunk_place_of, rows), key=lambda place: (place.url, place.position))


def _anchors(connection: Connection, keys: Sequence[str]) -> dict[str, Passage]:
    rows = [row for some in batched(keys, _VALUES) for row in _rows(connection, queries.anchors_of(some))]
    return {row["key"]: unpacked_passage(row["passage"]) for row in rows}
