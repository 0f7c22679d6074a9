"""Sources that count more than others."""

import pytest

from assay.retrieval.boosting import boosted
from assay.retrieval.fusion import Fused

RANKED = [Fused("a", 0.9), Fused("b", 0.8), Fused("c", 0.2)]
SOURCES = {"a": "wiki", "b": "docs", "c": "docs"}


def test_a_boosted_source_overtakes_and_its_scores_stay_in_0_to_1() -> None:
    assert boosted(RANKED, SOURCES, {"docs": 2.0}) == [("b", 0.8), ("a", 0.45), ("c", 0.2)]


def test_a_source_that_counts_less_falls_behind() -> None:
    assert [fused.point for fused in boosted(RANKED, SOURCES, {"wiki": 0.5})] == ["b", "a", "c"]


def test_equal_boosts_change_no_order() -> None:
    assert [fused.point for fused in boosted(RANKED, SOURCES, {"wiki": 3.0, "docs": 3.0})] == ["a", "b", "c"]


def test_ties_stay_in_the_order_they_had() -> None:
    tied = [Fused("z", 0.5), Fused("a", 0.5)]
    assert [fused.point for fused in boosted(tied, {}, {"docs": 2.0})] == ["z", "a"]


def test_a_cosine_below_0_gains_nothing_by_a_boost_and_loses_nothing() -> None:
    ranked = [Fused("a", 0.5), Fused("b", -0.2), Fused("c", -0.3)]
    assert boosted(ranked, SOURCES, {"docs": 4.0}) == [("a", 0.125), ("b", 0.0), ("c", 0.0)]


@pytest.mark.parametrize("boost", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_boost_is_refused(boost: float) -> None:
    with pytest.raises(ValueError, match="Boosts"):
        boosted(RANKED, SOURCES, {"docs": boost})
