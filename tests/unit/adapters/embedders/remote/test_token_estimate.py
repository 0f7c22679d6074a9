"""The estimate of tokens is rather too high, never wildly, and counts what a word tokenizer would miss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.embedders.remote.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "wordpiece"),
    [
        # Counted with the uncased vocabulary of BERT, both ends included.
        ("How robots publish and subscribe to topics", 10),
        ("Charge the battery before the first flight", 9),
        ("-" * 80, 82),
        ("| --- | --- | --- |", 15),
        ("2026-01-31T23:59:59", 14),
        ("ロボットはトピックに接続する", 16),
        ("RCTSetCustomNSURLSessionConfigurationProvider", 19),
    ],
)
def test_it_is_at_least_what_a_wordpiece_model_counts(text: str, wordpiece: int) -> None:
    count = estimate_tokens([text])[0]
    assert wordpiece <= count <= 2 * wordpiece + 4


@given(st.text(max_size=300))
def test_no_text_has_more_tokens_than_its_characters_can_carry(text: str) -> None:
    count = estimate_tokens([text])[0]
    assert 0 <= count <= 2 * len(text) * 1.05 + 3


@given(st.text(max_size=100), st.text(max_size=100))
def test_what_stands_apart_counts_as_its_parts_do(left: str, right: str) -> None:
    together, a, b = estimate_tokens([f"{left} {right}", left, right])
    assert together <= a + b + 1
    assert together >= max(a, b)


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_a_blank_text_has_none(text: str) -> None:
    assert estimate_tokens([text]) == [0]
