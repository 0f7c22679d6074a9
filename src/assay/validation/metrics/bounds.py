"""Upper bounds of each measure of one topic over all labels of its unjudged hits.

A bound is the largest value over all labellings, not the value with every unjudged hit relevant: in Recall@k a relevant
chunk below k also counts in the denominator, and in nDCG and AP one further down may lower the value. Chunks that were
not found count as not relevant, because they could only lower the value.
"""

from bisect import bisect_right
from itertools import accumulate

from assay.validation.metrics.formulas import (
    EXPONENTIAL_GAINS,
    LINEAR_GAINS,
    average_precision,
    discounts_to,
    ideal_gain,
    ndcg,
    rank_of_best,
)
from assay.validation.metrics.judged import BEST_LABEL, JudgedRanking


def precision_bound(judged: JudgedRanking, k: int) -> float:
    """Every unjudged hit in the top k is relevant."""
    return (bisect_right(judged.ranks, k) + _unjudged_to(judged, k)) / k


def best_reciprocal_rank_bound(judged: JudgedRanking) -> float:
    """The first unjudged hit is the best, unless the best comes before it."""
    ranks = [rank for rank in (rank_of_best(judged), *judged.unjudged[:1]) if rank is not None]
    return 1.0 / min(ranks) if ranks else 0.0


def reciprocal_rank_bound(judged: JudgedRanking) -> float:
    """The first unjudged hit is relevant."""
    ranks = [*judged.ranks[:1], *judged.unjudged[:1]]
    return 1.0 / min(ranks) if ranks else 0.0


def recall_bound(judged: JudgedRanking, k: int) -> float:
    """Unjudged hits in the top k are relevant, those below are not."""
    unjudged = _unjudged_to(judged, k)
    relevant = judged.relevant + unjudged
    return (bisect_right(judged.ranks, k) + unjudged) / relevant if relevant else 0.0


def success_bound(judged: JudgedRanking, k: int) -> float:
    """An unjudged hit in the top k is relevant."""
    return 1.0 if bisect_right(judged.ranks, k) or _unjudged_to(judged, k) else 0.0


def average_precision_bound(judged: JudgedRanking) -> float:
    """The first n unjudged hits are relevant, for the best n.

    Higher ranks always give more, so only n is tried. Each further hit adds its own precision, and 1 / rank to that of
    every relevant hit below it.
    """
    most = average_precision(judged)
    summed = most * judged.relevant
    below = [*accumulate(1.0 / rank for rank in reversed(judged.ranks))][::-1]  # from a relevant hit to the last
    for added, rank in enumerate(judged.unjudged, start=1):
        above = bisect_right(judged.ranks, rank)
        summed += (above + added) / rank + (below[above] if above < len(below) else 0.0)
        most = max(most, summed / (judged.relevant + added))
    return min(most, 1.0)


def ndcg_bound(judged: JudgedRanking, k: int, gains: tuple[int, ...] = LINEAR_GAINS) -> float:
    """The first unjudged hits in the top k have label 2 and the next label 1, for the best two numbers.

    Higher ranks always gain more, and a relevant hit below k would only raise the ideal gain, so only the two numbers
    are tried.
    """
    unjudged = [rank for rank in judged.unjudged if rank <= k]
    most = ndcg(judged, k, gains)
    gained = most * ideal_gain(min(judged.best, k), min(judged.relevant, k), k, gains)
    discounts = discounts_to(k)
    summed = [0.0, *accumulate(1.0 / discounts[rank - 1] for rank in unjudged)]
    for best in range(len(unjudged) + 1):
        for relevant in range(best, len(unjudged) + 1):
            if relevant:
                more = gains[BEST_LABEL] * summed[best] + gains[1] * (summed[relevant] - summed[best])
                ideal = ideal_gain(min(judged.best + best, k), min(judged.relevant + relevant, k), k, gains)
                most = max(most, (gained + more) / ideal)
    return min(most, 1.0)


def exponential_ndcg_bound(judged: JudgedRanking, k: int) -> float:
    """As ndcg_bound, with the gain 2^label - 1."""
    return ndcg_bound(judged, k, EXPONENTIAL_GAINS)


def precision_ceiling_bound(judged: JudgedRanking, k: int) -> float:
    """Every unjudged hit is relevant, those below k too."""
    return min(k, judged.relevant + judged.found.count(None)) / k


def _unjudged_to(judged: JudgedRanking, k: int) -> int:
    return judged.found[:k].count(None)
