"""Hypothesis strategies for valid documents: any script, any nesting, and blocks of any size."""

# ruff: noqa: RUF001 - the punctuation of other scripts is meant

from hypothesis import strategies as st

from assay.model.documents import Document
from tests.documents import Part, code, document_of, heading, table, text

LATIN = ["Nodes talk over topics.", "Use v1.2.3 (e.g. on arm64), please!", "Is it 3.5 m?", "plain words without an end"]
CHINESE = ["节点通过话题通信。", "这是什么？", "没有空格的一段文字，它很长很长很长", "好！"]
JAPANESE = ["ノードは話題で通信します。", "「終わりです。」", "それは何ですか？"]
THAI = ["โหนดสื่อสารกันผ่านหัวข้อ", "ระบบนำทางของหุ่นยนต์", "เริ่มต้นใช้งาน"]
ARABIC = ["ما هذا؟ ", "تتواصل العقد عبر المواضيع.", "نعم، هذا صحيح."]
HINDI = ["नोड विषयों पर बात करते हैं।", "यह क्या है?"]
EMOJI = ["👩🏽‍🚀🚀", "🇩🇪🇫🇷🇯🇵", "e\u0301a\u0308o\u0302", "👨‍👩‍👧‍👦", "각힣"]
SCRIPTS = [LATIN, CHINESE, JAPANESE, THAI, ARABIC, HINDI, EMOJI]


@st.composite
def prose(draw: st.DrawFn, longest: int = 16) -> str:
    """Running text of one script, with or without spaces between its sentences."""
    sentences = draw(st.lists(st.sampled_from(draw(st.sampled_from(SCRIPTS))), min_size=1, max_size=4))
    sentences *= draw(st.integers(1, max(1, longest // len(sentences))))
    return draw(st.sampled_from([" ", " ", "", "\n"])).join(sentence.strip() for sentence in sentences)


names = st.sampled_from(
    ["Install", "API", "a b c", "安装", "Use `createSlice` (v1.2)", "x", "A rather long heading: 3"]
)


@st.composite
def paragraphs(draw: st.DrawFn) -> Part:
    """A paragraph; some are one long word."""
    if draw(st.integers(0, 9)) == 0:
        return text(draw(st.sampled_from(["x", "字", "👩🏽‍🚀", "ก้", "0a"])) * draw(st.integers(1, 600)))
    return text(draw(prose()))


@st.composite
def lists(draw: st.DrawFn) -> Part:
    """A list, some with nested items and paragraphs."""
    lines: list[str] = []
    for number in range(draw(st.integers(1, 5))):
        indent = draw(st.sampled_from(["", "", "  ", "    "])) if number else ""
        mark = draw(st.sampled_from(["-", "*", f"{number + 1}."]))
        lines.append(f"{indent}{mark} {draw(prose(6)).replace(chr(10), ' ')}")
        if draw(st.booleans()):
            lines.extend(["", f"{indent}  {draw(prose(6)).replace(chr(10), ' ')}", ""])
    return text("\n".join(lines).strip("\n"))


code_lines = st.one_of(
    st.just(""),
    st.sampled_from(
        ["}", "    return x", "def f():", "# not a heading", "| not | a | table |", "  - not a list", "``"]
    ),
    st.sampled_from(["a = {'b': (c, d)};", "        deep(inside)", "x" * 70, "for (;;) {", "é" * 30, "\t\ttabs"]),
    st.integers(1, 150).map(lambda count: "minified;" * count + "x"),
)


@st.composite
def code_blocks(draw: st.DrawFn) -> Part:
    """A fenced code block, some of them nested in a list item, with a title, or with other fences inside."""
    fence = draw(st.sampled_from(["```", "````", "~~~", "~~~~~"]))
    info = draw(st.sampled_from(["", "py", 'ts title="a/b.ts"', " js {1,3-5} showLineNumbers"]))
    if fence.startswith("~"):
        info = info.replace("`", "")
    lines = draw(st.lists(code_lines, min_size=1, max_size=6)) * draw(st.integers(1, 6))
    if fence == "````":
        lines = ["```", *lines, "```"]
    return code("\n".join(lines), info, fence, draw(st.sampled_from(["", "", "   "])))


@st.composite
def tables(draw: st.DrawFn) -> Part:
    """A table with up to 30 rows."""
    columns = draw(st.integers(1, 4))
    header = draw(st.lists(names, min_size=columns, max_size=columns))
    row = st.lists(prose(4).map(lambda cell: cell.replace("\n", " ")), min_size=columns, max_size=columns)
    return table(header, draw(st.lists(row, min_size=0, max_size=4)) * draw(st.integers(1, 8)))


headings = st.builds(heading, st.integers(1, 6), names)
bodies = st.one_of(paragraphs(), lists(), code_blocks(), tables())


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A document of up to 9 blocks in any order, headings with and without a body among them."""
    parts = draw(st.lists(st.one_of(headings, bodies, bodies), min_size=0, max_size=9))
    return document_of(*parts, title=draw(st.one_of(st.just(""), names)))
