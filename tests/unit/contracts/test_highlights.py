"""Where the words of a query stand in a passage."""

import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.adapters.stores.bm25 import Bm25Encoder
from assay.contracts.passages.highlights import highlights, matcher_of, merged
from assay.contracts.passages.stemming import stem


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in highlights(text, query)]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        pytest.param("node", "A Node, a NODE.", ["Node", "NODE"], id="case does not count"),
        pytest.param("dying", "It died, and dies in the sky.", ["died", "dies"], id="an irregular participle"),
        pytest.param("sky", "Skies, not skis.", ["Skies"], id="an irregular plural"),
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
        pytest.param("로봇을", "로봇이 움직인다", ["로봇"], id="Korean endings"),
        pytest.param("naïve", "Naive, naïve, NAÏVE", ["Naive", "naïve", "NAÏVE"], id="accents do not count"),
        pytest.param("using", "use used user", ["use", "used"], id="a short stem"),
        pytest.param("owned nodes", "own nodes, owned", ["nodes", "owned"], id="a stop word with the stem of another"),
        pytest.param("have all queries", "all the query has", ["query"], id="the index's stop words"),
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


ENGLISH = sorted(
    {
        word
        for path in (Path(__file__).parents[3] / "docs").glob("*.md")
        for word in re.findall(r"[a-z]{3,}", path.read_text(encoding="utf-8").lower())
    }
)


@pytest.fixture(scope="module")
def terms() -> dict[str, tuple[int, ...]]:
    """The keyword index's term of each word of this project's documentation; none for a stop word."""
    counted = Bm25Encoder("english").term_counts(ENGLISH)
    return {word: one.indices for word, one in zip(ENGLISH, counted, strict=True)}


def test_words_have_one_stem_exactly_if_the_keyword_index_has_one_term_for_them(
    terms: dict[str, tuple[int, ...]],
) -> None:
    by_term, by_stem = defaultdict(set), defaultdict(set)
    for word, term in terms.items():
        if term:
            by_term[term].add(word)
            by_stem[stem(word)].add(word)
    assert len(by_term) > 1_000
    assert sorted(map(sorted, by_stem.values())) == sorted(map(sorted, by_term.values()))


def test_what_is_highlighted_is_what_the_keyword_index_matches(terms: dict[str, tuple[int, ...]]) -> None:
    text = " ".join(ENGLISH)
    for query in ENGLISH[:: len(ENGLISH) // 300]:
        if terms[query]:
            assert set(marked(text, query)) == {word for word, term in terms.items() if term == terms[query]}


def test_an_unfinished_word_is_found_as_the_beginning_of_others() -> None:
    text = "Optimistic optimism, optical; an update and updating."
    spans = merged(matcher_of("updates optim", is_open=True).find(text))
    assert [text[start:end] for start, end in spans] == ["Optimistic", "optimism", "update", "updating"]
    assert marked(text, "updates optimi") == ["update", "updating"]
    assert merged(matcher_of("updates optimi ", is_open=True).find(text)) == highlights(text, "updates")


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
