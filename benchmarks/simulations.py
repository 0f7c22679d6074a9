"""Validity of the statistics, on simulated systems with known true values.

    python -m benchmarks.simulations

At most 5% of the trials may call equal systems different. With the recommended number of topics, at least 80% must
detect a drop of 0.05, for one measure and for several. 95% intervals must contain the true mean in 93 to 97%. The tests
run the same with fewer trials.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from assay.model.evaluation import Interval
from assay.validation.metrics import evaluate, parse_measure
from assay.validation.statistics import (
    bootstrap_interval,
    compare,
    difference_interval,
    holm,
    paired_test,
    smallest_difference,
)
from assay.validation.statistics.numbers import deviation_of, finite, mean, whole
from assay.validation.statistics.resampling import RESAMPLES, place, topic_draws
from assay.validation.statistics.student import student_quantile

TRIALS = 1_000
INTERVALS = 2_000
ALPHA = 0.05
POWER = 0.8
DROP = 0.05
TOPICS = (20, 50, 100)
_ASSURANCE = 0.8
"""How sure topics_needed is of the deviation that it plans with."""

MEASURES = ("P@5", "mrr", "RR", "nDCG@10", "Recall@10", "AP", "Success@5", "bpref")

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Values]


@dataclass(frozen=True, slots=True)
class Population:
    """A distribution of topic values. mean: the true mean. draw: draws a number of values."""

    name: str
    mean: float
    draw: Draw
    bounds: tuple[float, float] = (0.0, 1.0)

    def interval(self, values: Sequence[float]) -> Interval | None:
        """The product's interval for values of one system, or for differences between two."""
        if self.bounds[0] < 0.0:
            return difference_interval(values, bounds=self.bounds)
        return bootstrap_interval(values, bounds=self.bounds)


def precisions(mean: float, concentration: float) -> Population:
    """P@5 of topics with different difficulty: beta-binomial."""

    def draw(random: np.random.Generator, count: int) -> Values:
        return random.binomial(5, random.beta(mean * concentration, (1.0 - mean) * concentration, count)) / 5.0

    return Population(f"P@5, mean {mean:g}", mean, draw)


def reciprocal_ranks(found: float) -> Population:
    """RR with the same probability of the first relevant hit at each rank down to 10."""
    chances = found * (1.0 - found) ** np.arange(10)

    def draw(random: np.random.Generator, count: int) -> Values:
        ranks = random.geometric(found, count)
        return np.where(ranks > 10, 0.0, 1.0 / ranks)

    mean = float((chances / np.arange(1, 11)).sum())
    return Population(f"RR, mean {mean:.2f}", mean, draw)


def gains(nothing: float, a: float, b: float) -> Population:
    """NDCG with zero for some topics, and a beta distribution for the others."""

    def draw(random: np.random.Generator, count: int) -> Values:
        return np.where(random.random(count) < nothing, 0.0, random.beta(a, b, count))

    mean = (1.0 - nothing) * a / (a + b)
    return Population(f"nDCG, {nothing:.0%} zeros, mean {mean:.2f}", mean, draw)


def changes(lost: float, gained: float) -> Population:
    """Differences between two systems: zero for most topics, negative for some, positive for some."""

    def draw(random: np.random.Generator, count: int) -> Values:
        before = random.beta(3.0, 2.0, count)
        chance, part = random.random((2, count))
        worse, better = chance < lost, chance > 1.0 - gained
        return np.where(worse, -part * before, np.where(better, part * (1.0 - before), 0.0))

    mean = (gained * 0.4 - lost * 0.6) / 2.0
    return Population(f"differences, {1.0 - lost - gained:.0%} zeros, mean {mean:+.2f}", mean, draw, (-1.0, 1.0))


POPULATIONS = (
    precisions(0.3, 1.5),
    precisions(0.6, 2.0),
    precisions(0.8, 2.0),
    precisions(0.9, 3.0),
    reciprocal_ranks(0.15),
    reciprocal_ranks(0.3),
    reciprocal_ranks(0.6),
    reciprocal_ranks(0.8),
    gains(0.0, 5.0, 2.0),
    gains(0.2, 4.0, 1.5),
    gains(0.0, 8.0, 1.0),
    changes(0.3, 0.2),
    changes(0.4, 0.4),
)
DROPPED = changes(lost=0.3, gained=0.2)
"""A drop of 0.05."""

EQUAL = changes(lost=0.2, gained=0.3)
"""A mean difference of zero: losses and gains cancel out."""

