"""Term counts between the two passes over the chunks, on disk to keep memory constant."""

import errno
import struct
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self

from assay.errors import StorageFull, StoreUnavailable
from assay.ports import SparseVector

_LENGTH = struct.Struct("<I")
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class TermSpool:
    """A temporary file of term counts, written once and read in the same order.

    Methods raise StorageFull, or StoreUnavailable for other disk errors.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with _map_errors(folder):
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="terms-")  # noqa: SIM115 - see __exit__
        self.vectors = 0
        self.terms = 0

    @property
    def average_length(self) -> float:
        """Mean number of terms per text, with repetitions; 1.0 if there are none."""
        return max(self.terms / self.vectors, 1.0) if self.vectors else 1.0

    def write(self, counts: Sequence[SparseVector]) -> None:
        """Append the term counts of some texts."""
        for vector in counts:
            counted = array("I", [int(value) for value in vector.values])
            with _map_errors(self._folder):
                self._file.write(
                    _LENGTH.pack(len(vector.indices)) + array("I", vector.indices).tobytes() + counted.tobytes()
                )
            self.vectors += 1
            self.terms += int(sum(vector.values))

    def read(self) -> Iterator[SparseVector]:
        """Yield everything written, from the start."""
        with _map_errors(self._folder):
            self._file.seek(0)  # flushes the buffer
        while header := self._file.read(_LENGTH.size):
            (length,) = _LENGTH.unpack(header)
            indices, values = array("I"), array("I")
            indices.frombytes(self._file.read(length * indices.itemsize))
            values.frombytes(self._file.read(length * values.itemsize))
            yield SparseVector(tuple(indices), tuple(float(value) for value in values))

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
        if error.errno in _FULL:
            raise StorageFull(
                f"There is no space left in {folder} for the term counts of this build.",
                hint="Free some space there, or set another --data-dir.",
            ) from error
        raise StoreUnavailable(
            f"The term counts of this build cannot be kept in {folder}: {error.strerror or error}.",
            hint="Check that disk, or set another --data-dir.",
        ) from error
