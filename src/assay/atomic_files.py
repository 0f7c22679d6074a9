"""Files that are written whole or not at all."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of the errors of a full disk, a used quota, and a file that is too large."""


def write_files(contents: Mapping[Path, Iterable[bytes]], *, private: bool = False) -> None:
    """Write files under temporary names, flush them to the disk, and only then rename them, in order.

    A reader sees each file as it was before or as it is after. An error before the first rename, as of a full disk,
    changes nothing; the temporary files are removed.

    contents: the pieces of each file. A file that exists keeps its permissions.
    private: only the owner may read and write the files, from the beginning.

    Raises OSError.
    """
    drafts = {path: path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp") for path in contents}
    try:
        for path, pieces in contents.items():
            _write(drafts[path], pieces, 0o600 if private else _mode_of(path))
        for path, draft in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _write(path: Path, pieces: Iterable[bytes], mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        path.chmod(mode)  # whatever the umask leaves out


def _mode_of(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
