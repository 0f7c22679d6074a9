"""What a text becomes to be searched for: a dense vector, a sparse one."""

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
