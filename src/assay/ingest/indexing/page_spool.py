"""The counts and vectors of each page, on disk to keep memory small."""

import struct
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, Self

import numpy as np

from assay.atomic_files import NO_ROOM
from assay.errors import StorageFull, StoreUnavailable
from assay.ports import SparseVector, Vectors

_HEADER = struct.Struct("<4I")
"""Chunks of a page, and bytes of its counts, its hashes and its vectors."""


def pack_counts(counts: Sequence[SparseVector]) -> bytes:
    """The term counts of a page's chunks: the number of terms of each chunk, then all ids, then all counts."""
    lengths, ids, values = array("I"), array("I"), array("f")
    for vector in counts:
        lengths.append(len(vector.indices))
        ids.extend(vector.indices)
        values.extend(vector.values)
    return lengths.tobytes() + ids.tobytes() + values.tobytes()


def unpack_counts(packed: bytes, chunks: int) -> list[SparseVector]:
    """The inverse of pack_counts."""
    lengths, ids, values = array("I"), array("I"), array("f")
    lengths.frombytes(packed[: chunks * lengths.itemsize])
    rest = packed[chunks * lengths.itemsize :]
    ids.frombytes(rest[: len(rest) // 2])
    values.frombytes(rest[len(rest) // 2 :])
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    return [SparseVector(tuple(ids[start:end]), tuple(values[start:end])) for start, end in pairwise(ends)]


class PageSpool:
    """A temporary file with a record for each page, found by its URL.

    Methods raise StorageFull, or StoreUnavailable for other disk errors.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, int] = {}
        with _map_errors(folder):
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="pages-")  # noqa: SIM115 - see __exit__

    def add(self, url: str, chunks: int, counts: bytes, hashes: bytes, vectors: Vectors | None) -> None:
        """Append the record of a page. counts: from pack_counts. vectors: of shape (chunks, dimension)."""
        rows = b"" if vectors is None else vectors.astype("<f4", copy=False).tobytes()
        with _map_errors(self._folder):
            self._places[url] = self._file.seek(0, 2)
            self._file.write(_HEADER.pack(chunks, len(counts), len(hashes), len(rows)) + counts + hashes + rows)

    def urls(self) -> list[str]:
        """The URLs of all pages, ascending."""
        return sorted(self._places)

    def counts(self, url: str) -> list[SparseVector]:
        """The term counts of each chunk of a page."""
        chunks, length, _, _ = self._header(url)
        return unpack_counts(self._read(length), chunks)

    def hashes(self, url: str) -> bytes:
        """The hashes of a page as they were added."""
        _, skipped, length, _ = self._header(url)
        self._read(skipped)
        return self._read(length)

    def vectors(self, url: str) -> Vectors | None:
        """The vector of each chunk of a page; None if it was added without, or has none."""
        chunks, counts, hashes, length = self._header(url)
        if not length:
            return None
        self._read(counts + hashes)
        return np.frombuffer(self._read(length), "<f4").reshape(chunks, -1)

    def clear(self) -> None:
        """Remove all records."""
        self._places.clear()
        with _map_errors(self._folder):
            self._file.seek(0)
            self._file.truncate()

    def _header(self, url: str) -> tuple[int, int, int, int]:
        """Go to a page's record and read its header."""
        with _map_errors(self._folder):
            self._file.seek(self._places[url])  # flushes the buffer
        chunks, counts, hashes, vectors = _HEADER.unpack(self._read(_HEADER.size))
        return chunks, counts, hashes, vectors

    def _read(self, length: int) -> bytes:
        with _map_errors(self._folder):
            return self._file.read(length)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        # Closing flushes a buffer that is no longer needed; its error must not hide why the block ended.
        with suppress(OSError):
            self._file.close()


@contextmanager
def _map_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageFull(
                f"There is no space left in {folder} for the term counts of this build.",
                hint="Free some space there, or set another --data-dir.",
            ) from error
        raise StoreUnavailable(
            f"The term counts of this build cannot be kept in {folder}: {error.strerror or error}.",
            hint="Check that disk, or set another --data-dir.",
        ) from error
