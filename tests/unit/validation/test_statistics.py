import math
from itertools import product
from random import Random
from statistics import stdev

import pytest
from benchmarks.simulations import topics_needed

from assay.errors import InputError
from assay.model.evaluation import Interval
from assay.validation.statistics import (
    bootstrap_interval,
    compare,
    difference_interval,
    holm,
    intervals,
    mean,
    paired_test,
    permutation,
    resampling,
    samples_to_prove,
    smallest_difference,
)
from assay.validation.statistics.student import student_quantile

PRECISIONS = [0.2, 1.0, 0.8, 0.0, 0.6, 1.0, 1.0, 0.4, 0.8, 1.0, 0.6, 0.2, 1.0, 0.8, 0.8, 1.0, 0.4, 0.6, 1.0, 0.0]
UNIT = (0.0, 1.0)


def normal_values(count: int, centre: float = 0.5, deviation: float = 0.1, seed: int = 1) -> list[float]:
    random = Random(seed)
    return [random.gauss(centre, deviation) for _ in range(count)]


# --- intervals


def test_an_interval_has_the_same_bits_on_every_platform() -> None:
    assert bootstrap_interval(PRECISIONS, bounds=UNIT) == Interval(0.49, 0.8)
    assert difference_interval([value - 0.5 for value in PRECISIONS]) == Interval(-0.01, 0.32)


def test_an_interval_does_not_depend_on_the_order_of_topics() -> None:
    assert (
        bootstrap_interval(sorted(PRECISIONS)) == bootstrap_interval(PRECISIONS[::-1]) == bootstrap_interval(PRECISIONS)
    )


def test_another_seed_gives_another_interval_close_by() -> None:
    one, other = bootstrap_interval(PRECISIONS), bootstrap_interval(PRECISIONS, seed=1)
    assert one is not None
    assert other is not None
    assert one != other
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=0.02)


@pytest.mark.parametrize("count", [10, 20, 50])
@pytest.mark.parametrize("interval_of", [bootstrap_interval, difference_interval])
def test_of_normal_values_an_interval_is_students(interval_of: object, count: int) -> None:
    values = normal_values(count)
    half = student_quantile(0.975, count - 1) * stdev(values) / math.sqrt(count)
    interval = interval_of(values)  # type: ignore[operator]
    assert interval.low == pytest.approx(mean(values) - half, abs=0.25 * half)
    assert interval.high == pytest.approx(mean(values) + half, abs=0.25 * half)


def test_an_interval_of_skewed_values_reaches_further_to_the_long_side() -> None:
    values = [1.0] * 16 + [0.8, 0.6, 0.4, 0.0]
    interval = bootstrap_interval(values, bounds=UNIT)
    assert interval is not None
    assert mean(values) - interval.low > 1.3 * (interval.high - mean(values))


