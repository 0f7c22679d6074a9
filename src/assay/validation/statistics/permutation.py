"""A paired permutation test of two systems, and Holm's adjustment over many measures."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.validation.statistics.numbers import finite, whole
from assay.validation.statistics.resampling import RESAMPLES, all_flips, random_flips

MOST_RESAMPLED = 5_000
"""Largest number of differing topics to permute; for more, the normal distribution is used."""

MOST_EXACT = 13
"""Largest number of differing topics to permute exhaustively: 2^13 is less than RESAMPLES."""


def paired_test(a: Sequence[float], b: Sequence[float], resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Two-sided p of a paired permutation test of equal means (Fisher's, by random signs of the differences).

    a, b: values of two systems on the same topics, in the same order.

    If both systems are equal, each difference has either sign with equal chance; p is the share of the sign vectors
    whose sum is as far from 0 as the observed one. If at most MOST_EXACT topics differ, all sign vectors are tried;
    else `resamples` random ones, and the observed one counts as one of them, so that p is never 0. If more than
    MOST_RESAMPLED differ, the sum is treated as normal, and p is at least 1 / (resamples + 1). p is 1 if no topic
    differs, and without topics.

    Raises ValueError if a and b differ in length, InputError for a value that is not finite.
    """
    differences, _ = whole(finite([y - x for x, y in zip(a, b, strict=True)], "difference"))
    return _permutation_p(differences[differences != 0], resamples, seed)


def holm(ps: Sequence[float]) -> list[float]:
    """Adjust p-values so that the chance of any false alarm below alpha is at most alpha.

    The smallest p is multiplied by their number, the next by one less, …; none is less than the one before or above 1
    (Holm, Scandinavian Journal of Statistics, 1979).
    """
    adjusted = [0.0] * len(ps)
    least = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - place) * ps[index]))
        adjusted[index] = least
    return adjusted


def _permutation_p(differences: NDArray[np.int64], resamples: int, seed: int) -> float:
    """The p of differences, (topics,), none of them 0.

    Signs are assigned to the sizes in ascending order, so that p depends only on the sizes and the observed sum.
    """
    count = len(differences)
    if count == 0:
        return 1.0
    sizes = np.sort(np.abs(differences)).astype(np.float64)
    if count > MOST_RESAMPLED:
        far = abs(int(differences.sum())) / math.sqrt(float(sizes @ sizes))
        return max(round(math.erfc(far / math.sqrt(2.0)), 12), 1.0 / (resamples + 1))
    exact = count <= MOST_EXACT
    flips = all_flips(count) if exact else random_flips(count, resamples, seed)
    least = abs(int(differences.sum())) - count  # units, by which equal sums may differ
    as_far = sum(int(np.count_nonzero(np.abs(sizes.sum() - 2.0 * (some @ sizes)) >= least)) for some in flips)
    return as_far / 2**count if exact else (as_far + 1) / (resamples + 1)
