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


def samples_to_prove(limit: float, confidence: float = 0.95) -> int:
    """The smallest number of samples with which a perfect result proves that a share or a mean is at least `limit`.

    limit: of a share, or of the mean of values from 0 to 1. Were the true value lower, n perfect samples would come
    with a chance of at most limit^n, so n is the least with limit^n <= 1 - confidence: 14 for 0.8, 59 for 0.95.

    0 for a limit of 0, which proves nothing, and for one of 1, which no sample proves: it is asked of each sample.
    """
    if not 0.0 < limit < 1.0:
        return 0
    return math.ceil(math.log(1.0 - confidence) / math.log(limit) - 1e-9)
