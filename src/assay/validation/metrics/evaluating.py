"""Many topics at once: each ranking is held against its judgments once, whatever is measured of it."""

from collections.abc import Mapping, Sequence

from assay.validation.metrics.judged import judge, tie_orders
from assay.validation.metrics.registry import Measure

Labels = Mapping[str, int]
Values = list[float | None]


def evaluate(measures: Sequence[Measure], rankings: Sequence[Sequence[str]], labels: Sequence[Labels]) -> list[Values]:
    """For each measure the value of every topic, in the order of the topics; None where it is not defined.

    rankings: of each topic, chunk ids, best first; an empty one is a topic that found nothing, and counts.
    labels: of each topic, 0, 1 or 2 of every judged chunk in the index, found or not.

    Raises ValueError when there are not as many labels as rankings, InputError for another label.
    """
    judged = [judge(ranking, given) for ranking, given in zip(rankings, labels, strict=True)]
    return [[*map(measure.formula, judged)] for measure in measures]


def upper_bounds(
    measures: Sequence[Measure], rankings: Sequence[Sequence[str]], labels: Sequence[Labels]
) -> list[Values]:
    """The same, of the best that unjudged hits could turn out to be; None where they set no limit to a measure.

    Never less than the value, and the value itself where every hit is judged.
    """
    judged = [judge(ranking, given) for ranking, given in zip(rankings, labels, strict=True)]
    return [[*map(measure.bound, judged)] for measure in measures]


def tie_ranges(
    measures: Sequence[Measure], scored: Sequence[Sequence[tuple[str, float]]], labels: Sequence[Labels]
) -> list[list[tuple[float, float] | None]]:
    """For each measure the lowest and highest value of every topic over all orders of its equal scores.

    Both are the value itself where no scores are equal; None where the measure is not defined. What was cut off at the
    end of a ranking is not there to be ordered: a tie that goes on below it is only known in part.

    scored: of each topic, chunk ids with their scores; finite.
    """
    orders = [tie_orders(hits, given) for hits, given in zip(scored, labels, strict=True)]
    worst, best = (evaluate(measures, [pair[side] for pair in orders], labels) for side in (0, 1))
    return [[*map(_ascending, low, high)] for low, high in zip(worst, best, strict=True)]


def overlap(first: Sequence[str], second: Sequence[str], k: int = 3) -> float:
    """Documents that two rankings share among the first k of each, divided by k (seed 001's specification: ≥ 0.60).

    first, second: the document of each hit, best first. A document stands where its best hit stands and counts once,
    so that two equal rankings share everything as long as they have k documents.
    """
    tops = [set(list(dict.fromkeys(documents))[:k]) for documents in (first, second)]
    return len(tops[0] & tops[1]) / k


def _ascending(one: float | None, other: float | None) -> tuple[float, float] | None:
    if one is None or other is None:
        return None
    return (one, other) if one <= other else (other, one)
