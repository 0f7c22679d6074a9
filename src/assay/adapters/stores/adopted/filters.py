"""Filters of a query as conditions on the payload of a collection that Assay did not make."""

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
"""A field whose inside is text to the server."""

_DIGITS = 19
"""Digits of the largest whole number that a payload index holds, 2⁶³ minus 1."""


def conditions(filters: Filters, mapping: FieldMapping, collection: str) -> models.Filter | None:
    """What a server can check; url_prefix only loosely, so that `url_matches` has to look again. None for nothing.

    Raises InputError for a filter by something that the mapping does not have.
    """
    must: list[models.Condition] = []
    for name, field, wanted in (
        ("versions", "version", filters.versions),
        ("locales", "locale", filters.locales),
        ("sections", "section", filters.sections),
    ):
        if wanted:
            must.append(_any_of(filterable(name, field, mapping), _among(wanted)))
    if filters.sources and not (mapping.of("source") or collection in filters.sources):
        must.append(_nothing())
    elif filters.sources and mapping.of("source"):
        must.append(_any_of(filterable("sources", "source", mapping), _among(filters.sources)))
    if filters.url_prefix is not None and not mapping.base_url:
        # Inside a word index this asks for the words of the URL, without one for the piece of text: both let through
        # every page below the prefix, and some others.
        paths = filterable("url_prefix", "url", mapping)
        must += [_any_of(paths, models.MatchText(text=part)) for part in _as_stored(filters.url_prefix)]
    return models.Filter(must=must) if must else None


def asked_fields(filters: Filters, mapping: FieldMapping) -> dict[str, tuple[str, ...]]:
    """The paths that a filter looks at, by the filter's name."""
    asked = {
        "versions": ("version", bool(filters.versions)),
        "locales": ("locale", bool(filters.locales)),
        "sections": ("section", bool(filters.sections)),
        "sources": ("source", bool(filters.sources) and bool(mapping.of("source"))),
    }
    return {name: filterable(name, field, mapping) for name, (field, wanted) in asked.items() if wanted}


def has_any(paths: Sequence[str]) -> models.Filter:
    """Lets through the points that have something at one of these paths."""
    nothing: list[models.Condition] = [
        models.IsEmptyCondition(is_empty=models.PayloadField(key=key)) for key in keys_of(paths)
    ]
    return models.Filter(must_not=[models.Filter(must=nothing)])


def has_value(paths: Sequence[str], values: Sequence[str]) -> models.Filter:
    """Lets through the points that have one of these values at one of these paths, as text or as a whole number."""
    should: list[models.Condition] = []
    numbers = [int(value) for value in values if value.isascii() and value.isdigit() and len(value) <= _DIGITS]
    whole = [number for number in numbers if number < 2**63]
    for key in keys_of(paths):
        should.append(models.FieldCondition(key=key, match=_among(values)))
        if whole:
            should.append(models.FieldCondition(key=key, match=models.MatchAny(any=whole)))
    return models.Filter(should=should)


def url_matches(prefix: str) -> Callable[[str], bool]:
    """Whether a canonical URL begins so, at a path border."""
    start = prefix.rstrip("/")
    return lambda url: url == start or url.startswith((f"{start}/", f"{start}?"))


def _as_stored(prefix: str) -> list[str]:
    """What of a canonical URL stands in other spellings of it too: its host, and its path up to what may be escaped."""
    parts = urlsplit(prefix)
    path, escaped, _ = parts.path.partition("%")
    path = (path.rpartition("/")[0] if escaped else path).rstrip("/")
    return [parts.hostname or parts.netloc, path] if path else [parts.hostname or parts.netloc]


def filterable(name: str, field: str, mapping: FieldMapping) -> tuple[str, ...]:
    """The paths of a field that a server can look at. Raises InputError when there is none."""
    found = tuple(path for path in mapping.of(field) if path.split(".")[0] != _AS_JSON and keys_of((path,)))
    if not found:
        raise InputError(
            f"filters.{name}: no field of the adopted collection is mapped to it.",
            hint=f"Set [index.mapping] {field} to where the payload has it, or ask without this filter.",
        )
    return found


def keys_of(paths: Sequence[str]) -> tuple[str, ...]:
    """Paths as the server writes them; none for what it has no way to write.

    Since keys below the first may have dots themselves, a path of three and more parts has several spellings.
    """
    found = []
    for path in paths:
        parts = path.split(".")
        spellings = [parts, *([*parts[:end], ".".join(parts[end:])] for end in range(1, len(parts) - 1))]
        found += [".".join(map(_quoted, keys)) for keys in spellings if all(map(_UNQUOTABLE.isdisjoint, keys))]
    return tuple(dict.fromkeys(found))


def _quoted(key: str) -> str:
    """A key: one of more than letters, digits, `_` and `-` in quotes, inside of which nothing can be escaped."""
    return key if _PLAIN.fullmatch(key) else f'"{key}"'


def _among(values: Sequence[str]) -> Any:  # noqa: ANN401 - one of the client's matches
    return models.MatchValue(value=values[0]) if len(values) == 1 else models.MatchAny(any=list(values))


def _any_of(paths: Sequence[str], match: Any) -> models.Condition:  # noqa: ANN401 - one of the client's matches
    found: list[models.Condition] = [models.FieldCondition(key=key, match=match) for key in keys_of(paths)]
    return found[0] if len(found) == 1 else models.Filter(should=found)


def _nothing() -> models.Condition:
    return models.HasIdCondition(has_id=[])
