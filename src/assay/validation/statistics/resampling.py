"""Random draws: of topics with replacement, and of signs.

They use the raw numbers of PCG64, which NumPy promises never to change; it may change those of its Generator.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000

_CELLS = 4_000_000
"""Maximum number of drawn numbers in memory at a time: 32 MB."""


def topic_draws(count: int, resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """(some of `resamples`, count): rows of indices from 0 to count - 1, drawn with replacement, a few at a time."""
    if resamples * count <= _CELLS:
        return (_kept_topics(count, resamples, seed),)
    return _blocks(count, resamples, seed)


@lru_cache(maxsize=2)
def _kept_topics(count: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """(resamples, count): indices of drawn topics. Cached, because most measures have the same topics."""
    drawn = np.concatenate([*_blocks(count, resamples, seed)])
    drawn.flags.writeable = False
    return drawn


def _blocks(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """As topic_draws. With 32 bits, the shares of two topics differ by at most count / 2^32 of the draws."""
    source = np.random.PCG64(seed)
    rows = max(_CELLS // count, 1)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), count)
        raw = source.random_raw(shape[0] * shape[1]).reshape(shape)
        yield (((raw >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)).astype(np.int64)


def all_flips(count: int) -> Iterator[NDArray[np.float64]]:
    """(2^count, count): every choice of signs to flip, 1.0 for a flipped sign and 0.0 for any other."""
    yield ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64)


def random_flips(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """(some of `resamples`, count): rows of random choices, each sign flipped with equal chance, a few at a time."""
    source = np.random.PCG64(seed)
    rows = max(_CELLS // count, 1)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), count)
        raw = source.random_raw(-(-shape[0] * shape[1] // 64)).astype("<u8").view(np.uint8)  # alike on every machine
        yield np.unpackbits(raw)[: shape[0] * shape[1]].reshape(shape).astype(np.float64)


def place(share: float, resamples: int) -> int:
    """Index in ascending order of the resample below which this share lies; at least the first, at most the last."""
    return min(max(round(share * (resamples + 1)), 1), resamples) - 1
