"""Titles as the generators make them, and pages that are kept out of a site's search."""

from pathlib import Path

import pytest
from tests.folders import pages, paths, plant, read, reasons

from assay.ingest.markdown.reader import read_markdown


@pytest.mark.parametrize(
    ("config", "path", "text", "title"),
    [
        ("mkdocs.yml", "no_title_here.md", "text", "No title here"),
        ("mkdocs.yml", "sub/no-Title_here.md", "text", "no Title here"),
        ("mkdocs.yml", "index.md", "text", "Home"),
        ("mkdocs.yml", "README.md", "text", "Home"),
        ("mkdocs.yml", "guide/index.md", "text", "Guide"),
        ("mkdocs.yml", "named.md", "text", "Name in the nav"),
        ("mkdocs.yml", "named.md", "# Own", "Own"),
        ("mkdocs.yml", "a.md", "Title: Of the metadata\n\ntext", "Of the metadata"),
        ("docusaurus.config.js", "no_title_here.md", "text", "no_title_here"),
        ("docusaurus.config.js", "02-no-title.md", "text", "no-title"),
        ("docusaurus.config.js", "a.md", "---\nid: own-id\n---\ntext", "own-id"),
        ("docusaurus.config.js", "guide/index.md", "text", "Guide"),
        ("docusaurus.config.js", "a.md", "# Own", "Own"),
        ("README.md", "import_notes.md", "text", "Import notes"),
    ],
)
def test_a_page_without_a_title_has_the_one_that_its_site_gives_it(
    tmp_path: Path, config: str, path: str, text: str, title: str
) -> None:
    nav = "nav: [Start: [Name in the nav: named.md]]" if config == "mkdocs.yml" else ""
    plant(tmp_path, {config: nav, f"docs/{path}": text})
    assert read_markdown(pages(read(tmp_path))[f"docs/{path}"]).info.title == title


def test_a_page_changes_when_its_title_in_the_nav_does(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "nav: [A: a.md]", "docs/a.md": "", "docs/b.md": ""})
    before = pages(read(tmp_path))
    plant(tmp_path, {"mkdocs.yml": "nav: [Other: a.md]"})
    after = pages(read(tmp_path))
    assert before["docs/a.md"].source_hash != after["docs/a.md"].source_hash
    assert before["docs/b.md"].source_hash == after["docs/b.md"].source_hash


@pytest.mark.parametrize(
    ("config", "front_matter"),
    [
        ("mkdocs.yml", "search: {exclude: true}"),
        ("README.md", "search: {exclude: true}"),
        ("README.md", "search: false"),
        ("README.md", "pagefind: false"),
        ("README.md", "search_exclude: true"),
    ],
)
def test_what_a_page_keeps_out_of_the_search_of_its_site_is_left_out(
    tmp_path: Path, config: str, front_matter: str
) -> None:
    plant(tmp_path, {config: "", "docs/a.md": f"---\n{front_matter}\n---\nA", "docs/b.md": "---\nsearch: true\n---\nB"})
    items = read(tmp_path)
    assert "docs/a.md" not in paths(items)
    assert "docs/b.md" in paths(items)
    assert reasons(items)["docs/a.md"] == "excluded from the site's search"


@pytest.mark.parametrize(
    ("config", "front_matter", "is_commonmark"),
    [
        ("export default {url: 'u', baseUrl: '/'}", "", False),
        ("export default {url: 'u', baseUrl: '/'}", "mdx:\n  format: md", True),
        ("export default {url: 'u', baseUrl: '/', markdown: {format: 'detect'}}", "", True),
        ("export default {url: 'u', baseUrl: '/', markdown: {format: 'detect'}}", "mdx:\n  format: mdx", False),
        ("export default {url: 'u', baseUrl: '/', markdown: {format: 'md'}}", "", True),
    ],
)
def test_docusaurus_reads_the_format_that_is_configured(
    tmp_path: Path, config: str, front_matter: str, is_commonmark: bool
) -> None:
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": f"---\n{front_matter}\n---\n", "docs/b.mdx": ""})
    found = pages(read(tmp_path))
    assert found["docs/a.md"].is_commonmark == is_commonmark
    assert found["docs/b.mdx"].is_commonmark == ("'md'" in config)


@pytest.mark.parametrize("name", ["_sidebar.md", "_navbar.md", "_coverpage.md", "_Sidebar.md", "_Footer.md"])
def test_parts_of_every_page_are_no_pages_of_a_plain_folder(tmp_path: Path, name: str) -> None:
    plant(tmp_path, {name: "- [A](a.md)", f"sub/{name}": "text", "a.md": "text", "_draft-ideas.md": "text"})
    items = read(tmp_path)
    assert set(paths(items)) == {"a.md", "_draft-ideas.md"}
    assert reasons(items) == dict.fromkeys([name, f"sub/{name}"], "a part of other pages, such as a sidebar")


@pytest.mark.parametrize(
    ("text", "is_contents"),
    [
        ("# Summary\n\n* [Start](README.md)\n  * [A](a.md)\n\n## Part\n\n- [B](b.md)\n- Draft", True),
        ("[Start](a.md)\n\n---\n\n- [B]()\n<!-- later -->", True),
        ("# Summary\n\nThe study had two results, [one](a.md) and another.\n\n- [A](a.md)", False),
        ("# Summary\n\n- faster\n- smaller\n- [A](a.md)", False),
        ("", False),
    ],
)
def test_a_table_of_contents_is_no_page_of_a_plain_folder(tmp_path: Path, text: str, is_contents: bool) -> None:
    plant(tmp_path, {"SUMMARY.md": text, "a.md": text})
    items = read(tmp_path)
    expected = {"SUMMARY.md": "the table of contents of the site"} if is_contents else {}
    assert reasons(items) == expected
    assert set(paths(items)) == {"SUMMARY.md", "a.md"} - set(expected)
