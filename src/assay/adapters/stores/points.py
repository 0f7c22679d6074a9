"""Names, ids and checks shared by the embedded store and the Qdrant server."""

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.errors import InvalidEmbedding, VectorStoreError
from assay.ports import IndexPoint, Scored, SparseVector, Vector

DENSE = "dense"
SPARSE = "bm25"
"""Names of the two vectors of every point."""

CHUNK_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Valid ids of points."""

INDEX_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""Valid ids of generations, which name folders and collections."""

REBUILD = "`assay publish --rebuild` rebuilds it; `assay rollback` returns to the previous generation, if there is one."
"""Hint for a damaged index."""

TIES = 24
"""Results requested beyond the limit, to break ties at its end by id: many versions may have the same page."""

_UNIT = 1e-3
"""Tolerance of a vector's length of 1."""


def require_name(generation: str) -> None:
    """Raise VectorStoreError for an invalid id of a generation."""
    if not INDEX_NAME.fullmatch(generation):
        raise VectorStoreError(f"{generation!r} cannot be the name of an index; use letters, digits, `_`, `-` and `.`.")


def unit_rows(points: Sequence[IndexPoint], dimension: int) -> NDArray[np.float32]:
    """The dense vectors of one or more points, of shape (points, dimension), checked for dimension and length 1.

    Raises InvalidEmbedding; VectorStoreError for an id that is not a UUID.
    """
    for point in points:
        if not CHUNK_ID.fullmatch(point.chunk.id):
            raise VectorStoreError(f"The chunk id {point.chunk.id!r} is not a UUID.")
        if point.dense.shape != (dimension,):
            raise InvalidEmbedding(
                f"The vector of chunk {point.chunk.id} has shape {point.dense.shape}; "
                f"the index has {dimension} dimensions."
            )
    vectors: NDArray[np.float32] = np.stack([point.dense for point in points]).astype(np.float32, copy=False)
    lengths = np.linalg.norm(vectors, axis=1)
    wrong = np.flatnonzero(~(np.abs(lengths - 1.0) <= _UNIT))  # true for NaN too
    if wrong.size:
        first = int(wrong[0])
        raise InvalidEmbedding(f"The vector of chunk {points[first].chunk.id} has length {lengths[first]}, not 1.")
    return vectors


def not_unicode(position: int, source_path: str) -> VectorStoreError:
    """The error for a chunk with invalid Unicode."""
    return VectorStoreError(
        f"Chunk {position} of {source_path!a} cannot be stored: it contains invalid Unicode.",
        hint="Save the page and its name as UTF-8.",
    )


def require_direction(vector: Vector, dimension: int) -> None:
    """Raise InvalidEmbedding for a query of the wrong dimension, not finite, or zero."""
    if vector.shape != (dimension,):
        raise InvalidEmbedding(f"The query's vector has shape {vector.shape}; the index has {dimension} dimensions.")
    square = float(vector @ vector)
    if not 0.0 < square < math.inf:
        raise InvalidEmbedding(f"The query's vector has the squared length {square} and no direction.")


def sorted_terms(indices: Sequence[int], values: Sequence[float]) -> SparseVector:
    """Make a sparse vector from an engine's terms, in any order."""
    if list(indices) == sorted(indices):
        return SparseVector(tuple(indices), tuple(values))
    pairs = sorted(zip(indices, values, strict=True))
    return SparseVector(tuple(index for index, _ in pairs), tuple(value for _, value in pairs))


def count_with_ties(scores: Sequence[float], limit: int) -> int:
    """Number of results within the limit, or with the score of the last one within it. scores: best first."""
    end = min(limit, len(scores))
    while limit <= end < len(scores) and scores[end] == scores[limit - 1]:
        end += 1
    return end


def break_ties(ranked: list[Scored], limit: int) -> tuple[Scored, ...]:
    """The first results, best first, equal scores by id."""
    if len({scored.score for scored in ranked}) < len(ranked):
        ranked.sort(key=lambda scored: (-scored.score, scored.point))
    return tuple(ranked[:limit])
