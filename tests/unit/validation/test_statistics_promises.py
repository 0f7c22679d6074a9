"""What the statistics promise, on simulated systems; `python -m benchmarks.simulations` tries it more often."""

import numpy as np
import pytest
from benchmarks import simulations
from benchmarks.simulations import (
    ALPHA,
    DROPPED,
    POPULATIONS,
    POWER,
    Population,
    advertised_topics,
    coverage,
    detections,
    false_alarms,
)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.name)
def test_the_mean_of_a_population_is_what_it_says(population: Population) -> None:
    drawn = population.draw(np.random.default_rng(9), 200_000)
    assert drawn.mean() == pytest.approx(population.mean, abs=0.004)
    assert population.bounds[0] <= drawn.min()
    assert drawn.max() <= population.bounds[1]


@pytest.mark.parametrize(("topics", "trials"), [(20, 120), (50, 60)])
def test_intervals_hold_the_true_mean_as_often_as_they_say(topics: int, trials: int) -> None:
    shares = {population.name: coverage(population, topics, trials) for population in POPULATIONS}
    assert 0.935 <= sum(shares.values()) / len(shares) <= 0.97, shares
    assert min(shares.values()) > 0.9, shares


def test_equal_systems_are_seldom_called_different() -> None:
    _, together = false_alarms(topics=20, trials=80)
    assert together <= ALPHA


def test_a_planted_drop_is_found_with_the_topics_that_are_advertised() -> None:
    counts = advertised_topics(DROPPED, pilot=100, trials=60)
    assert len(counts) == 60
    assert detections(DROPPED, counts) >= POWER
    assert detections(DROPPED, [count // 2 for count in counts]) < POWER


def test_a_drop_in_one_of_four_measures_is_found_with_the_topics_that_are_advertised_for_four() -> None:
    """The drop alone, for which fewer topics can, is found too seldom beside three measures that are equal."""
    for_four = advertised_topics(DROPPED, pilot=100, trials=40, tests=4)
    for_one = advertised_topics(DROPPED, pilot=100, trials=40)
    assert detections(DROPPED, for_four, tests=4) >= POWER
    assert detections(DROPPED, for_one, tests=4) < POWER


def test_a_system_is_as_often_found_better_as_worse() -> None:
    a, b = simulations.equal_systems(np.random.default_rng(8), 400)
    place = simulations.MEASURES.index("nDCG@10")
    assert np.mean(np.array(b[place]) - np.array(a[place])) == pytest.approx(0.0, abs=0.03)
