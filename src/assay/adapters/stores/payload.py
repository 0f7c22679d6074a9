"""The payload of a point: every field of a chunk, under the names documented for outside readers.

The names of contracts.md §14 (`text`, `url`, `position`, …) are always present, null for an empty field. The embedded
store and the Qdrant server store the same payloads.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np

from assay.adapters.stores.points import DENSE, REBUILD, SPARSE, sorted_terms
from assay.errors import PointCorrupt
from assay.model.documents import Chunk, DocumentInfo
from assay.model.headings import from_rows, to_rows
from assay.ports import StoredPoint, Vector

FACETS = "facets"
"""Payload field with every filterable value as `name:value`. It needs a keyword index, created before loading. One
field, because the engine reads every payload once for each index."""

CURRENT_VERSION = "scope:current_version"
DEFAULT_LOCALE = "scope:default_locale"
PRIMARY = "scope:primary"
"""Facets for the default scope of a search; PRIMARY means both, so that the commonest search has one condition."""

_REST = "rest"
"""Payload field with all internal fields as one JSON text, which takes a third of the time to write."""

_HEADINGS = "inner_headings"
"""Field of `rest`, only of chunks that have some."""

_TEXT, _NUMBER, _LIST, _FLAG = (str,), (int,), (list,), (bool,)
_TEXT_OR_NULL = (str, type(None))

_FIELDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(["text", "url", "chunk_id", "title", "content_hash", "source_path", "slug", "section"], _TEXT),
    **dict.fromkeys(["document_id", "source"], _TEXT),
    **dict.fromkeys(["created_at", "anchor", "version", "locale", "previous", "next"], _TEXT_OR_NULL),
    **dict.fromkeys(["position", "order_index", "start", "end"], _NUMBER),
    FACETS: _LIST,
    _REST: _TEXT,
}
"""Allowed types of each field of a payload."""

_REST_FIELDS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(["tokenizer", "embedded_hash", "repeated_before", "repeated_after", "source_type"], _TEXT),
    "token_count": _NUMBER,
    **dict.fromkeys(["version_is_current", "locale_is_default"], _FLAG),
    **dict.fromkeys(["heading_path", "tags"], _LIST),
}
"""Allowed types of each field inside `rest`."""

_OPTIONAL = ("address", _HEADINGS)
"""Fields inside `rest` that only some chunks have."""

_fields_of, _rest_fields_of = itemgetter(*_FIELDS), itemgetter(*_REST_FIELDS)

_TEXTS = frozenset(_TEXT)

_ABSENT = object()

_SOUND: set[tuple[type, ...]] = set()
"""Results of `_types` for payloads without faults: at most some dozens."""

_KINDS = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
"""Names of JSON's types."""


def to_payload(chunk: Chunk) -> dict[str, Any]:
    """Convert a chunk to JSON values; from_payload is the inverse."""
    document = chunk.document
    return {
        "text": chunk.text,
        "url": document.url,
        "chunk_id": chunk.id,
        "position": chunk.position,
        "title": document.title,
        "content_hash": chunk.content_hash,
        "source_path": document.source_path,
        "slug": document.slug,
        "order_index": chunk.position + 1,
        "section": chunk.section,
        "document_id": document.id,
        "created_at": _iso(chunk.created_at),
        "anchor": chunk.anchor,
        "version": document.version,
        "locale": document.locale,
        "start": chunk.start,
        "end": chunk.end,
        "previous": chunk.previous_id,
        "next": chunk.next_id,
        "source": document.source,
        FACETS: facets(chunk),
        _REST: json.dumps(
            ({"address": document.address} if document.address else {})
            | ({_HEADINGS: to_rows(chunk.inner_headings)} if chunk.inner_headings else {})
            | {
                "heading_path": chunk.heading_path,
                "token_count": chunk.token_count,
                "tokenizer": chunk.tokenizer,
                "embedded_hash": chunk.embedded_hash,
                "repeated_before": chunk.repeated_before,
                "repeated_after": chunk.repeated_after,
                "source_type": document.source_type,
                "version_is_current": document.version_is_current,
                "locale_is_default": document.locale_is_default,
                "tags": document.tags,
            },
            ensure_ascii=False,
        ),
    }


def from_payload(payload: Mapping[str, Any], point: str) -> Chunk:
    """Read the chunk of a point. Raises PointCorrupt for a field that is missing or has the wrong type."""
    chunk, faults = _read(payload, point)
    if chunk is None:
        raise PointCorrupt(f"The point {point} of the index is damaged: its payload {faults[0]}.", hint=REBUILD)
    return chunk


