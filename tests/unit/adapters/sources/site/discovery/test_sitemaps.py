"""Of sitemaps and llms.txt whatever can be read is read, and nothing is expanded."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sources.site.discovery.sitemaps import MAX_ENTRIES, read_llms, read_sitemap

MOST = 10_000_000
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def _read(text: str | bytes, kind: str = "application/xml", address: str = "https://x.org/sitemap.xml") -> object:
    body = text.encode() if isinstance(text, str) else text
    return read_sitemap(body, kind, address, MOST)


def _pages(text: str | bytes, kind: str = "application/xml") -> list[str]:
    return _read(text, kind).pages  # type: ignore[attr-defined,no-any-return]


def test_pages_and_their_translations_are_read_and_images_are_not() -> None:
    text = (
        f'<?xml version="1.0"?><urlset {NS} xmlns:image="i" xmlns:xhtml="h"><url><loc> https://x.org/a?b=1&amp;c=2\n</loc>'
        '<xhtml:link rel="alternate" hreflang="fr" href="https://x.org/fr/a"/>'
        "<image:image><image:loc>https://x.org/i.png</image:loc></image:image></url>"
        "<url><loc><![CDATA[https://x.org/b]]></loc></url></urlset>"
    )
    assert _pages(text) == ["https://x.org/a?b=1&c=2", "https://x.org/fr/a", "https://x.org/b"]


def test_prefixes_and_missing_namespaces_do_no_harm() -> None:
    assert _pages("<sm:urlset><sm:url><sm:loc>https://x.org/a</sm:loc></sm:url></sm:urlset>") == ["https://x.org/a"]
    assert _pages("<urlset><url><loc>https://x.org/a</loc></url></urlset>") == ["https://x.org/a"]


def test_an_index_lists_sitemaps() -> None:
    read = _read(f"<sitemapindex {NS}><sitemap><loc>https://x.org/1.xml</loc></sitemap></sitemapindex>")
    assert read.sitemaps == ["https://x.org/1.xml"]  # type: ignore[attr-defined]
    assert read.pages == []  # type: ignore[attr-defined]


def test_a_packed_file_is_known_by_its_content_whatever_its_name() -> None:
    assert _pages(gzip.compress(b"<urlset><url><loc>https://x.org/a</loc></url></urlset>"), "text/plain") == [
        "https://x.org/a"
    ]


def test_other_character_sets_are_read() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>https://x.org/ü</loc></url></urlset>'
    assert _pages(text.encode("utf-16")) == ["https://x.org/ü"]


def test_a_text_sitemap_has_an_address_in_each_line() -> None:
    assert _pages("\ufeffhttps://x.org/a\r\n\r\nhttps://x.org/b\n", "text/plain") == [
        "https://x.org/a",
        "https://x.org/b",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>https://x.org/a?b=1&c=2</loc></url><url><loc>https://x.org/d</loc></url></urlset>",
        "<urlset><url><loc>https://x.org/a?b=1&amp;c=2</loc></url><url><loc>https://x.org/d</loc></url><url><loc>",
        "<urlset><url><loc>https://x.org/a?b=1&amp;c=2</loc></url></wrong><loc>https://x.org/d</loc>",
    ],
)
def test_of_broken_xml_the_addresses_are_read_and_it_is_said(text: str) -> None:
    read = _read(text)
    assert read.pages == ["https://x.org/a?b=1&c=2", "https://x.org/d"]  # type: ignore[attr-defined]
    assert "invalid XML" in read.fault  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://10.0.0.1/x.dtd">',
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>',
    ],
)
def test_a_document_type_ends_the_reading(declaration: str) -> None:
    read = _read(f'<?xml version="1.0"?>{declaration}<urlset><url><loc>https://x.org/&a;</loc></url></urlset>')
    assert read.pages == []  # type: ignore[attr-defined]
    assert "document type" in read.fault  # type: ignore[attr-defined]


def test_bombs_are_not_unpacked_and_deep_nesting_is_refused() -> None:
    assert "longer than" in _read(gzip.compress(b" " * (MOST + 1))).fault  # type: ignore[attr-defined]
    assert _read("<urlset>" + "<a>" * 100_000).fault  # type: ignore[attr-defined]


def test_a_file_lists_so_many_pages_at_most() -> None:
    entries = "".join(f"<url><loc>https://x.org/{number}</loc></url>" for number in range(MAX_ENTRIES + 5))
    read = _read(f"<urlset>{entries}</urlset>")
    assert len(read.pages) == MAX_ENTRIES  # type: ignore[attr-defined]
    assert "more than 50,000" in read.fault  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("body", "kind"), [("<!doctype html><html>", "text/html"), ("Not found", "text/plain"), ("", "")]
)
def test_a_page_is_no_sitemap(body: str, kind: str) -> None:
    assert not _read(body, kind).is_sitemap  # type: ignore[attr-defined]


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_an_error(body: bytes) -> None:
    read_sitemap(body, "", "https://x.org/sitemap.xml", MOST)
    read_sitemap(b"<urlset>" + body, "", "https://x.org/sitemap.xml", MOST)


def test_the_links_of_llms_txt_are_read() -> None:
    text = (
        "# Docs\n> about\n- [A](https://x.org/a.md): words\n- [B](/b 'title')\n- [C](<c_(d)>)\nhttps://x.org/e.\n"
        "[A again](https://x.org/a.md)"
    )
    assert read_llms(text) == ["https://x.org/a.md", "/b", "c_(d)", "https://x.org/e"]
