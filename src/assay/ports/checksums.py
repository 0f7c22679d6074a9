"""Checksums of dense vectors, which hold through a store that rounds their last bits.

A checksum is the vector, scaled to length 1, projected on four directions that are drawn once for each dimension: four
float32 numbers. Stores may scale a vector to length 1 when they write it, and then its last bits differ; a hash of its
bytes would differ too. The projections differ by 1e-7, and a vector is held to its checksum within 1e-5. What that
finds is in docs/decisions/0041-vectors-are-held-to-their-checksums.md.
"""

import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.ports.vectors import Vector, Vectors

CHECKSUM_BYTES = 16
"""Length of a checksum."""

_PROJECTIONS = 4
_TOLERANCE = 1e-5
"""A hundred times what float32 rounds, and a hundredth of what sets the vectors of near-duplicate texts apart."""

_HALF = 2.0**31


def vector_checksums(vectors: Sequence[Vector] | Vectors) -> list[bytes]:
    """The checksum of each of these vectors, which have one dimension; a vector without a direction has that of none.

    Equal on every machine but for rounding.
    """
    if not len(vectors):
        return []
    packed = _projected(vectors).astype("<f4").tobytes()
    return [packed[start : start + CHECKSUM_BYTES] for start in range(0, len(packed), CHECKSUM_BYTES)]


def fit_checksums(vectors: Sequence[Vector] | Vectors, checksums: Sequence[bytes]) -> list[bool]:
    """Whether each of these vectors, which have one dimension, is the one that its checksum was made of.

    A vector without a direction never is. Raises ValueError for a checksum of another length.
    """
    if not len(vectors):
        return []
    recorded = np.frombuffer(b"".join(checksums), "<f4").reshape(len(vectors), _PROJECTIONS)
    with np.errstate(invalid="ignore"):
        apart = np.abs(_projected(vectors) - recorded.astype(np.float64))
    return [bool(fit) for fit in np.all(apart <= _TOLERANCE, axis=1)]  # NaN is not


def _projected(vectors: Sequence[Vector] | Vectors) -> NDArray[np.float64]:
    """Shape (vectors, 4); NaN where a vector has no direction."""
    rows = np.asarray(vectors, np.float64)  # (vectors, dimension)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # Not `@`: for so few columns BLAS starts threads that wait for each other on a busy machine.
        projected = np.einsum("ij,kj->ik", rows, _directions(rows.shape[1]))
        return np.asarray(projected / np.linalg.norm(rows, axis=1, keepdims=True), np.float64)


@cache
def _directions(dimension: int) -> NDArray[np.float64]:
    """Shape (4, dimension): numbers of variance 1, even between ±√3, that follow from nothing but the dimension."""
    drawn = hashlib.shake_256(f"assay vector checksum {dimension}".encode()).digest(4 * _PROJECTIONS * dimension)
    even = np.frombuffer(drawn, "<u4").astype(np.float64) / _HALF - 1.0
    return np.asarray(even.reshape(_PROJECTIONS, dimension) * np.sqrt(3.0), np.float64)
