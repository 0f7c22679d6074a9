"""What holds for every page that the Markdown reader reads."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pages import code_of, flaws, read

GENERATORS = st.sampled_from(["docusaurus", "mkdocs", None])
INCLUDES = {"./x.mdx": "## Part\n\n<X/>\n\npart\n", "a.py": "x\n```\ny"}

_PIECES = st.sampled_from(
    [
        "# h", "## h `c`", "### ", "text", "**b**", "*", "_", "`", "``", "```", '```js title="a"', "~~~", "> ", "> > ",
        "- ", "  - ", "1. ", "    ", "\t", "\n", "\n\n", "<div>", "</div>", '<Foo a={1} b="x">', "</Foo>", "<Foo/>",
        "<Tabs>", '<TabItem value="a">', "</TabItem>", "</Tabs>", "<details>", "<summary>s</summary>", "<summary>",
        "</details>", "<table>", "<tr>", "<td>", "<td colSpan=2>", "</td>", "</tr>", "</table>", "<ul>", "<li>",
        "</li>", "</ul>", "<ol start=3>", "<pre>", "</pre>", "<code>", "</code>", "<h3 id=x>", "</h3>", "<br/>",
        "<script>", "</script>", "<!--", "-->", "{", "}", "{/* x */}", "{'lit'}", "import X from './x.mdx'",
        "export const a = {", "<X/>", ":::note", "::: tip[T `c`]", ":::", "::::", "/// note | T", "///", "//// tab | L",
        "////", '!!! note "T"', '=== "L"', "??? tip", '--8<-- "a.py"', "{* a.py *}", "::: a.b", "[a](b)",
        "[a](./b.md#c)", "![alt](i.png)", "[^1]", "[^1]: note", "| a | b |", "|---|---|", "---", "===", "Term", ": def",
        "$x$", "$$", "&amp;", "&lt;", "\\#", "\\`\\`\\`", "<http://a.b>", "{#id}", "{ #id .c }", "中文。", "😀",
        "\u00a0", "\ud800", "\0", "\r\n", "\r", "\ufeff", '<CodeBlock language="js">', "</CodeBlock>", "> [!NOTE]",
        "<dl><dt>",
        "<dd>", "</dl>", '<a href="x">', "</a>", "<blockquote>", "</blockquote>", "[x]: http://y", "*[A]: b",
        "word word", "<Note>", "</Note>", "```mdx-code-block", "<div markdown>", "{{ x }}", "{% y %}", "\x0c", "\u2028",
        "\x85", '<img alt="A | B">', "a|b", "`a|b`", "-8<-",
    ]
)  # fmt: skip
_GAPS = st.sampled_from(["", "", " ", "\n", "\n\n", "\n    "])
PAGES = st.lists(st.tuples(_PIECES, _GAPS), max_size=40).map(lambda parts: "".join(map("".join, parts)))


@settings(max_examples=400, deadline=None)
@given(PAGES, GENERATORS)
def test_any_mixture_of_markup_gives_a_document_without_flaws(content: str, generator: str | None) -> None:
    document = read(content, generator, includes=INCLUDES)
    assert flaws(document) == []
    document.text.encode()


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=300), GENERATORS)
def test_any_text_at_all_gives_a_document_without_flaws(content: str, generator: str | None) -> None:
    document = read(content, generator)
    assert flaws(document) == []
    document.text.encode()


_CODE_LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=30)
_WRAPPERS = {
    "plain": ("", "", ""),
    "item": ("1. a\n\n", "   ", ""),
    "nested item": ("- a\n  - b\n\n", "    ", ""),
    "colons": (":::note\n", "", ":::\n"),
    "component": ("<Foo>\n", "  ", "</Foo>\n"),
    "indented": ('!!! note "T"\n\n', "    ", ""),
    "slashes": ("/// note\n\n", "", "\n///\n"),
}
_SPEAKS = {
    "docusaurus": ["plain", "item", "nested item", "colons", "component"],
    "mkdocs": ["plain", "item", "nested item", "indented", "slashes"],
    None: ["plain", "item", "nested item", "colons", "indented", "slashes"],
}


@settings(max_examples=300, deadline=None)
@given(st.lists(_CODE_LINES, min_size=1, max_size=8), GENERATORS, st.data())
def test_code_comes_through_byte_for_byte_wherever_it_stands(
    lines: list[str], generator: str | None, data: st.DataObject
) -> None:
    body = "".join(f"{line}\n" for line in lines)
    before, indent, after = _WRAPPERS[data.draw(st.sampled_from(_SPEAKS[generator]))]
    fence = "`" * (1 + max([2, *(len(run) for run in re.findall("`+", body))]))
    fenced = [f"{fence}js", *lines, fence]
    source = before + "".join(f"{indent}{line}\n" if line else "\n" for line in fenced) + after
    if not body.strip() or "highlight-" in body or "8<-" in body or "{!" in body:
        return
    document = read(source, generator)
    (block,) = [block for block in document.blocks if block.kind == "code"]
    prefix = document.text[block.start : block.body_start].split("`")[0]
    assert [line.removeprefix(prefix) for line in code_of(document)[0].split("\n")] == [*lines, ""]


_WORDS = st.text(st.sampled_from("abc ÄÖ中文ไทย.,;!?()é'-"), min_size=1, max_size=30)
_PARAGRAPHS = _WORDS.filter(str.strip).map(lambda words: f"p{words.strip()}")
_SIMPLE_BLOCKS = st.one_of(
    st.tuples(st.integers(1, 6), _PARAGRAPHS).map(lambda heading: f"{'#' * heading[0]} {heading[1]}"),
    _PARAGRAPHS,
    st.lists(_PARAGRAPHS, min_size=1, max_size=3).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(_PARAGRAPHS, min_size=1, max_size=3).map(lambda items: "\n".join(f"> {item}" for item in items)),
    _PARAGRAPHS.map(lambda words: f"```js\n# {words}\n```"),
    _PARAGRAPHS.map(lambda words: f"- {words}\n\n  ```\n  # {words}\n  ```"),
    _PARAGRAPHS.map(lambda words: f"| {words} | b |\n|---|---|\n| c | {words} |"),
    _PARAGRAPHS.map(lambda words: f"**{words}** [link](x.md) `# code` \\# &lt;{words}&gt;"),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_SIMPLE_BLOCKS, max_size=12), GENERATORS)
def test_the_normalized_text_read_again_has_the_same_headings_and_code(parts: list[str], generator: str | None) -> None:
    first = read("\n\n".join(parts), generator)
    again = read(first.text)
    assert [(s.level, s.heading) for s in again.sections] == [(s.level, s.heading) for s in first.sections]
    assert code_of(again) == code_of(first)


@settings(max_examples=100, deadline=None)
@given(st.lists(_PARAGRAPHS, min_size=1, max_size=8), GENERATORS)
def test_every_word_of_plain_paragraphs_is_kept_in_order(words: list[str], generator: str | None) -> None:
    document = read("\n\n".join(words), generator)
    assert document.text.split() == " ".join(words).split()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["A", "a", "A 1", "a_1", "a-1", "B!", "{#a}", "É", "?"]), max_size=12), GENERATORS)
def test_no_two_headings_of_a_page_have_the_same_anchor(names: list[str], generator: str | None) -> None:
    document = read("\n\n".join(f"## x{name}" for name in names), generator)
    anchors = [section.anchor for section in document.sections if section.anchor]
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
def test_reading_again_changes_nothing_in_a_page_of_every_kind_of_block(generator: str | None) -> None:
    code, table = "```js\nx\n\n\ny\n```", "| d | e |\n| --- | --- |\n| f \\| g | `h` |"
    text = f"# T\n\na\n\n- b\n  - c\n\n{code}\n\n{table}\n\n> i\n\n1. j\n2. k"
    assert read(text, generator).text == text
