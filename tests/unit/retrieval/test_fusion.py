import math

import pytest

from assay.model.ranking import FusionMethod
from assay.ports import Scored
from assay.retrieval.fusion import Fused, FusionWeights, fuse, reciprocal_rank_fusion, relative_score_fusion

EVEN = FusionWeights(dense=1.0, sparse=1.0)


def side(**scores: float) -> list[Scored]:
    """A ranking, best first."""
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Scored(chunk_id, score) for chunk_id, score in ranked]


def ids(fused: list[Fused]) -> list[str]:
    return [one.point for one in fused]


def by_id(fused: list[Fused]) -> dict[str, float]:
    return {one.point: one.score for one in fused}


# --- by score ------------------------------------------------------------------------------------------------------


def test_the_best_of_both_sides_scores_one() -> None:
    assert relative_score_fusion(side(a=0.6, b=0.1), side(a=9.0, b=2.0), EVEN)[0] == Fused("a", 1.0)


def test_scores_are_relative_to_the_best_and_to_the_least_that_is_possible() -> None:
    weights = FusionWeights(dense=1.0, sparse=3.0)
    fused = by_id(relative_score_fusion(side(a=0.6, b=0.2), side(b=8.0, a=2.0), weights))
    assert fused["a"] == pytest.approx(0.25 * 1.0 + 0.75 * 2.0 / 8.0)
    assert fused["b"] == pytest.approx(0.25 * 1.2 / 1.6 + 0.75 * 1.0)


def test_a_chunk_that_bm25_did_not_find_counts_nothing_there() -> None:
    fused = by_id(relative_score_fusion(side(a=0.6, b=0.2), side(b=8.0), EVEN))
    assert fused["a"] == pytest.approx(0.5)


def test_a_chunk_that_dense_search_did_not_find_counts_as_much_as_the_last_it_found() -> None:
    fused = by_id(relative_score_fusion(side(a=0.6, b=0.2), side(c=8.0), EVEN))
    assert fused["c"] == pytest.approx(0.5 * 1.2 / 1.6 + 0.5)


def test_negative_cosines_keep_their_order() -> None:
    assert ids(relative_score_fusion(side(a=-0.1, b=-0.5, c=-0.9), [], EVEN)) == ["a", "b", "c"]


def test_cosines_of_minus_one_and_bm25_scores_of_zero_are_ranked_by_id() -> None:
    fused = relative_score_fusion(side(b=-1.0), side(c=0.0, a=0.0), EVEN)
    assert fused == [Fused("a", 0.0), Fused("b", 0.0), Fused("c", 0.0)]


def test_a_single_hit_on_each_side_is_fused() -> None:
    assert by_id(relative_score_fusion(side(a=0.4), side(b=3.0), EVEN)) == pytest.approx({"a": 0.5, "b": 1.0})


def test_two_empty_sides_give_an_empty_ranking() -> None:
    assert relative_score_fusion([], [], EVEN) == []


def test_equal_scores_are_ordered_by_chunk_id() -> None:
    assert ids(relative_score_fusion([], side(c=1.0, a=1.0, b=1.0), EVEN)) == ["a", "b", "c"]


def test_a_chunk_named_twice_by_a_side_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        relative_score_fusion([Scored("a", 0.5), Scored("a", 0.4)], [], EVEN)


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        relative_score_fusion(side(a=0.5), [Scored("b", score)], EVEN)


def test_a_negative_bm25_score_is_refused() -> None:
    with pytest.raises(ValueError, match="never negative"):
        relative_score_fusion(side(a=0.5), side(a=2.0, b=-0.1), EVEN)


# --- by rank -------------------------------------------------------------------------------------------------------


def test_reciprocal_rank_fusion_counts_ranks_from_one() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["b"]], [1.0, 1.0], k=60)
    assert by_id(fused) == pytest.approx({"b": 0.5 / 62 + 0.5 / 61, "a": 0.5 / 61})
    assert ids(fused) == ["b", "a"]


def test_reciprocal_rank_fusion_weighs_its_rankings() -> None:
    assert ids(reciprocal_rank_fusion([["a"], ["b"]], [1.0, 2.0])) == ["b", "a"]


def test_reciprocal_rank_fusion_breaks_ties_by_chunk_id_whatever_the_order_of_rankings() -> None:
    rankings = [["x", "y", "z"], ["y", "z", "x"], ["z", "x", "y"]]
    assert ids(reciprocal_rank_fusion(rankings, [1.0] * 3)) == ["x", "y", "z"]
    assert ids(reciprocal_rank_fusion(rankings[::-1], [1.0] * 3)) == ["x", "y", "z"]


def test_reciprocal_rank_fusion_needs_a_weight_for_each_ranking() -> None:
    with pytest.raises(ValueError, match="2 rankings need as many weights, not 1"):
        reciprocal_rank_fusion([["a"], ["b"]], [1.0])


def test_reciprocal_rank_fusion_refuses_a_chunk_named_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        reciprocal_rank_fusion([["a", "b", "a"]], [1.0])


def test_reciprocal_rank_fusion_of_no_hits_is_empty() -> None:
    assert reciprocal_rank_fusion([[], []], [1.0, 1.0]) == []


# --- either --------------------------------------------------------------------------------------------------------


def test_the_method_decides_how_sides_are_fused() -> None:
    dense, sparse = side(a=0.5, b=0.4), side(c=30.0, b=1.0)
    assert fuse(FusionMethod.SCORE, dense, sparse, EVEN, 60) == relative_score_fusion(dense, sparse, EVEN)
    assert fuse(FusionMethod.RRF, dense, sparse, EVEN, 7) == reciprocal_rank_fusion(
        [["a", "b"], ["c", "b"]], [1.0, 1.0], k=7
    )
    assert ids(fuse(FusionMethod.SCORE, dense, sparse, EVEN, 60))[0] == "c"
    assert ids(fuse(FusionMethod.RRF, dense, sparse, EVEN, 60))[0] == "b"


@pytest.mark.parametrize(("dense", "sparse"), [(-0.1, 1.0), (1.0, -1.0), (math.nan, 1.0), (1.0, math.inf)])
def test_a_weight_that_is_negative_or_not_finite_is_refused(dense: float, sparse: float) -> None:
    with pytest.raises(ValueError, match="finite and 0 or more"):
        FusionWeights(dense=dense, sparse=sparse)


def test_weights_that_are_all_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="nothing could be ranked"):
        FusionWeights(dense=0.0, sparse=0.0)
    with pytest.raises(ValueError, match="nothing could be ranked"):
        reciprocal_rank_fusion([["a"]], [0.0])
