"""The difference that a number of topics detects, and the number of topics that detects a difference."""

import math
from collections.abc import Sequence

import numpy as np

from assay.validation.statistics.numbers import deviation_of, finite, mean, whole
from assay.validation.statistics.resampling import RESAMPLES, place, topic_draws
from assay.validation.statistics.student import student_quantile

_ASSURANCE = 0.8
"""How sure topics_needed is of the deviation that it plans with."""


def smallest_difference(
    differences: Sequence[float], power: float = 0.8, alpha: float = 0.05, *, tests: int = 1
) -> float | None:
    """The smallest true difference that these topics detect with probability `power`, in a test at `alpha`.

    Student's t at 1 - alpha / (2 * tests) plus that at `power`, times the standard error of the mean difference. None
    with fewer than two topics, and where all differences are the same, which does not say how much they vary.

    differences: of two systems on the same topics.
    tests: how many tests Holm's adjustment goes over, this one included. It asks no p to be below alpha / tests, so
        that what is said holds for each of them, whatever the others show.

    Raises InputError for a value that is not finite.
    """
    numbers = finite(differences, "difference")
    deviation = deviation_of(numbers)
    if deviation is None or deviation == 0.0:
        return None
    return _detectable(deviation, len(numbers), power, alpha / tests)


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
