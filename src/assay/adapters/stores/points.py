"""What the embedded store and the Qdrant server have in common: names, ids, the checks of what is written and asked."""

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
"""The ids that points can have."""

INDEX_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""What a generation may be called where a folder or a collection has its name."""

REBUILD = "`assay publish --rebuild` builds it anew; `assay rollback` goes back to the generation before."
"""What to do about a damaged index."""

TIES = 24
"""Results asked for beyond the limit, so that of equal ones at its end those with the first ids are returned: the same
page stands in many versions."""

_UNIT = 1e-3
"""How far a vector's length may be from 1."""


def require_name(generation: str) -> None:
    """Raise VectorStoreError for a generation whose index cannot have its name."""
    if not INDEX_NAME.fullmatch(generation):
        raise VectorStoreError(f"{generation!r} cannot be the name of an index: letters, digits, `_`, `-`, `.`.")


def unit_rows(points: Sequence[IndexPoint], dimension: int) -> list[list[float]]:
    """The dense vectors of points, at least one, as lists of float32 values, each of the right length and of length 1.

    Raises InvalidEmbedding; VectorStoreError for an id that is no UUID.
    """
    for point in points:
        if not CHUNK_ID.fullmatch(point.chunk.id):
            raise VectorStoreError(f"The chunk id {point.chunk.id!r} is not a UUID, as ids of points have to be.")
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
    rows: list[list[float]] = vectors.tolist()
    return rows


def not_unicode(point: IndexPoint) -> VectorStoreError:
    """The error for a chunk that no engine can store."""
    return VectorStoreError(
        f"Chunk {point.chunk.position} of {point.chunk.document.source_path!a} cannot be stored: "
        "something in it is not valid Unicode.",
        hint="Save the page, and its name, as UTF-8.",
    )


def require_direction(vector: Vector, dimension: int) -> None:
    """Raise InvalidEmbedding for a query that the engine would answer with nothing, or not at all."""
    if vector.shape != (dimension,):
        raise InvalidEmbedding(f"The query's vector has shape {vector.shape}; the index has {dimension} dimensions.")
    square = float(vector @ vector)
    if not 0.0 < square < math.inf:
        raise InvalidEmbedding(f"The query's vector has the squared length {square} and points nowhere.")


def sorted_terms(indices: Sequence[int], values: Sequence[float]) -> SparseVector:
    """A sparse vector as an engine gave it back, in whatever order."""
    if list(indices) == sorted(indices):
        return SparseVector(tuple(indices), tuple(values))
    pairs = sorted(zip(indices, values, strict=True))
    return SparseVector(tuple(index for index, _ in pairs), tuple(value for _, value in pairs))


def end_of_ties(scores: Sequence[float], limit: int) -> int:
    """How many results, best first, are among the limit or score as the last of those does."""
    end = min(limit, len(scores))
    while limit <= end < len(scores) and scores[end] == scores[limit - 1]:
        end += 1
    return end


def first_by_id(ranked: list[Scored], limit: int) -> tuple[Scored, ...]:
    """The first of these results, which are best first; equal scores by id."""
    if len({scored.score for scored in ranked}) < len(ranked):
        ranked.sort(key=lambda scored: (-scored.score, scored.chunk_id))
    return tuple(ranked[:limit])
