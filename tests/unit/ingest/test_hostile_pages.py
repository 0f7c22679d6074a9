"""Pages that try to break the reader: each still gives a document, and soon enough not to be noticed.

A quadratic step shows as a test that takes minutes; the suite's own limit ends it.
"""

import pytest
from tests.pages import flaws, page, read

from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.reading import read_page
from assay.model.documents import BlockKind, MediaType

MANY = 10_000

HOSTILE = {
    "a thousand quotations in one line": ">" * MANY + " x",
    "quotations that deepen": "\n".join(">" * depth + " x" for depth in range(1, 300)),
    "lists in one line": "- " * MANY + "x",
    "lists that deepen": "\n".join("  " * depth + "- a" for depth in range(700)),
    "quotations and lists by turns": "> - " * 3_000 + "x",
    "admonitions that deepen": "\n".join("    " * depth + "!!! note" for depth in range(400)),
    "admonitions that are never closed": ":::note\n" * MANY + "x",
    "blocks that are never closed": "/// note\n" * MANY + "x",
    "brackets": "[" * 50_000,
    "links inside links": "[a [b](c) " * MANY,
    "images": "![a](" * 20_000,
    "emphasis that never ends": "*a **a " * 20_000,
    "asterisks": "*" * 100_000,
    "backticks of every length": "".join("`" * (length % 300 + 1) + " " for length in range(2_000)),
    "angles": "<" * 100_000,
    "tags that are never closed": "<Foo>\n" * 20_000 + "x",
    "elements inside elements": "<dl><dt>a<dd>b<ul><li>c<blockquote>" * 3_000,
    "cells inside cells": "<table><tr><td>\n\n" * 3_000 + "x",
    "attributes that are never closed": "<a b={" * 20_000,
    "quotes that are never closed": '<a b="' * 30_000,
    "braces": "{" * 30_000,
    "braces on lines": "{\n" * 20_000,
    "templates": "{`${" * 20_000,
    "comments that are never closed": "<!-- a\n\n" * 20_000,
    "instructions that are never closed": "a <? " * 30_000,
    "declarations that are never closed": "a <!A " * 30_000,
    "data that is never closed": "a <![CDATA[ " * 4_000,
    "a closing tag and blanks": "a </" + " " * 40_000 + "b",
    "a heading and blanks": "# a" + " " * 40_000 + "b",
    "a container and blanks": ":::note a" + " " * 40_000 + "b\n\n/// note | a" + " " * 40_000 + "b",
    "an inclusion and blanks": "{! a" + " " * 40_000 + "b\n\n{* a" + " " * 40_000 + "b",
    "numbered headings": "## a\n\n" * 1_500 + "".join(f"## a_{n}\n\n" for n in range(1, 1_500)),
    "a long label of a footnote": f"[^{'a' * 900}]\n\n[^{'a' * 900}]: b\n\n" + "    b\n\n" * 2_000,
    "exports that are never closed": "export const a = {\n\n" * 5_000 + "x",
    "macros that are never closed": "{{ a {% b {# c " * 10_000,
    "an attribute list that is never closed": "a {." + "-" * 40_000 + "\n\na {b=" + "-" * 40_000,
    "letters and digits": "aB0" * 1_000 + "A" * 100_000,
    "macros in an element": "<div>\n" + "{%a {#b\n" * 30_000 + "</div>",
    "a path and its lines": '```\n--8<-- "' + "a:1," * 50_000 + '"\n```\n\n```py [' + "a" * 100_000 + "\nx\n```",
    "formulas that are never closed": "$$a\n" * 20_000 + "$b " * 20_000,
    "footnotes": "".join(f"[^{n}] " for n in range(3_000)) + "\n\n" + "".join(f"[^{n}]: x\n" for n in range(3_000)),
    "footnotes inside footnotes": "[^a]: " * 5_000,
    "equal headings": "## a\n\nb\n\n" * 5_000,
    "a wide table": "|" + "a|" * MANY + "\n|" + "-|" * MANY + "\n|b|",
    "a long table": "| a | b |\n|---|---|\n" + "| a | b |\n" * MANY,
    "a line of a megabyte": "word " * 200_000,
    "a word of a megabyte": "a" * 1_000_000,
    "blanks": " " * 1_000_000,
    "a fence that is never closed": "```\n" + "x\n" * 100_000,
    "entities": "&amp;" * 50_000,
    "backslashes": "\\" * 100_000,
    "definitions": "a\n: b\n\n" * 5_000,
    "lazy lines": "> a\n" + "b\n" * 20_000,
    "a number too long to count": "a_" + "9" * 5_000 + "\n\n1. x\n\n## a_" + "9" * 5_000 + "\n\n## a_" + "9" * 5_000,
}


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_gives_a_document(name: str, generator: str | None) -> None:
    source = HOSTILE[name]
    document = read(source, generator)
    assert len(document.text) < 60 * len(source)
    assert flaws(document) == []


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
@pytest.mark.parametrize("opening", [">" * 200, "- " * 200, "> - " * 100, "<ul><li>" * 200])
def test_text_that_is_nested_too_deep_is_read_all_the_same(opening: str, generator: str | None) -> None:
    document = read(f"{opening} needle\n\n# After\n\ntext", generator)
    assert "needle" in document.text
    assert [section.heading for section in document.sections if section.level] == ["After"]


def test_a_large_file_that_is_put_in_place_often_does_not_make_a_page_endless() -> None:
    large = "x " * 500_000
    for source, generator in (("{! a.md !}\n\n" * 400, "mkdocs"), ('```\n--8<-- "a.md"\n```\n\n' * 400, "mkdocs")):
        assert 1_000_000 <= len(read(source, generator, includes={"a.md": large}).text) < 7_000_000


def test_a_table_of_few_cells_is_not_filled_up_to_millions() -> None:
    source = "<table><tr>" + "<td>a" * 3_000 + "<tr><td>a" * 3_000 + "</table>"
    document = read_page(page(source, media_type=MediaType.HTML))
    assert len(document.text) < 60_000
    assert document.text.count("a") == 6_000


def test_tables_of_few_cells_are_not_filled_up_to_millions_together() -> None:
    table = "|a" * 100 + "\n" + "|-" * 100 + "\n" + "|a\n" * 500 + "\n"
    document = read(table * 20)
    kinds = [block.kind for block in document.blocks]
    assert 1 <= kinds.count(BlockKind.TABLE) <= 3
    assert document.text.count("a") == 20 * 600


def test_a_page_of_nothing_but_headings_is_cut() -> None:
    document = read("###### a\n" * 20_000)
    chunks = chunk_document(document, ChunkingRules(1_800, None, 0, "words"), lambda texts: [1] * len(texts))
    assert sum(chunk.text.count("a") for chunk in chunks) == 20_000


def test_inclusions_that_multiply_are_limited() -> None:
    endless = "import A from './a.mdx'\n\n" + "<A/>\n\n" * 50 + "x\n"
    document = read(endless, "docusaurus", includes={"./a.mdx": endless})
    assert set(document.text.split("\n\n")) == {"x"}
