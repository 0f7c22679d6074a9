"""Decide whether labels for unjudged hits could reverse a difference. Pure."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

MAX_JUDGED_GAP = 0.1
"""Largest fair difference between the judged shares of two sides."""

_TOLERANCE = 1e-9


class TopicBounds(NamedTuple):
    """One topic of the side with the lower mean.

    upper: its value if all its unjudged hits were relevant. winner: the other side's value.
    lost: whether it lost judgments that the other side has.
    """

    value: float
    upper: float
    winner: float
    lost: bool


def labels_could_reverse(topics: Sequence[TopicBounds], judged: float | None, judged_of_winner: float | None) -> bool:
    """Whether the lower side has far fewer judged hits, and labels could bring it level.

    Topics that lost judgments are lower for that reason, which no label changes. If they make up half of the
    difference, the answer is False; else the other topics decide.

    judged, judged_of_winner: mean judged shares over the topics that lost none.
    """
    kept = [one for one in topics if not one.lost]
    fall = sum(one.winner - one.value for one in topics)
    of_lost = fall - sum(one.winner - one.value for one in kept)
    if not kept or (len(kept) < len(topics) and of_lost >= fall / 2):
        return False
    return could_be_level(fmean(one.upper for one in kept), fmean(one.winner for one in kept), judged, judged_of_winner)


def could_be_level(upper: float, winner: float, judged_of_loser: float | None, judged_of_winner: float | None) -> bool:
    """Whether the loser has far fewer judged hits than the winner, and labels could bring it level.

    upper: the loser's mean if all its unjudged hits were relevant. winner: the winner's mean.
    """
    if judged_of_loser is None or judged_of_winner is None or judged_of_winner - judged_of_loser <= MAX_JUDGED_GAP:
        return False
    return upper >= winner - _TOLERANCE
