"""CRC-32 of sparse files: 110 MB of the engine's files may have only 3 MB of data.

The zeros of a hole change the checksum by a product that is computed without reading them.
"""

import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_READ = 1 << 20
_SEEK_DATA = getattr(os, "SEEK_DATA", None)
_SEEK_HOLE = getattr(os, "SEEK_HOLE", None)

_POLYNOMIAL = 0xEDB88320  # of CRC-32; the highest bit is x⁰, as in all numbers here
_ONE = 1 << 31
_ALL = 0xFFFFFFFF


def crc32_of_file(path: Path) -> int:
    """CRC-32 of a file, equal to zlib's. Raises OSError."""
    checksum = 0
    with path.open("rb", buffering=0) as file:
        end = 0
        for start, stop in _data(file.fileno()):
            checksum = extend_with_zeros(checksum, start - end)
            file.seek(start)
            end = start
            while end < stop and (block := file.read(min(_READ, stop - end))):
                checksum = zlib.crc32(block, checksum)
                end += len(block)
        return extend_with_zeros(checksum, os.fstat(file.fileno()).st_size - end)


def extend_with_zeros(checksum: int, length: int) -> int:
    """Append zero bytes to a CRC-32; a length below 1 changes nothing."""
    if length < 1:
        return checksum
    return _product(checksum ^ _ALL, _power_of_x(8 * length)) ^ _ALL


def _data(descriptor: int) -> Iterator[tuple[int, int]]:
    """Ranges of data [start, end) of a file, ascending; one range if the disk cannot tell."""
    size = os.fstat(descriptor).st_size
    if _SEEK_DATA is None or _SEEK_HOLE is None:
        yield 0, size
        return
    end = 0
    while end < size:
        try:
            start = os.lseek(descriptor, end, _SEEK_DATA)
            end = os.lseek(descriptor, start, _SEEK_HOLE)
        except OSError:  # no data is left, or the disk cannot tell
            if _is_hole(descriptor, end):
                return
            start, end = end, size
        yield start, end


def _is_hole(descriptor: int, position: int) -> bool:
    """Whether the disk reports a hole here."""
    try:
        return _SEEK_HOLE is not None and os.lseek(descriptor, position, _SEEK_HOLE) == position
    except OSError:
        return False


@cache
def _square(exponent: int) -> int:
    """Remainder of x to the power 2^exponent."""
    if exponent == 0:
        return _ONE >> 1
    root = _square(exponent - 1)
    return _product(root, root)


def _power_of_x(exponent: int) -> int:
    """Remainder of a power of x."""
    remainder = _ONE
    for bit in range(exponent.bit_length()):
        if exponent >> bit & 1:
            remainder = _product(remainder, _square(bit))
    return remainder


def _product(left: int, right: int) -> int:
    """Remainder of the product of two polynomials over GF(2)."""
    total = 0
    while left:
        if left & _ONE:
            total ^= right
        left = left << 1 & _ALL
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return total
