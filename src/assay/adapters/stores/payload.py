"""What a vector store keeps beside the vectors: every field of a chunk, under the names that outside readers know.

The names of contracts.md §14 (`text`, `url`, `position`, …) are always there, null where a chunk has nothing. Shared by
the embedded store and the Qdrant server, so that both hold the same points.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from assay.errors import IndexCorrupt
from assay.model.documents import Chunk, DocumentInfo

FACETS = "facets"
"""Payload field with everything that a filter can ask for, each as `name:value`. It needs a keyword index, made before
loading. One field, for the engine reads every payload once for each index that it builds."""

CURRENT_VERSION = "scope:current_version"
DEFAULT_LOCALE = "scope:default_locale"
PRIMARY = "scope:primary"
"""Facets that say which defaults a chunk falls under; the last is both, one condition for the commonest search."""

_REST = "rest"
"""Payload field with what nobody filters by or reads from outside, as one JSON text: a third of the time to write."""


_FIELDS = (
    "text",
    "url",
    "chunk_id",
    "position",
    "title",
    "content_hash",
    "source_path",
    "slug",
    "order_index",
    "section",
    "document_id",
    "created_at",
    "anchor",
    "version",
    "locale",
    "start",
    "end",
    "previous",
    "next",
    "source",
    FACETS,
    _REST,
)
"""What every payload has."""


def to_payload(chunk: Chunk) -> dict[str, Any]:
    """Write a chunk as JSON values; from_payload gives back an equal one."""
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
            {
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


def from_payload(payload: Mapping[str, Any]) -> Chunk:
    """Read a chunk back. Raises IndexCorrupt when a field is missing or of the wrong kind."""
    try:
        rest = json.loads(payload[_REST])
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
        )
    except (KeyError, TypeError, ValueError) as error:
        raise IndexCorrupt(
            f"The payload of point {payload.get('chunk_id')!r} cannot be read: {type(error).__name__} {error}.",
            hint="Build the index anew with `assay ingest --rebuild`.",
        ) from None


def read_stored(payload: Mapping[str, Any]) -> tuple[Chunk | None, tuple[str, ...]]:
    """A chunk as far as it can be read, and what is wrong with its payload, each as the end of a sentence about it.

    Fields that say what others say too, such as the facets that filters ask for, are held against those.
    """
    lacking = [name for name in _FIELDS if name not in payload]
    if lacking:
        return None, (f"lacks {', '.join(lacking)}",)
    try:
        chunk = from_payload(payload)
        said_again = {FACETS: facets(chunk), "order_index": chunk.position + 1}
    except IndexCorrupt as error:
        return None, (f"has a payload that cannot be read ({error.message})",)
    except (TypeError, AttributeError) as error:
        return None, (f"has a payload that cannot be read (a field of another kind: {error})",)
    wrong = [name for name, value in said_again.items() if payload[name] != value]
    return chunk, (f"has other {', '.join(wrong)} than follow from its fields",) if wrong else ()


def facets(chunk: Chunk) -> list[str]:
    """Everything that a filter can ask of a chunk; a version or locale that a document lacks is no facet."""
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


def source_facet(source: str) -> str:
    """Facet of the chunks of a source."""
    return f"source:{source}"


def section_facet(section: str) -> str:
    """Facet of the chunks in which a section of this heading is, or a part of it."""
    return f"section:{section}"


def version_facet(version: str) -> str:
    """Facet of the chunks of a version."""
    return f"version:{version}"


def locale_facet(locale: str) -> str:
    """Facet of the chunks in a locale."""
    return f"locale:{locale}"


def url_facet(prefix: str) -> str:
    """Facet of the chunks whose URL begins so, at a path border; a trailing slash of the prefix says nothing."""
    return f"url:{prefix.rstrip('/')}"


def url_paths(url: str) -> list[str]:
    """Every beginning of a canonical URL that ends at a path border, shortest first, the URL itself last.

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
    )


def _iso(moment: datetime | None) -> str | None:
    """UTC, ISO 8601 with `Z`, to the microsecond."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
