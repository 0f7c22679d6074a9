"""The difference that a number of topics detects."""

import math
from collections.abc import Sequence

from assay.validation.statistics.numbers import deviation_of, finite
from assay.validation.statistics.student import student_quantile


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
    freedom = len(numbers) - 1
    quantiles = student_quantile(1.0 - alpha / tests / 2.0, freedom) + student_quantile(power, freedom)
    return quantiles * deviation / math.sqrt(len(numbers))
