"""Random draws: of topics with replacement, and of signs.

From the raw numbers of PCG64, which NumPy keeps the same for good; what its Generator makes of them it does not.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000

_CELLS = 4_000_000
"""Drawn numbers that are held at the same time: 32 MB."""


def topic_draws(count: int, resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """(some of `resamples`, count): rows of indices from 0 to count - 1, drawn with replacement, a few at a time."""
    if resamples * count <= _CELLS:
        return (_kept_topics(count, resamples, seed),)
    return _blocks(count, resamples, seed)


@lru_cache(maxsize=2)
def _kept_topics(count: int, resamples: int, seed: int) -> NDArray[np.int64]:
    """(resamples, count): indices of drawn topics. Kept, for most measures are of as many topics as the one before."""
    drawn = np.concatenate([*_blocks(count, resamples, seed)])
    drawn.flags.writeable = False
    return drawn


def _blocks(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """As topic_draws. With 32 bits no topic is drawn more often than another by more than count / 2^32 of the draws."""
    source = np.random.PCG64(seed)
    rows = max(_CELLS // count, 1)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), count)
        raw = source.random_raw(shape[0] * shape[1]).reshape(shape)
        yield (((raw >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)).astype(np.int64)


def all_flips(count: int) -> Iterator[NDArray[np.float64]]:
    """(2^count, count): every choice of signs to turn, 1.0 where one is turned and 0.0 where it is not."""
    yield ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(np.float64)


def random_flips(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """(some of `resamples`, count): rows of random choices, each sign turned with equal chance, a few at a time."""
    source = np.random.PCG64(seed)
    rows = max(_CELLS // count, 1)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), count)
        raw = source.random_raw(-(-shape[0] * shape[1] // 64)).astype("<u8").view(np.uint8)  # alike on every machine
        yield np.unpackbits(raw)[: shape[0] * shape[1]].reshape(shape).astype(np.float64)


def place(share: float, resamples: int) -> int:
    """Where in ascending order so large a share lies below; the first or last where there are too few."""
    return min(max(round(share * (resamples + 1)), 1), resamples) - 1
