"""Explains an empty answer: the filters that no page matches."""

import json
from collections.abc import Sequence
from dataclasses import replace

from assay.model.ranking import Filters
from assay.ports import IndexQuery, Vector, VectorIndex

_ANYTHING = Filters(everything=True)
_WORDS = {
    "versions": "is of version",
    "locales": "is in locale",
    "sources": "is of source",
    "sections": "has a section",
    "url_prefix": "is under",
}


def unmatched(index: VectorIndex, vector: Vector, filters: Filters) -> tuple[str, ...]:
    """A sentence for each filter that no page matches; else one if no page matches all of them together.

    vector: any of the index's dimension; only the existence of results matters.

    Raises VectorStoreError.
    """
    given = {name: value for name in _WORDS if (value := getattr(filters, name))}
    found = [
        f"No page {_WORDS[name]} {_any_of([value] if isinstance(value, str) else value)}."
        for name, value in given.items()
        if not _matches(index, vector, replace(_ANYTHING, **{name: value}))
    ]
    if not found and given and not _matches(index, vector, filters):
        found.append("No page matches all of these filters; `everything` lifts the defaults of version and locale.")
    return tuple(found)


def _matches(index: VectorIndex, vector: Vector, filters: Filters) -> bool:
    return bool(index.search(IndexQuery(vector, None, 1, filters)).dense)


def _any_of(values: Sequence[str]) -> str:
    return " or ".join(json.dumps(value, ensure_ascii=False) for value in values)
