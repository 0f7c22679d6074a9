"""Documents that are stored already and not as their id says: a build that has them again writes them over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from assay.adapters.catalog.sql import queries, rules
from assay.adapters.catalog.sql.records import chunk_of, chunk_row, now_utc, revision_row, stored_document_of
from assay.adapters.catalog.sql.tables import chunks as chunks_table
from assay.errors import CatalogCorrupt
from assay.model.documents import Chunk, Document
from assay.model.ids import content_hash
from assay.ports import StoredDocument


@dataclass(frozen=True, slots=True)
class Revision:
    """A document with its chunks under the id that follows from them."""

    id: str
    document: Document
    chunks: Sequence[Chunk]


def mend(connection: Connection, revisions: Sequence[Revision], numbers: Mapping[str, tuple[int, str]]) -> None:
    """Write those over that are damaged. numbers: of each revision that is stored, its number and URL.

    Every generation that has them is mended by it; when their chunks were first stored is kept where it can be read.
    """
    if not revisions:
        return
    sound = _sound(connection, [numbers[revision.id][0] for revision in revisions])
    for revision in revisions:
        if revision.id not in sound:
            _write_over(connection, numbers[revision.id][0], revision)


def damaged(connection: Connection, numbers: Mapping[str, tuple[int, str]]) -> set[str]:
    """Ids of the revisions that are damaged; one without sections or links cannot be checked. numbers: as in mend."""
    return set(numbers) - _sound(connection, [number for number, _ in numbers.values()], unproven=True)


def _sound(connection: Connection, numbers: Sequence[int], *, unproven: bool = False) -> set[str]:
    """Ids of the revisions of these numbers that follow from what is stored of them.

    unproven: whether those that were stored without sections or links, which their ids cover, are among them.
    """
    try:
        rows = list(connection.execute(queries.revisions(numbers)).mappings())
        documents = {row["id"]: stored_document_of(row) for row in rows}
        chunks: dict[int, list[Chunk]] = {number: [] for number in documents}
        for row in connection.execute(queries.chunks_of(numbers)).mappings():
            number = row["revision_id"]
            chunks[number].append(chunk_of(row, documents[number].info))
    except (CatalogCorrupt, ValueError):  # the latter from a column that its type cannot read
        if len(numbers) == 1:
            return set()
        return {one for number in numbers for one in _sound(connection, [number], unproven=unproven)}
    return {stored.revision for number, stored in documents.items() if _follows(stored, chunks[number], unproven)}


def _follows(stored: StoredDocument, chunks: Sequence[Chunk], unproven: bool) -> bool:
    """Whether the id of a document follows from it and its chunks, and what is stored of them besides too."""
    if stored.sections is None or stored.links is None:
        return unproven
    document = Document(stored.info, stored.text, stored.sections, (), stored.links, stored.source_hash, stored.key)
    return (
        rules.revision_id(document, chunks) == stored.revision
        and stored.text_hash == content_hash(stored.text)
        and stored.chunk_count == len(chunks)
    )


def _write_over(connection: Connection, number: int, revision: Revision) -> None:
    dates, now = _dates(connection, number), now_utc()
    connection.execute(
        queries.change_revision(number, revision_row(revision.id, revision.document, len(revision.chunks)))
    )
    connection.execute(queries.delete_chunks(number))
    rows = [
        chunk_row(number, chunk, now) | ({"created_at": dates[chunk.id]} if chunk.id in dates else {})
        for chunk in revision.chunks
    ]
    if rows:
        connection.execute(chunks_table.insert(), rows)


def _dates(connection: Connection, number: int) -> dict[str, datetime]:
    """When each chunk was first stored, as far as that can be read."""
    try:
        return {row.chunk_id: row.created_at for row in connection.execute(queries.dates_of(number)) if row.created_at}
    except ValueError:
        return {}
