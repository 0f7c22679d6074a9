"""The difference that a number of topics detects, and the number of samples that proves a limit."""

import math
from collections.abc import Sequence

from assay.validation.statistics.numbers import deviation_of, finite
from assay.validation.statistics.student import student_quantile


def smallest_difference(
    differences: Sequence[float], power: float = 0.8, alpha: float = 0.05, *, tests: int = 1
) -> float | None:
    """The smallest true difference that these topics detect with probability `power`, in a test at `alpha`.

    Student's t at 1 - alpha / (2 * tests) plus that at `power`, times the standard error of the mean difference. None
    with fewer than two topics, or if all differences are equal: their variation is then unknown.

    differences: of two systems on the same topics.
    tests: number of tests that Holm's adjustment covers, including this one. It never requires a p below
        alpha / tests, so the result holds for each test, whatever the others show.

    Raises InputError for a value that is not finite.
    """
    numbers = finite(differences, "difference")
    deviation = deviation_of(numbers)
    if deviation is None or deviation == 0.0:
        return None
    freedom = len(numbers) - 1
    quantiles = student_quantile(1.0 - alpha / tests / 2.0, freedom) + student_quantile(power, freedom)
    return quantiles * deviation / math.sqrt(len(numbers))


def samples_to_prove(limit: float, confidence: float = 0.95) -> int:
    """Smallest number of samples with which a perfect result proves that a share or a mean is at least `limit`.

    limit: of a share, or of the mean of values from 0 to 1. If the true value were lower, n perfect samples would have
    a probability of at most limit^n, so n is the least with limit^n <= 1 - confidence: 14 for 0.8, 59 for 0.95.

    0 for a limit of 0, which needs no proof, and for 1, which no number of samples proves: it applies to each sample.
    """
    if not 0.0 < limit < 1.0:
        return 0
    return math.ceil(math.log(1.0 - confidence) / math.log(limit) - 1e-9)
