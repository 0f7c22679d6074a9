"""Measure many topics at once; each ranking is labelled once for all measures."""

from collections.abc import Mapping, Sequence

from assay.validation.metrics.judged import judge, tie_orders
from assay.validation.metrics.registry import Measure

Labels = Mapping[str, int]
Values = list[float | None]


def evaluate(measures: Sequence[Measure], rankings: Sequence[Sequence[str]], labels: Sequence[Labels]) -> list[Values]:
    """By measure, the values of all topics in their order; None if undefined.

    rankings: of each topic, chunk ids, best first; an empty one is a topic that found nothing, and counts.
    labels: of each topic, 0, 1 or 2 of every judged chunk in the index, found or not.

    Raises ValueError if the numbers of labels and rankings differ, InputError for another label.
    """
    judged = [judge(ranking, given) for ranking, given in zip(rankings, labels, strict=True)]
    return [[*map(measure.formula, judged)] for measure in measures]


def upper_bounds(
    measures: Sequence[Measure], rankings: Sequence[Sequence[str]], labels: Sequence[Labels]
) -> list[Values]:
    """By measure, the upper bounds over all labels of unjudged hits; None if a measure has none.

    Never less than the value; equal to it if every hit is judged.
    """
    judged = [judge(ranking, given) for ranking, given in zip(rankings, labels, strict=True)]
    return [[*map(measure.bound, judged)] for measure in measures]


def tie_ranges(
    measures: Sequence[Measure], scored: Sequence[Sequence[tuple[str, float]]], labels: Sequence[Labels]
) -> list[list[tuple[float, float] | None]]:
    """By measure, the lowest and highest value of each topic over all orders of its equal scores.

    Both are the value itself without equal scores; None if the measure is undefined. A tie that continues below the
    end of the ranking is only known in part.

    scored: of each topic, chunk ids with their scores; finite.
    """
    orders = [tie_orders(hits, given) for hits, given in zip(scored, labels, strict=True)]
    worst, best = (evaluate(measures, [pair[side] for pair in orders], labels) for side in (0, 1))
    return [[*map(_ascending, low, high)] for low, high in zip(worst, best, strict=True)]


def overlap(first: Sequence[str], second: Sequence[str], k: int = 3) -> float:
    """Documents in common among the first k of two rankings, divided by k (seed 001's specification: ≥ 0.60).

    first, second: the document of each hit, best first. A document counts once, at the rank of its best hit.
    """
    tops = [set(list(dict.fromkeys(documents))[:k]) for documents in (first, second)]
    return len(tops[0] & tops[1]) / k


def _ascending(one: float | None, other: float | None) -> tuple[float, float] | None:
    if one is None or other is None:
        return None
    return (one, other) if one <= other else (other, one)
