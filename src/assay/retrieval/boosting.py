"""Boosts: factors for the scores of sources. No I/O."""

import math
from collections.abc import Mapping, Sequence

from assay.ports import PointKey
from assay.retrieval.fusion import Fused


def boosted(ranked: Sequence[Fused], sources: Mapping[PointKey, str], boosts: Mapping[str, float]) -> list[Fused]:
    """Multiply each score by the boost of its chunk's source and sort again: best first, ties in their old order.

    ranked: best first; a score below 0, which only a cosine can be, counts as 0.
    sources: name of the source by point; those without one are not boosted.
    boosts: by name of the source, each more than 0, 1 by default. They are divided by the largest, so that scores
        stay in [0, 1].

    Raises ValueError for a boost that is not finite or not more than 0.
    """
    if not all(math.isfinite(boost) and boost > 0.0 for boost in boosts.values()):
        raise ValueError(f"Boosts have to be finite and more than 0, not {dict(boosts)}.")
    factors = {source: factor_of(source, boosts) for source in {*sources.values(), ""}}
    scored = [Fused(point, max(score, 0.0) * factors[sources.get(point, "")]) for point, score in ranked]
    return sorted(scored, key=lambda fused: -fused.score)


def factor_of(source: str, boosts: Mapping[str, float]) -> float:
    """The factor of a source's scores: its boost divided by the largest, so at most 1."""
    return boosts.get(source, 1.0) / max([1.0, *boosts.values()])
