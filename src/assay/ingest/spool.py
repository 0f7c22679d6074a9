"""Term counts on their way from the first pass over the chunks to the second, on disk so that memory stays flat."""

import struct
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Self

from assay.ports import SparseVector

_LENGTH = struct.Struct("<I")


class TermSpool:
    """A temporary file of term counts, written once and read back in the same order."""

    def __init__(self, folder: Path) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="terms-")  # noqa: SIM115 - closed by __exit__
        self.vectors = 0
        self.terms = 0

    @property
    def average_length(self) -> float:
        """Mean number of terms of a text, repeated ones counted; 1.0 when there are none."""
        return max(self.terms / self.vectors, 1.0) if self.vectors else 1.0

    def write(self, counts: Sequence[SparseVector]) -> None:
        """Append the term counts of some texts."""
        for vector in counts:
            self._file.write(_LENGTH.pack(len(vector.indices)))
            self._file.write(array("I", vector.indices).tobytes())
            self._file.write(array("I", [int(value) for value in vector.values]).tobytes())
            self.vectors += 1
            self.terms += int(sum(vector.values))

    def read(self) -> Iterator[SparseVector]:
        """Everything that was written, from the beginning."""
        self._file.seek(0)
        while header := self._file.read(_LENGTH.size):
            (length,) = _LENGTH.unpack(header)
            indices, values = array("I"), array("I")
            indices.frombytes(self._file.read(length * indices.itemsize))
            values.frombytes(self._file.read(length * values.itemsize))
            yield SparseVector(tuple(indices), tuple(float(value) for value in values))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()
