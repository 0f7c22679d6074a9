"""One function for each measure of one topic. Unjudged hits count as not relevant (trec_eval's rule).

k: the cutoff, 1 or more; measures without one use the full ranking. Labels of 1 and 2 are relevant.
"""

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal, localcontext
from functools import cache, lru_cache

from assay.validation.metrics.judged import BEST_LABEL, JudgedRanking

LINEAR_GAINS = (0, 1, 2)
EXPONENTIAL_GAINS = (0, 1, 3)
"""Gain of each label: itself, and 2^label - 1."""


def precision(judged: JudgedRanking, k: int) -> float:
    """Relevant hits in the top k, divided by k, even if fewer than k were found (seed 001; trec_eval's `P`)."""
    return bisect_right(judged.ranks, k) / k


def rank_of_best(judged: JudgedRanking) -> int | None:
    """Rank from 1 of the first hit with the highest label of all hits; None if none is relevant (seed 001)."""
    if BEST_LABEL in judged.found:
        return judged.found.index(BEST_LABEL) + 1
    return judged.ranks[0] if judged.ranks else None


def best_reciprocal_rank(judged: JudgedRanking) -> float:
    """1 / rank_of_best, 0 without one (seed 001's `mrr`)."""
    rank = rank_of_best(judged)
    return 0.0 if rank is None else 1.0 / rank


def reciprocal_rank(judged: JudgedRanking) -> float:
    """1 / rank of the first relevant hit, 0 without one (trec_eval's `recip_rank`)."""
    return 1.0 / judged.ranks[0] if judged.ranks else 0.0


def recall(judged: JudgedRanking, k: int) -> float:
    """Relevant hits in the top k, divided by the topic's relevant chunks; 0 without any (trec_eval's `recall`)."""
    return bisect_right(judged.ranks, k) / judged.relevant if judged.relevant else 0.0


def success(judged: JudgedRanking, k: int) -> float:
    """1 if a relevant hit is in the top k, else 0 (trec_eval's `success`)."""
    return 1.0 if judged.ranks and judged.ranks[0] <= k else 0.0


def average_precision(judged: JudgedRanking) -> float:
    """Mean precision at the rank of each relevant chunk, 0 for one not found; 0 without any (trec_eval's `map`)."""
    if not judged.relevant:
        return 0.0
    return sum(count / rank for count, rank in enumerate(judged.ranks, start=1)) / judged.relevant


def ndcg(judged: JudgedRanking, k: int, gains: Sequence[int] = LINEAR_GAINS) -> float:
    """Discounted gain of the top k, divided by that of the ideal ranking; 0 without relevant chunks.

    A hit at a rank gains gains[label] / log2(rank + 1); the ideal ranking has all relevant chunks of the topic, found
    or not, by label (Järvelin and Kekäläinen, TOIS 2002; trec_eval's `ndcg_cut`). Never above 1, because
    the ideal gain is summed in the same order.
    """
    if not judged.relevant:
        return 0.0
    ideal = ideal_gain(min(judged.best, k), min(judged.relevant, k), k, gains)
    found, discounts, gained = judged.found, discounts_to(k), 0.0
    for rank in judged.ranks:
        if rank > k:
            break
        gained += gains[found[rank - 1] or 0] / discounts[rank - 1]
    return gained / ideal


def exponential_ndcg(judged: JudgedRanking, k: int) -> float:
    """NDCG whose gain is 2^label - 1 (Burges et al., ICML 2005)."""
    return ndcg(judged, k, EXPONENTIAL_GAINS)


def bpref(judged: JudgedRanking) -> float:
    """How rarely chunks judged not relevant rank above relevant ones; 0 without relevant chunks.

    With R relevant and N not relevant ones judged: the sum over the relevant hits of 1 - min(n, R) / min(N, R), where n
    counts the hits above with a label of 0, divided by R. Unjudged hits are left out (Buckley and Voorhees, SIGIR 2004,
    as trec_eval's `bpref` corrects it).
    """
    if not judged.relevant:
        return 0.0
    bound = min(judged.not_relevant, judged.relevant)
    above, start, total = 0, 0, 0.0
    for rank in judged.ranks:
        above += judged.found[start:rank].count(0)
        start = rank
        total += 1.0 - min(above, judged.relevant) / bound if above else 1.0
    return total / judged.relevant


def judged_share(judged: JudgedRanking, k: int) -> float | None:
    """Judged hits in the top k, divided by the hits there; None without hits (ir_measures' `Judged`)."""
    top = judged.found[:k]
    return (len(top) - top.count(None)) / len(top) if top else None


def precision_ceiling(judged: JudgedRanking, k: int) -> float:
    """The largest P@k of any ranking of this index: min(k, relevant chunks) / k."""
    return min(k, judged.relevant) / k


@cache
def discounts_to(k: int) -> tuple[float, ...]:
    """log2(rank + 1) of the ranks from 1 to k, correctly rounded.

    Uses decimal arithmetic: the log2 of C libraries differs in the last bit between platforms.
    """
    with localcontext(prec=30):
        base = Decimal(2).ln()
        return tuple(float(Decimal(rank + 1).ln() / base) for rank in range(1, k + 1))


@lru_cache(maxsize=2**16)
def ideal_gain(best: int, relevant: int, k: int, gains: Sequence[int]) -> float:
    """Discounted gain of the top k of the ideal ranking: chunks with label 2 first, then those with label 1.

    relevant: number of relevant chunks. best: number of those with label 2. At most k each.
    """
    ideal = 0.0
    for place, discount in enumerate(discounts_to(k)[:relevant]):
        ideal += gains[BEST_LABEL if place < best else 1] / discount
    return ideal
