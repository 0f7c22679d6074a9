"""Every statement of the catalog, by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Delete, Select, String, Update, bindparam, delete, exists, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from assay.adapters.catalog.sql.tables import (
    anchors,
    chunks,
    document_revisions,
    documents_view,
    generation_documents,
    generations,
    live,
    vocabularies,
)

_revisions = document_revisions.c
_mapping = generation_documents.c

INFO = (_revisions.url, _revisions.title, _revisions.source, _revisions.source_path, _revisions.slug, _revisions.more)
PAGE = (_revisions.key, _revisions.source, _revisions.url, _revisions.source_hash, _revisions.revision)
STORED = (
    *INFO,
    *(_revisions.revision, _revisions.key, _revisions.source_hash, _revisions.text_hash),
    *(_revisions.chunk_count, _revisions.text, _revisions.outline),
)
LISTED = (*INFO, _revisions.id, _revisions.revision, _revisions.text_hash, _revisions.chunk_count)
# The URL that rows are ordered by. In a damaged catalog it differs from the document's, which would not advance.
_NEXT_AFTER = _mapping.url.label("next_after")
PLACE = (
    *(chunks.c.chunk_id, _mapping.url, chunks.c.position, chunks.c.content_hash),
    *(chunks.c.span_start.label("start"), chunks.c.span_end.label("end")),
)

LIVE_ID = "SELECT generation_id FROM {schema}live"
VERSION = "SELECT version_num FROM {schema}catalog_version"

METADATA_IN_POSTGRES = """
SELECT chunk_id, source_path, slug, title
FROM {schema}documents
WHERE chunk_id = ANY(%s) AND (SELECT generation_id FROM {schema}live) = %s
"""
"""metadata_of for the driver. Values: a list of chunk ids, and the generation id."""


# --- generations ---------------------------------------------------------------------------------------------------


def generation(generation_id: str) -> Select[Any]:
    """One generation."""
    return select(generations).where(generations.c.id == generation_id)


def all_generations() -> Select[Any]:
    """Every generation, newest first."""
    return select(generations).order_by(generations.c.created_at.desc(), generations.c.id.desc())


def state(generation_id: str) -> Select[Any]:
    """A generation's state."""
    return select(generations.c.state).where(generations.c.id == generation_id)


def change_generation(generation_id: str, **values: object) -> Update:
    """Change columns of one generation."""
    return update(generations).where(generations.c.id == generation_id).values(values)


def set_live(generation_id: str | None) -> Update:
    """Change the live row."""
    return update(live).values(generation_id=generation_id)


# --- forgetting ----------------------------------------------------------------------------------------------------


def delete_generation(generation_id: str) -> Delete:
    """Delete a generation, and by cascade its list of documents."""
    return delete(generations).where(generations.c.id == generation_id)


_used = exists().where(_mapping.revision_id == _revisions.id)


def unused_revisions(after: int, limit: int) -> Select[Any]:
    """Row numbers, after one, of the next revisions that no generation includes."""
    return select(_revisions.id).where(_revisions.id > after, ~_used).order_by(_revisions.id).limit(limit)


def delete_unused(numbers: Sequence[int]) -> Delete:
    """Delete those of these revisions that no generation includes, and by cascade their chunks."""
    return delete(document_revisions).where(_revisions.id.in_(numbers), ~_used)


# --- documents -----------------------------------------------------------------------------------------------------


class _Unindexed(FunctionElement[str]):
    """A column for whose condition SQLite uses no index: its rows are found by another condition.

    Without statistics SQLite would begin with every document of a generation instead of a few chunks.
    """

    name = "unindexed"
    inherit_cache = True
    type = String()


@compiles(_Unindexed)
def _plain(element: _Unindexed, compiler: SQLCompiler, **options: object) -> str:
    return compiler.process(element.clauses, **options)


@compiles(_Unindexed, "sqlite")
def _unary_plus(element: _Unindexed, compiler: SQLCompiler, **options: object) -> str:
    return f"+{compiler.process(element.clauses, **options)}"  # https://www.sqlite.org/optoverview.html


def _filters(generation_id: str) -> ColumnElement[bool]:
    return _Unindexed(_mapping.generation_id) == generation_id


