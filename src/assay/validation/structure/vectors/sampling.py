"""Samples of points and vectors for the vector checks."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.ports import StoredPoint, Vector
from assay.validation.structure.context import CheckContext

EQUAL = 1.0 - 1e-5
"""Cosine from which two vectors count as equal."""

Rows = NDArray[np.float32]


def draw_points(context: CheckContext, size: int, purpose: str) -> list[StoredPoint]:
    """Sample points, seeded by the content fingerprint so that it is repeatable.

    size: at most MOST_SAMPLED. purpose: seeds each check differently. Raises VectorStoreError.
    """
    if context.index is None:
        return []
    ids = context.sampled_ids
    if len(ids) > size:
        ids = random.Random(f"{context.generation.content_fingerprint} {purpose}").sample(ids, size)  # noqa: S311 - to be repeated
    return [point for _, point in sorted(context.index.stored(ids).items())]


def is_usable(dense: Vector | None, dimension: int) -> bool:
    """Whether a vector has this dimension, is finite, and is not zero."""
    return dense is not None and dense.shape == (dimension,) and bool(np.isfinite(dense).all()) and bool(dense.any())


def unit_rows(vectors: Sequence[Vector]) -> Rows:
    """Normalized vectors, of shape (vectors, dimension)."""
    rows = np.stack(vectors).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
