"""Explains an empty answer: the filters that no page matches."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.model.ranking import Filters

_ANYTHING = Filters(everything=True)
_WORDS = {
    "versions": "is of version",
    "locales": "is in locale",
    "sources": "is of source",
    "sections": "has a section",
    "url_prefix": "is under",
}


def unmatched(has_pages: Callable[[Filters], bool], filters: Filters) -> tuple[str, ...]:
    """A sentence for each filter that no page matches; else one if no page matches all of them together.

    has_pages: whether any page matches.
    """
    given = {name: value for name in _WORDS if (value := getattr(filters, name))}
    found = [
        f"No page {_WORDS[name]} {_any_of([value] if isinstance(value, str) else value)}."
        for name, value in given.items()
        if not has_pages(replace(_ANYTHING, **{name: value}))
    ]
    if not found and given and not has_pages(filters):
        found.append("No page matches all of these filters; `everything` lifts the defaults of version and locale.")
    return tuple(found)


def _any_of(values: Sequence[str]) -> str:
    return " or ".join(json.dumps(value, ensure_ascii=False) for value in values)
