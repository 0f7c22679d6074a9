"""Blocks of Markdown: lists, quotations, code, tables, footnotes and definitions."""

import pytest
from tests.pages import code_of, flaws, mdx, mkdocs, read, shown, text_of

from assay.model.documents import BlockKind

EVERYWHERE = ["docusaurus", "mkdocs", None]


@pytest.mark.parametrize("generator", EVERYWHERE)
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("* a\n* b\n  + c\n\npara", "- a\n- b\n  - c\n\npara"),
        ("1. a\n1. b\n1. c", "1. a\n2. b\n3. c"),
        ("7) a\n8) b", "7. a\n8. b"),
        ("- a\n\n- b", "- a\n\n- b"),
        ("- a\n\n  b\n  c\n\n  > d\n- e", "- a\n\n  b c\n\n  > d\n\n- e"),
        ("1. a\n   - b\n     1. c\n2. d", "1. a\n   - b\n     1. c\n2. d"),
        ("- - a\n  - b", "- - a\n  - b"),
        ("10. a\n    - b", "10. a\n    - b"),
        ("-\n- a", "- a"),
        ("> a\n> b\n>\n> c\n>> d", "> a b\n\n> c\n\n> > d"),
        ("> - a\n>   b\n> - c", "> - a b\n> - c"),
        ("> ```py\n> x\n>\n> y\n> ```", "> ```py\n> x\n>\n> y\n> ```"),
        ("- a\n  ```js\n  x\n    y\n  ```\n- b", "- a\n\n  ```js\n  x\n    y\n  ```\n\n- b"),
        ("~~~js\n```\n~~~", "````js\n```\n````"),
        ("```\nopen\n\n# no heading", "```\nopen\n\n# no heading\n```"),
        ("| a | b |\n|:--|--:|\n| `x` | **y** |\n| z |", "| a | b |\n| --- | --- |\n| `x` | y |\n| z |  |"),
        ("| a |\n|---|\n| `x \\| y` \\| z |", "| a |\n| --- |\n| `x \\| y` \\| z |"),
        ("a\n\n[r]: https://x.org\n\n[//]: # 'comment'\n\nb", "a\n\nb"),
    ],
)
def test_blocks_are_normalized(generator: str | None, source: str, text: str) -> None:
    document = read(source, generator)
    assert document.text == text
    assert flaws(document) == []


@pytest.mark.parametrize("generator", ["mkdocs", None])
def test_indented_code_becomes_a_fence(generator: str | None) -> None:
    assert text_of("a\n\n    x = 1\n\n      y\n\nb", generator) == "a\n\n```\nx = 1\n\n  y\n```\n\nb"
    assert code_of(read("1. a\n\n        x = 1\n          y\n", generator))[0].lstrip(" ").startswith("x = 1")


def test_code_in_a_list_of_mkdocs_loses_the_four_blanks_of_the_item() -> None:
    assert mkdocs("1. a\n\n        x = 1\n          y\n\n2. b") == "1. a\n\n   ```\n   x = 1\n     y\n   ```\n\n2. b"


@pytest.mark.parametrize("generator", EVERYWHERE)
def test_code_is_kept_byte_for_byte(generator: str | None) -> None:
    body = "\tif x:\t\n\n\n\n  # h  \n<div>{a}</div>\n:::note\n!!! x\n\\*\n\u2028\u3000é\x0c\n"
    assert code_of(read(f"```\n{body}```\n", generator)) == [body]


def test_a_heading_is_one_wherever_it_stands_but_not_in_code() -> None:
    source = "# T\n\n- ## In list\n\n> ### In quote\n\n:::note\n#### In note\n:::\n\n```\n# in code\n```\n\n`# inline`"
    document = read(source, "docusaurus")
    assert [section.heading for section in document.sections] == ["T", "In list", "In quote", "In note"]
    assert [section.anchor for section in document.sections] == [None, "in-list", "in-quote", "in-note"]
    assert flaws(document) == []


