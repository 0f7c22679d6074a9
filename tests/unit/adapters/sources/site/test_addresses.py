"""Addresses are spelled one way, folded into keys, and held by prefixes at the borders of segments."""

import pytest

from assay.adapters.sources.site.addresses import (
    has_view_query,
    html_candidates,
    key_of,
    normalize_url,
    resolve,
    spelling_group,
    start_folder,
)
from assay.adapters.sources.site.options import SiteScope
from assay.adapters.sources.site.scope import CrawlScope
from assay.errors import ConfigurationError

BASE = "https://docs.example.org/guide/intro"


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("setup", "https://docs.example.org/guide/setup"),
        ("../", "https://docs.example.org/"),
        ("/a//b/./c/../d/", "https://docs.example.org/a/b/d/"),
        ("?page=2", "https://docs.example.org/guide/intro?page=2"),
        ("//CDN.example.org:443/x", "https://cdn.example.org/x"),
        ("HTTPS://docs.example.org:443/x#y", "https://docs.example.org/x"),
        (" \n/a\tb ", "https://docs.example.org/ab"),
        ("\\a\\b", "https://docs.example.org/a/b"),
        ("/%7Euser/%2fslash%zz", "https://docs.example.org/~user/%2fslash%25zz"),
        ("/a?utm_source=x&id=1&fbclid=2", "https://docs.example.org/a?id=1"),
        ("/a?ref=nav", "https://docs.example.org/a"),
        ("/größe", "https://docs.example.org/gr%C3%B6%C3%9Fe"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("/a%2e%2e/b", "https://docs.example.org/a../b"),
        ("/a/%2e%2e/b", "https://docs.example.org/b"),
        ("/a;jsessionid=F00?x=1", "https://docs.example.org/a?x=1"),
        ("http://[::1]:8000/x", "http://[::1]:8000/x"),
    ],
)
def test_a_link_leads_to_one_spelling_of_its_address(link: str, address: str) -> None:
    assert resolve(BASE, link) == address
    assert normalize_url(address) == address  # once more changes nothing


@pytest.mark.parametrize(
    "link",
    [
        "", "#top", "mailto:a@b.c", "javascript:void(0)", "data:text/html,x", "ftp://x/", "http://", "http://[::1",
        "http://user:secret@docs.example.org/", "/" + "a" * 3_000, "http://a b/", "http://x:99999/", "https://%31/x",
    ],
)  # fmt: skip
def test_what_leads_to_no_page_of_the_web_is_no_address(link: str) -> None:
    assert resolve(BASE, link) is None


@pytest.mark.parametrize(
    "address", ["https://x.org/a", "https://x.org/a/", "https://x.org/a/index.html", "https://x.org/a/INDEX.HTM"]
)
def test_slash_and_index_twins_have_one_key(address: str) -> None:
    assert key_of(address) == "https://x.org/a"


def test_the_order_of_parameters_makes_no_other_key() -> None:
    assert key_of("https://x.org/a?b=2&a=1") == key_of("https://x.org/a?a=1&b=2")


def test_twins_may_be_one_page_and_neighbours_may_not() -> None:
    same = ["https://x.org/A.html", "https://x.org/a", "https://www.x.org/a/default.aspx", "https://x.org/a?x=1"]
    assert len({spelling_group(key) for key in same}) == 1
    assert spelling_group("https://x.org/a.b") != spelling_group("https://x.org/a")


@pytest.mark.parametrize(
    ("start", "folder"),
    [
        ("https://x.org", "https://x.org"),
        ("https://x.org/docs", "https://x.org/docs"),
        ("https://x.org/docs/", "https://x.org/docs"),
        ("https://x.org/docs/intro", "https://x.org/docs"),
        ("https://x.org/docs/intro.html", "https://x.org/docs"),
        ("https://x.org/en/latest", "https://x.org/en/latest"),
        ("https://x.org/docs/2.1", "https://x.org/docs/2.1"),
        ("https://x.org/docs/guide/", "https://x.org/docs/guide"),
    ],
)
def test_a_start_url_stands_for_a_folder(start: str, folder: str) -> None:
    assert start_folder(normalize_url(start) or "") == folder


def test_a_prefix_ends_at_the_border_of_a_segment() -> None:
    scope = CrawlScope("https://x.org/docs", SiteScope(exclude=("/docs/internal",)))
    held = ["https://x.org/docs", "https://x.org/docs/a", "https://x.org/docs?x=1", "https://x.org/docs/internals"]
    assert all(scope.holds(address) for address in held)
    others = ["https://x.org/docs-old", "https://x.org/", "https://y.org/docs/a", "https://x.org/docs/internal/a"]
    assert not any(scope.holds(address) for address in others)


def test_another_host_is_in_the_scope_when_that_is_said() -> None:
    scope = CrawlScope("https://x.org/", SiteScope(include=("/docs", "https://api.x.org/ref/")))
    assert scope.holds("https://api.x.org/ref/a")
    assert scope.holds("https://x.org/docs/a")
    assert not scope.holds("https://x.org/blog")
    assert scope.origins == ("https://x.org", "https://api.x.org")


def test_scheme_and_www_are_other_names_of_one_site() -> None:
    scope = CrawlScope("https://x.org/", SiteScope())
    assert scope.resolve_alias("http://www.x.org/a?b=1") == "https://x.org/a?b=1"
    assert scope.resolve_alias("https://y.org/a") == "https://y.org/a"
    assert scope.resolve_alias("http://x.org:8080/a") == "http://x.org:8080/a"


@pytest.mark.parametrize("prefix", ["https://", "/docs?x=1", "https://user@x.org/"])
def test_a_prefix_that_is_none_is_refused(prefix: str) -> None:
    with pytest.raises(ConfigurationError, match="in include"):
        CrawlScope("https://x.org/", SiteScope(include=(prefix,)))


def test_queries_for_views_are_told_from_queries_for_pages() -> None:
    assert has_view_query("https://x.org/a?id=1&sort=up")
    assert not has_view_query("https://x.org/a?id=1")


def test_markdown_is_of_the_page_beside_it() -> None:
    assert html_candidates("https://x.org/a/b.md") == ("https://x.org/a/b", "https://x.org/a/b.html")
    assert html_candidates("https://x.org/a/index.md") == ("https://x.org/a/",)
    assert html_candidates("https://x.org/a/b.html.md") == ("https://x.org/a/b.html",)
