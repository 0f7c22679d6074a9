"""Cosine to similarity, and the threshold rule: the only module that converts scores."""

import math

from assay.errors import InvalidEmbedding


def clip_similarity(cosine: float) -> float:
    """Clip a cosine to [0, 1].

    Nothing is rescaled, so a threshold means the same for every embedder and every public shape.

    Raises InvalidEmbedding for NaN: one of the two vectors is zero or not finite.
    """
    if math.isnan(cosine):
        raise InvalidEmbedding(
            "The cosine of query and chunk is NaN: one of the two vectors is all zero or not finite.",
            hint="`assay publish --rebuild` embeds everything again.",
        )
    return 0.0 if cosine <= 0.0 else min(cosine, 1.0)


def passes(similarity: float, threshold: float) -> bool:
    """Whether a similarity is at or over a threshold; both in [0, 1]."""
    return similarity >= threshold
