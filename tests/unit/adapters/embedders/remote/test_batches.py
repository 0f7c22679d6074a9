"""Requests are as full as the provider's limits allow, and no fuller."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.embedders.remote.batches import even_batch_size, plan_batches


@given(st.lists(st.integers(0, 600), max_size=300), st.integers(1, 96), st.integers(1, 5_000))
def test_batches_hold_every_text_once_in_order_and_keep_to_the_limits(
    tokens: list[int], most_texts: int, most_tokens: int
) -> None:
    batches = plan_batches(tokens, most_texts, most_tokens)
    assert [position for batch in batches for position in batch] == list(range(len(tokens)))
    for batch in batches:
        assert 1 <= len(batch) <= most_texts
        assert len(batch) == 1 or sum(tokens[position] for position in batch) <= most_tokens


@given(st.lists(st.integers(0, 600), min_size=1, max_size=300), st.integers(1, 96), st.integers(1, 5_000))
def test_no_text_would_have_fitted_into_the_batch_before(tokens: list[int], most_texts: int, most_tokens: int) -> None:
    batches = plan_batches(tokens, most_texts, most_tokens)
    for before, after in itertools.pairwise(batches):
        total = sum(tokens[position] for position in before)
        assert len(before) == most_texts or total + tokens[after.start] > most_tokens


def test_a_text_over_the_limit_of_a_request_goes_alone() -> None:
    assert plan_batches([10, 900, 10], 96, 100) == [range(1), range(1, 2), range(2, 3)]


@pytest.mark.parametrize(
    ("most", "per_minute", "share"),
    [(96, 2_000, 95), (96, None, 96), (96, 96, 96), (96, 50, 50), (96, 100, 50), (96, 960, 96), (1, 2_000, 1)],
)
def test_a_minute_holds_whole_requests(most: int, per_minute: int | None, share: int) -> None:
    assert even_batch_size(most, per_minute) == share


@given(st.integers(1, 2_048), st.integers(1, 100_000))
def test_what_a_minute_leaves_over_is_less_than_its_number_of_requests(most: int, per_minute: int) -> None:
    share = even_batch_size(most, per_minute)
    assert 1 <= share <= most
    assert per_minute % share < -(-per_minute // most)
