"""Reads chunks, and their missing fields, from the payloads of an adopted collection."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import quote, urldefrag, urlsplit

from assay.adapters.stores.adopted.embedded_text import embedded_text
from assay.adapters.stores.adopted.payload_view import PayloadView, replace_surrogates
from assay.errors import InputError
from assay.model.documents import Chunk, DocumentInfo
from assay.model.ids import PLACEHOLDER_HOST, canonical_url, content_hash, document_id, slug_from_path
from assay.ports import AdoptedPoint, Vector

T = TypeVar("T")

REPORTED = (
    "text", "url", "chunk_id", "position", "title", "section", "source_path", "slug", "document_id", "created_at",
    "content_hash",
)  # fmt: skip
"""Fields of the public contracts; if missing, they are reported."""

FIELDS = (*REPORTED, "version", "locale", "source")
"""All fields that can be mapped."""

_NUMBERED = re.compile(r"(https?://\S+)[_#](\d{1,9})")
"""A chunk id with the chunk's URL and position: `https://docs.example.org/a_3`."""

_DIGITS = re.compile(r"[0-9]{1,15}")
_MARKUP = re.compile(r"(/?(index|README))?\.(mdx?|markdown)$")
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_MILLISECONDS_FROM = 100_000_000_000
_SOURCE_TYPE = "adopted"


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """Payload paths of each field of a chunk.

    paths: by field; the first one with a value counts. PayloadView documents their syntax.
    first_position: position of a page's first chunk, 0 or 1.
    base_url: prepended to source paths if a payload has no absolute URL; "" for none.
    """

    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_position: int = 0
    base_url: str = ""

    def of(self, name: str) -> tuple[str, ...]:
        """The paths of a field; empty if it is not mapped."""
        return self.paths.get(name, ())


class PointReader:
    """Reads the points of one collection. Safe to use from several threads.

    collection: the source's name for points without one.
    """

    def __init__(self, mapping: FieldMapping, collection: str) -> None:
        self.mapping = mapping
        self._collection = collection

    def read(self, point: str, payload: Mapping[str, Any], vector: Vector | None = None) -> AdoptedPoint:
        """Read a point as a chunk, with placeholders for missing fields."""
        values = _Values(PayloadView(payload), self.mapping)
        chunk = self._chunk(point, values)
        stored_hash = values.hash()
        missing = tuple(name for name in REPORTED if name in values.missing)
        return AdoptedPoint(
            point, chunk, missing, stored_hash, embedded_text(payload, chunk.text) if chunk else "", vector
        )

    def chunk_id(self, point: str, payload: Mapping[str, Any]) -> str:
        """The chunk id in the payload, else the point's id."""
        return _Values(PayloadView(payload), self.mapping).chunk_id or point

    def url(self, point: str, payload: Mapping[str, Any]) -> str:
        """The URL of a point's page, as `read` returns it."""
        return self._location(point, _Values(PayloadView(payload), self.mapping)).url

    def _chunk(self, point: str, values: "_Values") -> Chunk | None:
        text = values.read("text", _text)
        identity = values.chunk_id or point
        where = self._location(point, values)
        position = values.position()
        title, section = values.read("title", _line) or "", values.read("section", _line) or ""
        slug = values.read("slug", _line) or slug_from_path(where.source_path)
        document = values.read("document_id", _identifier) or document_id(where.url)
        created_at = values.read("created_at", _moment)
        if not text:
            return None
        info = DocumentInfo(
            id=document,
            url=where.url,
            title=title,
            source=values.read("source", _line) or self._collection,
            source_path=where.source_path,
            slug=slug,
            source_type=_SOURCE_TYPE,
            version=values.read("version", _line),
            locale=values.read("locale", _line),
        )
        digest = content_hash(text)
        return Chunk(
            id=identity,
            document=info,
            text=text,
            start=0,
            end=len(text),
            position=position,
            section=section,
            heading_path=(section,) if section else (),
            anchor=where.anchor,
            token_count=0,
            tokenizer="",
            content_hash=digest,
            embedded_hash=digest,
            created_at=created_at,
        )

    def _location(self, point: str, values: "_Values") -> "_Location":
        """URL of a point's page; without one, its path below base_url or a placeholder host."""
        path = values.read("source_path", _line) or ""
        for given in (values.find("url", _line) or "", values.url_in_id):
            if (split := _split_url(given)) is not None:
                return _Location(*split, path or urlsplit(split[0]).path.lstrip("/") or split[0])
            path = path or given
        if not path:
            values.missing.add("url")
            return _Location(_below("", f"{self._collection}/{point}"), None, point)
        if (split := _split_url(path)) is not None:  # a URL in the field of a path
            return _Location(*split, urlsplit(split[0]).path.lstrip("/") or split[0])
        if not self.mapping.base_url:
            values.missing.add("url")
        return _Location(_below(self.mapping.base_url, path), None, path)