FAMILIES = (1, 4, 8)
"""Numbers of measures to adjust for: one, the default of `assay compare`, and all."""


def coverage(population: Population, topics: int, trials: int, seed: int = 1) -> float:
    """Share of the trials whose interval contains the true mean."""
    random = np.random.default_rng([seed, topics, *population.name.encode()])
    held = 0
    for _ in range(trials):
        interval = population.interval(population.draw(random, topics).tolist())
        held += interval is not None and interval.low - 1e-12 <= population.mean <= interval.high + 1e-12
    return held / trials


def false_alarms(topics: int, trials: int, seed: int = 2) -> tuple[float, float]:
    """Shares of the trials that call two equal systems different: by nDCG@10, and by any measure after Holm."""
    random = np.random.default_rng([seed, topics])
    alone = together = 0
    for _ in range(trials):
        a, b = (dict(enumerate_topics(system)) for system in equal_systems(random, topics))
        differences = compare(MEASURES, a, b)
        alone += next(one.p for one in differences if one.measure == "nDCG@10") <= ALPHA
        together += any(one.adjusted_p <= ALPHA for one in differences)
    return alone / trials, together / trials


def equal_systems(random: np.random.Generator, topics: int) -> tuple[list[list[float | None]], ...]:
    """Values of two equally good systems by measure and topic; a topic has the same difficulty for both."""
    parsed = [parse_measure(name) for name in MEASURES]
    labels, rankings = [], ([], [])  # type: ignore[var-annotated]
    for _ in range(topics):
        chunks = [f"chunk-{number}" for number in range(int(random.integers(1, 6)))]
        labels.append({chunk: int(random.integers(1, 3)) for chunk in chunks} | {"x0": 0, "x1": 0})
        ease = random.beta(2.0, 1.0)
        for ranking in rankings:
            hits = [f"x{number}" for number in range(10)]
            for chunk in chunks:
                if random.random() < ease:
                    hits.insert(int(random.integers(0, 1 + int(10 * (1.0 - ease)))), chunk)
            ranking.append(hits[:10])
    return tuple(evaluate(parsed, ranking, labels) for ranking in rankings)


def enumerate_topics(values: Sequence[Sequence[float | None]]) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Convert values by measure to values by topic id."""
    for number, of_topic in enumerate(zip(*values, strict=True)):
        yield f"t{number}", dict(zip(MEASURES, of_topic, strict=True))


def topics_needed(
    difference: float,
    differences: Sequence[float],
    power: float = 0.8,
    alpha: float = 0.05,
    seed: int = 0,
    *,
    tests: int = 1,
) -> int | None:
    """The number of topics that detect a true difference with probability `power`, in a test at `alpha`.

    tests: as in smallest_difference.
    differences: of two systems on the topics that there are already. How much they vary is itself known only so well,
    so the upper end of its one-sided 80% bootstrap interval is taken: planned by the middle, every second test set
    would be too small.

    None where smallest_difference is. At least 2.

    Raises ValueError for a difference of 0, InputError for a value that is not finite.
    """
    if difference == 0.0 or not math.isfinite(difference):
        raise ValueError(f"No number of topics shows a difference of {difference}.")
    numbers = finite(differences, "difference")
    deviation = _careful_deviation(numbers, seed)
    if deviation is None:
        return None
    alpha /= tests
    few, many = 1, 2
    while _detectable(deviation, many, power, alpha) > abs(difference):
        few, many = many, many * 2
    while many - few > 1:
        middle = (few + many) // 2
        if _detectable(deviation, middle, power, alpha) > abs(difference):
            few = middle
        else:
            many = middle
    return many


def _detectable(deviation: float, count: int, power: float, alpha: float) -> float:
    quantiles = student_quantile(1.0 - alpha / 2.0, count - 1) + student_quantile(power, count - 1)
    return quantiles * deviation / math.sqrt(count)


def _careful_deviation(numbers: Sequence[float], seed: int) -> float | None:
    """The upper end of the standard deviation's one-sided bootstrap interval; None where none is known or it is 0."""
    if not deviation_of(numbers):
        return None
    count, centre = len(numbers), mean(numbers)
    deviations, scale = whole([number - centre for number in sorted(numbers)])
    squares, square_scale = whole([(number - centre) ** 2 for number in sorted(numbers)])
    variances = [
        squares[block].sum(axis=1) / square_scale - (deviations[block].sum(axis=1) / scale) ** 2 / count
        for block in topic_draws(count, RESAMPLES, seed)
    ]
    resampled = np.sort(np.concatenate(variances))
    # Resampled variances are too small by the same factor as those of the topics themselves: hence n - 1 twice.
    return math.sqrt(float(resampled[place(_ASSURANCE, RESAMPLES)]) * count / (count - 1) ** 2)


