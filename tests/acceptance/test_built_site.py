"""A real site, read from its pages: what is indexed of it against the site's sources and its HTML."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mean
from urllib.parse import urlsplit

import pytest
from tests.built_site import Surroundings, built_files, flat, serving

from assay.app import Assay
from assay.model.documents import Chunk
from assay.settings import load_settings

PAGES = 207
CURRENT = 69
SKIPPED = "/fr/docs/next"
"""A version in French; those in English and the current one in French are read."""


@dataclass(frozen=True, slots=True)
class Read:
    """Chunks by path of their page: of the site, and of the folder that the current English version was made from.

    paths: of all pages. pages: every fourth of them, some of each version and language.
    """

    site: dict[str, list[Chunk]]
    folder: dict[str, list[Chunk]]
    paths: list[str]
    pages: dict[str, Surroundings]


def _chunks(data: Path, **source: object) -> dict[str, list[Chunk]]:
    with Assay.open(load_settings(None, {"data_dir": data, "sources": [source]})) as assay:
        generation = assay.builds.ingest().generation
        chunks: dict[str, list[Chunk]] = {}
        for chunk in assay.parts.catalog.chunks(generation.id):
            chunks.setdefault(urlsplit(chunk.document.url).path, []).append(chunk)
    return {path: sorted(found, key=lambda chunk: chunk.position) for path, found in chunks.items()}


@pytest.fixture(scope="module")
def read(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Read:
    folder = tmp_path_factory.mktemp("built")
    files = built_files(shared)
    with serving(files) as site:
        start = f"http://localhost:{urlsplit(site.url).port}/"
        found = _chunks(folder / "site", url=start, name="site", exclude=[SKIPPED])
    source = shared / "corpora" / "redux-toolkit" / "docs"
    sources = _chunks(folder / "folder", path=source, base_url="http://localhost/docs", name="folder")
    paths = sorted(path.removesuffix("/index.html") for path in files if path.endswith("/index.html"))
    paths = [path for path in paths if not path.startswith(SKIPPED)]
    pages = {path: Surroundings(files[f"{path}/index.html"]) for path in paths[::4]}
    return Read(found, sources, paths, pages)


def test_every_page_has_chunks(read: Read) -> None:
    assert sorted(read.site) == read.paths
    assert len(read.site) == PAGES


def test_chunks_of_the_pages_are_those_of_the_sources(read: Read) -> None:
    assert len(read.folder) == CURRENT
    likeness = {path: _likeness(read.site[path], chunks) for path, chunks in read.folder.items()}
    assert min(likeness.values()) > 0.95, sorted(likeness.items(), key=lambda item: item[1])[:5]
    assert mean(likeness.values()) >= 0.98


def _likeness(mine: list[Chunk], theirs: list[Chunk]) -> float:
    """Of the words of a page's chunks, with a border between chunks: 1 for the same chunks."""
    return SequenceMatcher(None, _words(mine), _words(theirs), autojunk=False).ratio()


def _words(chunks: list[Chunk]) -> list[str]:
    return [word for chunk in chunks for word in ["\x00", *chunk.text.split()]]


def test_no_chunk_holds_what_is_around_the_content(read: Read) -> None:
    """Nothing of two words or more that a page has only outside its article, or as a button or hash link in it."""
    leaks = []
    for path, page in read.pages.items():
        chunks = read.site[path]
        text = flat(" ".join(re.sub(r"[`*_|\\]", " ", chunk.text) for chunk in chunks))
        inside = flat(re.sub(r"[`*_|\\]", " ", page.inside))
        for piece in page.around:
            plain = flat(re.sub(r"[`*_|\\]", " ", piece))
            if len(plain.split()) > 1 and plain in text and plain not in inside:
                leaks.append((path, plain))
    assert leaks == []
    assert sum(len(page.around) for page in read.pages.values()) > 30 * PAGES / 4


@pytest.mark.parametrize("chrome", ["Edit this page", "Direct link to", "On this page", "Skip to main", "\u200b"])
def test_no_chunk_holds_words_of_the_theme(read: Read, chrome: str) -> None:
    assert not [chunk.section_url for chunks in read.site.values() for chunk in chunks if chrome in chunk.text]


def test_every_deep_link_leads_to_an_id_of_the_page(read: Read) -> None:
    linked = [(path, chunk.anchor) for path in read.pages for chunk in read.site[path] if chunk.anchor]
    assert [link for link in linked if link[1] not in read.pages[link[0]].ids] == []
    assert len(linked) > 10 * PAGES / 8
