"""The files that the workers of a server share.

All their blocks are reserved before the first worker starts: a process that writes into a hole of a mapped file is
killed (SIGBUS) when the disk is full.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from assay.adapters.telemetry.prometheus import WORKER_FILE_BYTES, worker_files
from assay.errors import ConfigurationError
from assay.model.workers import COUNTERS_BYTES, PID_BYTES, WorkerShare


@contextmanager
def shared_files(workers: int) -> Iterator[tuple[Path, int]]:
    """A private folder, and the descriptor of the file with the counters; both end with the block.

    Raises ConfigurationError without space for them.
    """
    with ExitStack() as opened:
        try:
            folder = Path(tempfile.mkdtemp(prefix="assay-workers-"))
            opened.callback(shutil.rmtree, folder, ignore_errors=True)
            opened.callback(os.close, _kept(folder))
            counters = opened.enter_context(tempfile.TemporaryFile())
            _reserve(counters, COUNTERS_BYTES)
            _make(WorkerShare.release_lock(folder), 1)
            for number in range(1, workers + 1):
                _make(WorkerShare.pid_file(folder, number), PID_BYTES)
                for path in worker_files(folder, number):
                    _make(path, WORKER_FILE_BYTES)
        except OSError as error:
            raise ConfigurationError(
                f"The temporary folder cannot hold the files that workers share: {error.strerror}.",
                hint="Free some space in it, or set TMPDIR to another folder.",
            ) from None
        yield folder, counters.fileno()


def _kept(folder: Path) -> int:
    """A descriptor whose lock keeps systemd-tmpfiles from removing old files in the folder."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _make(path: Path, size: int) -> None:
    with path.open("xb") as file:
        _reserve(file, size)


def _reserve(file: IO[bytes], size: int) -> None:
    """Fill a new file with zeros, which take their place on the disk, unlike a hole."""
    file.write(bytes(size))
    file.flush()
