"""Dense and sparse vectors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # (dimension,)
Vectors = NDArray[np.float32]  # (texts, dimension)


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids and their weights, ids ascending and unique."""

    indices: tuple[int, ...]
    values: tuple[float, ...]
