"""Vectors that follow from the text alone, with texts near each other that share words or parts of words."""

import hashlib
import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"\w+")
_COMMON = re.compile(
    r"an?|and|are|as|at|be|by|can|do(es)?|for|from|how|i|if|in|is|it|of|on|or|that|the|this|to|was|what|when|where|"
    r"which|who|why|will|with|your?"
)


def hashed_vector(text: str, dimension: int, mark: int) -> NDArray[np.float64]:
    """A vector of length 1. mark: 0 or 1, a small part of it that tells documents and queries apart."""
    total = np.zeros(dimension)
    words = _WORD.findall(text.lower()) or [text]
    for word in words:
        indices, weights = _features(word, dimension)
        np.add.at(total, indices, weights)
    norm = np.linalg.norm(total) or 1.0
    vector = total / norm
    vector[mark] += 0.05
    return vector / np.linalg.norm(vector)


@cache
def _features(word: str, dimension: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Places of a word and of its groups of three letters, and what each adds."""
    padded = f"<{word}>"
    grams = [padded[start : start + 3] for start in range(len(padded) - 2)]
    scale = 0.1 if _COMMON.fullmatch(word) else 1.0
    features = [(word, scale), *((f"#{gram}", 0.3 * scale / len(grams) ** 0.5) for gram in grams)]
    indices, weights = [], []
    for feature, weight in features:
        digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for part in range(4):
            number = int.from_bytes(digest[4 * part : 4 * part + 4], "little")
            indices.append(2 + (number >> 1) % (dimension - 2))
            weights.append(weight if number & 1 else -weight)
    return np.array(indices), np.array(weights)
