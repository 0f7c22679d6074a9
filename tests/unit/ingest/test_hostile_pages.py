"""Pages that try to break the reader: each still gives a document, and soon enough not to be noticed.

A quadratic step shows as a test that takes minutes; the suite's own limit ends it.
"""

import pytest
from tests.pages import flaws, read

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
    "exports that are never closed": "export const a = {\n\n" * 5_000 + "x",
    "macros that are never closed": "{{ a {% b {# c " * 10_000,
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


def test_inclusions_that_multiply_are_limited() -> None:
    endless = "import A from './a.mdx'\n\n" + "<A/>\n\n" * 50 + "x\n"
    document = read(endless, "docusaurus", includes={"./a.mdx": endless})
    assert set(document.text.split("\n\n")) == {"x"}
