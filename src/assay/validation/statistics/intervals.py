"""Confidence intervals of means, by bootstrap over topics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.model.evaluation import Interval
from assay.validation.statistics.numbers import finite, mean, whole
from assay.validation.statistics.resampling import RESAMPLES, place, topic_draws
from assay.validation.statistics.student import student_quantile

_NORMAL = NormalDist()

MOST_RESAMPLED = 5_000
"""Largest number of values to resample; for more, an expansion is more precise than 10,000 resamples."""

_EDGE = 1e-4
"""The smallest share that 10,000 resamples distinguish from 0."""

_LEAST_SKEW = 0.1
"""Skewness of a mean from which even many values are resampled: a few outliers among very many equal values."""


def bootstrap_interval(
    values: Sequence[float],
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Interval | None:
    """Confidence interval of the mean, by bootstrap over topics.

    The bias-corrected and accelerated bootstrap (BCa; Efron, JASA 1987) with Student's t in place of the normal
    quantile: values of measures are skewed, and with 20 topics plain percentiles contain the mean too rarely.

    values: of each topic that has one; their order does not matter.
    bounds: the range in which a value can lie.

    None with fewer than two values. If all values are equal, resampling shows no spread: the interval then has all
    means under which this many equal values are likely enough, and is None without bounds.

    More than 5,000 values that are not very skewed are not resampled: the quantiles come from the Cornish-Fisher
    expansion, within a fiftieth of the interval's width of the resampled ones.

    Raises InputError for a value that is not finite or out of bounds, ValueError for a level not between 0 and 1.
    """
    return _interval(values, level, resamples, seed, bounds, skewed=True)


def difference_interval(
    differences: Sequence[float],
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] | None = (-1.0, 1.0),
) -> Interval | None:
    """Confidence interval of the mean difference of two systems on the same topics; else as bootstrap_interval.

    By percentiles, widened for small samples (Hesterberg, The American Statistician, 2015), without BCa's corrections,
    which overestimate the skew because most differences are 0.
    """
    return _interval(differences, level, resamples, seed, bounds, skewed=False)


def _interval(
    values: Sequence[float],
    level: float,
    resamples: int,
    seed: int,
    bounds: tuple[float, float] | None,
    *,
    skewed: bool,
) -> Interval | None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"The level of an interval is between 0 and 1, not {level}.")
    numbers = sorted(finite(values, "value"))
    low, high = bounds if bounds is not None else (-math.inf, math.inf)
    if numbers and not low <= numbers[0] <= numbers[-1] <= high:
        wrong = numbers[0] if numbers[0] < low else numbers[-1]
        raise InputError(f"The value {wrong} is not within {low:g} and {high:g}.")
    if len(numbers) < 2:
        return None
    if numbers[0] == numbers[-1]:
        return None if bounds is None else _of_equal_values(numbers[0], len(numbers), level, bounds)
    centre = mean(numbers)
    width = student_quantile((1.0 + level) / 2.0, len(numbers) - 1)
    means = _Means.of(numbers, centre)
    if len(numbers) > MOST_RESAMPLED and abs(means.skewness) < _LEAST_SKEW:
        below, quantile = means.share_below, means.quantile
    else:
        sums, scale = _resampled(numbers, centre, resamples, seed)
        below = _share_below(sums, len(numbers))

        def quantile(share: float) -> float:
            return int(sums[place(share, resamples)]) / scale / len(numbers)

    tails = _corrected_tails(width, below, means.skewness / 6.0) if skewed else _plain_tails(width, len(numbers))
    ends = [round(centre + quantile(share), 12) for share in tails]
    return Interval(ends[0], ends[1], level)


@dataclass(frozen=True, slots=True)
class _Means:
    """The distribution of resampled means, approximated without resampling; as deviations from the centre.

    deviation: their standard deviation. skewness: that of the values, divided by the root of their number.
    """

    deviation: float
    skewness: float

    @classmethod
    def of(cls, numbers: Sequence[float], centre: float) -> "_Means":
        squares = math.fsum((value - centre) ** 2 for value in numbers)
        cubes = math.fsum((value - centre) ** 3 for value in numbers)
        return cls(math.sqrt(squares) / len(numbers), cubes / squares**1.5)

    @property
    def share_below(self) -> float:
        """The share of them below the centre (Edgeworth's expansion to its first term)."""
        return 0.5 + self.skewness * _NORMAL.pdf(0.0) / 6.0

    def quantile(self, share: float) -> float:
        """The value below which this share of them lies (Cornish and Fisher, 1938, to the term with the skewness)."""
        normal = _NORMAL.inv_cdf(min(max(share, _EDGE), 1.0 - _EDGE))
        return self.deviation * (normal + self.skewness * (normal**2 - 1.0) / 6.0)


def _of_equal_values(value: float, count: int, level: float, bounds: tuple[float, float]) -> Interval:
    """All means compatible with `count` equal values (Clopper and Pearson's bound on the share of other values).

    With a larger share of other values, the chance to draw none of them would be below (1 - level) / 2.
    """
    share = round(1.0 - ((1.0 - level) / 2.0) ** (1.0 / count), 12)
    return Interval(value - share * (value - bounds[0]), value + share * (bounds[1] - value), level)


def _share_below(sums: NDArray[np.int64], count: int) -> float:
    """The share of resampled means below the centre; ties count as half."""
    below = int(np.searchsorted(sums, -count, side="left"))
    not_above = int(np.searchsorted(sums, count, side="right"))
    return (below + not_above) / (2 * len(sums))


def _corrected_tails(width: float, share_below: float, skew: float) -> tuple[float, float]:
    """The shares below both ends after BCa's correction for bias and skew."""
    bias = _NORMAL.inv_cdf(min(max(share_below, _EDGE), 1.0 - _EDGE))
    return _shifted(-width, bias, skew), _shifted(width, bias, skew)


def _plain_tails(width: float, count: int) -> tuple[float, float]:
    """The shares below both ends, so that normal values get Student's interval.

    Resampled means vary too little by the factor sqrt((n - 1) / n).
    """
    widened = width * math.sqrt(count / (count - 1))
    return _NORMAL.cdf(-widened), _NORMAL.cdf(widened)


def _shifted(width: float, bias: float, skew: float) -> float:
    """The share that BCa puts below an end at this distance from the mean; 1 or 0 if skew leaves no such end."""
    stretch = 1.0 - skew * (bias + width)
    if stretch <= 0.0:
        return float(width > 0.0)
    return _NORMAL.cdf(bias + (bias + width) / stretch)


def _resampled(numbers: Sequence[float], centre: float, resamples: int, seed: int) -> tuple[NDArray[np.int64], float]:
    """Sums of the deviations from the centre over topics drawn with replacement, ascending, and their scale.

    The sums are integers of shape (resamples,), to divide by the scale.
    """
    deviations, scale = whole([value - centre for value in numbers])
    blocks = topic_draws(len(numbers), resamples, seed)
    return np.sort(np.concatenate([deviations[block].sum(axis=1) for block in blocks])), scale
