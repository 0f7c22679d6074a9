"""Filters as engine-independent conditions on facets, which each store translates."""

from collections.abc import Sequence
from dataclasses import dataclass

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
from assay.ports import IndexQuery


@dataclass(frozen=True, slots=True)
class Conditions:
    """Facets that a point must and must not have.

    wanted: at least one of each list.
    unwanted: none of these.
    """

    wanted: Sequence[Sequence[str]]
    unwanted: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.wanted or self.unwanted)

    def __add__(self, other: "Conditions") -> "Conditions":
        return Conditions([*self.wanted, *other.wanted], [*self.unwanted, *other.unwanted])


def scope_conditions(query: IndexQuery, everywhere: frozenset[str]) -> Conditions:
    """Conditions on version and locale, which define the scope of IDF; empty for no restriction.

    everywhere: facets of every point, which need no condition.
    """
    filters = query.filters
    wanted = [
        [] if filters.adds_unversioned else [version_facet(version) for version in filters.versions],
        [locale_facet(locale) for locale in filters.locales],
    ]
    if not filters.everything and not (filters.versions and filters.locales):
        wanted.append([_default_scope(filters)])
    unwanted = [version_facet(version) for version in sorted(query.excluded_versions)]
    return Conditions(_needed(wanted, everywhere), unwanted)


def narrowing_conditions(filters: Filters, everywhere: frozenset[str]) -> Conditions:
    """Conditions on URL, section and source; empty for no restriction."""
    wanted = [
        [url_facet(filters.url_prefix)] if filters.url_prefix else [],
        [section_facet(section) for section in filters.sections],
        [source_facet(source) for source in filters.sources],
    ]
    return Conditions(_needed(wanted, everywhere))


def _default_scope(filters: Filters) -> str:
    if filters.versions:
        return DEFAULT_LOCALE
    return CURRENT_VERSION if filters.locales else PRIMARY


def _needed(wanted: Sequence[list[str]], everywhere: frozenset[str]) -> list[list[str]]:
    """Drop empty conditions and those that every point meets."""
    return [facets for facets in wanted if facets and everywhere.isdisjoint(facets)]
