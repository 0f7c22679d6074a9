from math import log2

import pytest
from benchmarks.measures import half_width, mean, ndcg, reciprocal_rank, success


def test_ndcg_discounts_by_rank_and_divides_by_the_ideal_ranking() -> None:
    gained = 1.0 / log2(3) + 1.0 / log2(5)
    ideal = 1.0 + 1.0 / log2(3) + 1.0 / log2(4)
    assert ndcg(["x", "a", "y", "b"], {"a", "b", "c"}) == pytest.approx(gained / ideal)


def test_ndcg_of_a_ranking_with_all_relevant_ids_first_is_one() -> None:
    assert ndcg(["a", "b", "x"], {"a", "b"}) == 1.0


def test_the_ideal_ranking_is_no_longer_than_the_cut() -> None:
    relevant = {str(number) for number in range(20)}
    assert ndcg(sorted(relevant), relevant, k=10) == 1.0


def test_ndcg_looks_no_further_than_the_cut() -> None:
    assert ndcg(["x"] * 10 + ["a"], {"a"}, k=10) == 0.0


def test_reciprocal_rank_is_that_of_the_first_relevant_id() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x"], {"a"}) == 0.0
    assert reciprocal_rank([], {"a"}) == 0.0


def test_success_asks_whether_a_relevant_id_is_in_the_first_few() -> None:
    assert success(["x", "x2", "x3", "x4", "a"], {"a"}) == 1.0
    assert success(["x", "x2", "x3", "x4", "x5", "a"], {"a"}) == 0.0


def test_the_interval_is_of_the_mean() -> None:
    values = [0.0, 1.0, 1.0, 0.0]
    assert mean(values) == 0.5
    assert half_width(values) == pytest.approx(1.96 * (1.0 / 3.0) ** 0.5 / 2.0)
