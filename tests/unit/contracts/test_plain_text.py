"""Passages without the marks of Markdown, and the spans in them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contracts.passages.highlights import matcher_of, merged
from assay.contracts.passages.plain_text import in_code, plain_part, plain_text

CASES = [
    pytest.param("## Nodes\n\nThey talk.", "Nodes\n\nThey talk.", id="heading"),
    pytest.param("- one\n  1. two\n* three\n> four\n: five", "one\n1. two\nthree\nfour\nfive", id="lists"),
    pytest.param("Use `nodes`, and `` `x` `` or `f(**a)`.", "Use nodes, and `x` or f(**a).", id="code in a sentence"),
    pytest.param(
        "| a | `b \\| c` |\n| --- | --- |\n| 1 |  |\n| 2 \\| | x|y |", "a  b | c\n1\n2 |  x|y", id="rows of a table"
    ),
    pytest.param("```py\n- x = a[1](2) | `b` # c\n```\n\nNow.", "- x = a[1](2) | `b` # c\n\nNow.", id="code as it is"),
    pytest.param("- ```py\n  def f():\n      pass\n  ```\n  Next.", "def f():\n    pass\nNext.", id="code in a list"),
    pytest.param("````md\n```\n# x\n```\n````\n# y", "```\n# x\n```\ny", id="a fence in a fence"),
    pytest.param("\\# one\n\\--- two", "# one\n--- two", id="escaped marks"),
    pytest.param("See [the `node`](/n \"N\") ![here](x.png).", "See the node here.", id="links and images"),
    pytest.param("[![a](b.svg)](/c) [d](/e_(f)) [[g](h)", "a d [g", id="links around images, and with brackets"),
    pytest.param("日本**語**です、*重要*。**「注意」**は **C++**", "日本語です、重要。「注意」は C++", id="Japanese"),
    pytest.param("**Now**, *`f`* and ***all***.", "Now, f and all.", id="emphasis"),
    pytest.param("a - b # c, 2*3*4, *.md, f(*a, **b), a | b, [x] and ~", None, id="no marks"),
    pytest.param("An open `mark stays.", None, id="a mark alone"),
    pytest.param("```\n```", "", id="only marks"),
    pytest.param("", "", id="nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("markdown", "expected"), CASES)
def test_plain_text_has_no_marks_of_markdown(markdown: str, expected: str | None) -> None:
    shown = markdown if expected is None else expected
    assert plain_part(markdown, 0, len(markdown), ())[0] == shown
    assert plain_text(markdown) == " ".join(shown.split())


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        pytest.param("Say `a node and b` there.", "node and b` there", "node and b there", id="within code"),
        pytest.param("| a | b node |\n| - | - |", "node |\n| - |", "node", id="within a row"),
        pytest.param("```\na `b`\n- node\n```", "- node", "- node", id="within a block of code"),
        pytest.param("See [a node](/x) here.", "node](/x) here", "node here", id="within a link"),
    ],
)
def test_a_part_may_begin_within_marks(text: str, part: str, expected: str) -> None:
    start = text.index(part)
    assert plain_part(text, start, start + len(part), ())[0] == expected


def test_spans_are_those_of_the_same_words() -> None:
    text = "  - Say `node` to a **no**de, [node](/node), and node."
    shown, spans = plain_part(text, 0, len(text), merged(matcher_of("node say").find(text)))
    assert shown == "Say node to a **no**de, node, and node."
    assert [shown[start:end] for start, end in spans] == ["Say", "node", "node", "node"]


def test_a_line_within_a_fence_is_code() -> None:
    text = "a\n```py\nb\n```\nc"
    assert [in_code(text, text.index(letter)) for letter in "abc"] == [False, True, False]


TEXT = st.text(alphabet="ab `|*#>-[]()\\~\n", max_size=120)


@given(TEXT, st.integers(0, 120), st.integers(0, 120))
def test_only_characters_are_left_out_and_marked_words_stay_words(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    spans = merged(matcher_of("a b").find(text))
    shown, moved = plain_part(text, start, end, spans)
    rest = iter(text[start:end])
    assert all(character in rest for character in shown)
    assert {shown[low:high] for low, high in moved} <= {"a", "b", "aa", "bb"} | {text[low:high] for low, high in spans}
    assert all(0 <= low < high <= len(shown) for low, high in moved)
    assert all(before[1] < after[0] for before, after in pairwise(moved))
