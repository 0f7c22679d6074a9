"""Snippets of passages, for a page's HTML."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contracts.passages.highlights import matcher_of
from assay.contracts.passages.marking import Marker, escape

WORDS = ["one", "two", "three", "four", "five", "nodes", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TEXT = " ".join(WORDS)


def marker(query: str = "nodes") -> Marker:
    return Marker(matcher_of(query), "<em>", "</em>", "…")


def snippet(text: str, words: int, query: str = "nodes") -> str:
    return marker(query).snippet(text, marker(query).spans(text), words)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (0, "…"),
        (1, "…<em>nodes</em>…"),
        (3, "…four five <em>nodes</em>…"),
        (6, "…two three four five <em>nodes</em> seven…"),
        (12, TEXT.replace("nodes", "<em>nodes</em>")),
        (99, TEXT.replace("nodes", "<em>nodes</em>")),
    ],
)
def test_a_snippet_has_the_words_around_a_match(words: int, shown: str) -> None:
    assert snippet(TEXT, words) == shown


def test_a_snippet_shows_the_part_with_the_most_matches() -> None:
    text = f"nodes {TEXT} nodes talk to nodes and nodes"
    assert snippet(text, 6) == "…<em>nodes</em> talk to <em>nodes</em> and <em>nodes</em>"


def test_a_snippet_without_a_match_is_the_beginning() -> None:
    assert snippet(TEXT, 3, query="zebra") == "one two three…"


def test_a_snippet_of_a_script_without_spaces_is_counted_by_characters() -> None:
    text = "ノードはトピックで通信する。" * 20
    shown = snippet(text, 5, query="通信")
    assert "<em>通信</em>" in shown
    assert len(re.sub(r"</?em>|…", "", shown)) <= 2 * 5 + 1


@given(
    st.lists(st.sampled_from(["nodes", "a", "<b>", "&", "talk", "節点"]), min_size=1, max_size=30), st.integers(0, 12)
)
def test_a_snippet_is_a_part_of_the_text(words: list[str], most: int) -> None:
    text = " ".join(words)
    shown = snippet(text, most)
    assert unescape(re.sub(r"</?em>", "", shown)).strip("…") in text
    assert len(shown.replace("節点", "x").split()) <= most + 1


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("Q & A", "Q & A"),
        ("what's new", "what's new"),
        ("&lt; &#60; &", "&amp;lt; &amp;#60; &amp;"),
        ('<b title="x">', "&lt;b title=&quot;x&quot;&gt;"),
    ],
)
def test_only_what_could_be_markup_is_escaped(text: str, escaped: str) -> None:
    assert escape(text) == escaped
    assert unescape(escaped) == text