def read_stored(payload: Mapping[str, Any], point: str) -> tuple[Chunk | None, tuple[str, ...]]:
    """Read a chunk for checks: None if it cannot be read, and its faults, each as the end of a sentence.

    Derived fields, such as the facets, are compared with the fields that they are derived from.
    """
    chunk, faults = _read(payload, point)
    if chunk is None:
        return None, (f"has a payload that {', and '.join(faults)}",)
    derived = {FACETS: facets(chunk), "order_index": chunk.position + 1}
    wrong = [name for name, value in derived.items() if payload[name] != value]
    return chunk, (f"has values of {', '.join(wrong)} that contradict its other fields",) if wrong else ()


def stored_point(point: str, payload: Mapping[str, Any] | None, vector: object, sparse_type: type[Any]) -> StoredPoint:
    """Read a point with its vectors for checks. sparse_type: the engine's class of sparse vectors."""
    chunk, problems = read_stored(payload or {}, point)
    vectors = vector if isinstance(vector, Mapping) else {}
    dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
    return StoredPoint(
        chunk,
        None if dense is None else np.array(dense, dtype=np.float32),
        sorted_terms(sparse.indices, sparse.values) if isinstance(sparse, sparse_type) else None,
        problems,
    )


def dense_vector(point: str, vector: object) -> Vector:
    """The dense one of a point's vectors. Raises PointCorrupt."""
    if not isinstance(vector, Mapping) or DENSE not in vector:
        raise PointCorrupt(f"The point {point} of the index is damaged: it has no dense vector.", hint=REBUILD)
    return np.array(vector[DENSE], dtype=np.float32)


def _read(payload: Mapping[str, Any], point: str) -> tuple[Chunk | None, Sequence[str]]:
    """Read a chunk; None if it cannot be read, and its faults, each as the end of a sentence."""
    rest = _rest_of(payload)
    types = _types(payload, rest)
    # A search reads every hit's payload, nearly always a sound one, and looking for faults takes most of the time.
    if types in _SOUND and payload["chunk_id"] == point and _lists_hold_texts(payload, rest):
        try:
            return _chunk(payload, rest), ()
        except ValueError:
            pass  # a time or a heading, which is named below
    faults = list(_damage(payload, rest, point))
    if faults:
        return None, faults
    _SOUND.add(types)
    return _chunk(payload, rest), ()


def _types(payload: Mapping[str, Any], rest: Any) -> tuple[type, ...]:  # noqa: ANN401 - JSON
    """Types of the fields, in the order of _FIELDS, _REST_FIELDS and _OPTIONAL; () if a required one is missing."""
    try:
        values = (*_fields_of(payload), *_rest_fields_of(rest))
    except (KeyError, TypeError):
        return ()
    return (*map(type, values), *map(type, map(rest.get, _OPTIONAL, repeat(_ABSENT))))


def _lists_hold_texts(payload: Mapping[str, Any], rest: Mapping[str, Any]) -> bool:
    return all(map(_holds_texts, (payload[FACETS], rest["heading_path"], rest["tags"])))


def _chunk(payload: Mapping[str, Any], rest: Mapping[str, Any]) -> Chunk:
    """Make the chunk of an undamaged payload. rest: the decoded field `rest`. Raises ValueError for a bad time."""
    created_at = payload["created_at"]
    return Chunk(
        id=payload["chunk_id"],
        document=_document(payload, rest),
        text=payload["text"],
        start=payload["start"],
        end=payload["end"],
        position=payload["position"],
        section=payload["section"],
        heading_path=tuple(rest["heading_path"]),
        anchor=payload["anchor"],
        token_count=rest["token_count"],
        tokenizer=rest["tokenizer"],
        content_hash=payload["content_hash"],
        embedded_hash=rest["embedded_hash"],
        repeated_before=rest["repeated_before"],
        repeated_after=rest["repeated_after"],
        previous_id=payload["previous"],
        next_id=payload["next"],
        created_at=None if created_at is None else datetime.fromisoformat(created_at),
        inner_headings=from_rows(rest.get(_HEADINGS)),
    )


