"""Falls that labels for hits nobody has judged could take away, and falls that they could not. Pure."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

MUCH_JUDGED = 0.1
"""A gap between the judged shares of the two sides from which on a comparison is not fair."""

_TOLERANCE = 1e-9


class TopicBounds(NamedTuple):
    """One topic of a side that is lower than another.

    most: its value if all its unjudged hits were relevant. winner: the other side's value.
    lost: whether it lost judgments that the other side has.
    """

    value: float
    most: float
    winner: float
    lost: bool


def open_to_labels(topics: Sequence[TopicBounds], judged: float | None, judged_of_winner: float | None) -> bool:
    """Whether a side has much less judged than the other, and labels could put it level.

    Topics that lost judgments are lower for that, and leave nothing open: neither where they make up half of the fall,
    nor in the bound of the others.

    judged, judged_of_winner: over the topics that lost none.
    """
    kept = [one for one in topics if not one.lost]
    fall = sum(one.winner - one.value for one in topics)
    of_lost = fall - sum(one.winner - one.value for one in kept)
    if not kept or (len(kept) < len(topics) and of_lost >= fall / 2):
        return False
    return left_open(fmean(one.most for one in kept), fmean(one.winner for one in kept), judged, judged_of_winner)


def left_open(most: float, winner: float, judged_of_loser: float | None, judged_of_winner: float | None) -> bool:
    """Whether a loser has much less judged than the winner, and labels could put it level.

    most: the loser's mean if all its unjudged hits were relevant. winner: the winner's mean.
    """
    if judged_of_loser is None or judged_of_winner is None or judged_of_winner - judged_of_loser <= MUCH_JUDGED:
        return False
    return most >= winner - _TOLERANCE