_DOCUMENTS = generation_documents.join(document_revisions, _revisions.id == _mapping.revision_id)


def _of(generation_id: str, *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).select_from(_DOCUMENTS).where(_mapping.generation_id == generation_id)


def _found_in(generation_id: str, *columns: ColumnElement[Any]) -> Select[Any]:
    """Like _of, for a few documents that another condition finds."""
    return select(*columns).select_from(_DOCUMENTS).where(_filters(generation_id))


def known_pages(generation_id: str) -> Select[Any]:
    """PAGE of every document."""
    return _of(generation_id, *PAGE)


def document(generation_id: str, url: str) -> Select[Any]:
    """STORED of the document at a URL."""
    return _of(generation_id, *STORED).where(_mapping.url == url)


def documents_at(generation_id: str, urls: Sequence[str]) -> Select[Any]:
    """STORED of the documents at these URLs, by URL."""
    return _of(generation_id, *STORED).where(_mapping.url.in_(urls)).order_by(_mapping.url)


def urls_of_texts(generation_id: str, text_hashes: Sequence[str]) -> Select[Any]:
    """Text hash and URL of the documents with these texts, by URL."""
    statement = _found_in(generation_id, _revisions.text_hash, _mapping.url)
    return statement.where(_revisions.text_hash.in_(text_hashes)).order_by(_mapping.url)


def text_of(text_hash: str) -> Select[Any]:
    """URL and text of any revision with this text."""
    return select(_revisions.url, _revisions.text).where(_revisions.text_hash == text_hash).limit(1)


def documents_after(generation_id: str, url: str, limit: int) -> Select[Any]:
    """STORED and `next_after` of the next documents in the order of URLs; "" comes before the first."""
    statement = _of(generation_id, *STORED, _NEXT_AFTER)
    return statement.where(_mapping.url > url).order_by(_mapping.url).limit(limit)


def infos_after(generation_id: str, url: str, limit: int) -> Select[Any]:
    """LISTED and `next_after` of the next documents in the order of URLs."""
    statement = _of(generation_id, *LISTED, _NEXT_AFTER)
    return statement.where(_mapping.url > url).order_by(_mapping.url).limit(limit)


def infos_of(generation_id: str, revisions: Sequence[str]) -> Select[Any]:
    """LISTED of those of these revisions that the generation includes."""
    return _found_in(generation_id, *LISTED).where(_revisions.revision.in_(revisions))


def stored(revisions: Sequence[str]) -> Select[Any]:
    """Row number, id and URL of the stored revisions."""
    return select(_revisions.id, _revisions.revision, _revisions.url).where(_revisions.revision.in_(revisions))


def revisions(numbers: Sequence[int]) -> Select[Any]:
    """Row number and STORED of revisions."""
    return select(_revisions.id, *STORED).where(_revisions.id.in_(numbers))


def change_revision(number: int, values: Mapping[str, Any]) -> Update:
    """Overwrite a revision."""
    return update(document_revisions).where(_revisions.id == number).values(dict(values))


def delete_chunks(number: int) -> Delete:
    """Delete the chunks of a revision."""
    return delete(chunks).where(chunks.c.revision_id == number)


def times_stored(number: int) -> Select[Any]:
    """Chunk id and time of first storage of a revision's chunks."""
    return select(chunks.c.chunk_id, chunks.c.created_at).where(chunks.c.revision_id == number)


def included(generation_id: str, urls: Sequence[str]) -> Select[Any]:
    """URL and row number of the documents of a generation at these URLs."""
    return select(_mapping.url, _mapping.revision_id).where(
        _mapping.generation_id == generation_id, _mapping.url.in_(urls)
    )


# --- chunks --------------------------------------------------------------------------------------------------------


def chunks_of(numbers: Sequence[int]) -> Select[Any]:
    """The chunks of revisions, by revision number and position."""
    columns = [column for column in chunks.c if column.name != "order_index"]
    return select(*columns).where(chunks.c.revision_id.in_(numbers)).order_by(chunks.c.revision_id, chunks.c.position)


