"""Links to a page have its address as its site writes it; ids and comparisons use the address without the slash."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.built_folders import BASE, built, page, plant
from tests.folders import folder
from tests.folders import plant as plant_texts
from tests.sites import Site, html, links, redirect, served, sitemap, source_of, xml

from assay.ingest.reading import read_page
from assay.model.documents import DocumentInfo, PageRead, RawPage
from assay.model.ids import document_id

CANONICAL = f'<link rel="canonical" href="{BASE}/guide/">'
WITHOUT = f'<link rel="canonical" href="{BASE}/guide">'


def _infos(items: list[PageRead]) -> dict[str, DocumentInfo]:
    documents = [read_page(item) for item in items if isinstance(item, RawPage)]
    return {document.info.url.removeprefix(BASE): document.info for document in documents}


def _links(files: Mapping[str, bytes], tmp_path: Path) -> dict[str, str]:
    found = _infos(list(built(plant(tmp_path / "dist", dict(files)), tmp_path).read({})))
    return {path: info.link.removeprefix(BASE) for path, info in found.items()}


@pytest.mark.parametrize(
    ("start", "guide", "lists", "link"),
    [
        ("/guide", CANONICAL, (), "/guide/"),
        ("/guide/", WITHOUT, (), "/guide"),
        ("/guide", "", (f"{BASE}/guide/",), "/guide/"),
        ("/guide/", "", (f"{BASE}/guide",), "/guide"),
        ("guide/", "", (), "/guide/"),
        ("guide", "", (), "/guide"),
        ("guide/index.html", "", (), "/guide/"),
    ],
    ids=["canonical", "canonical without", "sitemap", "sitemap without", "link", "link without", "index file"],
)
def test_the_address_is_the_canonical_link_s_else_the_sitemap_s_else_the_first_link_s(
    start: str, guide: str, lists: tuple[str, ...], link: str, tmp_path: Path
) -> None:
    files = {"index.html": page(f"Start {links(start)}"), "guide/index.html": page("The guide", head=guide)}
    if lists:
        files["sitemap.xml"] = sitemap(*lists).encode()
    assert _links(files, tmp_path) == {"/": "/", "/guide": link}


def test_a_canonical_link_to_another_page_does_not_count(tmp_path: Path) -> None:
    files = {
        "index.html": page(f"Start {links('use/')}"),
        "use/index.html": page("How to use it", head=CANONICAL),
        "guide/index.html": page("The guide is something else entirely"),
    }
    assert _links(files, tmp_path)["/use"] == "/use/"


def test_a_page_with_a_suffix_has_its_url(tmp_path: Path) -> None:
    files = {"index.html": page(f"Start {links('a.html')}"), "a.html": page("A page")}
    assert _links(files, tmp_path) == {"/": "/", "/a.html": "/a.html"}


def test_the_host_of_a_preview_does_not_stay_in_the_address(tmp_path: Path) -> None:
    canonical = '<link rel="canonical" href="https://preview.example.com/guide/">'
    files = {
        "index.html": page(
            f"Start {links('guide')}", head='<link rel="canonical" href="https://preview.example.com/">'
        ),
        "guide/index.html": page("The guide", head=canonical),
        "sitemap.xml": sitemap("https://preview.example.com/guide/").encode(),
    }
    assert _links(files, tmp_path)["/guide"] == "/guide/"


def test_a_redirect_to_the_slash_keeps_the_address_that_the_site_writes(tmp_path: Path) -> None:
    site = Site({"/": html(f"Start {links('/guide')}"), "/guide": redirect("/guide/"), "/guide/": html("The guide")})
    with served(site):
        items = list(source_of(f"{site.url}/", tmp_path / "crawl.sqlite").read({}))
    found = {item.url: item for item in items if isinstance(item, RawPage)}
    assert found[f"{site.url}/guide"].served_at == f"{site.url}/guide/"
    assert read_page(found[f"{site.url}/guide"]).info.link == f"{site.url}/guide"


def test_the_address_of_a_sitemap_wins_over_that_of_a_redirect(tmp_path: Path) -> None:
    site = Site({"/": html("Start"), "/guide": html("The guide")})
    with served(site):
        site.pages["/sitemap.xml"] = xml(sitemap(f"{site.url}/guide/"))
        site.pages["/guide/"] = redirect("/guide")
        items = list(source_of(f"{site.url}/", tmp_path / "crawl.sqlite").read({}))
    found = {item.url: item for item in items if isinstance(item, RawPage)}
    assert read_page(found[f"{site.url}/guide"]).info.link == f"{site.url}/guide/"


def test_no_id_changes_with_the_slash(tmp_path: Path) -> None:
    plain = {"index.html": page(f"Start {links('guide')}"), "guide/index.html": page("The guide")}
    slashed = plain | {"index.html": page(f"Start {links('guide/')}")}
    one = _infos(list(built(plant(tmp_path / "one", plain), tmp_path).read({})))["/guide"]
    other = _infos(list(built(plant(tmp_path / "other", slashed), tmp_path / "b").read({})))["/guide"]
    assert (one.url, one.id) == (other.url, other.id) == (f"{BASE}/guide", document_id(f"{BASE}/guide"))
    assert one.link != other.link


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"mkdocs.yml": "site_name: A\n"}, {"/": "/", "/guide": "/guide/"}),
        ({"mkdocs.yml": "site_name: A\nuse_directory_urls: false\n"}, {"/": "/", "/guide.html": "/guide.html"}),
        ({"docusaurus.config.js": "module.exports = {url: 'https://a', baseUrl: '/', trailingSlash: true}"},
         {"/docs": "/docs/", "/docs/guide": "/docs/guide/"}),
        ({"docusaurus.config.js": "module.exports = {url: 'https://a', baseUrl: '/', trailingSlash: false}"},
         {"/docs": "/docs", "/docs/guide": "/docs/guide"}),
        ({"docusaurus.config.js": "module.exports = {url: 'https://a', baseUrl: '/'}"},
         {"/docs": "/docs", "/docs/guide": "/docs/guide"}),
        ({}, {"/docs": "/docs", "/docs/guide": "/docs/guide"}),
    ],
    ids=["MkDocs", "MkDocs with .html", "Docusaurus with a slash", "without", "by default", "plain"],
)  # fmt: skip
def test_a_folder_of_markdown_has_the_addresses_that_its_configuration_gives(
    config: dict[str, str], expected: dict[str, str], tmp_path: Path
) -> None:
    root = plant_texts(tmp_path, {"docs/index.md": "# Start\n", "docs/guide.md": "# Guide\n", **config})
    found = _infos(list(folder(root).read({})))
    assert {path: info.link.removeprefix(BASE) for path, info in found.items()} == expected
