"""Conversion between nouns and rows."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields
from datetime import UTC, datetime
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from assay.adapters.catalog.sql.field_types import typed
from assay.adapters.catalog.sql.packing import (
    RESTORE_HINT,
    frozen,
    json_text,
    packed_outline,
    packed_text,
    unpacked_outline,
    unpacked_text,
)
from assay.adapters.catalog.sql.rules import as_utc
from assay.errors import CatalogCorrupt, CatalogError, CatalogSchemaError
from assay.model.documents import Chunk, Document, DocumentInfo
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State
from assay.model.headings import from_rows, to_rows
from assay.model.ids import content_hash
from assay.ports import ChunkPlace, KnownPage, ListedDocument, StoredDocument

Row = Mapping[Any, Any]
P = TypeVar("P", KnownPage, ChunkPlace)
T = TypeVar("T", DocumentInfo, EmbedderIdentity, ChunkerIdentity, SparseIdentity)

INFO_COLUMNS = ("url", "title", "source", "source_path", "slug")
"""Fields of DocumentInfo with their own column; the others are stored as JSON."""

_IDENTITIES: Mapping[str, type[Any]] = {
    "embedder": EmbedderIdentity,
    "chunker": ChunkerIdentity,
    "sparse": SparseIdentity,
}

_RENAMED = {"id": "chunk_id", "start": "span_start", "end": "span_end"}
_CHUNK_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "document")
_CHUNK_COLUMNS = tuple(_RENAMED.get(name, name) for name in _CHUNK_FIELDS)
_chunk_values, _chunk_columns = attrgetter(*_CHUNK_FIELDS), itemgetter(*_CHUNK_COLUMNS)

_ALWAYS_KNOWN = tuple(field.name for field in fields(DocumentInfo) if field.default is MISSING)


def generation_row(generation: Generation) -> dict[str, Any]:
    """Make a row of `generations`. Raises InputError for a time without a zone, CatalogError for values JSON lacks."""
    row = {field.name: getattr(generation, field.name) for field in fields(Generation)}
    for column in ("created_at", "sealed_at", "promoted_at"):
        row[column] = None if row[column] is None else as_utc(row[column])
    return row | {
        "state": str(generation.state),
        **{name: asdict(row[name]) for name in _IDENTITIES},
        "sources": list(generation.sources),
        "verdict": None if generation.verdict is None else _as_json(generation.id, "verdict", generation.verdict),
        "seconds": _as_json(generation.id, "seconds", generation.seconds),
        "unread_documents": None if generation.unread_documents is None else dict(generation.unread_documents),
    }


def generation_of(row: Row) -> Generation:
    """Read a row of `generations`. Raises CatalogCorrupt."""
    with _corrupt_on_error(f"generation {row['id']}") as damaged:
        identities = {name: typed(restored(noun, row[name]), damaged) for name, noun in _IDENTITIES.items()}
        values = {**row, **identities, "state": State(row["state"]), "sources": frozen(row["sources"])}
        return typed(Generation(**values), damaged)


def revision_row(revision: str, document: Document, chunk_count: int) -> dict[str, Any]:
    """Make a row of `document_revisions`, without its number."""
    info = {field.name: getattr(document.info, field.name) for field in fields(DocumentInfo)}
    return {
        **{column: info.pop(column) for column in INFO_COLUMNS},
        "more": info,
        "revision": revision,
        "key": document.key,
        "source_hash": document.source_hash,
        "text_hash": content_hash(document.text),
        "chunk_count": chunk_count,
        "text": packed_text(document.text),
        "outline": packed_outline(document.sections, document.links),
    }


def info_of(row: Row) -> DocumentInfo:
    """Read the document info of a row of `document_revisions`. Raises CatalogCorrupt."""
    with _corrupt_on_error(row["url"]) as damaged:
        known = {**row["more"], **{column: row[column] for column in INFO_COLUMNS}}
        if lacking := [name for name in _ALWAYS_KNOWN if name not in known]:
            raise damaged(f"it lacks {', '.join(lacking)}")
        return typed(restored(DocumentInfo, known), damaged)


def known_page_of(row: Row) -> KnownPage:
    """Read a row of PAGE. Raises CatalogCorrupt."""
    return _by_columns(KnownPage, row)


def stored_document_of(row: Row) -> StoredDocument:
    """Read a row of STORED. Raises CatalogCorrupt."""
    text = unpacked_text(row["text"], f"text of {row['url']}")
    outline = row["outline"]
    sections, links = (None, None) if outline is None else unpacked_outline(outline, row["url"])
    columns = {name: row[name] for name in ("revision", "key", "source_hash", "text_hash", "chunk_count")}
    stored = StoredDocument(info=info_of(row), text=text, sections=sections, links=links, **columns)
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(stored, damaged)


def listed_document_of(row: Row) -> ListedDocument:
    """Read a row of LISTED. Raises CatalogCorrupt."""
    listed = ListedDocument(row["revision"], info_of(row), row["text_hash"], row["chunk_count"])
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(listed, damaged)


def chunk_place_of(row: Row) -> ChunkPlace:
    """Read a row of PLACE. Raises CatalogCorrupt."""
    return _by_columns(ChunkPlace, row)


def _by_columns(noun: type[P], row: Row) -> P:
    """Read a noun whose fields are columns."""
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(noun(**{field.name: row[field.name] for field in fields(noun)}), damaged)


def chunk_row(revision_number: int, chunk: Chunk, now: datetime) -> dict[str, Any]:
    """Make a row of `chunks`. now: time of first storage for a chunk without one."""
    row: dict[str, Any] = dict(zip(_CHUNK_COLUMNS, _chunk_values(chunk), strict=True))
    created_at = now if chunk.created_at is None else as_utc(chunk.created_at)
    headings = to_rows(chunk.inner_headings) or None
    return row | {"revision_id": revision_number, "created_at": created_at, "inner_headings": headings}


def chunk_of(row: Row, document: DocumentInfo) -> Chunk:
    """Read the chunk in a row of `chunks`. Raises CatalogCorrupt if it is damaged."""
    with _corrupt_on_error(f"chunk {row['chunk_id']} of {document.url}") as damaged:
        values: dict[str, Any] = dict(zip(_CHUNK_FIELDS, _chunk_columns(row), strict=True))
        values["heading_path"] = frozen(values["heading_path"])
        values["inner_headings"] = from_rows(values["inner_headings"])
        return typed(Chunk(document=document, **values), damaged)


@contextmanager
def _corrupt_on_error(what: object) -> Iterator[Callable[[str], CatalogCorrupt]]:
    """Turn errors of the block into CatalogCorrupt; yields the function that makes that error."""

    def damaged(problem: object) -> CatalogCorrupt:
        return CatalogCorrupt(f"The stored data of {what} is damaged ({problem}).", hint=RESTORE_HINT)

    try:
        yield damaged
    except (TypeError, ValueError, AttributeError) as error:
        raise damaged(error) from error


def restored(noun: type[T], values: Mapping[str, Any]) -> T:
    """Make a frozen dataclass from the JSON object of its fields; arrays become tuples.

    Unknown fields are ignored, missing ones take their default. Raises CatalogSchemaError for a missing field without
    a default.
    """
    known = {field.name: field for field in fields(noun)}
    missing = [
        name
        for name, field in known.items()
        if name not in values and field.default is MISSING and field.default_factory is MISSING
    ]
    if missing:
        raise CatalogSchemaError(
            f"The catalog holds a {noun.__name__} without {', '.join(missing)}; another version of Assay wrote it.",
            hint="Remove the catalog and run `assay publish`, or use the version that wrote it.",
        )
    arguments: dict[str, Any] = {name: frozen(value) for name, value in values.items() if name in known}
    return noun(**arguments)


def _as_json(generation_id: str, name: str, values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values as they come back from JSON, so that stored and read values are equal."""
    try:
        plain: dict[str, Any] = json.loads(json_text(dict(values)))
    except (TypeError, ValueError) as error:
        raise CatalogError(f"The {name} of generation {generation_id} cannot be stored as JSON ({error}).") from error
    return plain


def now_utc() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
