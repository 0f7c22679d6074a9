"""CRC-32 of the engine's files, which are mostly holes: 110 MB of them may be 3 MB of data.

A hole is read as zeros. What zeros do to a checksum can be calculated without going through them.
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


def checksum_of(path: Path) -> int:
    """CRC-32 of all that is in a file, as zlib gives it. Raises OSError."""
    checksum = 0
    with path.open("rb", buffering=0) as file:
        end = 0
        for start, stop in _data(file.fileno()):
            checksum = after_zeros(checksum, start - end)
            file.seek(start)
            end = start
            while end < stop and (block := file.read(min(_READ, stop - end))):
                checksum = zlib.crc32(block, checksum)
                end += len(block)
        return after_zeros(checksum, os.fstat(file.fileno()).st_size - end)


def after_zeros(checksum: int, length: int) -> int:
    """What a CRC-32 becomes when so many zero bytes follow; a length below 1 changes nothing."""
    if length < 1:
        return checksum
    return _product(checksum ^ _ALL, _power_of_x(8 * length)) ^ _ALL


def _data(descriptor: int) -> Iterator[tuple[int, int]]:
    """Where a file has data, ascending: first byte, and the one after the last. One piece where nobody can tell."""
    size = os.fstat(descriptor).st_size
    if _SEEK_DATA is None or _SEEK_HOLE is None:
        yield 0, size
        return
    end = 0
    while end < size:
        try:
            start = os.lseek(descriptor, end, _SEEK_DATA)
            end = os.lseek(descriptor, start, _SEEK_HOLE)
        except OSError:  # no data is left, or this kind of disk cannot tell
            if _is_hole(descriptor, end):
                return
            start, end = end, size
        yield start, end


def _is_hole(descriptor: int, position: int) -> bool:
    """Whether the disk says so, rather than that it cannot tell."""
    try:
        return _SEEK_HOLE is not None and os.lseek(descriptor, position, _SEEK_HOLE) == position
    except OSError:
        return False


@cache
def _square(exponent: int) -> int:
    """The remainder of x to the power 2^exponent."""
    if exponent == 0:
        return _ONE >> 1
    root = _square(exponent - 1)
    return _product(root, root)


def _power_of_x(exponent: int) -> int:
    """The remainder of x to a power."""
    remainder = _ONE
    for bit in range(exponent.bit_length()):
        if exponent >> bit & 1:
            remainder = _product(remainder, _square(bit))
    return remainder


def _product(left: int, right: int) -> int:
    """The remainder of a product of two polynomials, their coefficients 0 and 1."""
    total = 0
    while left:
        if left & _ONE:
            total ^= right
        left = left << 1 & _ALL
        right = right >> 1 ^ (_POLYNOMIAL if right & 1 else 0)
    return total
