"""Thresholds against a slow direct computation, and against data whose best threshold is known."""

import random
from itertools import product
from statistics import NormalDist, fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.validation.calibration import (
    KEPT,
    SEEDS,
    Observed,
    abstain,
    abstention_threshold,
    at_threshold,
    between,
    calibrate,
    separate,
    wilson,
)


def topic(
    number: int, relevant: tuple[float, ...] = (), irrelevant: tuple[float, ...] = (), **more: object
) -> Observed:
    values = {"top": max((*relevant, *irrelevant), default=None), "answerable": bool(relevant) or None} | more
    return Observed(f"t{number}", relevant, irrelevant, **values)  # type: ignore[arg-type]


def simulated(
    seed: int, topics: int, *, good: float, bad: float, spread: float = 0.08, of_topic: float = 0.03, each: int = 4
) -> list[Observed]:
    """Topics with normal similarities around two means; what a topic adds to both classes parts no topics."""
    drawn = random.Random(seed)

    def some(mean: float, shift: float) -> tuple[float, ...]:
        return tuple(min(max(drawn.gauss(mean + shift, spread), 0.0), 1.0) for _ in range(each))

    found = []
    for number in range(topics):
        shift = drawn.gauss(0.0, of_topic)
        found.append(topic(number, some(good, shift), some(bad, shift)))
    return found


def direct_auc(observed: list[Observed]) -> float:
    good = [value for one in observed for value in one.relevant]
    bad = [value for one in observed for value in one.irrelevant]
    return fmean((a > b) + 0.5 * (a == b) for a, b in product(good, bad))


def direct_j(observed: list[Observed], threshold: float) -> float:
    good = [value for one in observed for value in one.relevant]
    bad = [value for one in observed for value in one.irrelevant]
    return fmean(value >= threshold for value in good) - fmean(value >= threshold for value in bad)


def direct_f1(observed: list[Observed], threshold: float) -> float:
    kept = sum(value >= threshold for one in observed for value in one.relevant)
    wrong = sum(value >= threshold for one in observed for value in one.irrelevant)
    precision = kept / (kept + wrong) if kept + wrong else 0.0
    recall = kept / sum(len(one.relevant) for one in observed)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


SIMILARITIES = st.integers(0, 40).map(lambda step: step / 40)
"""Few different ones, so that many are equal."""

TOPICS = st.lists(
    st.tuples(st.lists(SIMILARITIES, max_size=6), st.lists(SIMILARITIES, max_size=6)), min_size=5, max_size=12
)


@settings(max_examples=200)
@given(TOPICS)
def test_area_and_thresholds_are_those_of_a_slow_direct_computation(
    drawn: list[tuple[list[float], list[float]]],
) -> None:
    observed = [topic(place, tuple(good), tuple(bad)) for place, (good, bad) in enumerate(drawn)]
    found = separate(observed, resamples=50)
    if found.auc is None:
        assert "there are only" in found.why_not
        return
    assert found.auc == pytest.approx(direct_auc(observed), abs=1e-12)
    if found.threshold is None:
        assert "about equally similar" in found.why_not
        return
    everywhere = sorted({value for one in observed for value in (*one.relevant, *one.irrelevant)})
    assert direct_j(observed, found.threshold) == pytest.approx(max(direct_j(observed, value) for value in everywhere))
    assert found.best_f1 is not None
    assert direct_f1(observed, found.best_f1) == pytest.approx(max(direct_f1(observed, value) for value in everywhere))


def test_the_known_best_threshold_and_area_of_two_normal_distributions_are_found() -> None:
    # Equal spread: the best threshold is in the middle, and the area is the normal integral of their distance.
    found = separate(simulated(1, 400, good=0.6, bad=0.4, of_topic=0.0))
    assert found.threshold == pytest.approx(0.5, abs=0.02)
    assert found.auc == pytest.approx(NormalDist().cdf(0.2 / (0.08 * 2**0.5)), abs=0.01)
    assert found.interval
    assert found.interval.low < 0.5 < found.interval.high
    assert found.interval.high - found.interval.low < 0.1