def advertised_topics(population: Population, pilot: int, trials: int, seed: int = 3, tests: int = 1) -> list[int]:
    """The recommended numbers of topics for the population's difference, after pilots of the given size.

    tests: number of measures to adjust for.
    """
    random = np.random.default_rng(seed)
    found = [
        topics_needed(population.mean, population.draw(random, pilot).tolist(), POWER, tests=tests)
        for _ in range(trials)
    ]
    return [count for count in found if count is not None]


def topics_that_show(population: Population, tests: int = 1) -> int:
    """The number of topics that detects the population's difference, if its deviation were known."""
    many = 20_000
    shown = smallest_difference(population.draw(np.random.default_rng(5), many).tolist(), POWER, tests=tests)
    assert shown is not None
    return round(many * (shown / population.mean) ** 2)


def detections(population: Population, counts: Sequence[int], seed: int = 4, tests: int = 1) -> float:
    """Share of the trials that detect the difference.

    tests: number of measures to adjust for; the systems are equal in all but one, the hardest case.
    """
    random = np.random.default_rng(seed)
    return sum(_found(population, random, count, tests) for count in counts) / len(counts)


def _found(population: Population, random: np.random.Generator, count: int, tests: int) -> bool:
    column, *others = [population.draw(random, count)] + [EQUAL.draw(random, count) for _ in range(tests - 1)]
    p = _p(column)
    if p > ALPHA or p * tests <= ALPHA:  # the others change nothing
        return p <= ALPHA
    return holm([p, *map(_p, others)])[0] <= ALPHA


def _p(differences: Values) -> float:
    return paired_test([0.0] * len(differences), differences.tolist())


def main() -> int:
    """Print the results; return 1 if a requirement is violated."""
    started = perf_counter()
    kept = [_print_coverage(), _print_false_alarms(), _print_detections()]
    print(f"in {perf_counter() - started:.0f} s")
    return 0 if all(kept) else 1


def _print_coverage() -> bool:
    print(f"95% intervals that hold the true mean, of {INTERVALS:,} each: 93% to 97% are asked for")
    print(f"  {'topics':<36}{''.join(f'{count:>8}' for count in TOPICS)}")
    shares = []
    for population in POPULATIONS:
        row = [coverage(population, count, INTERVALS) for count in TOPICS]
        shares += row
        marks = "".join(f"{share:>7.1%}{' ' if 0.93 <= share <= 0.97 else '!'}" for share in row)
        print(f"  {population.name:<36}{marks}", flush=True)
    mean, inside = sum(shares) / len(shares), sum(0.93 <= share <= 0.97 for share in shares)
    print(f"  mean {mean:.1%}; {inside} of {len(shares)} are within 93% and 97%", flush=True)
    return 0.93 <= mean <= 0.97


def _print_false_alarms() -> bool:
    print(
        f"Equal systems called different at 5%, of {TRIALS:,} trials: nDCG@10 alone; any of {len(MEASURES)} after Holm"
    )
    worst = 0.0
    for count in TOPICS:
        alone, together = false_alarms(count, TRIALS)
        worst = max(worst, alone, together)
        print(f"  {count:>4} topics: {alone:.1%}; {together:.1%}", flush=True)
    return worst <= ALPHA + 2.0 * (ALPHA * (1.0 - ALPHA) / TRIALS) ** 0.5


def _print_detections() -> bool:
    print(f"A drop of {DROP} ({DROPPED.name}) found, of {TRIALS:,} trials: 80% are asked for")
    shares = []
    for tests in FAMILIES:
        for pilot in (50, 100, 200):
            counts = advertised_topics(DROPPED, pilot, TRIALS, tests=tests)
            shares.append(detections(DROPPED, counts, tests=tests))
            middle = sorted(counts)[len(counts) // 2]
            told = f"with the topics advertised after {pilot} of them, {middle} in the middle"
            print(f"  {shares[-1]:.1%} in one of {tests} {told}", flush=True)
        count = topics_that_show(DROPPED, tests)
        shares.append(detections(DROPPED, [count] * TRIALS, tests=tests))
        print(f"  {shares[-1]:.1%} in one of {tests} with {count} topics, which show {DROP}", flush=True)
    return min(shares) >= POWER


if __name__ == "__main__":
    sys.exit(main())
