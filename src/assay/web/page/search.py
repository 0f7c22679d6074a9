"""The search in the address of the page, as `address.js` and `filters.js` write and read it too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

PAGES = 10
"""Pages of results at first, and how many more at a time."""

MOST_PAGES = 100

ALL = "*"
FILTERS = ("source", "version", "locale")


@dataclass(frozen=True, slots=True)
class Search:
    """A search by the address of the page.

    source, version, locale: names separated by commas; ALL for every one, "" for the default.
    exact: without corrections.
    pages: the most pages of results, 1 to MOST_PAGES.
    """

    query: str = ""
    source: str = ""
    version: str = ""
    locale: str = ""
    exact: bool = False
    pages: int = PAGES

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> Self:
        """Read the parameters of the address; unknown ones are ignored, because addresses of pages collect them."""
        pages = parameters.get("pages", "")
        number = int(pages) if pages.isascii() and pages.isdigit() and len(pages) <= len(str(MOST_PAGES)) else 0
        return cls(
            query=parameters.get("q", ""),
            exact=parameters.get("exact") == "1",
            pages=number if 1 <= number <= MOST_PAGES else PAGES,
            **{name: parameters.get(name, "") for name in FILTERS},
        )

    @property
    def is_blank(self) -> bool:
        """Whether nothing is asked."""
        return not self.query.strip()

    def address(self, **changes: str) -> str:
        """The address of this search, relative to the page, with other parameters."""
        values = {
            "q": self.query,
            **{name: getattr(self, name) for name in FILTERS},
            "exact": "1" if self.exact else "",
            "pages": "" if self.pages == PAGES else str(self.pages),
        }
        return "?" + urlencode({name: value for name, value in (values | changes).items() if value})

    def body(self, facets: Mapping[str, Any]) -> dict[str, object]:
        """The request to /v1/search. facets: a Facets."""
        exact = {"correct": False} if self.exact else {}
        return {
            "query": self.query,
            "top_k": self.pages,
            "group_by": "page",
            "filters": self._filters(facets["sources"]),
            "include": {"content": False},
            **exact,
        }

    def _filters(self, sources: Sequence[Mapping[str, Any]]) -> dict[str, object]:
        chosen = {name: getattr(self, name) for name in FILTERS}
        filters: dict[str, Any] = {
            f"{name}s": [one.strip() for one in value.split(",")]
            for name, value in chosen.items()
            if value not in {"", ALL}
        }
        if ALL in chosen.values():
            filters["everything"] = True
            # `everything` lifts both defaults, so that of the other one is named.
            searched = [each for each in sources if each["name"] in filters.get("sources", [each["name"]])]
            for name in ("version", "locale"):
                if not chosen[name] and (defaults := _defaults(searched, f"{name}s")):
                    filters[f"{name}s"] = defaults
        return filters


def _defaults(sources: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """The default values of all sources; none if a source has pages without any."""
    if not all(source[name] for source in sources):
        return []
    return list(dict.fromkeys(one["name"] for source in sources for one in source[name] if one["default"]))
