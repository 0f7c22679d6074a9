"""The page as HTML: a form with its results for browsers without JavaScript, and `<assay-search>` around it.

`element` and `link` escape every value; links are only to http and https.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.validation.report.markup import Child, Markup, element, link
from assay.web.page.search import ALL, MOST_PAGES, PAGES, Search

_FILTERS = {
    "source": ("Source", "All sources", None),
    "version": ("Version", "Current version", "All versions"),
    "locale": ("Language", "Default language", "All languages"),
}


def page(search: Search, facets: Mapping[str, Any], results: Child, assets: str) -> str:
    """The whole document.

    facets: a Facets. results: the results, or why there are none. assets: URL of the files, relative to the page.
    """
    title = "Search" if search.is_blank else f"{search.query.strip()} – Search"
    form = element(
        "form",
        element("input", name="q", value=search.query, maxlength=2_000, aria_label="Search", autofocus=search.is_blank),
        element("button", "Search"),
        element("div", _filters(search, facets), class_="fields"),
        role="search",
    )
    box = element("assay-search", form, element("div", results, slot="results"), inline=True)
    return _document(title, "page", assets, element("h1", "Search the documentation"), box)


def operators(assets: str) -> str:
    """The operators' page, which needs JavaScript. assets: as in page."""
    note = element(
        "noscript", element("p", "This page needs JavaScript. `assay label` and `assay search --explain` do not.")
    )
    return _document("Operators", "operators", assets, element("h1", "Operators"), note)


def _document(title: str, name: str, assets: str, *children: Child) -> str:
    """A document with its style and its script. name: of both."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("title", title),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="robots", content="noindex"),
        element("link", rel="icon", href=f"{assets}icon.svg"),
        element("link", rel="stylesheet", href=f"{assets}{name}.css"),
        element("script", type="module", src=f"{assets}{name}.js"),
    )
    body = element("body", element("main", *children))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def results(search: Search, answer: Mapping[str, Any], searched: str) -> Iterator[Markup]:
    """The results of an answer to /v1/search that is grouped by page. searched: the query with its corrections."""
    yield from _notices(search, answer, searched)
    hits = {hit["rank"]: hit for hit in answer["results"]}
    for each in answer["pages"]:
        yield from _page(each, [hits[rank] for rank in each["ranks"]])
    if len(answer["pages"]) >= search.pages < MOST_PAGES:
        more = search.address(pages=str(min(search.pages + PAGES, MOST_PAGES)))
        yield element("p", element("a", "More results", href=more))


def problem(message: str, advice: str) -> Markup:
    """Why there is no answer, and what to do."""
    return element("p", element("strong", message), " ", advice, class_="error", role="alert")


def _filters(search: Search, facets: Mapping[str, Any]) -> Iterator[Markup]:
    """A control for each filter that has a choice."""
    sources = facets["sources"]
    for name, (label, default, everything) in _FILTERS.items():
        found = sources if name == "source" else [each for source in sources for each in source[f"{name}s"]]
        chosen: str = getattr(search, name)
        values = dict.fromkeys([*(each["name"] for each in found), *([chosen] if chosen not in {"", ALL} else [])])
        if len(values) > 1 or chosen:
            pairs = [("", default), *((value, value) for value in values), *([(ALL, everything)] if everything else [])]
            options = [element("option", text, value=value, selected=value == chosen) for value, text in pairs]
            yield element("label", label, " ", element("select", options, name=name))


def _notices(search: Search, answer: Mapping[str, Any], searched: str) -> Iterator[Markup]:
    if answer["corrections"]:
        exact = element("a", search.query, href=search.address(exact="1"))
        yield element("p", "Results for ", element("strong", searched), ". Search instead for ", exact)
    if not answer["results"]:
        yield element("p", f"No results for “{search.query}”.")
    elif answer["no_good_answer"]:
        yield element("p", element("strong", "Probably nothing answers this."), " The closest passages are:")
    yield from (element("p", warning) for warning in answer["warnings"])


def _page(page: Mapping[str, Any], hits: Sequence[Mapping[str, Any]]) -> Iterator[Markup]:
    place = " · ".join(part for part in (page["url"], hits[0]["version"], hits[0]["locale"]) if part)
    yield element("h2", page["title"] or page["url"], " ", element("small", place))
    yield element("ul", (_passage(hit) for hit in hits))


def _passage(hit: Mapping[str, Any]) -> Markup:
    heading = " › ".join(hit["heading_path"]) or hit["title"] or hit["url"]
    passage = element("p", _marked(hit["snippet"], hit["snippet_highlights"]))
    return element("li", link(hit["section_url"], heading), passage)


def _marked(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[Child]:
    """The text with `mark` around its spans: start and exclusive end, in code points."""
    at = 0
    for start, end in spans:
        yield text[at:start]
        yield element("mark", text[start:end])
        at = end
    yield text[at:]
