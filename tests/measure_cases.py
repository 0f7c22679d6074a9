"""Hand-computed cases of the measures, each a sentence; the tests run them on the product and on its mutants."""

from collections.abc import Callable
from math import log2
from types import ModuleType

from assay.errors import InputError

Case = Callable[[ModuleType], None]

CASES: dict[str, Case] = {}


def case(check: Case) -> Case:
    """Keep a case by its name; it is given the package `assay.validation.metrics`, or a mutant of it."""
    CASES[check.__name__] = check
    return check


def near(value: object, expected: float) -> bool:
    return isinstance(value, float | int) and abs(value - expected) < 1e-12


def refused(call: Callable[[], object], *words: str) -> bool:
    try:
        call()
    except InputError as error:
        return all(word in str(error) for word in words)
    return False


@case
def precision_is_divided_by_k_when_fewer_hits_came_back(metrics: ModuleType) -> None:
    assert near(metrics.parse_measure("P@5").of(["a"], {"a": 1}), 1 / 5)


@case
def precision_counts_a_label_of_one(metrics: ModuleType) -> None:
    assert near(metrics.parse_measure("P@5").of(["a", "b", "c"], {"a": 1, "b": 2, "c": 0}), 2 / 5)


@case
def precision_looks_at_k_hits_and_no_more(metrics: ModuleType) -> None:
    labels = {"a": 1, "b": 1, "c": 1}
    assert near(metrics.parse_measure("P@2").of(["x", "a", "b"], labels), 1 / 2)
    assert near(metrics.parse_measure("P@3").of(["x", "a", "b"], labels), 2 / 3)


@case
def a_hit_that_comes_again_counts_once(metrics: ModuleType) -> None:
    ranking, labels = ["a", "a", "b"], {"a": 1, "b": 1}
    assert near(metrics.parse_measure("P@5").of(ranking, labels), 2 / 5)
    assert near(metrics.parse_measure("AP").of(ranking, labels), 1.0)
    assert near(metrics.parse_measure("Recall@2").of(ranking, labels), 1.0)
    assert metrics.parse_measure("nDCG@10").of(ranking, labels) == 1.0


@case
def the_ideal_ranking_has_relevant_chunks_that_were_not_found(metrics: ModuleType) -> None:
    assert near(metrics.parse_measure("nDCG@10").of(["a"], {"a": 1, "b": 2}), 1 / (2 + 1 / log2(3)))


@case
def the_ideal_ranking_is_by_label(metrics: ModuleType) -> None:
    labels = {"a": 1, "b": 2}
    assert near(metrics.parse_measure("nDCG@10").of(["a", "b"], labels), (1 + 2 / log2(3)) / (2 + 1 / log2(3)))
    assert metrics.parse_measure("nDCG@10").of(["b", "a"], labels) == 1.0


@case
def the_ideal_ranking_is_no_longer_than_k(metrics: ModuleType) -> None:
    labels = {f"{number:02}": 1 for number in range(20)}
    assert metrics.parse_measure("nDCG@10").of(sorted(labels), labels) == 1.0
    twos = {f"{number:02}": 2 for number in range(20)}
    assert metrics.parse_measure("nDCG@10").of(sorted(twos), twos) == 1.0


@case
def the_exponential_gain_of_a_label_of_two_is_three(metrics: ModuleType) -> None:
    value = metrics.parse_measure("nDCG_exp@10").of(["a", "b"], {"a": 1, "b": 2})
    assert near(value, (1 + 3 / log2(3)) / (3 + 1 / log2(3)))


@case
def gain_is_discounted_by_the_binary_logarithm_of_rank_plus_one(metrics: ModuleType) -> None:
    ndcg = metrics.parse_measure("nDCG@10")
    assert near(ndcg.of(["x", "a"], {"a": 1}), 1 / log2(3))
    assert near(ndcg.of(["x", "y", "z", "a"], {"a": 1}), 1 / log2(5))


@case
def ndcg_looks_at_k_hits_and_no_more(metrics: ModuleType) -> None:
    labels = {"a": 1, "b": 1}
    assert near(metrics.parse_measure("nDCG@2").of(["x", "a", "b"], labels), (1 / log2(3)) / (1 + 1 / log2(3)))
    assert near(metrics.parse_measure("nDCG@2").of(["x", "y", "b"], labels), 0.0)


@case
def the_best_hit_is_the_first_with_the_highest_label(metrics: ModuleType) -> None:
    rank = metrics.parse_measure("rank_of_best")
    assert rank.of(["a", "b", "c", "d"], {"a": 0, "b": 1, "c": 2, "d": 2}) == 3
    assert rank.of(["x", "b", "c"], {"b": 1, "c": 1}) == 2


@case
def the_highest_label_is_that_of_the_hits_not_of_the_topic(metrics: ModuleType) -> None:
    assert metrics.parse_measure("rank_of_best").of(["x", "b"], {"b": 1, "missed": 2}) == 2


