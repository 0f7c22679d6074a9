"""Ids of the points of an embedded index: the first 64 bits of their chunk ids.

The engine makes a `uuid.UUID` of each UUID that it returns; for the two hundred of a search, that took a tenth of its
time. The sealed file CHUNK_IDS holds these numbers, ascending, then the last 64 bits of each chunk id, and then the
first 64 bits of the hash of each chunk's text, all of them little-endian. Indexes of format 1 have no such file, and
UUIDs as ids.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import numpy as np

from assay.adapters.stores.points import CHUNK_ID
from assay.errors import VectorStoreError
from assay.model.documents import Chunk
from assay.ports import NumberedPoints, PointKey

CHUNK_IDS = "chunk-ids.bin"

PointId = int | UUID | str

_UNKNOWN = 0x8000_0000_0000_0000
"""Last 64 bits in the text of a point that the file lacks."""


class PointIds(Protocol):
    """The ids of the points of one index. Thread-safe."""

    @property
    def numbered(self) -> NumberedPoints | None:
        """As in IndexAnswer."""

    def keys(self, ids: list[Any]) -> list[PointKey]:
        """The keys of points from the engine's ids."""

    def chunk_id(self, point: Any) -> str:  # noqa: ANN401 - an id of the engine
        """The chunk id of a point; an id that is in no catalog if the index was changed after sealing."""

    def points(self, keys: Sequence[PointKey]) -> dict[PointKey, PointKey]:
        """Ids that the engine takes, as `keys` gives them, each with the key asked for; what is no UUID is left out."""


class Numbers:
    """The ids of an index with the file CHUNK_IDS. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        numbers = array("Q", (folder / CHUNK_IDS).read_bytes())
        if sys.byteorder == "big":
            numbers.byteswap()
        count = len(numbers) // 3
        self._numbers, self._rests, self._texts = (numbers[start * count :][:count] for start in range(3))

    @property
    def numbered(self) -> NumberedPoints:
        """These ids."""
        return self

    def keys(self, ids: list[Any]) -> list[PointKey]:
        """The numbers."""
        return ids

    def chunk_id(self, point: int) -> str:
        """The chunk id of a point; an id that is in no catalog if the index was changed after sealing."""
        row = self._row(point)
        return _uuid(point, _UNKNOWN if row is None else self._rests[row])

    def text_key(self, point: int) -> int | None:
        """64 bits of the hash of a point's text; None for a point that the file lacks."""
        row = self._row(point)
        return None if row is None else self._texts[row]

    def points(self, keys: Sequence[PointKey]) -> dict[PointKey, PointKey]:
        """The number of each key; what is no UUID is left out."""
        return {
            key if type(key) is int else number_of(key): key
            for key in keys
            if type(key) is int or CHUNK_ID.fullmatch(key)
        }

    def _row(self, number: int) -> int | None:
        row = bisect_left(self._numbers, number)
        return row if row < len(self._numbers) and self._numbers[row] == number else None


class Uuids:
    """The ids of an index of format 1."""

    numbered = None
    chunk_id = staticmethod(lru_cache(16_384)(str))

    def keys(self, ids: list[Any]) -> list[PointKey]:
        """The chunk ids."""
        return list(map(self.chunk_id, ids))

    def points(self, keys: Sequence[PointKey]) -> dict[PointKey, PointKey]:
        """The keys that are UUIDs."""
        return {chunk_id: chunk_id for chunk_id in keys if CHUNK_ID.fullmatch(chunk_id)}


def number_of(chunk_id: str) -> int:
    """The id of a chunk's point."""
    return int(chunk_id[:8] + chunk_id[9:13] + chunk_id[14:18], 16)


def row_of(chunk: Chunk) -> bytes:
    """The record of a chunk in the file CHUNK_IDS: the 16 bytes of its id, and the first 8 of the hash of its text."""
    return bytes.fromhex(chunk.id.replace("-", "") + chunk.content_hash[:16])


def write_chunk_ids(folder: Path, rows: bytes | bytearray) -> None:
    """Write the file CHUNK_IDS. rows: from row_of, in any order; of several for one chunk id, the last counts.

    Raises OSError, and VectorStoreError if two ids have the same number: the chance is 1 in 2 million for an index of
    a million chunks, because 60 of the bits are random.
    """
    parts = np.frombuffer(rows, ">u8").reshape(-1, 3)[::-1]
    _, last = np.unique(np.ascontiguousarray(parts[:, :2]).view("S16").ravel(), return_index=True)
    parts = parts[last]
    if twice := np.flatnonzero(parts[1:, 0] == parts[:-1, 0]).tolist():
        one, other = (_uuid(*parts[row, :2].tolist()) for row in (twice[0], twice[0] + 1))
        raise VectorStoreError(
            f"The chunks {one} and {other} cannot be in one index: the first digits of their ids are equal.",
            hint="Change a word of one of them, and build again.",
        )
    (folder / CHUNK_IDS).write_bytes(parts.T.astype("<u8").tobytes())


def _uuid(first: int, rest: int) -> str:
    digits = f"{first:016x}{rest:016x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
