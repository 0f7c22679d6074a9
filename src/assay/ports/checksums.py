"""Checksums of dense vectors that tolerate a store rounding the last bits.

A checksum is four float32 numbers: the vector, scaled to length 1, projected on four fixed directions per dimension.
Stores may scale a vector to length 1 when they write it, which changes its last bits, so a hash of its bytes would
differ. The projections then differ by about 1e-7; the tolerance is 1e-5. docs/decisions/0041 states which faults that
finds.
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
"""100 times float32's rounding, and a hundredth of the difference between vectors of near-duplicate texts."""

_HALF = 2.0**31


def vector_checksums(vectors: Sequence[Vector] | Vectors) -> list[bytes]:
    """The checksum of each vector, NaN for one without a direction. All vectors have the same dimension.

    Equal on every machine apart from rounding.
    """
    if not len(vectors):
        return []
    packed = _projected(vectors).astype("<f4").tobytes()
    return [packed[start : start + CHECKSUM_BYTES] for start in range(0, len(packed), CHECKSUM_BYTES)]


def fit_checksums(vectors: Sequence[Vector] | Vectors, checksums: Sequence[bytes]) -> list[bool]:
    """Whether each vector matches its checksum. All vectors have the same dimension.

    A vector without a direction never matches. Raises ValueError for a checksum of another length.
    """
    if not len(vectors):
        return []
    recorded = np.frombuffer(b"".join(checksums), "<f4").reshape(len(vectors), _PROJECTIONS)
    with np.errstate(invalid="ignore"):
        apart = np.abs(_projected(vectors) - recorded.astype(np.float64))
    return [bool(fit) for fit in np.all(apart <= _TOLERANCE, axis=1)]  # NaN never matches


def _projected(vectors: Sequence[Vector] | Vectors) -> NDArray[np.float64]:
    """Shape (vectors, 4); NaN for a vector without a direction."""
    rows = np.asarray(vectors, np.float64)  # (vectors, dimension)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # Not `@`: for so few columns BLAS starts threads that wait for each other on a busy machine.
        projected = np.einsum("ij,kj->ik", rows, _directions(rows.shape[1]))
        return np.asarray(projected / np.linalg.norm(rows, axis=1, keepdims=True), np.float64)


@cache
def _directions(dimension: int) -> NDArray[np.float64]:
    """Shape (4, dimension): uniform in ±√3 (variance 1), derived from the dimension alone."""
    drawn = hashlib.shake_256(f"assay vector checksum {dimension}".encode()).digest(4 * _PROJECTIONS * dimension)
    even = np.frombuffer(drawn, "<u4").astype(np.float64) / _HALF - 1.0
    return np.asarray(even.reshape(_PROJECTIONS, dimension) * np.sqrt(3.0), np.float64)
