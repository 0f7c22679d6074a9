"""Where the words of a query stand in a passage."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.contracts.highlights import highlights, stem


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in highlights(text, query)]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        pytest.param("node", "A Node, a NODE.", ["Node", "NODE"], id="case does not count"),
        pytest.param("node", "Nodes and node's", ["Nodes", "node"], id="plural of the text"),
        pytest.param("nodes", "one node", ["node"], id="plural of the query"),
        pytest.param("communicate", "communicating communication", ["communicating", "communication"], id="endings"),
        pytest.param("running", "run runs, Running; runt", ["run", "runs", "Running"], id="doubled consonant"),
        pytest.param("queries", "a query", ["query"], id="y and ies"),
        pytest.param("node", "anode nodeless node2", [], id="only whole words"),
        pytest.param("how do the nodes", "how the nodes do", ["nodes"], id="stop words are left out"),
        pytest.param("what is it", "what it is", ["what", "it", "is"], id="unless there is nothing else"),
        pytest.param("ROS 2", "ROS 2, ROS2, 22", ["ROS", "2"], id="a digit is a word"),
        pytest.param("create_slice", "use create_slice()", ["create", "slice"], id="an underscore ends a word"),
        pytest.param("通信", "このロボットは通信を行う", ["通信"], id="Chinese characters"),
        pytest.param("ロボットの通信", "このロボットは通信を行う", ["ロボット", "通信"], id="Japanese without spaces"),
        pytest.param("การสื่อสาร", "ระบบการสื่อสารของหุ่นยนต์", ["การสื่อสาร"], id="Thai without spaces"),
        pytest.param("ROS2通信", "ros2の通信", ["ros2", "通信"], id="two scripts in one word"),
        pytest.param("हिन्दी", "यह हिन्दी है", ["हिन्दी"], id="a word with combining marks"),
        pytest.param("robot عربي", "كلمة عربي robot", ["عربي", "robot"], id="right to left"),
        pytest.param("nodes", "İİİ nodes", ["nodes"], id="lower case of another length"),
        pytest.param("🤖", "a 🤖", [], id="signs are no words"),
        pytest.param("nodes", "", [], id="no text"),
        pytest.param("???", "What???", [], id="no words"),
    ],
)
def test_words_of_the_query_are_found(query: str, text: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_neighbouring_spans_are_joined() -> None:
    assert highlights("ロボット", "ロボット") == [(0, 4)]


@pytest.mark.parametrize("word", ["as", "bus", "is", "sing", "red", "need", "class", "us"])
def test_a_short_word_keeps_most_of_itself(word: str) -> None:
    assert len(stem(word)) >= min(len(word), 3)


WORDS = st.text(alphabet="abcdeginrsty ABC_.ßİ通信ロกาः\u0301", max_size=40)


@given(WORDS, WORDS)
@example("ß", "SS ß")
def test_spans_are_ordered_apart_and_inside_the_text(text: str, query: str) -> None:
    spans = highlights(text, query)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


@given(st.lists(st.from_regex(r"[a-z]{3,9}", fullmatch=True), min_size=1, max_size=5))
def test_a_word_of_the_text_is_found_by_itself(words: list[str]) -> None:
    assert words[0] in marked(" ".join(words), words[0])