@pytest.mark.parametrize(
    ("heading", "plain", "anchor"),
    [
        ("The `createSlice` *API*", "The createSlice API", "the-createslice-api"),
        ("[Link](x.md) & ![alt](y.png)", "Link & alt", "link--alt"),
        ("`a|b` <Badge>new</Badge>", "a|b new", "ab-new"),
        ("With `{#code}` {#last}", "With {#code}", "last"),
        ("Trailing hashes ##", "Trailing hashes", "trailing-hashes"),
        ("A {/* #own */}", "A", "own"),
        ("&lt;View&gt; & `<Text>`", "<View> & <Text>", "view--text"),
        ("Line<br/>break", "Line break", "linebreak"),
        ("two  blanks", "two blanks", "two--blanks"),
    ],
)
def test_a_heading_has_a_plain_text_and_the_anchor_of_docusaurus(heading: str, plain: str, anchor: str) -> None:
    section = read(f"## {heading}\n\ntext", "docusaurus").sections[0]
    assert (section.heading, section.anchor) == (plain, anchor)


def test_attribute_lists_of_mkdocs_name_headings_and_never_show() -> None:
    document = read("## A { #own .cls }\n\n## B {: .cls }\n\n## own\n\n## Setup ![icon](x.png)", "mkdocs")
    assert [(section.heading, section.anchor) for section in document.sections] == [
        ("A", "own"),
        ("B", "b"),
        ("own", "own_1"),
        ("Setup icon", "setup"),
    ]


def test_an_attribute_list_of_mkdocs_at_the_start_of_a_heading_is_its_text() -> None:
    document = read("## {#c4} lead\n\n## {#only}\n\n## 中文\n\n{#not-shown}\ntext", "mkdocs")
    assert [(section.heading, section.anchor) for section in document.sections] == [
        ("{#c4} lead", "c4-lead"),
        ("{#only}", "only"),
        ("中文", "_1"),
    ]
    assert "not-shown" not in document.text


@pytest.mark.parametrize("generator", EVERYWHERE)
def test_a_footnote_stands_at_the_end_of_the_section_that_refers_to_it(generator: str | None) -> None:
    first = "## A\n\nText[^n] and[^2].\n\n[^n]: Note *one*\n    goes on.\n\nMore[^n]."
    source = f"{first}\n\n## B\n\nb[^3]\n\n[^2]: Two.\n[^3]: Three.\n"
    assert text_of(source, generator) == (
        "## A\n\nText[^n] and[^2].\n\nMore[^n].\n\n[^n]: Note one goes on.\n[^2]: Two.\n\n## B\n\nb[^3]\n\n[^3]: Three."
    )


def test_footnotes_that_nothing_refers_to_or_that_are_missing_are_not_shown() -> None:
    assert mdx("a[^x]\n\n[^y]: Note.") == "a[^x]"


def test_a_footnote_may_hold_blocks_and_refer_to_another() -> None:
    document = read("a[^1]\n\n[^1]: one[^2]\n\n    ```js\n    x\n    ```\n\n[^2]: two\n", "docusaurus")
    assert document.text == "a[^1]\n\n[^1]: one[^2]\n\n      ```js\n      x\n      ```\n\n[^2]: two"
    assert flaws(document) == []


def test_definitions_follow_their_terms() -> None:
    source = "Term *one*\n:   First.\n\n    More.\n:   Second.\n\nTerm two\n: Third"
    for generator in ("mkdocs", None):
        assert text_of(source, generator) == "Term one\n: First.\n\n  More.\n: Second.\n\nTerm two\n: Third"
    assert mdx("Term\n: no definition") == "Term : no definition"


def test_paragraphs_and_outermost_items_are_blocks_of_their_own() -> None:
    document = read("a\nb\n\n- c\n  - d\n- e\n\n```\nx\n```\n\n| f |\n|---|\n| g |", "docusaurus")
    assert [(block.kind, shown(document, block)) for block in document.blocks] == [
        (BlockKind.TEXT, "a b"),
        (BlockKind.TEXT, "- c\n  - d"),
        (BlockKind.TEXT, "- e"),
        (BlockKind.CODE, "```\nx\n```"),
        (BlockKind.TABLE, "| f |\n| --- |\n| g |"),
    ]


def test_links_are_recorded_with_their_text_and_where_they_lead() -> None:
    source = "## A [b](#c)\n\n- [**d** `e`](https://x.org)\n\n| [f](./g.md) |\n|---|\n\n> x [h]\n\n[h]: /i\n\n[](https://y.org)"
    document = read(source, "docusaurus")
    assert [(link.text, link.target) for link in document.links] == [
        ("b", "https://docs.example.org/guide/page#c"),
        ("d `e`", "https://x.org"),
        ("f", "https://docs.example.org/guide/g"),
        ("h", "https://docs.example.org/i"),
    ]
    assert flaws(document) == []