@case
def there_is_no_best_hit_where_none_is_relevant(metrics: ModuleType) -> None:
    assert metrics.parse_measure("rank_of_best").of(["a", "x"], {"a": 0, "b": 1}) is None
    assert metrics.parse_measure("rank_of_best").of([], {"b": 1}) is None


@case
def mrr_is_by_the_best_hit_and_rr_by_the_first_relevant_one(metrics: ModuleType) -> None:
    ranking, labels = ["x", "b", "c", "d"], {"b": 1, "d": 2}
    assert near(metrics.parse_measure("mrr").of(ranking, labels), 1 / 4)
    assert near(metrics.parse_measure("RR").of(ranking, labels), 1 / 2)


@case
def a_topic_without_a_best_hit_counts_zero_in_mrr(metrics: ModuleType) -> None:
    measures = [metrics.parse_measure("mrr"), metrics.parse_measure("RR")]
    assert metrics.evaluate(measures, [["x"], ["a"]], [{"a": 2}, {"a": 2}]) == [[0.0, 1.0], [0.0, 1.0]]


@case
def a_topic_without_results_is_there_with_zero(metrics: ModuleType) -> None:
    measures = [metrics.parse_measure(name) for name in ("P@5", "mrr", "RR", "Recall@10", "AP", "nDCG@10", "bpref")]
    values = metrics.evaluate(measures, [["a"], [], ["a"]], [{"a": 1}] * 3)
    assert all(len(topics) == 3 and topics[1] == 0.0 and topics[0] == topics[2] > 0.0 for topics in values)


@case
def a_topic_without_relevant_chunks_is_there_with_zero(metrics: ModuleType) -> None:
    for name in ("P@5", "mrr", "RR", "Recall@10", "AP", "nDCG@10", "nDCG_exp@10", "Success@5", "bpref"):
        assert metrics.evaluate([metrics.parse_measure(name)], [["a"]], [{"a": 0}]) == [[0.0]]


@case
def recall_is_of_all_relevant_chunks_of_the_topic(metrics: ModuleType) -> None:
    labels = {"a": 1, "b": 2, "c": 1, "n": 0}
    assert near(metrics.parse_measure("Recall@2").of(["a", "n", "b"], labels), 1 / 3)
    assert near(metrics.parse_measure("Recall@10").of(["a", "n", "b"], labels), 2 / 3)


@case
def average_precision_is_over_all_relevant_chunks_of_the_topic(metrics: ModuleType) -> None:
    value = metrics.parse_measure("AP").of(["a", "x", "b"], {"a": 1, "b": 2, "c": 1})
    assert near(value, (1 + 2 / 3) / 3)


@case
def success_is_one_relevant_hit_in_the_top_k(metrics: ModuleType) -> None:
    success = metrics.parse_measure("Success@2")
    assert success.of(["x", "a"], {"a": 1}) == 1.0
    assert success.of(["x", "y", "a"], {"a": 1}) == 0.0
    assert success.of(["n"], {"n": 0}) == 0.0


@case
def bpref_leaves_unjudged_hits_out(metrics: ModuleType) -> None:
    labels = {"r1": 1, "r2": 2, "n1": 0, "n2": 0}
    value = metrics.parse_measure("bpref").of(["n1", "r1", "x", "r2", "n2"], labels)
    assert near(value, ((1 - 1 / 2) + (1 - 1 / 2)) / 2)


@case
def bpref_counts_no_more_hits_above_than_there_are_relevant_chunks(metrics: ModuleType) -> None:
    value = metrics.parse_measure("bpref").of(["n1", "n2", "n3", "r1"], {"r1": 1, "n1": 0, "n2": 0, "n3": 0})
    assert near(value, 0.0)


@case
def bpref_is_relative_to_the_judged_chunks_if_those_are_fewer(metrics: ModuleType) -> None:
    labels = {"r1": 1, "r2": 1, "r3": 1, "n1": 0}
    assert near(metrics.parse_measure("bpref").of(["r1", "n1", "r2"], labels), 1 / 3)
    more = {"r1": 1, "r2": 1, "n1": 0, "n2": 0, "n3": 0, "n4": 0}
    assert near(metrics.parse_measure("bpref").of(["n1", "r1", "r2"], more), 1 / 2)


@case
def judged_is_the_share_of_the_hits_that_are_there(metrics: ModuleType) -> None:
    judged = metrics.parse_measure("judged@5")
    assert near(judged.of(["a", "x"], {"a": 0}), 1 / 2)
    assert near(judged.of(["a", "x", "y", "z", "b", "c"], {"a": 0, "b": 1, "c": 1}), 2 / 5)
    assert judged.of([], {"a": 1}) is None


@case
def the_ceiling_of_precision_is_what_the_index_has(metrics: ModuleType) -> None:
    ceiling = metrics.parse_measure("ceiling P@5")
    assert near(ceiling.of([], {"a": 1, "b": 2, "n": 0}), 2 / 5)
    assert ceiling.of([], {f"{number}": 1 for number in range(9)}) == 1.0


