"""Sections, links, passages and checksums as bytes that take little room; all but the last are JSON, compressed."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, TypeVar

from assay.adapters.catalog.sql.field_types import typed
from assay.errors import CatalogCorrupt
from assay.model.documents import Link, Section
from assay.model.evaluation import Passage, Quote, Span
from assay.ports import CHECKSUM_BYTES

T = TypeVar("T", Section, Link)

MEND = "Restore the catalog from a backup, or remove it and run `assay publish`."
"""What to do about a damaged record."""

COMPRESSION = 1
"""zlib's fastest: pages shrink to 34%, where twice the time (level 6) would give 30%."""

_SHORT = 8
_ENTRY = _SHORT + CHECKSUM_BYTES

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

Outline = tuple[tuple[Section, ...], tuple[Link, ...]]
"""What points into a document's text."""


def json_text(value: object) -> str:
    """JSON that every database takes. Raises ValueError for NaN and infinity, TypeError for what is not JSON."""
    return _JSON.encode(value)


def packed_text(text: str) -> bytes:
    """UTF-8, compressed."""
    return zlib.compress(text.encode(), COMPRESSION)


def unpacked_text(packed: bytes, what: str) -> str:
    """The text again. what: it is, for the CatalogCorrupt that is raised when it is damaged."""
    try:
        return zlib.decompress(packed).decode()
    except (zlib.error, UnicodeDecodeError, TypeError) as error:
        raise _damaged(what, error) from error


def packed_outline(sections: Sequence[Section], links: Sequence[Link]) -> bytes:
    """Sections and links by columns, which is half as large as one object for each, and as quick."""
    return packed_text(json_text({"sections": _columns(Section, sections), "links": _columns(Link, links)}))


def unpacked_outline(packed: bytes, url: str) -> Outline:
    """Sections and links again. Raises CatalogCorrupt, which names the page, when they are damaged."""
    what = f"outline of {url}"
    text = unpacked_text(packed, what)
    try:
        outline = json.loads(text)
        return tuple(_rows(Section, outline["sections"])), tuple(_rows(Link, outline["links"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(what, error) from error


def packed_passage(passage: Passage) -> bytes:
    """A passage without what it does not say."""
    return packed_text(json_text({name: value for name, value in asdict(passage).items() if value is not None}))


def unpacked_passage(packed: bytes) -> Passage:
    """The passage again. Raises CatalogCorrupt when it is damaged."""
    text = unpacked_text(packed, "anchor of a judgment")
    try:
        values = json.loads(text)
        for name, noun in (("quote", Quote), ("position", Span)):
            if name in values:
                values[name] = noun(**values[name])
        return typed(Passage(**values), TypeError)
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged("anchor of a judgment", error) from error


def packed_checksums(by_id: Mapping[str, bytes]) -> bytes:
    """The checksums of a document's vectors, each after a short hash of its chunk's id."""
    return b"".join(_short(chunk_id) + checksum for chunk_id, checksum in by_id.items())


def unpacked_checksums(
    packed: Iterable[tuple[object, str, bytes]], chunks: Iterable[tuple[object, str]], *, skip_damaged: bool = False
) -> dict[str, bytes]:
    """The checksums of some documents by chunk id.

    packed: what names a document's revision, its URL and its packed checksums. chunks: a revision and a chunk of it.
    skip_damaged: takes what can be read of checksums that are cut short, which otherwise raise CatalogCorrupt.
    """
    ids: dict[object, list[str]] = {}
    for revision, chunk_id in chunks:
        ids.setdefault(revision, []).append(chunk_id)
    found: dict[str, bytes] = {}
    for revision, url, checksums in packed:
        if len(checksums) % _ENTRY and not skip_damaged:
            raise CatalogCorrupt(
                f"The stored checksums of the vectors of {url} are damaged: {len(checksums)} bytes.",
                hint="`assay publish --rebuild` records them again.",
            )
        entries = (checksums[start : start + _ENTRY] for start in range(0, len(checksums) - _ENTRY + 1, _ENTRY))
        recorded = {entry[:_SHORT]: entry[_SHORT:] for entry in entries}
        known = ((chunk_id, recorded.get(_short(chunk_id))) for chunk_id in ids.get(revision, ()))
        found.update((chunk_id, checksum) for chunk_id, checksum in known if checksum is not None)
    return found


def _short(chunk_id: str) -> bytes:
    """Eight bytes for an id, which is nowhere looked for but among those of one document."""
    return hashlib.blake2b(chunk_id.encode("utf-8", "surrogatepass"), digest_size=_SHORT).digest()


def _columns(noun: type[T], values: Sequence[T]) -> dict[str, list[Any]]:
    return {field.name: list(map(attrgetter(field.name), values)) for field in fields(noun)}


def _rows(noun: type[T], columns: Mapping[str, Sequence[Any]]) -> Iterable[T]:
    """A column that the noun no longer has is left out; one that it has got since takes its default."""
    names = [field.name for field in fields(noun) if field.name in columns]
    for row in zip(*(columns[name] for name in names), strict=True):
        values: dict[str, Any] = dict(zip(names, map(_frozen, row), strict=True))
        yield typed(noun(**values), TypeError)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _damaged(what: str, error: Exception) -> CatalogCorrupt:
    return CatalogCorrupt(
        f"The stored {what} is damaged ({error}).",
        hint=MEND,
    )
