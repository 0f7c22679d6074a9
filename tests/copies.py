"""Copies of indexes: their files are mostly holes, and 110 MB would be written where 3 MB are data."""

import errno
import os
import shutil
from pathlib import Path

_BLOCK = 1 << 16


def copy_tree(source: Path, target: Path) -> Path:
    """Copy a folder, holes and all; the target must not be there. Returns the target."""
    return Path(shutil.copytree(source, target, copy_function=copy_file))


def copy_file(source: str | Path, target: str | Path) -> None:
    """Copy a file, holes and all."""
    with open(source, "rb", buffering=0) as read, open(target, "wb", buffering=0) as written:  # noqa: PTH123
        position, size = 0, os.fstat(read.fileno()).st_size
        written.truncate(size)
        while position < size:
            position = _next_data(read.fileno(), position, size)
            block = os.pread(read.fileno(), _BLOCK, position)
            if block.strip(b"\0"):
                os.pwrite(written.fileno(), block, position)
            position += len(block) or _BLOCK
    shutil.copystat(source, target)


def _next_data(descriptor: int, position: int, size: int) -> int:
    """Where the next byte is that is in no hole; where nobody can tell, the one at hand."""
    if not hasattr(os, "SEEK_DATA"):
        return position
    try:
        return os.lseek(descriptor, position, os.SEEK_DATA)
    except OSError as error:
        return size if error.errno == errno.ENXIO else position
