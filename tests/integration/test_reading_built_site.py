"""The redux-toolkit documentation: what is read from its sources against the site that Docusaurus built from them."""

import re
import tarfile
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import pytest

from assay.adapters.sources.folder.source import FolderSource
from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import Document, RawPage

HOST = "http://127.0.0.1:3111"
_VOID = frozenset(["br", "hr", "img", "input", "meta", "link", "source", "wbr"])
_APART = frozenset(["p", "div", "li", "h1", "h2", "h3", "h4", "td", "th", "pre", "br", "summary"])
_WORD = re.compile(r"\w+")


@dataclass
class Article:
    """What a built page shows of its document."""

    ids: set[str] = field(default_factory=set)
    heading_ids: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


class _ArticleReader(HTMLParser):
    """Takes the article out of a page of Docusaurus 3.10."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.article = Article()
        self._depth = 0
        self._inside: int | None = None
        self._hidden: int | None = None
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        kind = named.get("class") or ""
        if tag not in _VOID:
            self._depth += 1
        if self._inside is None and tag == "div" and "theme-doc-markdown" in kind:
            self._inside = self._depth
        if not self._inside:
            return
        if tag in _APART:
            self.article.text.append(" ")
        if named.get("id"):
            self.article.ids.add(named["id"] or "")
        if re.fullmatch("h[1-6]", tag):
            self._heading = True
            self.article.headings.append("")
            if named.get("id"):
                self.article.heading_ids.append(named["id"] or "")
        if self._hidden is None and (tag in {"svg", "script", "button"} or "hash-link" in kind):
            self._hidden = self._depth

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if re.fullmatch("h[1-6]", tag):
            self._heading = False
        if self._hidden == self._depth:
            self._hidden = None
        if self._inside == self._depth:
            self._inside = 0
        self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._inside and self._hidden is None:
            self.article.text.append(data)
            if self._heading:
                self.article.headings[-1] += data


@pytest.fixture(scope="module")
def built(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Article]:
    """Each built page's article by its URL."""
    folder = tmp_path_factory.mktemp("site")
    with tarfile.open(shared / "sites" / "redux-toolkit-docusaurus-3.10.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    (root,) = {path.parent for path in folder.rglob("sitemap.xml") if path.parent.name != "fr"}
    articles: dict[str, Article] = {}
    for path in sorted((root / "docs").rglob("index.html")):
        if "next" not in path.relative_to(root / "docs").parts:
            reader = _ArticleReader()
            reader.feed(path.read_text(encoding="utf-8"))
            articles[f"{HOST}/{path.parent.relative_to(root).as_posix()}"] = reader.article
    return articles


@pytest.fixture(scope="module")
def documents(shared: Path) -> list[Document]:
    folder = shared / "corpora" / "redux-toolkit" / "docs"
    source = FolderSource(folder, base_url=f"{HOST}/docs", name=None, max_page_bytes=5_000_000)
    return [read_markdown(page) for page in source.read({}) if isinstance(page, RawPage)]


def test_every_document_has_a_built_page_and_every_built_page_a_document(
    documents: list[Document], built: dict[str, Article]
) -> None:
    assert sorted(document.info.url for document in documents) == sorted(built)
    assert len(built) == 69


def test_every_anchor_is_an_id_of_the_built_page(documents: list[Document], built: dict[str, Article]) -> None:
    anchors = [(d.info.url, section.anchor) for d in documents for section in d.sections if section.anchor]
    assert [anchor for anchor in anchors if anchor[1] not in built[anchor[0]].ids] == []
    assert len(anchors) > 800


def test_every_id_of_a_built_heading_is_an_anchor(documents: list[Document], built: dict[str, Article]) -> None:
    for document in documents:
        anchors = {section.anchor for section in document.sections}
        assert [given for given in built[document.info.url].heading_ids if given not in anchors] == []


def test_headings_read_as_they_are_built(documents: list[Document], built: dict[str, Article]) -> None:
    for document in documents:
        shown = [" ".join(heading.replace("\u200b", "").split()) for heading in built[document.info.url].headings]
        missing = [section.heading for section in document.sections if section.level and section.heading not in shown]
        assert missing == []


def test_links_inside_the_site_lead_to_pages_and_headings_that_exist(
    documents: list[Document], built: dict[str, Article]
) -> None:
    targets = {
        link.target for d in documents for link in d.links if urlsplit(link.target).netloc == urlsplit(HOST).netloc
    }
    assert len(targets) > 150
    for target in targets:
        url, fragment = urldefrag(target)
        assert url in built
        assert not fragment or fragment in built[url].ids


def test_the_text_has_the_words_of_the_built_page_and_few_others(
    documents: list[Document], built: dict[str, Article]
) -> None:
    kept = shown = leaked = written = 0
    for document in documents:
        theirs = Counter(word.lower() for word in _WORD.findall("".join(built[document.info.url].text)))
        ours = Counter(word.lower() for word in _WORD.findall(document.text))
        kept += (theirs & ours).total()
        shown += theirs.total()
        leaked += (ours - theirs).total()
        written += ours.total()
    assert kept / shown > 0.998
    assert leaked / written < 0.02  # languages and the word `title` of fences, and numbers of lists
