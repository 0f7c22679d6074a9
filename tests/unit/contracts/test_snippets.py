"""The part of a passage that a result shows, and the links to it."""

from itertools import pairwise
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rankings import chunk_of

from assay.contracts.passages.highlights import clipped, matcher_of, merged
from assay.contracts.passages.snippets import SNIPPET, Part, best_part, text_fragment
from assay.model.documents import Chunk
from assay.model.headings import InnerHeading

FILLER = "Something else is said here at some length, and then a little more of it. "


def part_of(chunk: Chunk, query: str) -> Part:
    matcher = matcher_of(query)
    return best_part(chunk, matcher.find(chunk.text), matcher)


def snippet(text: str, query: str) -> str:
    part = part_of(chunk_of(text), query)
    return text[part.start : part.end]


def with_headings(text: str, *headings: str) -> Chunk:
    inner = tuple(InnerHeading(text.index(each), 1, each.strip("# "), each.strip("# ").lower()) for each in headings)
    return chunk_of(text, section="Begin", heading_path=("Begin",), anchor="begin", inner_headings=inner)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        pytest.param("Nodes talk.", "node", "Nodes talk.", id="a short text is all shown"),
        pytest.param(FILLER * 5 + "\n\nA node talks.", "node", "A node talks.", id="the line that matches"),
        pytest.param(FILLER * 5 + "A node talks.", "node", "A node talks.", id="the sentence that matches"),
        pytest.param("## Nodes\n\nThey talk.", "node", "They talk.", id="not the heading, which is shown above"),
        pytest.param("## Nodes", "node", "Nodes", id="the heading if there is nothing else"),
        pytest.param(
            "One node.\n\n" + FILLER * 5 + "\n\nTwo: a node has a topic.\n\n" + FILLER * 5,
            "topic of a node",
            "Two: a node has a topic.",
            id="where most words are near each other",
        ),
        pytest.param(
            "A node.\n\n" + FILLER * 5 + "\n\nA subscription.\n\n" + FILLER * 5,
            "node subscription",
            "A subscription.",
            id="the longer word if one has to be chosen",
        ),
        pytest.param("- one\n- two nodes\n- three", "node", "- one\n- two nodes\n- three", id="lines around it"),
    ],
)
def test_a_snippet_is_the_part_that_matches(text: str, query: str, expected: str) -> None:
    found = snippet(text, query)
    assert found.startswith(expected)
    assert len(found) <= SNIPPET
    assert found.endswith(expected) or len(found) > SNIPPET // 2


def test_a_passage_without_the_words_shows_its_beginning() -> None:
    text = "# Title\n\n" + FILLER * 5
    part = part_of(chunk_of(text), "nothing")
    assert text[part.start : part.end] == (FILLER * 5)[: SNIPPET + 1].rpartition(" ")[0]
    assert part.first is None
    assert text_fragment(text, part) is None


def test_a_snippet_does_not_go_beyond_its_section() -> None:
    text = f"{FILLER}\n\n## Topics\n\nNodes talk.\n\n## Services\n\n{FILLER}"
    chunk = with_headings(text, "## Topics", "## Services")
    part = part_of(chunk, "node")
    assert text[part.start : part.end] == "Nodes talk."
    assert chunk.place_at(part.section).heading == "Topics"


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("services", "Services"),
        ("topics and services", "Topics"),
        ("queue", "Services"),
        ("begin", "Begin"),
        ("empty", "Empty"),
        ("nothing of it", "Begin"),
    ],
)
def test_the_section_is_the_one_whose_heading_and_text_match_best(query: str, heading: str) -> None:
    text = "Words.\n\n## Topics\n\nNodes use topics and services.\n\n## Empty\n\n## Services\n\nA queue of services."
    chunk = with_headings(text, "## Topics", "## Empty", "## Services")
    part = part_of(chunk, query)
    assert chunk.place_at(part.section).heading == heading
    assert text[part.start : part.end]


def test_a_heading_without_text_shows_the_text_under_the_next_one() -> None:
    text = "## Empty\n\n## Services\n\nA queue."
    part = part_of(with_headings(text, "## Services"), "empty")
    assert text[part.start : part.end] == "A queue."
    assert part.section == 0


PLAIN = "Each node may have one or more topics, as many as it likes."


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        pytest.param(PLAIN, "topics", "one or more topics, as many as it likes", id="words around the match"),
        pytest.param(f"- {PLAIN}", "node", "Each node may have one or more", id="not the mark of a list"),
        pytest.param("A well-known node of the graph & more", "node", "A well-known node of the graph", id="hyphen"),
        pytest.param(
            "The rate in rclcpp.spin of the nodes", "spin", "The rate in rclcpp.spin of the nodes", id="a whole word"
        ),
        pytest.param("See `node` and **topic** here", "node", None, id="nothing within code marks"),
        pytest.param("A node.", "node", None, id="too few words"),
        pytest.param(
            "A node with " + "extraordinarily" * 3 + " " + "unpronounceable" * 3 + " names",
            "node",
            "A node with " + "extraordinarily" * 3,
            id="no part of a word",
        ),
        pytest.param("```py\nthe node of all the topics\n```", "node", None, id="no code"),
        pytest.param("## The node of all the topics", "node", None, id="no heading"),
        pytest.param("このロボットは通信を行う", "通信", None, id="no words with spaces"),
    ],
)
def test_a_text_fragment_is_made_of_plain_words(text: str, query: str, expected: str | None) -> None:
    fragment = text_fragment(text, part_of(chunk_of(text), query))
    if expected is None:
        assert fragment is None
    else:
        assert fragment is not None
        assert unquote(fragment.removeprefix(":~:text=")) == expected
        assert not set("-,& ") & set(fragment.removeprefix(":~:text="))


WORDS = st.text(alphabet="ab #-.\n`é通信", max_size=400)


@given(WORDS, st.text(alphabet="ab é通信", max_size=12), st.sets(st.integers(1, 399), max_size=3))
def test_a_snippet_is_inside_its_passage_and_has_the_words_it_was_chosen_for(
    text: str, query: str, offsets: set[int]
) -> None:
    inner = tuple(InnerHeading(at, 1, "a", "a") for at in sorted(offsets) if at < len(text))
    chunk = chunk_of(text or "a", inner_headings=inner)
    matcher = matcher_of(query)
    matches = matcher.find(chunk.text)
    part = best_part(chunk, matches, matcher)
    assert 0 <= part.start <= part.end <= len(chunk.text)
    assert part.end - part.start <= SNIPPET
    assert part.section in {0, *(one.offset for one in inner)}
    assert part.first is None or part.start <= part.first[0] < part.end
    spans = clipped(merged(matches), part.start, part.end)
    assert all(0 <= start < end <= part.end - part.start for start, end in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    text_fragment(chunk.text, part)
