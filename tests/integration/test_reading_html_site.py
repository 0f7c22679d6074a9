"""The redux-toolkit documentation: its pages as Docusaurus built them, read against what their sources give."""

from difflib import SequenceMatcher
from pathlib import Path

import pytest
from tests.built_site import Surroundings, built_files
from tests.pages import flaws

from assay.adapters.sources.folder.source import FolderSource
from assay.ingest.html.reader import read_html
from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import Document, MediaType, RawPage

HOST = "http://127.0.0.1:3111"

ADDED_TITLES = {"docs/introduction/why-rtk-is-redux-today", "docs/usage/migrating-to-modern-redux"}
"""Pages whose source has no level-1 heading: Docusaurus writes one of the title in their front matter."""


@pytest.fixture(scope="module")
def built(shared: Path) -> dict[str, str]:
    """Each page of the current version in English by its path."""
    files = built_files(shared)
    pages = {
        path.removeprefix("/").removesuffix("/index.html"): content.decode()
        for path, content in files.items()
        if path.startswith("/docs/") and not path.startswith("/docs/next/") and path.endswith("/index.html")
    }
    assert len(pages) == 69
    return pages


@pytest.fixture(scope="module")
def read(built: dict[str, str]) -> dict[str, Document]:
    """What their HTML gives."""
    return {path: read_html(_page(path, content)) for path, content in built.items()}


@pytest.fixture(scope="module")
def sources(shared: Path) -> dict[str, Document]:
    """What their Markdown gives."""
    folder = shared / "corpora" / "redux-toolkit" / "docs"
    source = FolderSource(folder, base_url=f"{HOST}/docs", name=None, max_page_bytes=5_000_000)
    documents = [read_markdown(page) for page in source.read({}) if isinstance(page, RawPage)]
    return {document.info.url.removeprefix(f"{HOST}/"): document for document in documents}


def _page(path: str, content: str) -> RawPage:
    url = f"{HOST}/{path}"
    return RawPage(
        key=url, url=url, content=content, media_type=MediaType.HTML, source="site", source_path=path,
        source_hash="0" * 64, slug=path.replace("/", "-"),
    )  # fmt: skip


def _likeness(one: Document, other: Document) -> float:
    return SequenceMatcher(None, one.text.split("\n"), other.text.split("\n"), autojunk=False).ratio()


def test_no_document_has_a_flaw(read: dict[str, Document]) -> None:
    assert {path: found for path, document in read.items() if (found := flaws(document))} == {}


def test_a_page_gives_the_same_text_from_its_html_as_from_its_source(
    read: dict[str, Document], sources: dict[str, Document]
) -> None:
    likeness = {path: _likeness(document, sources[path]) for path, document in read.items()}
    assert min(likeness.values()) > 0.99
    assert sum(likeness.values()) / len(likeness) > 0.999
    assert sum(value == 1 for value in likeness.values()) >= 65


def test_only_a_title_that_the_source_has_as_front_matter_is_added(
    read: dict[str, Document], sources: dict[str, Document]
) -> None:
    firsts = {path: document.sections[0].heading for path, document in read.items()}
    assert {path for path, heading in firsts.items() if heading != sources[path].sections[0].heading} == ADDED_TITLES


def test_every_anchor_is_an_id_of_its_page(read: dict[str, Document], built: dict[str, str]) -> None:
    anchors = [(path, section.anchor) for path, document in read.items() for section in document.sections]
    ids = {path: Surroundings(content.encode()).ids for path, content in built.items()}
    assert [(path, anchor) for path, anchor in anchors if anchor and anchor not in ids[path]] == []
    assert len([anchor for _, anchor in anchors if anchor]) > 800


def test_every_anchor_of_the_source_is_found(read: dict[str, Document], sources: dict[str, Document]) -> None:
    for path, document in read.items():
        found = {section.anchor for section in document.sections}
        assert {section.anchor for section in sources[path].sections} - found <= {None}


def test_links_lead_where_those_of_the_source_lead(read: dict[str, Document], sources: dict[str, Document]) -> None:
    for path, document in read.items():
        found = {link.target for link in document.links}
        missing = {link.target for link in sources[path].links} - found
        assert {target for target in missing if "[{" not in target} == set()  # Docusaurus escapes these in addresses
