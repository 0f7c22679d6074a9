"""Checks, ids and errors shared by the SQL and the memory catalog."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from operator import attrgetter

from assay.errors import CatalogError, GenerationError, GenerationNotFound, InputError, InvalidTransition, LiveChanged
from assay.model.documents import Chunk, Document, DocumentInfo, Link, Section
from assay.model.generations import Generation, State, check_transition
from assay.model.headings import to_rows
from assay.model.ids import SLUG_LIMIT
from assay.ports import ANY_LIVE

CHUNK_ID_LIMIT = 50
"""Seed 003 stores a chunk id in VARCHAR(50)."""

GENERATION_ID_LIMIT = 64

_info_values = attrgetter(*(field.name for field in fields(DocumentInfo) if field.name != "address"))
_LATER = {"document", "created_at", "inner_headings"}
_chunk_values = attrgetter(*(field.name for field in fields(Chunk) if field.name not in _LATER))

_section_values = attrgetter(*(field.name for field in fields(Section)))
_link_values = attrgetter(*(field.name for field in fields(Link)))

_JSON = json.JSONEncoder(ensure_ascii=False)


def revision_id(document: Document, chunks: Sequence[Chunk]) -> str:
    """SHA-256 hex of everything stored of a document and its chunks, except the time of storage.

    Raises CatalogError for text that cannot be encoded as UTF-8.
    """
    digest = hashlib.sha256()
    sections, links = map(_section_values, document.sections), map(_link_values, document.links)
    parts = [
        (_info_values(document.info), document.key, document.source_hash, document.text),
        (list(sections), list(links)),
        # Documents of older versions have none of these.
        *([document.info.address] if document.info.address else []),
        *([chunk.position, to_rows(chunk.inner_headings)] for chunk in chunks if chunk.inner_headings),
    ]
    try:
        # One JSON array per line, so that different contents have different bytes.
        for values in (*parts, *map(_chunk_values, chunks)):
            digest.update(_JSON.encode(values).encode())
            digest.update(b"\n")
    except UnicodeEncodeError as error:
        raise CatalogError(
            f"{document.info.url} holds characters that are not text ({error.reason}).",
            hint="Save the page as UTF-8, or leave it out.",
        ) from error
    return digest.hexdigest()


def check_storable(document: Document, chunks: Sequence[Chunk]) -> None:
    """Raise CatalogError if a chunk belongs to another document or an id does not fit its column."""
    info = document.info
    if len(info.slug) > SLUG_LIMIT:
        raise CatalogError(f"The slug of {info.url} has {len(info.slug)} characters; the limit is {SLUG_LIMIT}.")
    for position, chunk in enumerate(chunks):
        if chunk.position != position:
            raise CatalogError(f"Chunk {chunk.id} of {info.url} has position {chunk.position} instead of {position}.")
        if chunk.document != info:
            raise CatalogError(f"Chunk {chunk.id} belongs to {chunk.document.url}, not to {info.url}.")
        if len(chunk.id) > CHUNK_ID_LIMIT:
            raise CatalogError(f"The chunk id {chunk.id!r} has more than {CHUNK_ID_LIMIT} characters.")
    if len({chunk.id for chunk in chunks}) != len(chunks):
        raise CatalogError(f"Two chunks of {info.url} have the same id.")


def check_new(generation: Generation) -> None:
    """Raise InvalidTransition unless a new generation is building, CatalogError for an id of the wrong length."""
    if generation.state is not State.BUILDING:
        raise InvalidTransition(
            f"Generation {generation.id} cannot begin as {generation.state}; every generation begins as building."
        )
    if not 0 < len(generation.id) <= GENERATION_ID_LIMIT:
        raise CatalogError(f"A generation's id has 1 to {GENERATION_ID_LIMIT} characters; got {generation.id!r}.")


def check_building(generation_id: str, state: State) -> None:
    """Raise GenerationError unless documents may still be added."""
    if state is not State.BUILDING:
        raise GenerationError(
            f"Generation {generation_id} is {state}, and only a building generation takes documents.",
            hint="Build a new one with `assay ingest`.",
        )


def check_step(generation_id: str, current: State, target: State) -> None:
    """Raise InvalidTransition unless `transition` may make this change."""
    check_transition(generation_id, current, target)
    if target is State.LIVE:
        raise InvalidTransition(
            f"Generation {generation_id} becomes live by promotion only.", hint="Use `assay promote`."
        )


def check_replaced(generation_id: str, live: str | None, expected: str | None) -> None:
    """Raise LiveChanged unless the expected generation is live, or none if that is expected."""
    if expected not in {ANY_LIVE, live}:
        raise LiveChanged(
            f"While generation {generation_id} was measured, {f'generation {live}' if live else 'no generation'} "
            "became the live one.",
            hint="It was not promoted. Run the command again: it measures against what is live now.",
        )


def check_forgettable(generation_id: str, state: State) -> None:
    """Raise InvalidTransition for the live generation."""
    if state is State.LIVE:
        raise InvalidTransition(
            f"Generation {generation_id} is live and cannot be deleted.",
            hint="Promote another one first; `assay generations` lists them.",
        )


def as_utc(moment: datetime) -> datetime:
    """Convert to UTC. Raises InputError for a time without a zone."""
    if moment.tzinfo is None:
        raise InputError(f"A time needs a time zone; got {moment.isoformat()}.")
    return moment.astimezone(UTC)


def already_exists(generation_id: str) -> GenerationError:
    """The error for an id in use."""
    return GenerationError(f"There is a generation {generation_id} already.")


def is_invalid_id(generation_id: str) -> bool:
    """Whether this cannot be an id: ids are ASCII, and databases refuse some other texts."""
    return not generation_id.isascii() or "\0" in generation_id


def not_found(generation_id: str) -> GenerationNotFound:
    """The error for an unknown id."""
    named = generation_id.encode("utf-8", "replace").decode()
    return GenerationNotFound(f"There is no generation {named}.", hint="`assay generations` lists every generation.")


def duplicate_url(generation_id: str, url: str) -> CatalogError:
    """The error for a second document at one URL."""
    return CatalogError(
        f"Generation {generation_id} would have two different documents at {url}.",
        hint="Two pages have the same canonical URL: change the slug or id of one, or leave it out.",
    )


def unknown_revision(revision: str) -> CatalogError:
    """The error for a revision that is not stored, or no longer."""
    return CatalogError(
        f"The catalog holds no document revision {revision}.",
        hint="The generation that had it is gone; read the page again.",
    )
