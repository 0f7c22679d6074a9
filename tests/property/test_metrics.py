"""What holds for every measure, whatever is ranked and judged."""

from itertools import permutations, product
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validation.metrics import (
    FAMILIES,
    Measure,
    evaluate,
    order,
    overlap,
    parse_measure,
    tie_ranges,
    upper_bounds,
)

IDS = [f"chunk-{number}" for number in range(8)]
CUTOFFS = (1, 2, 3, 5, 10)
MEASURES = [
    parse_measure(family.name.replace("@k", f"@{k}"))
    for family in FAMILIES
    for k in (CUTOFFS if family.cutoff else (None,))
]
BOUNDED = [measure for measure in MEASURES if measure.family.bound is not None]
BY_RELEVANCE = [one for one in MEASURES if one.family.name not in {"judged@k", "rank_of_best", "mrr", "ceiling P@k"}]

rankings = st.lists(st.sampled_from(IDS), max_size=10)
labels_of = st.dictionaries(st.sampled_from(IDS), st.sampled_from((0, 1, 2)))
measures = st.sampled_from(MEASURES)
few_scores = st.dictionaries(st.sampled_from(IDS[:5]), st.sampled_from((0.25, 0.5, 0.75)), max_size=5)


def unique(ranking: list[str]) -> list[str]:
    return list(dict.fromkeys(ranking))


@given(measures, rankings, labels_of)
def test_a_value_lies_in_the_range_of_its_measure(measure: Measure, ranking: list[str], labels: dict[str, int]) -> None:
    value = measure.of(ranking, labels)
    if measure.bounds is None:
        assert value is None or 1 <= value <= len(ranking)
    else:
        low, high = measure.bounds
        assert value is None or low <= value <= high


@given(measures, rankings, labels_of)
def test_hits_that_come_again_change_nothing(measure: Measure, ranking: list[str], labels: dict[str, int]) -> None:
    assert measure.of(ranking, labels) == measure.of(unique(ranking), labels)
    assert measure.of(ranking + ranking, labels) == measure.of(ranking, labels)


@given(measures, rankings, labels_of)
def test_the_order_in_which_judgments_were_made_changes_no_bit(
    measure: Measure, ranking: list[str], labels: dict[str, int]
) -> None:
    shuffled = dict(reversed(labels.items()))
    assert measure.of(ranking, shuffled) == measure.of(ranking, labels)


@given(measures, rankings, labels_of, st.permutations(IDS))
def test_the_names_of_chunks_change_no_bit(
    measure: Measure, ranking: list[str], labels: dict[str, int], names: list[str]
) -> None:
    renamed = dict(zip(IDS, names, strict=True))
    new_labels = {renamed[id_]: label for id_, label in labels.items()}
    assert measure.of([renamed[id_] for id_ in ranking], new_labels) == measure.of(ranking, labels)


@given(st.sampled_from(BY_RELEVANCE), rankings, labels_of, st.data())
def test_a_hit_that_moves_above_a_worse_one_never_lowers_a_measure(
    measure: Measure, ranking: list[str], labels: dict[str, int], data: st.DataObject
) -> None:
    before = unique(ranking)
    worth = [labels.get(id_, 0) for id_ in before]
    better = [(i, j) for i in range(len(before)) for j in range(i + 1, len(before)) if worth[j] > worth[i]]
    if better:
        i, j = data.draw(st.sampled_from(better))
        after = before.copy()
        after[i], after[j] = before[j], before[i]
        assert (measure.of(after, labels) or 0.0) >= (measure.of(before, labels) or 0.0) - 1e-12


@given(st.sampled_from([one for one in BY_RELEVANCE if one.name != "bpref"]), rankings, labels_of)
def test_an_unjudged_hit_counts_as_one_that_is_not_relevant(
    measure: Measure, ranking: list[str], labels: dict[str, int]
) -> None:
    judged = {**dict.fromkeys(ranking, 0), **labels}
    assert measure.of(ranking, judged) == measure.of(ranking, labels)


@given(labels_of)
def test_a_ranking_by_label_is_perfect_to_the_last_bit(labels: dict[str, int]) -> None:
    best = sorted(labels, key=lambda id_: -labels[id_])
    expected = 1.0 if any(labels.values()) else 0.0
    for name in ("mrr", "RR", "AP", "bpref", *(f"{gain}@{k}" for gain in ("nDCG", "nDCG_exp") for k in CUTOFFS)):
        assert parse_measure(name).of(best, labels) == expected
    for k in CUTOFFS:
        assert parse_measure(f"P@{k}").of(best, labels) == parse_measure(f"ceiling P@{k}").of([], labels)


