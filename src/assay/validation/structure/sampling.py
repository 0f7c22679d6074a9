"""Points and vectors that the checks of vectors look at."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.ports import StoredPoint, Vector
from assay.validation.structure.judged import Judged

EQUAL = 1.0 - 1e-5
"""From which cosine on two vectors are one and the same."""

Rows = NDArray[np.float32]


def draw_points(judged: Judged, size: int, purpose: str) -> list[StoredPoint]:
    """Draw points by the content's fingerprint: the same ones each time. purpose: draws others for another check.

    Raises VectorStoreError.
    """
    if judged.index is None:
        return []
    ids = list(judged.index.ids())
    if len(ids) > size:
        ids = random.Random(f"{judged.generation.content_fingerprint} {purpose}").sample(ids, size)  # noqa: S311 - to be repeated
    return [point for _, point in sorted(judged.index.stored(ids).items())]


def is_usable(dense: Vector | None, dimension: int) -> bool:
    """Whether a vector has this dimension, is finite, and is not zero."""
    return dense is not None and dense.shape == (dimension,) and bool(np.isfinite(dense).all()) and bool(dense.any())


def unit_rows(vectors: Sequence[Vector]) -> Rows:
    """The vectors as rows of length 1, of shape (vectors, dimension)."""
    rows = np.stack(vectors).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
