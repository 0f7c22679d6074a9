"""Repair of stored documents that no longer match their id: a build with the same documents overwrites them."""

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
    """A document with its chunks, under the id computed from them."""

    id: str
    document: Document
    chunks: Sequence[Chunk]


def repair(connection: Connection, revisions: Sequence[Revision], numbers: Mapping[str, tuple[int, str]]) -> None:
    """Overwrite damaged revisions. numbers: row number and URL by revision.

    This repairs every generation that includes them. Readable times of first storage are kept.
    """
    if not revisions:
        return
    sound = _intact(connection, [numbers[revision.id][0] for revision in revisions])
    for revision in revisions:
        if revision.id not in sound:
            _overwrite(connection, numbers[revision.id][0], revision)


def damaged(connection: Connection, numbers: Mapping[str, tuple[int, str]]) -> set[str]:
    """Ids of the damaged revisions; those without sections or links are not checked. numbers: as in `repair`."""
    return set(numbers) - _intact(connection, [number for number, _ in numbers.values()], include_uncheckable=True)


def _intact(connection: Connection, numbers: Sequence[int], *, include_uncheckable: bool = False) -> set[str]:
    """Ids of the revisions with these row numbers that match what is stored.

    include_uncheckable: include revisions stored without the sections or links that their ids cover.
    """
    try:
        rows = list(connection.execute(queries.revisions(numbers)).mappings())
        documents = {row["id"]: stored_document_of(row) for row in rows}
        chunks: dict[int, list[Chunk]] = {number: [] for number in documents}
        for row in connection.execute(queries.chunks_of(numbers)).mappings():
            number = row["revision_id"]
            chunks[number].append(chunk_of(row, documents[number].info))
    except (CatalogCorrupt, ValueError):  # ValueError: SQLAlchemy cannot read the column
        if len(numbers) == 1:
            return set()
        return {
            one for number in numbers for one in _intact(connection, [number], include_uncheckable=include_uncheckable)
        }
    return {
        stored.revision
        for number, stored in documents.items()
        if _matches_id(stored, chunks[number], include_uncheckable)
    }


def _matches_id(stored: StoredDocument, chunks: Sequence[Chunk], include_uncheckable: bool) -> bool:
    """Whether a document and its chunks match their id, hash and count."""
    if stored.sections is None or stored.links is None:
        return include_uncheckable
    document = Document(stored.info, stored.text, stored.sections, (), stored.links, stored.source_hash, stored.key)
    return (
        rules.revision_id(document, chunks) == stored.revision
        and stored.text_hash == content_hash(stored.text)
        and stored.chunk_count == len(chunks)
    )


def _overwrite(connection: Connection, number: int, revision: Revision) -> None:
    dates, now = _stored_times(connection, number), now_utc()
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


def _stored_times(connection: Connection, number: int) -> dict[str, datetime]:
    """Readable times at which chunks were first stored, by chunk id."""
    try:
        return {
            row.chunk_id: row.created_at for row in connection.execute(queries.times_stored(number)) if row.created_at
        }
    except ValueError:
        return {}
