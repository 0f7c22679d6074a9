"""Where links lead."""

import pytest
from tests.pages import page

from assay.ingest.markdown.links import MarkdownLinkResolver

LINKS = {"guide/other.md": "https://docs.example.org/other", "guide/my file.md": "https://docs.example.org/my-file"}


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("#part", "https://docs.example.org/guide/page#part"),
        ("./other.md", "https://docs.example.org/other"),
        ("other.md#x", "https://docs.example.org/other#x"),
        ("../guide/other.md?a=1#x", "https://docs.example.org/other#x"),
        ("/guide/other.md", "https://docs.example.org/other"),
        ("@site/guide/other.md", "https://docs.example.org/other"),
        ("my%20file.md", "https://docs.example.org/my-file"),
        ("my file.md", "https://docs.example.org/my-file"),
        ("missing.md#x", "https://docs.example.org/guide/missing#x"),
        ("sibling", "https://docs.example.org/guide/sibling"),
        ("../up", "https://docs.example.org/up"),
        ("/abs/path?q#f", "https://docs.example.org/abs/path?q#f"),
        ("pathname:///files/a.pdf", "https://docs.example.org/files/a.pdf"),
        ("//cdn.example.org/x", "https://cdn.example.org/x"),
        ("https://else.example.org/a b", "https://else.example.org/a%20b"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("javascript:alert(1)", None),
        ("data:text/plain,x", None),
        ("", None),
        ("//[", None),
    ],
)
def test_a_link_leads_where_a_reader_would_get(written: str, target: str | None) -> None:
    assert MarkdownLinkResolver(page("", links=LINKS)).target(written) == target


def test_a_site_in_a_folder_keeps_its_folder_before_absolute_paths() -> None:
    resolver = MarkdownLinkResolver(page("", site_root="https://docs.example.org/project/"))
    assert resolver.target("/guide") == "https://docs.example.org/project/guide"


def test_mkdocs_serves_every_page_as_a_folder() -> None:
    resolver = MarkdownLinkResolver(page("", "mkdocs"))
    assert resolver.target("../other/#x") == "https://docs.example.org/guide/other/#x"
    assert resolver.target("image.png") == "https://docs.example.org/guide/page/image.png"
    assert resolver.target("missing.md") == "https://docs.example.org/guide/missing"


@pytest.mark.parametrize("path", ["guide/index.md", "guide/README.mdx", "guide/guide.md"])
def test_links_of_a_page_that_stands_for_its_folder_start_inside_it(path: str) -> None:
    resolver = MarkdownLinkResolver(page("", "docusaurus", url="https://docs.example.org/guide", source_path=path))
    assert resolver.target("./intro") == "https://docs.example.org/guide/intro"


@pytest.mark.parametrize(
    ("imported", "written", "target"),
    [
        ("../shared/_part.mdx", "../guide/other.md", "https://docs.example.org/other"),
        ("../shared/_part.mdx", "./other.md", "https://docs.example.org/other"),  # as the page itself would have it
        ("@site/guide/_part.mdx", "./other.md", "https://docs.example.org/other"),
        ("@root/guide/sub/_part.mdx", "../other.md", "https://docs.example.org/other"),
        ("package/part.mdx", "./other.md", "https://docs.example.org/other"),
        ("../../_part.mdx", "#x", "https://docs.example.org/guide/page#x"),
    ],
)
def test_links_of_an_imported_file_start_from_its_folder(imported: str, written: str, target: str) -> None:
    assert MarkdownLinkResolver(page("", links=LINKS)).of_import(imported).target(written) == target


AT_THE_TOP_AND_BESIDE = {
    "view.md": "https://docs.example.org/view",
    "guide/view.md": "https://docs.example.org/guide/view",
    "top.md": "https://docs.example.org/top",
    "guide/beside.md": "https://docs.example.org/guide/beside",
}


@pytest.mark.parametrize(
    ("generator", "written", "target"),
    [
        ("docusaurus", "top.md", "top"),
        ("docusaurus", "beside.md", "guide/beside"),
        ("docusaurus", "view.md", "view"),  # its resolveMarkdownLinkPathname tries the top of the docs first
        ("docusaurus", "/view.md", "view"),
        ("docusaurus", "./view.md", "guide/view"),
        ("docusaurus", "../view.md", "view"),
        ("mkdocs", "view.md", "guide/view"),
        (None, "view.md", "guide/view"),
    ],
)
def test_docusaurus_looks_for_a_file_from_the_top_of_the_docs_before_it_looks_beside_the_page(
    generator: str | None, written: str, target: str
) -> None:
    resolver = MarkdownLinkResolver(page("", generator, links=AT_THE_TOP_AND_BESIDE))
    assert resolver.target(written) == f"https://docs.example.org/{target}"
