"""Boosts: factors for the scores of sources. No I/O."""

import math
from collections.abc import Mapping, Sequence

from assay.retrieval.fusion import Fused


def boosted(ranked: Sequence[Fused], sources: Mapping[str, str], boosts: Mapping[str, float]) -> list[Fused]:
    """Multiply each score by the boost of its chunk's source and sort again: best first, ties in their old order.

    ranked: best first; a score below 0, which only a cosine can be, counts as 0.
    sources: name of the source by chunk id; chunks without one are not boosted.
    boosts: by name of the source, each more than 0, 1 by default. They are divided by the largest, so that scores
        stay in [0, 1].

    Raises ValueError for a boost that is not finite or not more than 0.
    """
    if not all(math.isfinite(boost) and boost > 0.0 for boost in boosts.values()):
        raise ValueError(f"Boosts have to be finite and more than 0, not {dict(boosts)}.")
    largest = max([1.0, *boosts.values()])
    scored = [
        Fused(chunk_id, max(score, 0.0) * (boosts.get(sources.get(chunk_id, ""), 1.0) / largest))
        for chunk_id, score in ranked
    ]
    return sorted(scored, key=lambda fused: -fused.score)