def test_intervals_cover_what_they_are_of_about_as_often_as_they_say() -> None:
    area = NormalDist().cdf(0.2 / ((0.08**2 + 0.05**2) * 2) ** 0.5)
    found = [separate(simulated(seed, 40, good=0.6, bad=0.4, of_topic=0.05), resamples=200) for seed in range(80)]
    covered = [one.interval is not None and one.interval.low <= 0.5 <= one.interval.high for one in found]
    # Of the area over all pairs; nearly all of them are of two topics, whose shifts are independent.
    areas = [one.auc_interval is not None and one.auc_interval.low <= area <= one.auc_interval.high for one in found]
    assert fmean(covered) >= 0.88
    assert 0.88 <= fmean(areas) <= 1.0


def test_hits_of_one_topic_are_drawn_together() -> None:
    """A hundred hits that all say the same are one observation: the interval is that of the topics alone."""
    one_each = simulated(7, 12, good=0.55, bad=0.42, spread=0.1, each=1)
    repeated = [topic(place, one.relevant * 10, one.irrelevant * 10) for place, one in enumerate(one_each)]
    single, many = separate(one_each), separate(repeated)
    assert many.auc == single.auc
    assert single.auc_interval
    assert many.auc_interval
    assert many.auc_interval.low == pytest.approx(single.auc_interval.low, abs=1e-9)
    assert many.auc_interval.high == pytest.approx(single.auc_interval.high, abs=1e-9)


def test_paraphrases_are_drawn_with_their_original() -> None:
    topics = simulated(3, 20, good=0.6, bad=0.4)
    families = [
        Observed(f"{one.topic_id}-{copy}", one.relevant, one.irrelevant, one.top, True, one.topic_id)
        for one in topics
        for copy in range(3)
    ]
    assert separate(families).auc_interval == separate(topics).auc_interval
    assert separate(families).threshold == separate(topics).threshold


def test_classes_that_overlap_give_no_threshold() -> None:
    found = calibrate(simulated(6, 40, good=0.5, bad=0.5))
    assert found.separation.threshold is None
    assert found.separation.auc is not None
    assert "no threshold separates them" in found.separation.why_not
    assert [row.threshold for row in found.table] == list(SEEDS)


def test_classes_that_do_not_differ_seldom_seem_to() -> None:
    found = [separate(simulated(seed, 30, good=0.5, bad=0.5), resamples=200) for seed in range(60)]
    assert sum(one.threshold is not None for one in found) <= 5  # 2.5% are expected


def test_relevant_hits_that_are_the_less_similar_ones_give_no_threshold() -> None:
    assert separate(simulated(5, 40, good=0.4, bad=0.6)).threshold is None


@pytest.mark.parametrize(
    ("topics", "missing"),
    [
        ([topic(place, (0.9,) * 4, (0.1,) * 2) for place in range(4)], "4 topics with one judged 1 or 2"),
        ([topic(place, (0.9,) * 4, (0.1,)) for place in range(9)], "9 irrelevant hits"),
        ([topic(place, (0.9,), (0.1,) * 4) for place in range(9)], "9 hits judged 1 or 2"),
        ([topic(0, (0.9,), (0.1,) * 50), *(topic(place, (0.9,) * 4) for place in range(1, 9))], "1 topic with an irr"),
        ([], "0 hits judged 1 or 2"),
    ],
)
def test_too_few_labels_are_said_and_give_no_number(topics: list[Observed], missing: str) -> None:
    found = separate(topics)
    assert missing in found.why_not
    assert found.threshold is None
    assert found.auc is None


def test_paraphrases_do_not_make_up_for_topics() -> None:
    one = simulated(3, 1, good=0.6, bad=0.4)[0]
    family = [Observed(f"p{place}", one.relevant, one.irrelevant, one.top, True, "one") for place in range(20)]
    assert "1 topic with one judged 1 or 2" in separate(family).why_not
    assert "1 topic with an answer" in abstain(family).why_not


# --- abstention ----------------------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(st.lists(SIMILARITIES, min_size=1, max_size=60), st.lists(SIMILARITIES, max_size=20))
def test_an_abstention_threshold_keeps_enough_and_no_other_refuses_more(good: list[float], bad: list[float]) -> None:
    threshold, refused = abstention_threshold(good, bad)
    assert sum(value >= threshold for value in good) >= KEPT * len(good) - 1e-9
    assert sum(value < threshold for value in bad) == refused
    everywhere = {*good, *bad, *(value + 1e-6 for value in bad), 0.0}
    possible = [one for one in everywhere if sum(value >= one for value in good) >= KEPT * len(good) - 1e-9]
    assert refused == max(sum(value < one for value in bad) for one in possible)


