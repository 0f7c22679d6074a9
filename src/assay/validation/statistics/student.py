"""Student's t."""

import math
from functools import lru_cache
from statistics import NormalDist

_MOST_CLOSED = 30
"""Largest number of degrees of freedom for the closed form."""


@lru_cache(maxsize=1_024)
def student_quantile(share: float, freedom: int) -> float:
    """The value of Student's t below which this share lies, from 0.5 on; rounded, because C libraries differ.

    By the closed form of its distribution for few degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4), else by
    the expansion of Cornish and Fisher (26.7.5), which is accurate to 1e-6 there.
    """
    if freedom > _MOST_CLOSED:
        z: float = NormalDist().inv_cdf(share)
        terms = (
            (z**3 + z) / 4.0,
            (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
            (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
            (79.0 * z**9 + 776.0 * z**7 + 1482.0 * z**5 - 1920.0 * z**3 - 945.0 * z) / 92160.0,
        )
        return round(z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1)), 12)
    low, high = 0.0, math.pi / 2.0
    for _ in range(60):
        angle = (low + high) / 2.0
        if (1.0 + _central_share(angle, freedom)) / 2.0 < share:
            low = angle
        else:
            high = angle
    return round(math.sqrt(freedom) * math.tan(low), 12)


def _central_share(angle: float, freedom: int) -> float:
    """Probability that t is within ± sqrt(freedom) * tan(angle)."""
    cosine, odd = math.cos(angle), freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= (power + 1) / (power + 2) * cosine**2
    total *= math.sin(angle)
    return (angle + total) * 2.0 / math.pi if odd else total
