"""The sources, versions and locales that a search can be restricted to: `GET /v1/facets`, and list_sources of MCP."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pydantic import Field

from assay.contracts.fields import AnswerModel


class Facet(AnswerModel):
    """A version or a locale of a source."""

    name: str = Field(description="The value for the filters of a search.")
    pages: int = Field(ge=1, description="Number of its pages.")
    default: bool = Field(description="Whether a search without filters finds its pages.")


class SourceFacets(AnswerModel):
    """A source with its versions and locales."""

    name: str = Field(description="The value for the filters of a search.")
    pages: int = Field(
        ge=0, description="Number of its pages, in all versions and locales; 0 for an adopted collection."
    )
    versions: list[Facet] = Field(description="The current version first; empty if its pages have none.")
    locales: list[Facet] = Field(description="The default locale first; empty if its pages have none.")


class Facets(AnswerModel):
    """The values of the filters `sources`, `versions` and `locales`."""

    sources: list[SourceFacets] = Field(description="By name.")
    generation: str = Field(description="Id of the generation that has them.")


class Source(Protocol):
    """A source of a generation, as Pages.sources gives it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def pages(self) -> int:
        """Number of its pages."""

    @property
    def versions(self) -> Mapping[str, int]:
        """Number of pages of each version."""

    @property
    def locales(self) -> Mapping[str, int]:
        """Number of pages of each locale."""

    @property
    def current_versions(self) -> Sequence[str]:
        """The versions that are searched if none is requested."""

    @property
    def default_locales(self) -> Sequence[str]:
        """The locales that are searched if none is requested."""


def to_body(sources: Iterable[Source], generation: str) -> dict[str, object]:
    """The sources of a generation as JSON values, a Facets."""
    return Facets(sources=source_facets(sources), generation=generation).to_dict()


def source_facets(sources: Iterable[Source]) -> list[SourceFacets]:
    """Each source with its versions and locales."""
    return [
        SourceFacets(
            name=source.name,
            pages=source.pages,
            versions=_facets(source.versions, source.current_versions),
            locales=_facets(source.locales, source.default_locales),
        )
        for source in sources
    ]


def _facets(pages: Mapping[str, int], defaults: Sequence[str]) -> list[Facet]:
    """Each name with its number of pages; defaults first, then by name."""
    facets = [Facet(name=name, pages=number, default=name in defaults) for name, number in pages.items()]
    return sorted(facets, key=lambda facet: (not facet.default, facet.name))
