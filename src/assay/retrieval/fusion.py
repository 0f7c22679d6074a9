"""Making one ranking of the dense and the sparse one. Pure: the same rankings give the same answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.model.ranking import FusionMethod
from assay.ports import Scored


@dataclass(frozen=True, slots=True)
class Fused:
    """A chunk id with its fused score, in [0, 1]; comparable within one ranking only."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """How much each side counts; 0 leaves a side out, and only the ratio of the two matters.

    Raises ValueError for a weight that is negative or not finite, and when both are 0.
    """

    dense: float
    sparse: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(weight) and weight >= 0.0 for weight in (self.dense, self.sparse)):
            raise ValueError(f"Fusion weights have to be 0 or more: dense {self.dense}, sparse {self.sparse}.")
        if self.dense == self.sparse == 0.0:
            raise ValueError("Fusion weights are both 0, so nothing could be ranked.")


def fuse(
    method: FusionMethod, dense: Sequence[Scored], sparse: Sequence[Scored], weights: FusionWeights, rrf_k: int
) -> list[Fused]:
    """Fuse one search's two sides by the method: best first, equal scores by chunk id.

    dense, sparse: best first, each chunk at most once; scores are cosines and BM25 scores.
    rrf_k: the constant of reciprocal rank fusion; the score method does not look at it.

    Raises ValueError when a side names a chunk twice or holds a score that is not finite.
    """
    if method is FusionMethod.RRF:
        rankings = [[scored.chunk_id for scored in side] for side in (dense, sparse)]
        return reciprocal_rank_fusion(rankings, (weights.dense, weights.sparse), rrf_k)
    return relative_score_fusion((dense, sparse), (weights.dense, weights.sparse))


def relative_score_fusion(sides: Sequence[Sequence[Scored]], weights: Sequence[float]) -> list[Fused]:
    """Fuse by the weighted mean of each side's min-max normalized scores (Fox and Shaw, TREC-2, 1994, CombSUM).

    A side's best score becomes 1 and its worst 0; where all are equal, all become 1. A chunk that a side did not
    find counts 0 there. A side of weight 0 is left out altogether.

    Raises ValueError when the lengths of sides and weights differ, a side names a chunk twice, or a score is not
    finite.
    """
    _check_lengths(len(sides), weights)
    total = sum(weights)
    fused: dict[str, float] = {}
    for side, weight in zip(sides, weights, strict=True):
        if weight > 0.0:
            for chunk_id, score in _min_max(side).items():
                fused[chunk_id] = fused.get(chunk_id, 0.0) + weight * score / total
    return _best_first(fused)


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]], weights: Sequence[float], k: int = 60) -> list[Fused]:
    """Fuse rankings of chunk ids by the sum of weight / (k + rank), rank from 1 (Cormack et al., SIGIR 2009).

    A ranking of weight 0 is left out altogether.

    Raises ValueError when the lengths of rankings and weights differ, or a ranking names a chunk twice.
    """
    _check_lengths(len(rankings), weights)
    total = sum(weights)
    fused: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        if len(set(ranking)) != len(ranking):
            raise ValueError("A ranking names a chunk twice; each may stand in it once.")
        if weight > 0.0:
            for rank, chunk_id in enumerate(ranking, start=1):
                fused[chunk_id] = fused.get(chunk_id, 0.0) + weight / total / (k + rank)
    return _best_first(fused)


def _min_max(side: Sequence[Scored]) -> dict[str, float]:
    """Each chunk's score on a scale where the side's worst is 0 and its best 1; all 1 when they are equal."""
    scores = {scored.chunk_id: scored.score for scored in side}
    if len(scores) != len(side):
        raise ValueError("A ranking names a chunk twice; each may stand in it once.")
    if not all(math.isfinite(score) for score in scores.values()):
        raise ValueError("A score is not finite, so it cannot be ranked.")
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if low == high:
        return dict.fromkeys(scores, 1.0)
    return {chunk_id: (score - low) / (high - low) for chunk_id, score in scores.items()}


def _best_first(scores: dict[str, float]) -> list[Fused]:
    return [Fused(chunk_id, scores[chunk_id]) for chunk_id in sorted(scores, key=lambda id_: (-scores[id_], id_))]


def _check_lengths(sides: int, weights: Sequence[float]) -> None:
    if sides != len(weights):
        raise ValueError(f"{sides} rankings need as many weights, not {len(weights)}.")
