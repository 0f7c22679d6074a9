"""Explains an empty answer: the filters that no page matches."""

import json
from collections.abc import Sequence
from dataclasses import replace

from assay.model.ranking import Filters
from assay.ports import IndexQuery, Vector, VectorIndex

_ANYTHING = Filters(everything=True)


def unmatched(index: VectorIndex, vector: Vector, filters: Filters) -> tuple[str, ...]:
    """A sentence for each filter that no page matches; else one if no page matches all of them together.

    vector: any of the index's dimension; only the existence of results matters.

    Raises VectorStoreError.
    """
    single: list[tuple[Filters, str]] = []
    if filters.versions:
        single.append((replace(_ANYTHING, versions=filters.versions), f"is of version {_any_of(filters.versions)}"))
    if filters.locales:
        single.append((replace(_ANYTHING, locales=filters.locales), f"is in locale {_any_of(filters.locales)}"))
    if filters.sources:
        single.append((replace(_ANYTHING, sources=filters.sources), f"is of source {_any_of(filters.sources)}"))
    if filters.sections:
        single.append((replace(_ANYTHING, sections=filters.sections), f"has a section {_any_of(filters.sections)}"))
    if filters.url_prefix:
        single.append((replace(_ANYTHING, url_prefix=filters.url_prefix), f"is under {_any_of([filters.url_prefix])}"))
    found = [f"No page {words}." for one, words in single if not _matches(index, vector, one)]
    if not found and single and not _matches(index, vector, filters):
        found.append("No page matches all of these filters; `everything` lifts the defaults of version and locale.")
    return tuple(found)


def _matches(index: VectorIndex, vector: Vector, filters: Filters) -> bool:
    return bool(index.search(IndexQuery(vector, None, 1, filters)).dense)


def _any_of(values: Sequence[str]) -> str:
    return " or ".join(json.dumps(value, ensure_ascii=False) for value in values)