@given(st.lists(st.tuples(rankings, labels_of), max_size=6))
def test_many_topics_at_once_are_each_topic_by_itself(topics: list[tuple[list[str], dict[str, int]]]) -> None:
    together = evaluate(MEASURES, [ranking for ranking, _ in topics], [labels for _, labels in topics])
    assert together == [[measure.of(*topic) for topic in topics] for measure in MEASURES]


@given(st.sampled_from(BOUNDED), st.permutations(IDS[:6]), st.data())
def test_a_bound_is_the_largest_value_over_all_labellings_of_unjudged_hits(
    measure: Measure, ids: list[str], data: st.DataObject
) -> None:
    ranking = ids[: data.draw(st.integers(0, 6))]
    open_ids = ranking[: data.draw(st.integers(0, 4))] if data.draw(st.booleans()) else ranking[-4:]
    settled = st.sampled_from((None, 0, 1, 2))
    chosen = {id_: data.draw(settled if id_ not in ranking else st.sampled_from((0, 1, 2))) for id_ in IDS}
    labels = {id_: label for id_, label in chosen.items() if label is not None and id_ not in open_ids}
    ((bound,),) = upper_bounds([measure], [ranking], [labels])
    values = [
        measure.of(ranking, labels | dict(zip(open_ids, given, strict=True)))
        for given in product((0, 1, 2), repeat=len(open_ids))
    ]
    assert bound is not None
    assert isclose(bound, max(value for value in values if value is not None), abs_tol=1e-12)
    assert bound >= (measure.of(ranking, labels) or 0.0)


@pytest.mark.parametrize("measure", BOUNDED, ids=lambda measure: measure.name)
def test_a_bound_is_right_for_every_ranking_of_four_hits_with_two_unjudged(measure: Measure) -> None:
    missed = {"missed": 1}
    for judged in product((None, 0, 1, 2), repeat=4):
        if judged.count(None) != 2:
            continue
        ranking = IDS[:4]
        labels = missed | {id_: label for id_, label in zip(ranking, judged, strict=True) if label is not None}
        unjudged = [id_ for id_ in ranking if id_ not in labels]
        values = [
            measure.of(ranking, labels | dict(zip(unjudged, chosen, strict=True)))
            for chosen in product((0, 1, 2), repeat=len(unjudged))
        ]
        ((bound,),) = upper_bounds([measure], [ranking], [labels])
        assert bound is not None
        assert isclose(bound, max(value for value in values if value is not None), abs_tol=1e-12), labels


@given(st.sampled_from(BOUNDED), rankings, labels_of)
def test_where_every_hit_is_judged_the_bound_is_the_value(
    measure: Measure, ranking: list[str], labels: dict[str, int]
) -> None:
    judged = {**dict.fromkeys(ranking, 0), **labels}
    assert upper_bounds([measure], [ranking], [judged]) == [[measure.of(ranking, judged)]]


@given(measures, few_scores, labels_of)
def test_a_range_of_ties_is_over_all_orders_of_equal_scores(
    measure: Measure, scores: dict[str, float], labels: dict[str, int]
) -> None:
    orders = [one for one in permutations(scores) if [scores[id_] for id_ in one] == sorted(scores.values())[::-1]]
    values = [measure.of(one, labels) for one in orders]
    expected = None if None in values else (min(values), max(values))  # type: ignore[type-var]
    assert tie_ranges([measure], [list(scores.items())], [labels]) == [[expected]]


@given(few_scores)
def test_an_order_does_not_depend_on_that_of_its_input(scores: dict[str, float]) -> None:
    forwards, backwards = list(scores.items()), list(scores.items())[::-1]
    assert order(forwards) == order(backwards)
    assert order(forwards + backwards) == order(forwards)


@given(rankings, rankings, st.integers(1, 5))
def test_overlap_is_the_same_both_ways_and_whole_for_equal_rankings(one: list[str], other: list[str], k: int) -> None:
    assert overlap(one, other, k) == overlap(other, one, k)
    assert 0.0 <= overlap(one, other, k) <= 1.0
    assert overlap(one, one, k) == min(len(set(one)), k) / k


def test_every_measure_is_tried() -> None:
    assert {measure.family.name for measure in MEASURES} == {family.name for family in FAMILIES}
