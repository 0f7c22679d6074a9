"""Every text has exactly one finite score, or the answer is refused with the reason."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.remote.unusable import UnusableAnswer
from assay.adapters.rerankers.score_checks import finite_scores, scores_by_index


def _result(index: object, score: object) -> dict[str, object]:
    return {"index": index, "score": score}


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=20), st.randoms())
def test_results_in_any_order_give_the_scores_in_the_order_of_the_texts(scores: list[float], chance: Any) -> None:  # noqa: ANN401 - a Random
    results = [_result(index, score) for index, score in enumerate(scores)]
    chance.shuffle(results)
    assert scores_by_index(results, len(scores), "score") == scores


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        (None, "not a list"),
        ({"index": 0}, "not a list"),
        (["a", "b"], "not a list of objects"),
        ([_result(0, 1.0)], "1 results for 2 texts"),
        ([_result(0, 1.0), _result(0, 0.5)], "index 0 appears twice"),
        ([_result(0, 1.0), _result(2, 0.5)], "the index 2 belongs to no text"),
        ([_result(0, 1.0), _result(-1, 0.5)], "the index -1 belongs to no text"),
        ([_result(0, 1.0), _result(True, 0.5)], "the index True belongs to no text"),
        ([_result(0, 1.0), _result("1", 0.5)], "the index '1' belongs to no text"),
        ([_result(0, 1.0), {"score": 0.5}], "the index None belongs to no text"),
        ([_result(0, 1.0), {"index": 1}], "score is not a number"),
        ([_result(0, 1.0), _result(1, "0.5")], "score is not a number"),
        ([_result(0, 1.0), _result(1, True)], "score is not a number"),
        ([_result(0, 1.0), _result(1, float("nan"))], "not finite"),
        ([_result(0, 1.0), _result(1, float("inf"))], "not finite"),
        ([_result(0, 1.0), _result(1, 10**400)], "not finite"),
    ],
)
def test_results_without_one_finite_score_for_each_text_are_refused(results: object, reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        scores_by_index(results, 2, "score")


def test_scores_in_order_are_counted_and_have_to_be_finite() -> None:
    assert finite_scores([1, 2.5], 2) == [1.0, 2.5]
    with pytest.raises(UnusableAnswer, match="1 scores for 2 texts"):
        finite_scores([1.0], 2)
    with pytest.raises(UnusableAnswer, match="not finite"):
        finite_scores([float("nan")], 1)
