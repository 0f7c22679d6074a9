"""Checks of texts to embed, and of the vectors in a provider's answer."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.adapters.remote.unusable import UnusableAnswer
from assay.errors import InvalidEmbedding
from assay.ports import Vectors

_SHORTEST = 1e-6


def require_text(texts: Iterable[str]) -> None:
    """Raise InvalidEmbedding for a text that is blank or invalid Unicode."""
    for text in texts:
        if not text.strip():
            raise InvalidEmbedding(f"The text {text!r} is blank and has no embedding.", hint="Leave blank texts out.")
        if not is_unicode(text):
            raise InvalidEmbedding(
                f"The text {text[:80]!r} contains an unpaired surrogate and cannot be embedded.",
                hint="Save the page as UTF-8.",
            )


def is_unicode(text: str) -> bool:
    """Whether a text has no unpaired surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def unit_vectors(rows: Any, texts: int, dimension: int) -> Vectors:  # noqa: ANN401 - a parsed JSON value
    """Vectors of length 1 from parsed JSON: float32 of shape (texts, dimension).

    Raises UnusableAnswer unless there is one vector for each text, of the right length, finite and not zero.
    """
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise UnusableAnswer("the vectors are not a list of lists of numbers")
    if len(rows) != texts:
        raise UnusableAnswer(f"it has {len(rows)} vectors for {texts} texts")
    lengths = {len(row) for row in rows} - {dimension}
    if lengths:
        raise UnusableAnswer(f"a vector has {min(lengths)} dimensions instead of {dimension}")
    if not rows:
        return np.empty((0, dimension), dtype=np.float32)
    matrix = np.array(rows)
    if matrix.dtype.kind not in "fiu":
        raise UnusableAnswer("a vector has a value that is not a number")
    matrix = matrix.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise UnusableAnswer("a vector is not finite")
    if not (norms > _SHORTEST).all():
        raise UnusableAnswer("a vector is zero")
    units: Vectors = (matrix / norms).astype(np.float32)
    return units
