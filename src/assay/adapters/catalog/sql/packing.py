"""Compact encodings: sections, links and passages as compressed JSON, checksums as bytes."""

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from operator import attrgetter
from typing import Any, TypeVar

from assay.adapters.catalog.sql.field_types import typed
from assay.errors import CatalogCorrupt
from assay.model.documents import Link, Section
from assay.model.evaluation import Passage, Quote, Span
from assay.model.vocabulary import NameList, Vocabulary
from assay.ports import CHECKSUM_BYTES

T = TypeVar("T", Section, Link)

RESTORE_HINT = "Restore the catalog from a backup, or remove it and run `assay publish`."
"""Hint for a damaged record."""

COMPRESSION = 1
"""zlib's fastest level: pages shrink to 34%; level 6 takes twice as long and reaches 30%."""

_SHORT = 8
_ENTRY = _SHORT + CHECKSUM_BYTES

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

Outline = tuple[tuple[Section, ...], tuple[Link, ...]]
"""Sections and links of a document."""


def json_text(value: object) -> str:
    """Encode as JSON that every database accepts. Raises ValueError for NaN and infinity, TypeError."""
    return _JSON.encode(value)


def read_json(text: str) -> object:
    """Decode stored JSON. Raises ValueError, also for a column that holds no text or is nested too deeply."""
    try:
        return json.loads(text)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error


def packed_text(text: str) -> bytes:
    """Compress a text."""
    return zlib.compress(text.encode(), COMPRESSION)


def unpacked_text(packed: bytes, what: str) -> str:
    """Decompress a text. what: its name in a message. Raises CatalogCorrupt."""
    try:
        return zlib.decompress(packed).decode()
    except (zlib.error, UnicodeDecodeError, TypeError) as error:
        raise _damaged(what, error) from error


def packed_outline(sections: Sequence[Section], links: Sequence[Link]) -> bytes:
    """Encode sections and links by columns: half as large as one object each, and as fast."""
    return packed_text(json_text({"sections": _columns(Section, sections), "links": _columns(Link, links)}))


def unpacked_outline(packed: bytes, url: str) -> Outline:
    """Decode sections and links. Raises CatalogCorrupt."""
    what = f"outline of {url}"
    text = unpacked_text(packed, what)
    try:
        outline = json.loads(text)
        return tuple(_rows(Section, outline["sections"])), tuple(_rows(Link, outline["links"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(what, error) from error


def packed_passage(passage: Passage) -> bytes:
    """Encode a passage without its empty fields."""
    return packed_text(json_text({name: value for name, value in asdict(passage).items() if value is not None}))


def unpacked_passage(packed: bytes) -> Passage:
    """Decode a passage. Raises CatalogCorrupt."""
    text = unpacked_text(packed, "anchor of a judgment")
    try:
        values = json.loads(text)
        for name, noun in (("quote", Quote), ("position", Span)):
            if name in values:
                values[name] = noun(**values[name])
        return typed(Passage(**values), TypeError)
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged("anchor of a judgment", error) from error


def packed_vocabulary(vocabulary: Vocabulary) -> bytes:
    """Encode a vocabulary by columns."""
    columns = {
        "words": "\n".join(vocabulary.words),
        "counts": list(vocabulary.words.values()),
        "terms": vocabulary.terms.tolist(),
        "names": vocabulary.names.texts,
        "urls": vocabulary.names.urls,
        "titles": vocabulary.names.titles.decode(),
    }
    return packed_text(json_text(columns))


def unpacked_vocabulary(packed: bytes, generation_id: str) -> Vocabulary:
    """Decode a vocabulary. Raises CatalogCorrupt."""
    what = f"vocabulary of generation {generation_id}"
    text = unpacked_text(packed, what)
    try:
        columns = json.loads(text)
        words = columns["words"].split("\n") if columns["words"] else []
        names = NameList(columns["names"], columns["urls"], columns["titles"])
        return Vocabulary(
            dict(zip(words, map(int, columns["counts"]), strict=True)), array("I", columns["terms"]), names
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise _damaged(what, error) from error


def packed_checksums(by_id: Mapping[str, bytes]) -> bytes:
    """Encode the checksums of a document, each after a short hash of its chunk id."""
    return b"".join(_short_hash(chunk_id) + checksum for chunk_id, checksum in by_id.items())


def unpacked_checksums(
    packed: Iterable[tuple[object, str, bytes]], chunks: Iterable[tuple[object, str]], *, skip_damaged: bool = False
) -> dict[str, bytes]:
    """Decode the checksums of documents, by chunk id.

    packed: revision key, URL and packed checksums of each document.
    chunks: revision key and chunk id of each chunk.
    skip_damaged: read truncated checksums as far as possible instead of raising CatalogCorrupt.
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
        known = ((chunk_id, recorded.get(_short_hash(chunk_id))) for chunk_id in ids.get(revision, ()))
        found.update((chunk_id, checksum) for chunk_id, checksum in known if checksum is not None)
    return found


def _short_hash(chunk_id: str) -> bytes:
    """Eight bytes; only has to be unique within a document."""
    return hashlib.blake2b(chunk_id.encode("utf-8", "surrogatepass"), digest_size=_SHORT).digest()


def _columns(noun: type[T], values: Sequence[T]) -> dict[str, list[Any]]:
    return {field.name: list(map(attrgetter(field.name), values)) for field in fields(noun)}


def _rows(noun: type[T], columns: Mapping[str, Sequence[Any]]) -> Iterable[T]:
    """Rebuild nouns from columns; unknown columns are ignored, missing ones take the field's default."""
    known = [field.name for field in fields(noun)]
    names = [name for name in known if name in columns]
    rows = zip(*(map(frozen, columns[name]) for name in names), strict=True)
    if names == known[: len(names)]:  # nearly always; positions take half the time of names
        return [typed(noun(*row), TypeError) for row in rows]
    return [typed(noun(**dict(zip(names, row, strict=True))), TypeError) for row in rows]


def frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A list of JSON as a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _damaged(what: str, error: Exception) -> CatalogCorrupt:
    return CatalogCorrupt(f"The stored {what} is damaged ({error}).", hint=RESTORE_HINT)
