"""Pages of two generations are paired one-to-one, also when they get their first public address."""

from collections.abc import Sequence

import pytest

from assay.model.documents import DocumentInfo
from assay.model.ids import document_id, slug_from_path
from assay.validation.structure.pairing import pair_pages


def _info(url: str, path: str, source: str = "docs") -> DocumentInfo:
    return DocumentInfo(document_id(url), url, path, source, path, slug_from_path(path), "page")


def _wiki(host: str, pages: Sequence[int]) -> list[DocumentInfo]:
    """A crawled wiki: all pages have one path and differ in their query."""
    return [_info(f"{host}/", "/", "wiki"), *(_info(f"{host}/page?id={page}", "/page", "wiki") for page in pages)]


def test_pages_that_differ_in_their_query_are_different_pages() -> None:
    local, public = "http://127.0.0.1:8973", "https://wiki.realco.net"
    paired = pair_pages(_wiki(local, range(18)), _wiki(public, [0, 17]))
    assert paired == {f"{local}{one}": f"{public}{one}" for one in ("/", "/page?id=0", "/page?id=17")}


@pytest.mark.parametrize("host", ["https://docs.invalid", "http://localhost:3000", "https://docs.example.org"])
def test_no_page_is_the_pair_of_two(host: str) -> None:
    before = [_info(f"{host}/{name}", "same.md") for name in "abc"]
    assert pair_pages(before, [_info("https://docs.realco.com/a", "same.md")]) == {
        f"{host}/a": "https://docs.realco.com/a"
    }
    assert len(pair_pages(before, [_info(f"https://docs.realco.com/{name}", "same.md") for name in "abcd"])) == 3


def test_a_page_that_is_there_under_its_url_is_nobody_elses_pair() -> None:
    before = [_info("http://localhost/a", "a.md"), _info("https://docs.realco.com/a", "a.md")]
    assert pair_pages(before, before[1:]) == {"https://docs.realco.com/a": "https://docs.realco.com/a"}


@pytest.mark.parametrize(
    ("before", "after", "paired"),
    [
        ("https://docs.invalid/a", "https://docs.realco.com/a", True),
        ("https://docs.invalid/a", "http://localhost/a", True),
        ("http://10.0.0.5/a", "https://docs.realco.com/b", True),
        ("http://10.0.0.5/a", "http://10.0.0.6/a", False),
        ("https://docs.realco.com/a", "https://docs.realco.com/b", False),
    ],
)
def test_only_a_page_without_a_public_address_may_move(before: str, after: str, *, paired: bool) -> None:
    assert pair_pages([_info(before, "a.md")], [_info(after, "a.md")]) == ({before: after} if paired else {})
