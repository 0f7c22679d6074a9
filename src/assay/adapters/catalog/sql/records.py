"""Conversion between nouns and rows."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, fields
from datetime import UTC, datetime
from typing import Any, TypeVar

from assay.adapters.catalog.sql.field_types import typed
from assay.adapters.catalog.sql.packing import (
    RESTORE_HINT,
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
from assay.model.ids import content_hash
from assay.ports import ChunkPlace, KnownPage, ListedDocument, StoredDocument

Row = Mapping[Any, Any]
T = TypeVar("T", DocumentInfo, EmbedderIdentity, ChunkerIdentity, SparseIdentity)

INFO_COLUMNS = ("url", "title", "source", "source_path", "slug")
"""Fields of DocumentInfo with their own column; the others are stored as JSON."""

_ALWAYS_KNOWN = tuple(field.name for field in fields(DocumentInfo) if field.default is MISSING)


def generation_row(generation: Generation) -> dict[str, Any]:
    """Make a row of `generations`. Raises InputError for a time without a zone, CatalogError for values JSON lacks."""
    row = {field.name: getattr(generation, field.name) for field in fields(Generation)}
    for column in ("created_at", "sealed_at", "promoted_at"):
        row[column] = None if row[column] is None else as_utc(row[column])
    return row | {
        "state": str(generation.state),
        "embedder": asdict(generation.embedder),
        "chunker": asdict(generation.chunker),
        "sparse": asdict(generation.sparse),
        "sources": list(generation.sources),
        "verdict": None if generation.verdict is None else _as_json(generation.id, "verdict", generation.verdict),
        "seconds": _as_json(generation.id, "seconds", generation.seconds),
        "unread_documents": None if generation.unread_documents is None else dict(generation.unread_documents),
    }


def generation_of(row: Row) -> Generation:
    """Read a row of `generations`. Raises CatalogCorrupt."""
    with _corrupt_on_error(f"generation {row['id']}") as damaged:
        found = Generation(
            **{
                **row,
                "state": State(row["state"]),
                "embedder": typed(restored(EmbedderIdentity, row["embedder"]), damaged),
                "chunker": typed(restored(ChunkerIdentity, row["chunker"]), damaged),
                "sparse": typed(restored(SparseIdentity, row["sparse"]), damaged),
                "sources": _frozen(row["sources"]),
            }
        )
        return typed(found, damaged)


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
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(KnownPage(**{field.name: row[field.name] for field in fields(KnownPage)}), damaged)


def stored_document_of(row: Row) -> StoredDocument:
    """Read a row of STORED. Raises CatalogCorrupt."""
    text = unpacked_text(row["text"], f"text of {row['url']}")
    outline = row["outline"]
    sections, links = (None, None) if outline is None else unpacked_outline(outline, row["url"])
    stored = StoredDocument(
        revision=row["revision"],
        info=info_of(row),
        key=row["key"],
        source_hash=row["source_hash"],
        text=text,
        text_hash=row["text_hash"],
        chunk_count=row["chunk_count"],
        sections=sections,
        links=links,
    )
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(stored, damaged)


def listed_document_of(row: Row) -> ListedDocument:
    """Read a row of LISTED. Raises CatalogCorrupt."""
    listed = ListedDocument(row["revision"], info_of(row), row["text_hash"], row["chunk_count"])
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(listed, damaged)


def chunk_place_of(row: Row) -> ChunkPlace:
    """Read a row of PLACE. Raises CatalogCorrupt."""
    with _corrupt_on_error(row["url"]) as damaged:
        return typed(ChunkPlace(**{field.name: row[field.name] for field in fields(ChunkPlace)}), damaged)


def chunk_row(revision_number: int, chunk: Chunk, now: datetime) -> dict[str, Any]:
    """Make a row of `chunks`. now: time of first storage for a chunk without one."""
    return {
        "revision_id": revision_number,
        "position": chunk.position,
        "chunk_id": chunk.id,
        "previous_id": chunk.previous_id,
        "next_id": chunk.next_id,
        "span_start": chunk.start,
        "span_end": chunk.end,
        "section": chunk.section,
        "heading_path": chunk.heading_path,
        "anchor": chunk.anchor,
        "token_count": chunk.token_count,
        "tokenizer": chunk.tokenizer,
        "content_hash": chunk.content_hash,
        "embedded_hash": chunk.embedded_hash,
        "created_at": now if chunk.created_at is None else as_utc(chunk.created_at),
        "repeated_before": chunk.repeated_before,
        "repeated_after": chunk.repeated_after,
        "text": chunk.text,
    }


def chunk_of(row: Row, document: DocumentInfo) -> Chunk:
    """Read the chunk in a row of `chunks`. Raises CatalogCorrupt if it is damaged."""
    with _corrupt_on_error(f"chunk {row['chunk_id']} of {document.url}") as damaged:
        return typed(_chunk(row, document), damaged)


def _chunk(row: Row, document: DocumentInfo) -> Chunk:
    return Chunk(
        id=row["chunk_id"],
        document=document,
        text=row["text"],
        start=row["span_start"],
        end=row["span_end"],
        position=row["position"],
        section=row["section"],
        heading_path=_frozen(row["heading_path"]),
        anchor=row["anchor"],
        token_count=row["token_count"],
        tokenizer=row["tokenizer"],
        content_hash=row["content_hash"],
        embedded_hash=row["embedded_hash"],
        repeated_before=row["repeated_before"],
        repeated_after=row["repeated_after"],
        previous_id=row["previous_id"],
        next_id=row["next_id"],
        created_at=row["created_at"],
    )


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
    arguments: dict[str, Any] = {name: _frozen(value) for name, value in values.items() if name in known}
    return noun(**arguments)


def _as_json(generation_id: str, name: str, values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values as they come back from JSON, so that stored and read values are equal."""
    try:
        plain: dict[str, Any] = json.loads(json_text(dict(values)))
    except (TypeError, ValueError) as error:
        raise CatalogError(f"The {name} of generation {generation_id} cannot be stored as JSON ({error}).") from error
    return plain


def _frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(value) if isinstance(value, list) else value


def now_utc() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