_PLACES = select(*PLACE).select_from(generation_documents.join(chunks, chunks.c.revision_id == _mapping.revision_id))


def places_at(generation_id: str, urls: Sequence[str]) -> Select[Any]:
    """PLACE of the chunks of the documents at these URLs."""
    return _PLACES.where(_mapping.generation_id == generation_id, _mapping.url.in_(urls))


def places_of_ids(generation_id: str, chunk_ids: Sequence[str]) -> Select[Any]:
    """PLACE of these chunks."""
    return _PLACES.where(_filters(generation_id), chunks.c.chunk_id.in_(chunk_ids))


def places_of_texts(generation_id: str, content_hashes: Sequence[str]) -> Select[Any]:
    """PLACE of the chunks with these texts."""
    return _PLACES.where(_filters(generation_id), chunks.c.content_hash.in_(content_hashes))


_CHUNKS_OF_DOCUMENTS = select(chunks.c.revision_id, chunks.c.embedded_hash, chunks.c.chunk_id).select_from(
    generation_documents.join(chunks, chunks.c.revision_id == _mapping.revision_id)
)


def embedded_chunks(generation_id: str, hashes: Sequence[str]) -> Select[Any]:
    """Row number of the revision, hash of the embedded text, and id of the chunks with these hashes."""
    return _CHUNKS_OF_DOCUMENTS.where(_filters(generation_id), chunks.c.embedded_hash.in_(hashes))


def chunk_ids_at(generation_id: str, urls: Sequence[str]) -> Select[Any]:
    """Like embedded_chunks, for all chunks of the documents at these URLs."""
    return _CHUNKS_OF_DOCUMENTS.where(_mapping.generation_id == generation_id, _mapping.url.in_(urls))


_CHECKSUMS = (_mapping.revision_id, _mapping.url, _mapping.vector_checksums)


def _with_checksums(generation_id: str, *columns: ColumnElement[Any]) -> Select[Any]:
    return select(*columns).where(_mapping.generation_id == generation_id, _mapping.vector_checksums.is_not(None))


def has_checksums(generation_id: str) -> Select[Any]:
    """One row if any document of the generation has checksums."""
    return _with_checksums(generation_id, _mapping.revision_id).limit(1)


def checksums_of(generation_id: str, numbers: Sequence[int]) -> Select[Any]:
    """Row number of the revision, URL and packed checksums of those of these revisions that have checksums."""
    return _with_checksums(generation_id, *_CHECKSUMS).where(_mapping.revision_id.in_(numbers))


def checksums_at(generation_id: str, urls: Sequence[str]) -> Select[Any]:
    """Like checksums_of, for the documents at these URLs."""
    return _with_checksums(generation_id, *_CHECKSUMS).where(_mapping.url.in_(urls))


def record_checksums(generation_id: str) -> Update:
    """Set the checksums of one document. Values: `at` (its URL), `packed`."""
    return (
        update(generation_documents)
        .where(_mapping.generation_id == generation_id, _mapping.url == bindparam("at"))
        .values(vector_checksums=bindparam("packed"))
    )


def metadata_of(chunk_ids: Sequence[str], generation_id: str) -> Select[Any]:
    """Columns of the documents view that a search joins, while this generation is live."""
    view = documents_view.c
    now_live = select(live.c.generation_id).scalar_subquery()
    return select(view.chunk_id, view.source_path, view.slug, view.title).where(
        view.chunk_id.in_(chunk_ids), now_live == generation_id
    )


# --- vocabularies --------------------------------------------------------------------------------------------------


def vocabulary_of(generation_id: str) -> Select[Any]:
    """The packed vocabulary of a generation."""
    return select(vocabularies.c.content).where(vocabularies.c.generation_id == generation_id)


def delete_vocabulary(generation_id: str) -> Delete:
    """Delete the vocabulary of a generation."""
    return delete(vocabularies).where(vocabularies.c.generation_id == generation_id)


# --- anchors -------------------------------------------------------------------------------------------------------


def anchors_of(keys: Sequence[str]) -> Select[Any]:
    """Key and passage of these anchors."""
    return select(anchors.c.key, anchors.c.passage).where(anchors.c.key.in_(keys))
