"""Small file systems, to be filled and to be made read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """A file system of 100 MB in a new folder; skips where mounting is not allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", str(folder)]
    try:
        allowed = subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        allowed = False
    if not allowed:
        pytest.skip("mounting a small file system needs rights that this user has not")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_disk(disk: Path) -> Path:
    """Leave no byte; the file that takes them all."""
    filler = disk / "filler"
    with pytest.raises(OSError, match="No space left"):
        filler.write_bytes(bytes(120_000_000))
    return filler


def forbid_writing(disk: Path) -> None:
    """Make a file system read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


@contextmanager
def bound_by_permissions() -> Iterator[None]:
    """This process may no longer read what permissions forbid, whoever runs it; skips where that cannot be had."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