def test_topics_are_refused_that_nothing_answers() -> None:
    observed = [topic(place, (0.5 + place / 100,)) for place in range(20)]
    observed += [topic(20 + place, top=0.1 + place / 50, answerable=False) for place in range(10)]
    found = abstain(observed)
    assert found.threshold is not None
    assert 0.28 < found.threshold <= 0.51  # one of twenty may be lost
    assert (found.answered, found.refused) == (pytest.approx(0.95, abs=0.051), 1.0)
    assert found.refused_interval
    assert found.refused_interval.low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert found.interval


def test_topics_that_find_nothing_are_refused_by_any_threshold() -> None:
    observed = [topic(place, (0.5,)) for place in range(5)]
    observed += [topic(9 + place, top=None, answerable=False) for place in range(5)]
    assert abstain(observed).refused == 1.0


def test_no_abstention_where_both_find_the_same() -> None:
    observed = [topic(place, (0.5,)) for place in range(10)]
    observed += [topic(10 + place, top=0.5, answerable=False) for place in range(10)]
    assert abstain(observed).threshold is None
    assert "refuses none" in abstain(observed).why_not


def test_topics_of_which_nobody_knows_whether_they_have_an_answer_do_not_count() -> None:
    observed = [topic(place, top=0.5, answerable=None) for place in range(50)]
    assert "0 topics with an answer" in abstain(observed).why_not


# --- at one threshold ----------------------------------------------------------------------------------------------


def test_a_hit_exactly_on_the_threshold_is_kept() -> None:
    row = at_threshold([topic(0, (0.5, 0.2), (0.5, 0.1, 0.1)), topic(1, top=0.4, answerable=False)], 0.5)
    assert (row.recall, row.fallout, row.precision) == (0.5, pytest.approx(1 / 3), 0.5)
    assert row.f1 == 0.5
    assert (row.answered, row.refused) == (1.0, 1.0)


def test_a_share_of_nothing_is_none_and_not_zero() -> None:
    row = at_threshold([topic(0, (0.5,))], 0.9)
    assert (row.recall, row.fallout, row.precision, row.refused) == (0.0, None, None, None)


def test_the_thresholds_of_other_models_are_shown_beside_what_was_found() -> None:
    found = calibrate(simulated(1, 40, good=0.6, bad=0.4))
    assert {*SEEDS, found.separation.threshold} <= {row.threshold for row in found.table}


def test_the_same_observations_give_the_same_result() -> None:
    assert calibrate(simulated(2, 30, good=0.6, bad=0.4)) == calibrate(simulated(2, 30, good=0.6, bad=0.4))


def test_what_is_no_similarity_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="t3"):
        calibrate([topic(3, (float("nan"),))])
    with pytest.raises(ValueError, match="t4"):
        calibrate([topic(4, (1.5,))])


def test_many_different_similarities_are_thinned_out_for_the_interval_only() -> None:
    drawn = simulated(11, 150, good=0.6, bad=0.4, each=10)
    found = separate(drawn, resamples=200)
    assert found.threshold is not None
    everywhere = sorted({value for one in drawn for value in (*one.relevant, *one.irrelevant)})
    assert len(everywhere) > 2_000
    best = max(everywhere, key=lambda value: direct_j(drawn, value))
    assert direct_j(drawn, found.threshold) == pytest.approx(direct_j(drawn, best))
    assert found.auc_interval
    assert found.auc is not None
    assert found.auc_interval.low < found.auc < found.auc_interval.high


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_number_between_two_is_over_the_lower_and_at_most_the_higher(one: float, other: float) -> None:
    low, high = sorted((one, other))
    found = between(low, high)
    assert low < found <= high or low == found == high


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 10, 0.4901625, 0.9433178), (0, 10, 0.0, 0.2775328), (10, 10, 0.7224672, 1.0)],
)
def test_wilson_intervals_are_those_of_the_literature(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
