"""Cosine to similarity, and thresholds: the only file that converts scores."""

import math

from assay.errors import InvalidEmbedding


def clip_similarity(cosine: float) -> float:
    """Similarity of a cosine: the cosine itself, held to [0, 1].

    A negative cosine gives 0.0 and one that rounding pushed over 1 gives 1.0. Nothing else is rescaled, so that a
    threshold means the same for every embedder and every public shape.

    Raises InvalidEmbedding for NaN: one of the two vectors behind it was not a direction.
    """
    if math.isnan(cosine):
        raise InvalidEmbedding(
            "The cosine of query and chunk is NaN: one of the two vectors is all zero or not finite.",
            hint="`assay publish --rebuild` embeds everything anew.",
        )
    return 0.0 if cosine <= 0.0 else min(cosine, 1.0)


def passes(similarity: float, threshold: float) -> bool:
    """Whether a similarity reaches a threshold; both in [0, 1], and a hit exactly on the threshold is in."""
    return similarity >= threshold