def test_a_higher_level_gives_a_wider_interval() -> None:
    narrow, wide = bootstrap_interval(PRECISIONS, level=0.8), bootstrap_interval(PRECISIONS, level=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < mean(PRECISIONS) < narrow.high < wide.high
    assert (narrow.level, wide.level) == (0.8, 0.99)


def test_an_interval_goes_no_further_than_the_values_do() -> None:
    assert bootstrap_interval([0.0, 1.0, 1.0], level=0.999999) == Interval(0.0, 1.0, 0.999999)
    assert difference_interval([-1.0, 1.0]) == Interval(-1.0, 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_fifths_have_the_interval_and_p_of_whole_numbers(seed: int) -> None:
    """Fifths are rounded in floating point and whole numbers are not: equal sums have to stay equal all the same."""
    random = Random(seed)
    whole = [random.choice((0, 1, 2, 2, 4, 5, 5)) for _ in range(19)]
    other = [random.choice((0, 1, 2, 3, 4, 5, 5)) for _ in range(19)]
    fifths, others = ([number / 5 for number in numbers] for numbers in (whole, other))
    of_whole, of_fifths = bootstrap_interval(whole), bootstrap_interval(fifths)
    assert of_whole is not None
    assert of_fifths is not None
    assert (of_fifths.low, of_fifths.high) == pytest.approx((of_whole.low / 5, of_whole.high / 5), abs=1e-9)
    assert paired_test(fifths, others) == paired_test(whole, other)


def test_fewer_than_two_topics_have_no_interval() -> None:
    assert bootstrap_interval([]) is None
    assert bootstrap_interval([0.5], bounds=UNIT) is None
    assert difference_interval([0.5]) is None
    assert bootstrap_interval([0.5, 0.6]) is not None


def test_equal_values_leave_open_what_so_many_topics_leave_open() -> None:
    perfect = bootstrap_interval([1.0] * 20, bounds=UNIT)
    assert perfect is not None
    assert perfect.high == 1.0
    assert (perfect.low) ** 20 == pytest.approx(0.025)
    alike = difference_interval([0.0] * 100)
    assert alike is not None
    assert alike.high == -alike.low == pytest.approx(0.0362, abs=1e-4)


def test_equal_values_of_unknown_range_have_no_interval() -> None:
    assert bootstrap_interval([3.0] * 20) is None


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(wrong: float) -> None:
    for refused in (
        lambda: bootstrap_interval([0.5, wrong]),
        lambda: difference_interval([0.5, wrong]),
        lambda: paired_test([0.5, 0.1], [0.5, wrong]),
        lambda: smallest_difference([0.5, wrong]),
        lambda: topics_needed(0.05, [0.5, wrong]),
        lambda: compare(["P@5"], {"t": {"P@5": 0.5}}, {"t": {"P@5": wrong}}),
    ):
        with pytest.raises(InputError, match="which has no mean"):
            refused()


def test_a_value_out_of_bounds_is_refused() -> None:
    with pytest.raises(InputError, match=r"The value 1\.5 is not within 0 and 1\."):
        bootstrap_interval([0.5, 1.5], bounds=UNIT)
    with pytest.raises(InputError, match=r"The value -0\.1"):
        bootstrap_interval([0.5, -0.1], bounds=UNIT)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap_interval(PRECISIONS, level=level)


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_tiny_and_lopsided_samples_have_an_interval_too(count: int) -> None:
    for level in (0.5, 0.95, 0.999999):
        interval = bootstrap_interval([0.0] * (count - 1) + [1.0], level=level, bounds=UNIT)
        assert interval is not None
        assert 0.0 <= interval.low <= 1.0 / count <= interval.high + 1e-12 <= 1.0 + 1e-12


def test_many_topics_are_drawn_in_parts_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_interval(PRECISIONS)
    monkeypatch.setattr(resampling, "_CELLS", 1_000)
    assert bootstrap_interval(PRECISIONS) == whole


@pytest.mark.parametrize("interval_of", [bootstrap_interval, difference_interval])
@pytest.mark.parametrize("power", [0.3, 1, 6])
def test_of_very_many_topics_an_interval_is_what_resampling_would_find(
    interval_of: object, power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [Random(seed).random() ** power for seed in range(intervals.MOST_RESAMPLED + 1)]
    known = interval_of(values)  # type: ignore[operator]
    monkeypatch.setattr(intervals, "MOST_RESAMPLED", len(values))
    drawn = interval_of(values)  # type: ignore[operator]
    assert known != drawn
    assert (known.low, known.high) == pytest.approx((drawn.low, drawn.high), abs=0.03 * (drawn.high - drawn.low))


def test_a_hundred_thousand_topics_are_not_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "_blocks", None)
    values = [number % 11 / 10 for number in range(100_000)]
    assert bootstrap_interval(values, bounds=UNIT) is not None
    monkeypatch.setattr(permutation, "random_flips", None)
    assert paired_test(values, [1.0 - value for value in values]) > 0.9


def test_a_few_odd_values_among_very_many_are_resampled_all_the_same() -> None:
    values = [1.0] * 6 + [0.0] * (intervals.MOST_RESAMPLED + 1)
    interval = bootstrap_interval(values, bounds=UNIT)
    assert interval is not None
    assert interval.low > 0.0
    assert interval.high - 6 / len(values) > 1.2 * (6 / len(values) - interval.low)


# --- tests


def test_p_is_the_share_of_all_signs_that_give_as_much() -> None:
    differences = [0.3, -0.1, 0.2, 0.2, 0.0, -0.4, 0.5]
    sums = [
        round(sum(s * d for s, d in zip(signs, differences, strict=True)), 9) for signs in product((1, -1), repeat=7)
    ]
    expected = sum(abs(one) >= round(sum(differences), 9) for one in sums) / 2**7
    assert paired_test([0.0] * 7, differences) == expected


def test_five_topics_that_all_rise_are_not_enough_and_six_are() -> None:
    assert paired_test([0.0] * 5, [0.1, 0.5, 0.2, 0.9, 0.4]) == 2 / 2**5
    assert paired_test([0.0] * 6, [0.1, 0.5, 0.2, 0.9, 0.4, 0.3]) == 2 / 2**6


def test_p_is_the_same_both_ways_and_in_every_order() -> None:
    a, b = normal_values(40, seed=2), normal_values(40, centre=0.53, seed=3)
    assert paired_test(a, b) == paired_test(b, a) == 0.07879212078792121
    assert paired_test(sorted(a), b) == paired_test(sorted(a)[::-1], b[::-1])


def test_sums_that_are_equal_but_for_rounding_are_equal() -> None:
    """0.1 + 0.2 is not 0.3 in floating point: without care, 8 of these 16 signs would be as extreme."""
    assert paired_test([0.0] * 4, [0.1, 0.2, 0.3, -0.3]) == 12 / 16
    assert paired_test([0.0] * 3, [0.1, 0.2, -0.3]) == 1.0


def test_topics_that_do_not_differ_change_nothing() -> None:
    a, b = [0.2, 0.4, 0.4, 0.0], [0.4, 0.8, 0.2, 0.6]
    assert paired_test(a + [0.5] * 30, b + [0.5] * 30) == paired_test(a, b)


def test_without_any_difference_p_is_1() -> None:
    assert paired_test([], []) == 1.0
    assert paired_test([0.5], [0.5]) == 1.0
    assert paired_test(PRECISIONS, PRECISIONS) == 1.0
    assert paired_test([0.0], [1.0]) == 1.0


def test_random_signs_give_about_the_p_of_all_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = normal_values(13, seed=4), normal_values(13, centre=0.55, seed=5)
    exact = paired_test(a, b)
    monkeypatch.setattr(permutation, "MOST_EXACT", 0)
    assert paired_test(a, b) == pytest.approx(exact, abs=0.01)
    assert 0.001 < exact < 0.9


@pytest.mark.parametrize("shift", [0.0, 0.004, 0.012])
def test_p_of_very_many_topics_is_what_random_signs_would_give(shift: float, monkeypatch: pytest.MonkeyPatch) -> None:
    count = permutation.MOST_RESAMPLED + 1
    a, b = normal_values(count, deviation=0.2, seed=6), normal_values(count, 0.5 + shift, 0.2, seed=7)
    known = paired_test(a, b)
    monkeypatch.setattr(permutation, "MOST_RESAMPLED", count)
    assert known == pytest.approx(paired_test(a, b), abs=0.015)


def test_p_is_never_0() -> None:
    assert paired_test([0.0] * 200, [1.0] * 200) == 1 / 10_001
    assert paired_test([0.0] * 20_000, [1.0] * 20_000) == 1 / 10_001


def test_both_systems_have_as_many_values() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_test([0.5, 0.6], [0.5])


def test_holm_multiplies_the_smallest_by_their_number_and_keeps_their_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.02]) == [0.02]
    assert holm([]) == []


