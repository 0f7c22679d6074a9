"""The search page as HTML, for browsers without JavaScript."""

from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from assay.web.page import html
from assay.web.page.search import Search

HOSTILE = "</title></p><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"
ASSETS = "page/0123/"


def hit(rank: int = 1, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """A result of a native answer."""
    usual = {
        "rank": rank,
        "snippet": "Nodes talk by topics.",
        "snippet_highlights": [[0, 5]],
        "section_url": "https://docs.example.org/nodes#topics",
        "url": "https://docs.example.org/nodes",
        "title": "Nodes",
        "heading_path": ["Talking", "Topics"],
        "version": None,
        "locale": None,
    }
    return usual | fields


def answer(*hits: dict[str, Any], **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    """A native answer, with each hit on its own page."""
    pages = [{"url": one["url"], "title": one["title"], "ranks": [one["rank"]]} for one in hits]
    usual = {"results": hits, "pages": pages, "corrections": [], "warnings": [], "no_good_answer": False}
    return usual | fields


def shown(search: Search, found: dict[str, Any], facets: Any = None, searched: str = "") -> LexborHTMLParser:  # noqa: ANN401
    """The page with this answer."""
    results = html.results(search, found, searched)
    return LexborHTMLParser(html.page(search, facets or {"sources": []}, results, ASSETS))


def test_whatever_is_hostile_is_text() -> None:
    one = hit(snippet=HOSTILE, snippet_highlights=[[0, 8]], title=HOSTILE, heading_path=[HOSTILE], version=HOSTILE)
    found = answer(one, warnings=[HOSTILE], corrections=[{"typed": "x", "used": "y", "start": 0}])
    facets = {"sources": [{"name": HOSTILE, "versions": [], "locales": []}]}
    page = shown(Search(HOSTILE, source=HOSTILE), found, facets, HOSTILE)
    assert [node.attributes.get("src") for node in page.css("script")] == [f"{ASSETS}page.js"]
    assert page.css("img") == []
    assert page.css_first("input[name=q]").attributes["value"] == HOSTILE
    assert page.css_first("title").text() == f"{HOSTILE} – Search"
    for selector in ("h2", "li a", "li p", "small", "strong", "option[selected]"):
        assert HOSTILE in page.css_first(selector).text(), selector


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "", "vbscript:x"])
def test_a_link_that_is_not_http_is_no_link(url: str) -> None:
    page = shown(Search("nodes"), answer(hit(section_url=url)))
    assert page.css("li a") == []
    assert "Talking › Topics" in page.css_first("li").text()


def test_results_are_grouped_by_page_with_their_words_marked() -> None:
    found = answer(hit(1), hit(2, title=None, heading_path=[], url="https://docs.example.org/b", version="2.0"))
    page = shown(Search("nodes"), found)
    headings = [node.text() for node in page.css("h2")]
    assert headings == [
        "Nodes https://docs.example.org/nodes",
        "https://docs.example.org/b https://docs.example.org/b · 2.0",
    ]
    assert [node.text() for node in page.css("mark")] == ["Nodes", "Nodes"]
    assert page.css_first("li a").attributes["href"] == "https://docs.example.org/nodes#topics"


def test_corrections_no_good_answer_and_warnings_are_said() -> None:
    corrected = [{"typed": "ndoes", "used": "nodes", "start": 0}]
    found = answer(hit(), corrections=corrected, warnings=["No embedder."], no_good_answer=True)
    page = shown(Search("ndoes"), found, searched="nodes")
    text = page.css_first("[slot=results]").text()
    assert "Results for nodes. Search instead for ndoes" in text
    assert "Probably nothing answers this." in text
    assert "No embedder." in text
    assert page.css_first("[slot=results] a").attributes["href"] == "?q=ndoes&exact=1"
    assert "No results for “x”." in shown(Search("x"), answer()).body.text()


def test_more_results_are_one_link_away_until_there_are_no_more() -> None:
    ten = answer(*(hit(rank, url=f"https://docs.example.org/{rank}") for rank in range(1, 11)))
    links = [node.attributes["href"] for node in shown(Search("x"), ten).css("p > a")]
    assert links == ["?q=x&pages=20"]
    assert shown(Search("x", pages=20), ten).css("p > a") == []


def test_filters_are_offered_where_there_is_a_choice() -> None:
    versions = [{"name": "2.0", "default": True}, {"name": "1.0", "default": False}]
    facets = {"sources": [{"name": "docs", "versions": versions, "locales": [{"name": "en", "default": True}]}]}
    page = shown(Search("x", version="1.0"), answer(), facets)
    assert [node.attributes["name"] for node in page.css("select")] == ["version"]
    assert [node.attributes["value"] for node in page.css("option")] == ["", "2.0", "1.0", "*"]
    assert page.css_first("option[selected]").text() == "1.0"


def test_the_page_loads_nothing_but_its_own_files_and_has_no_inline_code() -> None:
    page = shown(Search("x"), answer(hit()))
    loaded = [node.attributes.get("src") or node.attributes.get("href") for node in page.css("script, link")]
    assert sorted(loaded) == [f"{ASSETS}icon.svg", f"{ASSETS}page.css", f"{ASSETS}page.js"]
    assert page.css("style, [style], [onclick], [onerror], [onload]") == []
    assert [node.text() for node in page.css("script")] == [""]
