"""Filters as engine-independent conditions on facets, which each store translates.

A condition is a list of facets of which a point must have at least one; a point must meet all conditions.
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
    """Conditions on version and locale, which define the scope of IDF; empty for no restriction.

    everywhere: facets of every point, which need no condition.
    """
    wanted = [
        [version_facet(version) for version in filters.versions],
        [locale_facet(locale) for locale in filters.locales],
    ]
    if not filters.everything and not (filters.versions and filters.locales):
        wanted.append([_default_scope(filters)])
    return _needed(wanted, everywhere)


def narrowing_conditions(filters: Filters, everywhere: frozenset[str]) -> Conditions:
    """Conditions on URL, section and source; empty for no restriction."""
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
    """Drop empty conditions and those that every point meets."""
    return [facets for facets in wanted if facets and everywhere.isdisjoint(facets)]