# --- power


@pytest.mark.parametrize(
    ("share", "freedom", "expected"),
    [
        (0.975, 1, 12.706204736),
        (0.975, 2, 4.302652730),
        (0.975, 9, 2.262157163),
        (0.975, 30, 2.042272456),
        (0.975, 31, 2.039513446),
        (0.975, 40, 2.021075390),
        (0.975, 120, 1.979930405),
        (0.995, 5, 4.032142984),
        (0.80, 5, 0.919543780),
        (0.80, 10, 0.879057829),
        (0.80, 60, 0.847653006),
        (0.5, 7, 0.0),
        (0.975, 10**9, 1.959963987),
    ],
)
def test_students_t_is_that_of_the_tables(share: float, freedom: int, expected: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(expected, abs=1e-7)


def test_a_hundred_topics_show_what_is_known_of_ndcg() -> None:
    """With a deviation of 0.235, which differences of nDCG often have, 0.066 and nothing smaller."""
    values = normal_values(100, centre=0.0)
    scaled = [value * 0.235 / stdev(values) for value in values]
    assert smallest_difference(scaled) == pytest.approx(0.0665, abs=5e-4)


def test_the_smallest_difference_is_two_quantiles_of_student_times_the_standard_error() -> None:
    values = [0.1, -0.2, 0.0, 0.3, 0.0, 0.05]
    expected = (2.570581835636314 + 0.9195437802408271) * stdev(values) / math.sqrt(6)
    assert smallest_difference(values) == pytest.approx(expected, rel=1e-9)


def test_more_power_and_stricter_tests_take_larger_differences() -> None:
    values = normal_values(50)
    usual = smallest_difference(values)
    assert usual is not None
    assert (smallest_difference(values, power=0.9) or 0.0) > usual
    assert (smallest_difference(values, alpha=0.01) or 0.0) > usual


def test_each_test_more_of_a_family_takes_a_larger_difference_and_more_topics() -> None:
    values = normal_values(50)
    shown = [smallest_difference(values, tests=tests) or 0.0 for tests in (1, 2, 4, 8)]
    needed = [topics_needed(0.05, values, tests=tests) or 0 for tests in (1, 2, 4, 8)]
    assert shown == sorted(set(shown))
    assert needed == sorted(set(needed))
    assert shown[2] == smallest_difference(values, alpha=0.05 / 4)


def test_what_so_many_topics_show_is_said_for_the_measures_that_are_compared_together() -> None:
    a = {f"t{number}": {"RR": 0.0, "AP": 0.0} for number in range(50)}
    b = {f"t{number}": {"RR": value, "AP": value} for number, value in enumerate(normal_values(50))}
    [alone] = compare(["RR"], a, b)
    together = compare(["RR", "AP"], a, b)[0]
    [of_five] = compare(["RR"], a, b, family=5)
    assert (alone.detectable or 0.0) < (together.detectable or 0.0) < (of_five.detectable or 0.0)


@pytest.mark.parametrize(
    ("limit", "samples"), [(0.8, 14), (0.95, 59), (0.7, 9), (0.5, 5), (0.99, 299), (0.0, 0), (1.0, 0), (0.05, 1)]
)
def test_a_perfect_sample_proves_a_limit_from_so_many_on(limit: float, samples: int) -> None:
    assert samples_to_prove(limit) == samples
    if samples:
        assert limit**samples <= 0.05 + 1e-12
        assert samples == 1 or limit ** (samples - 1) > 0.05


@pytest.mark.parametrize("differences", [[], [0.1], [0.1, 0.1, 0.1], [0.0] * 50])
def test_differences_that_do_not_vary_say_nothing_of_what_could_be_shown(differences: list[float]) -> None:
    assert smallest_difference(differences) is None
    assert topics_needed(0.05, differences) is None


def test_a_smaller_difference_takes_more_topics_by_its_square() -> None:
    values = normal_values(60, centre=0.0, deviation=0.2)
    coarse, fine = topics_needed(0.05, values), topics_needed(-0.01, values)
    assert coarse is not None
    assert fine is not None
    assert fine == pytest.approx(25 * coarse, rel=0.05)


def test_topics_are_planned_with_care_not_with_the_deviation_that_was_met() -> None:
    values = normal_values(60, centre=0.0, deviation=0.2)
    shown = smallest_difference(values)
    assert shown is not None
    assert 1.05 * 60 < (topics_needed(shown, values) or 0) < 1.6 * 60


def test_a_large_difference_takes_few_topics() -> None:
    assert topics_needed(50.0, normal_values(30)) == 2


@pytest.mark.parametrize("difference", [0.0, math.nan, math.inf])
def test_no_number_of_topics_shows_no_difference(difference: float) -> None:
    with pytest.raises(ValueError, match="No number of topics"):
        topics_needed(difference, normal_values(30))


# --- comparing


def values_of(measure: str, *values: float | None) -> dict[str, dict[str, float | None]]:
    return {f"t{number}": {measure: value} for number, value in enumerate(values)}


def test_systems_are_compared_on_the_topics_that_both_have() -> None:
    a = values_of("AP", 0.5, 0.2, None, 0.9) | {"only-a": {"AP": 1.0}, "without": {}}
    b = values_of("AP", 0.6, 0.4, 0.5, None) | {"only-b": {"AP": 0.0}, "without": {"AP": 0.7}}
    (found,) = compare(["AP"], a, b)
    assert (found.measure, found.topics) == ("AP", 2)
    assert (found.a, found.b, found.difference) == pytest.approx((0.35, 0.5, 0.15))


def test_topics_are_joined_by_id_and_not_by_place() -> None:
    a = {"x": {"AP": 0.1}, "y": {"AP": 0.9}, "z": {"AP": 0.5}}
    b = {"z": {"AP": 0.6}, "y": {"AP": 1.0}, "x": {"AP": 0.2}}
    (found,) = compare(["AP"], a, b)
    assert found.p == 2 / 2**3
    assert compare(["AP"], dict(reversed(a.items())), b) == (found,)


def test_a_measure_that_no_topic_has_in_both_is_left_out() -> None:
    a, b = values_of("judged@5", None, 1.0), values_of("judged@5", 1.0, None)
    assert compare(["judged@5"], a, b) == ()
    assert compare(["AP"], {}, {}) == ()
    assert compare(["AP"], values_of("AP", 1.0), {"other": {"AP": 1.0}}) == ()


def test_p_is_adjusted_over_the_measures_that_are_compared() -> None:
    random = Random(6)
    a = {f"t{n}": {"AP": random.random() / 2, "RR": random.random(), "P@5": 0.2} for n in range(40)}
    b = {id_: {**values, "AP": (values["AP"] or 0.0) + random.random() / 3} for id_, values in a.items()}
    found = {one.measure: one for one in compare(["AP", "RR", "P@5"], a, b)}
    assert found["AP"].adjusted_p == pytest.approx(3 * found["AP"].p)
    assert found["RR"].p == found["RR"].adjusted_p == found["P@5"].adjusted_p == 1.0
    assert compare(["AP"], a, b)[0].adjusted_p == compare(["AP"], a, b)[0].p
    assert found["RR"].detectable is None
    assert found["AP"].detectable is not None


def test_intervals_of_differences_know_the_range_of_their_measure() -> None:
    names = ["AP", "overlap@3", "rank_of_best"]
    same = {f"t{n}": dict.fromkeys(names, 1.0) for n in range(20)}
    found = {one.measure: one.interval for one in compare(names, same, same)}
    assert found["AP"] == found["overlap@3"] == difference_interval([0.0] * 20)
    assert found["rank_of_best"] is None


def test_the_same_systems_compared_again_give_the_same_bits() -> None:
    a = {f"t{n}": {"AP": value} for n, value in enumerate(PRECISIONS)}
    b = {f"t{n}": {"AP": value} for n, value in enumerate(sorted(PRECISIONS))}
    assert compare(["AP"], a, b) == compare(["AP"], dict(sorted(a.items(), reverse=True)), b)
