"""Statistics over topics: confidence intervals, paired tests of two systems, and sample sizes.

All random draws are seeded, and sums use integers, so that results are bit-identical on every platform and in every
order. docs/measures.md explains each number.
"""

from assay.validation.statistics.differences import compare
from assay.validation.statistics.intervals import bootstrap_interval, difference_interval
from assay.validation.statistics.numbers import mean, mean_of_known
from assay.validation.statistics.permutation import holm, paired_test
from assay.validation.statistics.power import samples_to_prove, smallest_difference
from assay.validation.statistics.resampling import RESAMPLES

__all__ = [
    "RESAMPLES",
    "bootstrap_interval",
    "compare",
    "difference_interval",
    "holm",
    "mean",
    "mean_of_known",
    "paired_test",
    "samples_to_prove",
    "smallest_difference",
]
