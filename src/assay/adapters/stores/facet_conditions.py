"""What filters ask of a point's facets, in no engine's types; each store turns it into its own.

A condition is a list of facets of which a point must have one; a point must meet all conditions.
"""

from collections.abc import Sequence

from assay.adapters.stores.payload import (
    CURRENT_VERSION,
    DEFAULT_LOCALE,
    PRIMARY,
    locale_facet,
    section_facet,
    source_facet,
    url_facet,
    version_facet,
)
from assay.model.ranking import Filters

Conditions = list[list[str]]


def scope_conditions(filters: Filters, everywhere: frozenset[str]) -> Conditions:
    """The versions and locales that a search stays in; empty when nothing is left out.

    everywhere: facets that every point has, which need no condition.
    """
    wanted = [
        [version_facet(version) for version in filters.versions],
        [locale_facet(locale) for locale in filters.locales],
    ]
    if not filters.everything and not (filters.versions and filters.locales):
        wanted.append([_default_scope(filters)])
    return _needed(wanted, everywhere)


def narrowing_conditions(filters: Filters, everywhere: frozenset[str]) -> Conditions:
    """Everything else that a hit has to be from; empty when nothing is left out."""
    wanted = [
        [url_facet(filters.url_prefix)] if filters.url_prefix else [],
        [section_facet(section) for section in filters.sections],
        [source_facet(source) for source in filters.sources],
    ]
    return _needed(wanted, everywhere)


def _default_scope(filters: Filters) -> str:
    if filters.versions:
        return DEFAULT_LOCALE
    return CURRENT_VERSION if filters.locales else PRIMARY


def _needed(wanted: Sequence[list[str]], everywhere: frozenset[str]) -> Conditions:
    """Those that ask for something, and for something that not every point has."""
    return [facets for facets in wanted if facets and everywhere.isdisjoint(facets)]
