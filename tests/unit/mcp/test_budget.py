"""Texts cut to a number of tokens."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.embedders.static import count_tokens
from assay.mcp.budget import cut, fitting


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_lines_are_kept_whole_while_they_fit() -> None:
    assert cut("one two\nthree four\nfive", 4, words) == "one two\nthree four"


def test_a_first_line_that_is_too_long_is_cut_between_words() -> None:
    assert cut("one two three four\nfive", 3, words) == "one two three"


def test_a_text_that_fits_is_not_changed() -> None:
    assert cut("one\n\ntwo", 2, words) == "one\n\ntwo"


def test_a_line_without_spaces_is_cut_within_it() -> None:
    shown = cut("机器人在不平坦的地面上行走" * 100, 100, count_tokens)
    assert 30 < len(shown) < 1_300


@pytest.mark.parametrize("most", [0, -5])
def test_without_room_nothing_is_left(most: int) -> None:
    assert cut("one\ntwo", most, words) == ""


def test_no_lines_fit_any_number() -> None:
    assert fitting([], 0, words) == 0


@given(st.text(alphabet="ab .\n`#é漢", max_size=300), st.integers(0, 60))
def test_a_cut_text_is_a_beginning_with_at_most_that_many_tokens(text: str, most: int) -> None:
    shown = cut(text, most, count_tokens)
    assert text.startswith(shown)
    assert not shown or count_tokens([shown])[0] <= most
