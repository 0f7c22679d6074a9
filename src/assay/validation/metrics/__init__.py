"""Measures of rankings, in plain Python, as trec_eval and the field define them; docs/measures.md explains each.

`judged` labels a ranking, `formulas` has one function for each measure, `bounds` their upper bounds over all labels of
unjudged hits, `registry` their names, and `evaluating` measures many topics at once.
"""

from assay.validation.metrics.evaluating import evaluate, overlap, tie_ranges, upper_bounds
from assay.validation.metrics.judged import order
from assay.validation.metrics.registry import FAMILIES, MAX_CUTOFF, OVERLAP, PASSAGES, Family, Measure, parse_measure

__all__ = [
    "FAMILIES",
    "MAX_CUTOFF",
    "OVERLAP",
    "PASSAGES",
    "Family",
    "Measure",
    "evaluate",
    "order",
    "overlap",
    "parse_measure",
    "tie_ranges",
    "upper_bounds",
]
