"""Checks of paths that a user named: a name that is too long for any file is no error."""

import errno
from collections.abc import Callable
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether there is a file at a path. Raises OSError where the system refuses to look."""
    return _unless_too_long(path.is_file)


def is_folder(path: Path) -> bool:
    """Whether there is a folder at a path. Raises OSError where the system refuses to look."""
    return _unless_too_long(path.is_dir)


def exists(path: Path) -> bool:
    """Whether there is anything at a path. Raises OSError where the system refuses to look."""
    return _unless_too_long(path.exists)


def _unless_too_long(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False
