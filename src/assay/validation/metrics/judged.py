"""Order rankings, and label a ranking by its topic's judgments."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assay.errors import InputError
from assay.model.evaluation import LABELS

BEST_LABEL = LABELS[-1]


class JudgedRanking(NamedTuple):
    """A labelled ranking, with the numbers of the topic's labels.

    found: label of each hit, best first, duplicates once; None if unjudged.
    ranks: of the relevant hits (label 1 or 2), ascending, from 1.
    relevant: chunks of the topic with a label of 1 or 2, whether they were found or not.
    best: those of them with a label of 2.
    not_relevant: chunks of the topic with a label of 0.
    """

    found: Sequence[int | None]
    ranks: Sequence[int]
    relevant: int
    best: int
    not_relevant: int

    @property
    def unjudged(self) -> list[int]:
        """Ranks of the unjudged hits, ascending, from 1."""
        return [rank for rank, label in enumerate(self.found, start=1) if label is None]


def judge(ranking: Sequence[str], labels: Mapping[str, int]) -> JudgedRanking:
    """Label a ranking by its judgments.

    ranking: chunk ids, best first; a duplicate counts at its first rank.
    labels: of each judged chunk, found or not.

    Raises InputError for a label that is not one of LABELS.
    """
    hits = ranking if len(set(ranking)) == len(ranking) else list(dict.fromkeys(ranking))
    given = list(labels.values())
    zeros, ones, twos = map(given.count, LABELS)
    if zeros + ones + twos != len(given):
        chunk_id, label = next((key, value) for key, value in labels.items() if value not in LABELS)
        raise InputError(f"The label of {chunk_id} is {label!r}; it must be 0, 1 or 2.")
    found = list(map(labels.get, hits))
    ranks = [rank for rank, label in enumerate(found, start=1) if label]
    return JudgedRanking(found, ranks, ones + twos, twos, zeros)


def order(scored: Iterable[tuple[str, float]]) -> list[str]:
    """Ids by score, best first, each once at its best score; equal scores by id, ascending.

    The input order of ties does not count: a system with equal scores would then be as good as its input is sorted.

    Raises InputError for a score that is NaN or infinite.
    """
    best: dict[str, float] = {}
    for id_, score in scored:
        if not math.isfinite(score):
            raise InputError(
                f"The score of {id_} in the ranking is {score}, which cannot be ordered.",
                hint="Correct the run, or the system that wrote it.",
            )
        if id_ not in best or score > best[id_]:
            best[id_] = score
    return sorted(best, key=lambda id_: (-best[id_], id_))


def tie_orders(scored: Sequence[tuple[str, float]], labels: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """The worst and the best order of equal scores, for every measure.

    Within a tie the worst order has unjudged hits first, then labels ascending; the best has labels descending, then
    unjudged hits. Both are equal without equal scores.
    """
    best: dict[str, float] = {}
    for id_, score in scored:
        best[id_] = max(score, best.get(id_, score))
    if len(set(best.values())) == len(best):
        only = sorted(best, key=best.__getitem__, reverse=True)
        return only, only
    upwards = sorted(best, key=lambda id_: (-best[id_], labels.get(id_, -1), id_))
    downwards = sorted(best, key=lambda id_: (-best[id_], -labels.get(id_, -1), id_))
    return upwards, downwards
