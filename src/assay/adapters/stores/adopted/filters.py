"""Filters of a query as conditions on the payload of an adopted collection."""

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from qdrant_client import models

from assay.adapters.stores.adopted.mapping import FieldMapping
from assay.errors import InputError
from assay.model.ranking import Filters

_PLAIN = re.compile(r"[A-Za-z0-9_-]+(\[\d*\])?")

_UNQUOTABLE = frozenset('"\\')
_AS_JSON = "_node_content"
"""A field with JSON as text, inside which the server cannot filter."""

_DIGITS = 19
"""Digits of the largest integer of a payload index, 2⁶³ minus 1."""


def conditions(filters: Filters, mapping: FieldMapping, collection: str) -> models.Filter | None:
    """Conditions for the server; None for none. It matches url_prefix loosely; check the results by `url_matches`.

    Raises InputError for a filter by an unmapped field.
    """
    must: list[models.Condition] = []
    for name, field, wanted in (
        ("versions", "version", filters.versions),
        ("locales", "locale", filters.locales),
        ("sections", "section", filters.sections),
    ):
        if wanted:
            paths = filterable(name, field, mapping)
            condition = _any_of(paths, _among(wanted))
            is_optional = name == "versions" and filters.include_unversioned
            must.append(models.Filter(should=[condition, _absent(paths)]) if is_optional else condition)
    if filters.sources and not (mapping.of("source") or collection in filters.sources):
        must.append(models.HasIdCondition(has_id=[]))  # matches nothing
    elif filters.sources and mapping.of("source"):
        must.append(_any_of(filterable("sources", "source", mapping), _among(filters.sources)))
    if filters.url_prefix is not None and not mapping.base_url:
        # With a word index this matches the URL's words, without one a substring: both match every page below the
        # prefix, and some others.
        paths = filterable("url_prefix", "url", mapping)
        must += [_any_of(paths, models.MatchText(text=part)) for part in _as_stored(filters.url_prefix)]
    return models.Filter(must=must) if must else None


def filter_fields(filters: Filters, mapping: FieldMapping) -> dict[str, tuple[str, ...]]:
    """Payload paths by the name of the filter that uses them."""
    asked = {
        "versions": ("version", bool(filters.versions)),
        "locales": ("locale", bool(filters.locales)),
        "sections": ("section", bool(filters.sections)),
        "sources": ("source", bool(filters.sources) and bool(mapping.of("source"))),
    }
    return {name: filterable(name, field, mapping) for name, (field, wanted) in asked.items() if wanted}


def any_present(paths: Sequence[str]) -> models.Filter:
    """Match points with a value at one of these paths."""
    return models.Filter(must_not=[_absent(paths)])


def _absent(paths: Sequence[str]) -> models.Filter:
    """Match points without a value at any of these paths."""
    nothing: list[models.Condition] = [
        models.IsEmptyCondition(is_empty=models.PayloadField(key=key)) for key in server_keys(paths)
    ]
    return models.Filter(must=nothing)


def any_equal(paths: Sequence[str], values: Sequence[str]) -> models.Filter:
    """Match points with one of these values at one of these paths, as text or as an integer."""
    should: list[models.Condition] = []
    numbers = [int(value) for value in values if value.isascii() and value.isdigit() and len(value) <= _DIGITS]
    integers = [number for number in numbers if number < 2**63]
    for key in server_keys(paths):
        should.append(models.FieldCondition(key=key, match=_among(values)))
        if integers:
            should.append(models.FieldCondition(key=key, match=models.MatchAny(any=integers)))
    return models.Filter(should=should)


def url_matches(prefix: str) -> Callable[[str], bool]:
    """Return a predicate: whether a canonical URL has this prefix, ending at a path border."""
    start = prefix.rstrip("/")
    return lambda url: url == start or url.startswith((f"{start}/", f"{start}?"))


def _as_stored(prefix: str) -> list[str]:
    """Parts of a canonical URL that its other spellings have too: the host, and the path before the first escape."""
    parts = urlsplit(prefix)
    path, escaped, _ = parts.path.partition("%")
    path = (path.rpartition("/")[0] if escaped else path).rstrip("/")
    return [parts.hostname or parts.netloc, path] if path else [parts.hostname or parts.netloc]


def filterable(name: str, field: str, mapping: FieldMapping) -> tuple[str, ...]:
    """The paths of a field that the server can filter by. Raises InputError if there are none."""
    found = tuple(path for path in mapping.of(field) if path.split(".")[0] != _AS_JSON and server_keys((path,)))
    if not found:
        raise InputError(
            f"filters.{name}: no field of the adopted collection is mapped to it.",
            hint=f"Set [index.mapping] {field} to its path in the payload, or remove this filter.",
        )
    return found


def server_keys(paths: Sequence[str]) -> tuple[str, ...]:
    """Paths in the server's syntax; paths that it cannot express are left out.

    Keys below the first may contain dots, so a path of three or more parts has several spellings.
    """
    found = []
    for path in paths:
        parts = path.split(".")
        spellings = [parts, *([*parts[:end], ".".join(parts[end:])] for end in range(1, len(parts) - 1))]
        found += [".".join(map(_quoted, keys)) for keys in spellings if all(map(_UNQUOTABLE.isdisjoint, keys))]
    return tuple(dict.fromkeys(found))


def _quoted(key: str) -> str:
    """Quote a key with other characters than letters, digits, `_` and `-`; quotes have no escapes."""
    return key if _PLAIN.fullmatch(key) else f'"{key}"'


def _among(values: Sequence[str]) -> Any:  # noqa: ANN401 - one of the client's matches
    return models.MatchValue(value=values[0]) if len(values) == 1 else models.MatchAny(any=list(values))


def _any_of(paths: Sequence[str], match: Any) -> models.Condition:  # noqa: ANN401 - one of the client's matches
    found: list[models.Condition] = [models.FieldCondition(key=key, match=match) for key in server_keys(paths)]
    return found[0] if len(found) == 1 else models.Filter(should=found)
