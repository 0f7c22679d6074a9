"""What every chunk of a document repeats is bounded, however long the page makes it."""

import json
from collections.abc import Callable

import pytest
from tests.pages import page

from assay.adapters.stores.payload import to_payload
from assay.errors import InputError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.reading import read_page
from assay.model.bounds import short_path, shortened
from assay.model.documents import Chunk, Document, MediaType, RawPage

RULES = ChunkingRules(1_800, None, 0, "words")
LONG = "lengthy " * 4_000
PROSE = "Some words of a paragraph.\n\n" * 400
PARAGRAPHS = "<p>Some words of a paragraph.</p>" * 400
MOST_BESIDE_TEXT = 15_000
"""Characters of a chunk's payload besides its text: every bound together, said a few times."""


def html_page(content: str, **changes: object) -> RawPage:
    """A page of HTML with this content."""
    return page(content, media_type=MediaType.HTML, **changes)


PAGES: dict[str, Callable[[], RawPage]] = {
    "a heading underlined after many lines": lambda: page(f"# T\n\n{'prose ' * 8_000}\n---\n\n{PROSE}"),
    "a level-1 heading": lambda: page(f"# {LONG}\n\n{PROSE}"),
    "a heading of code": lambda: page(f"## `{LONG}`\n\n{PROSE}"),
    "headings in each other": lambda: page("".join(f"{'#' * n} {LONG}\n\n" for n in range(1, 7)) + PROSE),
    "a title": lambda: page(PROSE, front_matter={"title": LONG}),
    "a title of the source": lambda: page(PROSE, title=LONG),
    "tags": lambda: page(PROSE, tags=(LONG,) * 90),
    "a version and a locale": lambda: page(PROSE, version=LONG, locale=LONG),
    "an anchor": lambda: page(f"## A {{#{'a' * 20_000}}}\n\n{PROSE}", "docusaurus"),
    "a heading of HTML": lambda: html_page(f"<h2 id='{'a' * 9_000}'>{LONG}</h2>{PARAGRAPHS}"),
    "a title of HTML": lambda: html_page(f"<title>{LONG}</title>{PARAGRAPHS}"),
    "a shared title of HTML": lambda: html_page(f"<meta property='og:title' content='{LONG}'>{PARAGRAPHS}"),
    "a fence's title": lambda: page(f'```js title="{LONG}"\n' + "x = 1;\n" * 4_000 + "```\n"),
    "a table's header": lambda: page(f"| {LONG} | b |\n|---|---|\n" + "| a | b |\n" * 1_000),
}


def _cut(raw: RawPage) -> tuple[Document, tuple[Chunk, ...]]:
    document = read_page(raw)
    return document, chunk_document(document, RULES, lambda texts: [len(text.split()) for text in texts])


@pytest.mark.parametrize("name", PAGES)
def test_what_a_chunk_repeats_of_its_document_is_bounded(name: str) -> None:
    document, chunks = _cut(PAGES[name]())
    assert len(chunks) > 5
    assert len(document.info.title) <= 500
    for chunk in chunks:
        assert len(chunk.section) <= 500
        assert sum(map(len, chunk.heading_path)) <= 1_000
        assert all(len(heading) <= 500 for heading in chunk.sections)
        assert len(json.dumps(to_payload(chunk), ensure_ascii=False)) - len(chunk.text) < MOST_BESIDE_TEXT
        assert len(chunk.embedded_text) - len(chunk.text) < 310


@pytest.mark.parametrize("name", ["a heading underlined after many lines", "a heading of HTML", "a level-1 heading"])
def test_a_heading_that_is_cut_stays_whole_in_the_text_and_is_noticed(name: str) -> None:
    document, chunks = _cut(PAGES[name]())
    words = "prose" if "underlined" in name else "lengthy"
    assert document.text.count(words) in {4_000, 8_000}
    assert sum(chunk.text.count(words) for chunk in chunks) == document.text.count(words)
    assert "1 of its headings name their sections by their first 500 characters" in document.notices


def test_a_title_that_is_cut_is_noticed() -> None:
    assert read_page(PAGES["a title"]()).notices == ("its title is cut to 500 characters",)
    assert read_page(page("# Short\n\ntext")).notices == ()


def test_an_anchor_that_is_too_long_leads_nowhere_rather_than_to_another_place() -> None:
    document = read_page(PAGES["an anchor"]())
    assert [section.anchor for section in document.sections] == [None]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://docs.example.org/" + "a" * 2_000, "its URL has 2,025 characters, over the limit of 2,000"),
        ("https://docs.example.org" + "/a" * 51, "its URL has 51 path segments, over the limit of 50"),
    ],
)
def test_a_page_whose_url_is_too_long_is_refused(url: str, reason: str) -> None:
    for raw in (page("text", url=url), html_page("<p>text", url=url)):
        with pytest.raises(InputError) as refusal:
            read_page(raw)
        assert refusal.value.message == reason


def test_links_that_are_too_long_or_would_all_repeat_a_long_base_have_no_target() -> None:
    assert read_page(page("[a](/" + "b" * 3_000 + ") [c](/d)")).links[0].target.endswith("/d")
    based = read_page(html_page(f"<base href='/{'b' * 3_000}/'>" + "<p><a href='c'>c</a></p>" * 9))
    assert {link.target for link in based.links} == {"https://docs.example.org/guide/c"}


def test_a_path_gives_the_innermost_heading_and_an_even_share_of_those_above() -> None:
    assert short_path(["a", "b"]) == ("a", "b")
    path = short_path(["a" * 500, "b" * 500, "c" * 500])
    assert [len(name) for name in path] == [250, 250, 500]
    assert shortened("a" * 500, 500) == "a" * 500
    assert shortened("a" * 501, 500) == "a" * 499 + "…"