@case
def scores_are_ordered_from_the_highest_down_and_equal_ones_by_id(metrics: ModuleType) -> None:
    assert metrics.order([("a", 0.1), ("b", 0.9), ("c", 0.5)]) == ["b", "c", "a"]
    for scored in ([("b", 0.5), ("a", 0.5), ("c", 0.5)], [("c", 0.5), ("a", 0.5), ("b", 0.5)]):
        assert metrics.order(scored) == ["a", "b", "c"]
    assert metrics.order([("b", 1.0 + 1e-12), ("a", 1.0)]) == ["b", "a"]


@case
def an_id_with_several_scores_stands_at_its_best(metrics: ModuleType) -> None:
    assert metrics.order([("a", 0.1), ("b", 0.5), ("a", 0.9), ("a", 0.2)]) == ["a", "b"]


@case
def scores_that_have_no_place_in_an_order_are_refused(metrics: ModuleType) -> None:
    for score in (float("nan"), float("inf"), float("-inf")):
        scored = [("a", 0.5), ("b", score)]
        assert refused(lambda scored=scored: metrics.order(scored), "b", str(score))


@case
def other_labels_than_zero_to_two_are_refused(metrics: ModuleType) -> None:
    for label in (3, -1, 1.5, None):
        assert refused(lambda label=label: metrics.parse_measure("P@5").of([], {"a": 1, "b": label}), "b", repr(label))


@case
def precision_is_bounded_by_unjudged_hits_in_the_top_k(metrics: ModuleType) -> None:
    rankings, labels = [["a", "x", "n", "y"]], [{"a": 1, "n": 0}]
    assert metrics.upper_bounds([metrics.parse_measure("P@3")], rankings, labels) == [[2 / 3]]


@case
def recall_is_bounded_with_a_larger_denominator_and_no_relevant_hit_below_k(metrics: ModuleType) -> None:
    rankings, labels = [["a", "x", "y"]], [{"a": 1, "missed": 1}]
    assert metrics.upper_bounds([metrics.parse_measure("Recall@2")], rankings, labels) == [[2 / 3]]


@case
def ndcg_is_not_bounded_by_labels_of_two_alone(metrics: ModuleType) -> None:
    rankings, labels = [["a", "x", "b"]], [{"a": 1, "b": 1}]
    for name in ("nDCG@3", "nDCG_exp@3"):
        assert metrics.upper_bounds([metrics.parse_measure(name)], rankings, labels) == [[1.0]]
    (values,) = metrics.upper_bounds([metrics.parse_measure("nDCG@2")], [["x", "n"]], [{"n": 0, "b": 2}])
    assert near(values[0], 2 / (2 + 2 / log2(3)))


@case
def reciprocal_ranks_are_bounded_by_the_first_unjudged_hit(metrics: ModuleType) -> None:
    measures = [metrics.parse_measure("RR"), metrics.parse_measure("mrr")]
    assert metrics.upper_bounds(measures, [["n", "x", "a", "b"]], [{"n": 0, "a": 1, "b": 2}]) == [[1 / 2], [1 / 2]]
    assert metrics.upper_bounds(measures, [["a", "x"]], [{"a": 2}]) == [[1.0], [1.0]]
    assert metrics.upper_bounds(measures, [["n"]], [{"n": 0}]) == [[0.0], [0.0]]


@case
def a_range_of_ties_is_from_the_worst_order_to_the_best(metrics: ModuleType) -> None:
    scored, labels = [[("a", 0.5), ("b", 0.5), ("n", 0.5), ("x", 0.9)]], [{"a": 1, "b": 2, "n": 0}]
    measures = [metrics.parse_measure(name) for name in ("P@2", "mrr", "rank_of_best", "judged@2")]
    assert metrics.tie_ranges(measures, scored, labels) == [
        [(0.0, 1 / 2)],
        [(1 / 4, 1 / 2)],
        [(2, 4)],
        [(1 / 2, 1 / 2)],
    ]


@case
def without_ties_a_range_is_the_value_and_without_a_value_there_is_none(metrics: ModuleType) -> None:
    measures = [metrics.parse_measure(name) for name in ("P@2", "judged@2")]
    assert metrics.tie_ranges(measures, [[("a", 0.5), ("x", 0.9)], []], [{"a": 1}, {"a": 1}]) == [
        [(1 / 2, 1 / 2), (0.0, 0.0)],
        [(1 / 2, 1 / 2), None],
    ]


@case
def overlap_counts_each_document_once_where_its_best_hit_stands(metrics: ModuleType) -> None:
    assert metrics.overlap(["A", "A", "A", "B", "C", "D"], ["C", "B", "A", "E"]) == 1.0
    assert near(metrics.overlap(["A", "B", "C"], ["A", "X", "Y"]), 1 / 3)
    assert metrics.overlap(["A", "B", "C", "D"], ["D", "X", "Y", "A"]) == 0.0
    assert metrics.overlap([], ["A"]) == 0.0
