"""What the address of the search page asks for."""

import pytest

from assay.contracts import native, native_entities
from assay.settings import Settings
from assay.web.page.search import Search

ONE = {"name": "manual", "versions": [], "locales": []}
TWO = {
    "name": "docs",
    "versions": [{"name": "2.0", "default": True}, {"name": "1.0", "default": False}],
    "locales": [{"name": "en", "default": True}, {"name": "de", "default": False}],
}
FACETS = {"sources": [TWO]}


def test_an_address_is_read_and_written_alike() -> None:
    search = Search("a b & c", "docs", "1.0", "*", exact=True, pages=20)
    sent = {"q": "a b & c", "source": "docs", "version": "1.0", "locale": "*", "exact": "1", "pages": "20"}
    assert Search.of(sent) == search
    assert search.address() == "?q=a+b+%26+c&source=docs&version=1.0&locale=%2A&exact=1&pages=20"
    assert Search("x").address() == "?q=x"
    assert Search("x").address(pages="20") == "?q=x&pages=20"


@pytest.mark.parametrize("pages", ["", "0", "-1", "101", "1e2", "ten", "٣", "9" * 5_000])
def test_a_number_of_pages_that_cannot_be_is_the_default(pages: str) -> None:
    assert Search.of({"q": "x", "pages": pages}).pages == 10


def test_unknown_parameters_are_ignored() -> None:
    assert Search.of({"utm_source": "x", "fbclid": "y"}) == Search()


@pytest.mark.parametrize(
    ("search", "filters"),
    [
        (Search("x"), {}),
        (Search("x", "docs", "1.0", "de"), {"sources": ["docs"], "versions": ["1.0"], "locales": ["de"]}),
        (Search("x", version="1.0, 2.0"), {"versions": ["1.0", "2.0"]}),
        (Search("x", version="*"), {"everything": True, "locales": ["en"]}),
        (Search("x", locale="*"), {"everything": True, "versions": ["2.0"]}),
        (Search("x", version="*", locale="*"), {"everything": True}),
        (Search("x", version="*", locale="de"), {"everything": True, "locales": ["de"]}),
    ],
)
def test_all_of_one_kind_leaves_the_default_of_the_other(search: Search, filters: dict[str, object]) -> None:
    body = search.body(FACETS)
    assert body["filters"] == filters
    assert native.parse(body, Settings().search).query.passages_per_page == native_entities.PASSAGES_PER_PAGE


def test_a_source_without_versions_is_found_in_all_locales() -> None:
    both = {"sources": [ONE, TWO]}
    assert Search("x", locale="*").body(both)["filters"] == {"everything": True}
    only = Search("x", source="docs", locale="*").body(both)["filters"]
    assert only == {"sources": ["docs"], "everything": True, "versions": ["2.0"]}
