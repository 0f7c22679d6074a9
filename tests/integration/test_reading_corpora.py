"""Pages of three real documentation corpora, read from their folders."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.corpora import all_pages, sampled_pages
from tests.pages import code_of, flaws, read

from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.markdown.reader import read_markdown
from assay.model.documents import BlockKind, Document, RawPage

PAGES = {"redux-toolkit": 69, "react-native": 2219, "fastapi": 155}  # partials, which are no pages, left out

_RULES = ChunkingRules(2_000, None, 200, "characters")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LEAKS = {
    "an import": re.compile(r"^\s*import\s.*\bfrom\b"),
    "an export": re.compile(r"^\s*export\s+(?:const|default|function)\b"),
    "a tag": re.compile(r"</?[A-Za-z][\w.]*(?:\s|/?>)"),
    "a mark of a container": re.compile(r"^\s*(?::::|///|!!!|\?\?\?|===\s|```|~~~)"),
    "a macro or attribute list": re.compile(r"\{[%{#]|\{\s[#.]"),
    "an id in braces": re.compile(r"\{#"),
}
_FENCE = re.compile(r"[\s>]*(?:[-*+]\s+|\d+\.\s+)?(`{3,}|~{3,})([^`]*)$")
_NOT_SHOWN = re.compile(r"\s*(?://|#|/\*|<!--|\{/\*)\s*highlight-[\w-]+|.*(?:\{!|--8<--)|\s*$")


@pytest.fixture(scope="module", params=PAGES)
def corpus(request: pytest.FixtureRequest, shared: Path) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pages(corpus: str, shared: Path) -> tuple[tuple[RawPage, Document], ...]:
    return tuple((page, read_markdown(page)) for page in sampled_pages(shared / "corpora" / corpus))


def prose_of(document: Document) -> Iterator[str]:
    """The lines outside code, inline code left away."""
    position = 0
    for block in document.blocks:
        if block.kind is BlockKind.CODE:
            yield from _lines(document.text[position : block.start])
            position = block.end
    yield from _lines(document.text[position:])


def _lines(text: str) -> Iterator[str]:
    return (_CODE_SPAN.sub("", line) for line in text.split("\n"))


def written_code(content: str) -> Iterator[str]:
    """The lines of code in a source that a reader sees, as far as its fences tell, without their indentation."""
    fence = info = ""
    for line in content.split("\n"):
        found = _FENCE.match(line)
        if fence and found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
        elif fence:
            if not _NOT_SHOWN.match(line) and info != "mdx-code-block":
                yield line.strip()
        elif found:
            fence, info = found[1], found[2].strip()


def test_every_page_is_found(corpus: str, shared: Path) -> None:
    assert len(all_pages(shared / "corpora" / corpus)) == PAGES[corpus]


def test_no_document_has_a_flaw(pages: tuple[tuple[RawPage, Document], ...]) -> None:
    assert [(page.key, found) for page, document in pages if (found := flaws(document))] == []


@pytest.mark.parametrize("leak", _LEAKS)
def test_nothing_of_the_markup_leaks_into_the_text(leak: str, pages: tuple[tuple[RawPage, Document], ...]) -> None:
    pattern = _LEAKS[leak]
    leaks = [(page.key, line) for page, document in pages for line in prose_of(document) if pattern.search(line)]
    assert leaks == []


def test_every_line_of_code_is_kept(pages: tuple[tuple[RawPage, Document], ...]) -> None:
    missing: list[tuple[str, str]] = []
    total = 0
    for page, document in pages:
        wanted = Counter(written_code(page.content))
        kept = Counter(line.strip() for body in code_of(document) for line in body.split("\n"))
        total += wanted.total()
        missing += [(page.key, line) for line in wanted - kept]
    assert total > 1_500
    assert missing == []


def test_the_normalized_text_read_again_has_the_same_headings(pages: tuple[tuple[RawPage, Document], ...]) -> None:
    distinct = {document.text: document for _, document in pages}
    for text, document in distinct.items():
        again = read(text)
        assert [(s.level, s.heading) for s in again.sections] == [(s.level, s.heading) for s in document.sections]


def test_pages_that_are_alike_in_several_versions_need_to_be_read_once(shared: Path) -> None:
    copies, copied = CopiedPages(), 0
    for page in all_pages(shared / "corpora" / "react-native"):
        if not copies.is_copy(page):
            copies.keep(page, _cut(page))
        elif copies.has_read(page):
            copied += 1
            if copied % 12 == 0:
                assert copies.cut(page) == _cut(page)
                assert copies.cut(page).document.links == read_markdown(page).links  # type: ignore[union-attr]
    assert copied > 1_500


def _cut(page: RawPage) -> Cut:
    document = read_markdown(page)
    return Cut(document, chunk_document(document, _RULES, lambda texts: [len(text) for text in texts]))