def _rest_of(payload: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Decode the field `rest`; None if it is not JSON."""
    try:
        return json.loads(payload[_REST])
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _damage(payload: Mapping[str, Any], rest: object, point: str) -> Iterator[str]:
    """Faults that make a payload unreadable, each as the end of a sentence."""
    yield from _type_faults(payload, _FIELDS, "")
    created_at, identity = payload.get("created_at"), payload.get("chunk_id")
    if isinstance(identity, str) and identity != point:
        yield "has the `chunk_id` of another point"
    if isinstance(created_at, str) and not _is_moment(created_at):
        yield "has a `created_at` that is not a time"
    if isinstance(rest, dict):
        yield from _type_faults(rest, _REST_FIELDS, f"{_REST}.")
        if not isinstance(rest.get("address", ""), str):
            yield f"has a value that is not text as `{_REST}.address`"
        if _HEADINGS in rest and not _are_headings(rest[_HEADINGS]):
            yield f"has a value that is not a list of headings as `{_REST}.{_HEADINGS}`"
    elif isinstance(payload.get(_REST), str):
        yield f"has a `{_REST}` that is not a JSON object"


def _type_faults(values: Mapping[str, Any], allowed: Mapping[str, tuple[type, ...]], path: str) -> Iterator[str]:
    for name, kinds in allowed.items():
        value = values.get(name, _ABSENT)
        if type(value) in kinds:
            if kinds is _LIST and not _holds_texts(value):
                yield f"has a value that is not text in the list `{path}{name}`"
            continue
        if name not in values:
            yield f"lacks `{path}{name}`"
        else:
            wrong = "null" if value is None else _KINDS.get(type(value), type(value).__name__)
            yield f"has {wrong} as `{path}{name}` instead of {_KINDS[kinds[0]]}"


def _holds_texts(values: Iterable[object]) -> bool:
    return _TEXTS.issuperset(map(type, values))


def _are_headings(rows: object) -> bool:
    try:
        from_rows(rows)
    except ValueError:
        return False
    return rows is not None


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def facets(chunk: Chunk) -> list[str]:
    """Every filterable value of a chunk; no facet for a missing version or locale."""
    document = chunk.document
    found = [source_facet(document.source), *map(section_facet, chunk.sections)]
    if document.version is not None:
        found.append(version_facet(document.version))
    if document.locale is not None:
        found.append(locale_facet(document.locale))
    if document.version_is_current:
        found.append(CURRENT_VERSION)
    if document.locale_is_default:
        found.append(DEFAULT_LOCALE)
    if document.primary:
        found.append(PRIMARY)
    return found + [f"url:{path}" for path in url_paths(document.url)]


def common_facets(known: set[str] | None, payloads: Iterable[Mapping[str, Any]]) -> set[str]:
    """The facets that all points have. known: those of the points so far; None if there are none."""
    each = [set(payload[FACETS]) for payload in payloads]
    return set.intersection(*each) if known is None else known.intersection(*each)


def source_facet(source: str) -> str:
    """Facet of the chunks of a source."""
    return f"source:{source}"


def section_facet(section: str) -> str:
    """Facet of the chunks with a part of a section of this heading."""
    return f"section:{section}"


def version_facet(version: str) -> str:
    """Facet of the chunks of a version."""
    return f"version:{version}"


def locale_facet(locale: str) -> str:
    """Facet of the chunks in a locale."""
    return f"locale:{locale}"


def url_facet(prefix: str) -> str:
    """Facet of the chunks whose URL has this prefix, ending at a path border; a trailing slash is ignored."""
    return f"url:{prefix.rstrip('/')}"


def url_paths(url: str) -> list[str]:
    """Every prefix of a canonical URL that ends at a path border, shortest first, the URL itself last.

    `https://x.dev/a/b?q=1` gives `https://x.dev`, `https://x.dev/a`, `https://x.dev/a/b` and itself.
    """
    path_end = url.find("?")
    borders = [url[:path_end]] if path_end >= 0 else []
    path = url if path_end < 0 else borders[0]
    root = path.find("/", path.find("://") + 3)
    while root >= 0:
        borders.append(path[:root])
        root = path.find("/", root + 1)
    return sorted({*borders, url}, key=len)


def _document(payload: Mapping[str, Any], rest: Mapping[str, Any]) -> DocumentInfo:
    return DocumentInfo(
        id=payload["document_id"],
        url=payload["url"],
        title=payload["title"],
        source=payload["source"],
        source_path=payload["source_path"],
        slug=payload["slug"],
        source_type=rest["source_type"],
        version=payload["version"],
        locale=payload["locale"],
        version_is_current=rest["version_is_current"],
        locale_is_default=rest["locale_is_default"],
        tags=tuple(rest["tags"]),
        address=rest.get("address", ""),
    )


def _iso(moment: datetime | None) -> str | None:
    """UTC, ISO 8601 with `Z`, to the microsecond."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
