"""Fusion of the dense and the sparse ranking. Pure functions."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from assay.model.ranking import FusionMethod
from assay.ports import PointKey, Scored


class Fused(NamedTuple):
    """A point with its fused score, in [0, 1]; comparable within one ranking only."""

    point: PointKey
    score: float


class FusedParts(NamedTuple):
    """The parts of the dense and the sparse side in a chunk's fused score."""

    dense: float
    sparse: float


_new_fused: Callable[[tuple[PointKey, float]], Fused] = partial(tuple.__new__, Fused)
"""Takes half the time of calling Fused; a search makes hundreds."""


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """Weight of each side; 0 leaves a side out, and only their ratio matters.

    Raises ValueError for a weight that is negative or not finite, and when both are 0.
    """

    dense: float
    sparse: float

    def __post_init__(self) -> None:
        _check_weights((self.dense, self.sparse))


def fuse(
    method: FusionMethod, dense: Sequence[Scored], sparse: Sequence[Scored], weights: FusionWeights, rrf_k: int
) -> list[Fused]:
    """Fuse one search's two sides by the method: best first, equal scores by point.

    dense: best first, scores are cosines, not clipped.
    sparse: best first, scores are BM25's, 0 or more.
    rrf_k: the constant of reciprocal rank fusion; the score method ignores it.

    Raises ValueError if a side names a chunk twice or holds an impossible score.
    """
    if method is FusionMethod.RRF:
        rankings = [[scored.point for scored in side] for side in (dense, sparse)]
        return reciprocal_rank_fusion(rankings, (weights.dense, weights.sparse), rrf_k)
    return relative_score_fusion(dense, sparse, weights)


def relative_score_fusion(dense: Sequence[Scored], sparse: Sequence[Scored], weights: FusionWeights) -> list[Fused]:
    """Fuse by the weighted mean of each chunk's scores relative to the best (TM2C2: Bruch et al., TOIS 2023).

    Each side is scaled so that its best hit is 1 and the lowest possible score is 0: BM25 by score / best, cosines by
    (1 + cosine) / (1 + best). The scale does not depend on the worst hit, so the ranking does not depend on the depth
    of the search, and a weak best hit does not spread its list over the whole scale.

    A chunk that BM25 did not find scores 0 there: most such chunks share no word with the query. A chunk that dense
    search did not find scores as the last one found: its own cosine is no higher and rarely much lower.

    Raises ValueError when a side names a chunk twice, a score is not finite, or a BM25 score is negative.
    """
    nearness, matching, unseen = _relative_sides(dense, sparse, weights)
    return _best_first(nearness | {point: nearness.get(point, unseen) + share for point, share in matching.items()})


def fused_parts(
    method: FusionMethod, dense: Sequence[Scored], sparse: Sequence[Scored], weights: FusionWeights, rrf_k: int
) -> dict[PointKey, FusedParts]:
    """The parts of each chunk's fused score, by point; their sum is the score that `fuse` gives it.

    The arguments are those of fuse. Raises ValueError as fuse does.
    """
    if method is FusionMethod.RRF:
        total, unseen = weights.dense + weights.sparse, 0.0
        nearness, matching = (
            {scored.point: weight / total / (rrf_k + rank) for rank, scored in enumerate(side, start=1)}
            for side, weight in ((dense, weights.dense), (sparse, weights.sparse))
        )
    else:
        nearness, matching, unseen = _relative_sides(dense, sparse, weights)
    return {
        point: FusedParts(nearness.get(point, unseen), matching.get(point, 0.0))
        for point in nearness.keys() | matching.keys()
    }


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[PointKey]], weights: Sequence[float], k: int = 60
) -> list[Fused]:
    """Fuse rankings of points by the sum of weight / (k + rank), rank from 1 (Cormack et al., SIGIR 2009).

    The weights are scaled to the sum 1. A ranking of weight 0 is ignored.

    Raises ValueError when the lengths of rankings and weights differ, a ranking names a chunk twice, a weight is
    negative or not finite, or all are 0.
    """
    if len(rankings) != len(weights):
        raise ValueError(f"{len(rankings)} rankings need as many weights, not {len(weights)}.")
    _check_weights(weights)
    total = sum(weights)
    shares: dict[PointKey, list[float]] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        if len(set(ranking)) != len(ranking):
            raise ValueError("A ranking names a chunk twice.")
        if weight > 0.0:
            for rank, point in enumerate(ranking, start=1):
                shares.setdefault(point, []).append(weight / total / (k + rank))
    # fsum, so that the order in which the rankings are given cannot decide a tie by rounding.
    return _best_first({point: math.fsum(parts) for point, parts in shares.items()})


def _relative_sides(
    dense: Sequence[Scored], sparse: Sequence[Scored], weights: FusionWeights
) -> tuple[dict[PointKey, float], dict[PointKey, float], float]:
    """The weighted, scaled scores of each side, and the dense one of a chunk that dense search did not find."""
    total = weights.dense + weights.sparse
    nearness = _relative(dense, -1.0, weights.dense / total) if weights.dense > 0.0 else {}
    matching = _relative(sparse, 0.0, weights.sparse / total) if weights.sparse > 0.0 else {}
    return nearness, matching, min(nearness.values(), default=0.0)


def _relative(side: Sequence[Scored], least: float, share: float) -> dict[PointKey, float]:
    """Scale scores so that the lowest possible one is 0 and the best is `share`; all 0 if the best is the lowest."""
    scores: dict[PointKey, float] = dict(side)
    _check_side(side, scores, least)
    best = max(scores.values(), default=least) - least
    if best <= 0.0:
        return dict.fromkeys(scores, 0.0)
    return {point: share * ((score - least) / best) if score > least else 0.0 for point, score in scores.items()}


def _check_side(side: Sequence[Scored], scores: Mapping[PointKey, float], least: float) -> None:
    if len(scores) != len(side):
        raise ValueError("A ranking names a chunk twice.")
    if not all(map(math.isfinite, scores.values())):
        wrong = next(scored for scored in side if not math.isfinite(scored.score))
        raise ValueError(f"Chunk {wrong.point} has a score that is not finite: {wrong.score}.")
    if least == 0.0 and min(scores.values(), default=0.0) < 0.0:
        raise ValueError(f"A BM25 score is never negative, but one is {min(scores.values())}.")


def _best_first(scores: Mapping[PointKey, float]) -> list[Fused]:
    ranked: Iterable[tuple[PointKey, float]] = scores.items()
    if len(set(scores.values())) < len(scores):
        ranked = sorted(ranked)  # the second sort keeps this order of equal scores
    return list(map(_new_fused, sorted(ranked, key=itemgetter(1), reverse=True)))


def _check_weights(weights: Sequence[float]) -> None:
    if not all(math.isfinite(weight) and weight >= 0.0 for weight in weights):
        raise ValueError(f"Fusion weights have to be finite and 0 or more, not {tuple(weights)}.")
    if not any(weights):
        raise ValueError("Every fusion weight is 0, so nothing could be ranked.")
