"""The number of samples needed to prove a limit."""

import math


def samples_to_prove(limit: float, confidence: float = 0.95) -> int:
    """The smallest number of samples with which a perfect result proves that a share or a mean is at least `limit`.

    limit: of a share, or of the mean of values from 0 to 1. Were the true value lower, n perfect samples would come
    with a chance of at most limit^n, so n is the least with limit^n <= 1 - confidence: 14 for 0.8, 59 for 0.95.

    0 for a limit of 0, which proves nothing, and for one of 1, which no sample proves: it is asked of each sample.
    """
    if not 0.0 < limit < 1.0:
        return 0
    return math.ceil(math.log(1.0 - confidence) / math.log(limit) - 1e-9)
