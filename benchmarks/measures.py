"""Measures of the quality benchmark, for a ranking of ids and the set of relevant ids."""

from collections.abc import Collection, Sequence
from math import log2, sqrt


def ndcg(ranking: Sequence[str], relevant: Collection[str], k: int = 10) -> float:
    """nDCG@k with gain 1 for a relevant id: sum of 1 / log2(rank + 1), over that of the ideal ranking.

    Järvelin and Kekäläinen, TOIS 2002; the ideal ranking has all relevant ids first, as in trec_eval's `ndcg_cut`.
    """
    gained = sum(1.0 / log2(rank + 1) for rank, id_ in enumerate(ranking[:k], start=1) if id_ in relevant)
    return gained / sum(1.0 / log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """1 / rank of the first relevant id, 0 without one (trec_eval's `recip_rank`); its mean is MRR."""
    return next((1.0 / rank for rank, id_ in enumerate(ranking, start=1) if id_ in relevant), 0.0)


def success(ranking: Sequence[str], relevant: Collection[str], k: int = 5) -> float:
    """1 if a relevant id is among the first k, else 0 (trec_eval's `success`)."""
    return float(any(id_ in relevant for id_ in ranking[:k]))


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean of at least one value."""
    return sum(values) / len(values)


def half_width(values: Sequence[float]) -> float:
    """Half of the mean's 95% confidence interval: 1.96 standard errors (two values or more)."""
    centre = mean(values)
    variance = sum((value - centre) ** 2 for value in values) / (len(values) - 1)
    return 1.96 * sqrt(variance / len(values))
