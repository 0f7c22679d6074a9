"""Sums that are bit-identical in every order and on every platform."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError

_BITS = 44
"""Precision of a value in bits, relative to the largest value: 6e-14 of it."""


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean of one or more values, correctly rounded in any order."""
    return math.fsum(values) / len(values)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are not None; None without any."""
    known = [value for value in values if value is not None]
    return mean(known) if known else None


def deviation_of(numbers: Sequence[float]) -> float | None:
    """Sample standard deviation, with n - 1; None with fewer than two numbers."""
    if len(numbers) < 2:
        return None
    if min(numbers) == max(numbers):
        return 0.0
    centre = mean(numbers)
    return math.sqrt(math.fsum((number - centre) ** 2 for number in numbers) / (len(numbers) - 1))


def whole(numbers: Sequence[float]) -> tuple[NDArray[np.int64], float]:
    """Scale numbers to integers, so that their sums are exact in every order. Also returns the scale.

    Each is rounded by at most half a unit: treat sums as equal if they differ by no more units than they have terms, as
    0.1 + 0.2 and 0.3 do.
    """
    largest = max(map(abs, numbers), default=0.0)
    if largest == 0.0:
        return np.zeros(len(numbers), dtype=np.int64), 1.0
    bits = min(_BITS, 52 - len(numbers).bit_length())  # so that sums are exact in double precision too
    scale = math.ldexp(1.0, bits - math.frexp(largest)[1])
    return np.array([round(number * scale) for number in numbers], dtype=np.int64), scale


def finite(numbers: Sequence[float], what: str) -> Sequence[float]:
    """Return the numbers. Raises InputError if one is NaN or infinite. what: their name in the message."""
    for number in numbers:
        if not math.isfinite(number):
            raise InputError(
                f"A {what} is {number}, which has no mean.",
                hint="Leave out topics without a value, and report how many are left.",
            )
    return numbers
