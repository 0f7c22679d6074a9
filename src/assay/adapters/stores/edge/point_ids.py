"""Ids of the points of an embedded index: the first 64 bits of their chunk ids.

The engine makes a `uuid.UUID` of each UUID that it returns; for the two hundred of a search, that took a tenth of its
time. The sealed file CHUNK_IDS holds these numbers, ascending, and then the last 64 bits of each chunk id, all of them
little-endian. Indexes of format 1 have no such file, and UUIDs as ids.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from assay.adapters.stores.points import CHUNK_ID
from assay.errors import VectorStoreError

CHUNK_IDS = "chunk-ids.bin"

PointId = int | UUID | str

_REMEMBERED = 65_536
"""Chunk ids that are kept as text, in at most 14 MB: searches return most of them again and again."""

_UNKNOWN = 0x8000_0000_0000_0000
"""Last 64 bits in the text of a point that the file lacks."""


class PointIds(Protocol):
    """Translates between the engine's ids and chunk ids. Thread-safe."""

    @property
    def text(self) -> Callable[[Any], str]:
        """Returns the chunk id of a point; an id that is in no catalog if the index was changed after sealing."""

    def points(self, chunk_ids: Sequence[str]) -> set[PointId]:
        """The points of chunk ids; what is no UUID is left out."""


class Numbers:
    """The ids of an index with the file CHUNK_IDS. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        halves = array("Q", (folder / CHUNK_IDS).read_bytes())
        if sys.byteorder == "big":
            halves.byteswap()
        middle = len(halves) // 2
        self.text = _Texts(halves[:middle], halves[middle:]).__getitem__

    def points(self, chunk_ids: Sequence[str]) -> set[PointId]:
        """The points of chunk ids; what is no UUID is left out."""
        return {number_of(chunk_id) for chunk_id in chunk_ids if CHUNK_ID.fullmatch(chunk_id)}


class Uuids:
    """The ids of an index of format 1."""

    text = staticmethod(lru_cache(16_384)(str))

    def points(self, chunk_ids: Sequence[str]) -> set[PointId]:
        """The points of chunk ids; what is no UUID is left out."""
        return {chunk_id for chunk_id in chunk_ids if CHUNK_ID.fullmatch(chunk_id)}


class _Texts(dict[int, str]):
    """Chunk ids by number, each made when it is first read."""

    def __init__(self, numbers: "array[int]", rests: "array[int]") -> None:
        super().__init__()
        self._numbers = numbers
        self._rests = rests

    def __missing__(self, number: int) -> str:
        row = bisect_left(self._numbers, number)
        known = row < len(self._numbers) and self._numbers[row] == number
        text = _uuid(number, self._rests[row] if known else _UNKNOWN)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[number] = text
        return text


def number_of(chunk_id: str) -> int:
    """The id of a chunk's point."""
    return int(chunk_id[:8] + chunk_id[9:13] + chunk_id[14:18], 16)


def write_chunk_ids(folder: Path, ids: bytes | bytearray) -> None:
    """Write the file CHUNK_IDS. ids: 16 bytes of each chunk id, in any order; repeated ones count once.

    Raises OSError, and VectorStoreError if two ids have the same number: the chance is 1 in 2 million for an index of
    a million chunks, because 60 of the bits are random.
    """
    halves = np.unique(np.frombuffer(ids, "S16")).view(">u8").reshape(-1, 2)
    if twice := np.flatnonzero(halves[1:, 0] == halves[:-1, 0]).tolist():
        one, other = (_uuid(*halves[row].tolist()) for row in (twice[0], twice[0] + 1))
        raise VectorStoreError(
            f"The chunks {one} and {other} cannot be in one index, because their ids begin alike.",
            hint="Change a word of one of them, and build again.",
        )
    (folder / CHUNK_IDS).write_bytes(halves.T.astype("<u8").tobytes())


def _uuid(first: int, rest: int) -> str:
    digits = f"{first:016x}{rest:016x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