@dataclass(frozen=True, slots=True)
class _Location:
    """URL of a chunk. anchor: its fragment; None for none."""

    url: str
    anchor: str | None
    source_path: str


class _Values:
    """Typed values of one payload. missing: requested fields that are absent or have the wrong type."""

    def __init__(self, payload: PayloadView, mapping: FieldMapping) -> None:
        self._payload = payload
        self._mapping = mapping
        self.chunk_id = self.find("chunk_id", _identifier)
        numbered = _NUMBERED.fullmatch(self.chunk_id or "")
        self.url_in_id = numbered[1] if numbered else ""
        self._number_in_id = int(numbered[2]) if numbered else None
        self.missing = {"chunk_id"} if self.chunk_id is None else set()

    def read(self, name: str, kind: Callable[[Any], T | None]) -> T | None:
        """The first readable value of a field; None, noted as missing, if there is none."""
        found = self.find(name, kind)
        if found is None:
            self.missing.add(name)
        return found

    def find(self, name: str, kind: Callable[[Any], T | None]) -> T | None:
        """The first readable value of a field; None if there is none."""
        values = (kind(self._payload.find(path)) for path in self._mapping.of(name))
        return next((value for value in values if value is not None), None)

    def position(self) -> int:
        """The position, from 0; else the number at the end of the chunk id, else 0."""
        found = self.find("position", _whole_number)
        position = self._number_in_id if found is None else found - self._mapping.first_position
        if position is None or position < 0:
            self.missing.add("position")
            return 0
        return position

    def hash(self) -> str | None:
        """The stored SHA-256 of the text, in lower case."""
        found = self.read("content_hash", _line)
        if found is not None and not _HASH.fullmatch(found):
            self.missing.add("content_hash")
            return None
        return found.lower() if found else None


def _text(value: Any) -> str | None:  # noqa: ANN401 - JSON
    return replace_surrogates(value) if isinstance(value, str) and value.strip() else None


def _line(value: Any) -> str | None:  # noqa: ANN401 - JSON
    return replace_surrogates(value).strip() or None if isinstance(value, str) else None


def _identifier(value: Any) -> str | None:  # noqa: ANN401 - JSON
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = _line(value)
    return None if found == "None" else found  # LlamaIndex writes "None" for a node without a document


def _whole_number(value: Any) -> int | None:  # noqa: ANN401 - JSON
    """An integer that every JSON parser reads exactly."""
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def _moment(value: Any) -> datetime | None:  # noqa: ANN401 - JSON
    """Parse ISO 8601, or seconds or milliseconds since 1970; UTC without a zone."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
        if not isinstance(value, str):
            return None
        found = datetime.fromisoformat(value.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _split_url(given: str) -> tuple[str, str | None] | None:
    """Split into canonical URL and fragment; None unless it is an absolute http(s) URL."""
    if not given.lower().startswith(("http://", "https://")):
        return None
    plain, fragment = urldefrag(given)
    try:
        return canonical_url(quote(plain, safe="%/:=&?~#+!$,;'@()*[]")), fragment or None
    except InputError:
        return None


def _below(base: str, path: str) -> str:
    """The URL of a source path, without the suffix of markup files, which sites do not show."""
    plain = _MARKUP.sub("", path.replace("\\", "/").lstrip("./"))
    return canonical_url(f"{(base or f'https://{PLACEHOLDER_HOST}').rstrip('/')}/{quote(plain)}")
