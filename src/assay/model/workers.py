"""The state that the worker processes of one server share."""

from dataclasses import dataclass, field
from pathlib import Path

SECRET_BYTES = 32

COUNTERS_BYTES = 8 * 1024 * 1024
"""Length of the file with the counters."""

PID_BYTES = 16
"""Length of a file with a process id, which has spaces after it."""


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """One worker's view of what all workers of a server share.

    number: of this worker, from 1; the process that replaces a dead one has the same.
    count: number of workers.
    folder: private folder of their metrics.
    file: descriptor of the file with their counters, whose bytes are also the locks of these.
    secret: SECRET_BYTES random bytes.
    """

    number: int
    count: int
    folder: Path
    file: int
    secret: bytes = field(repr=False)

    @staticmethod
    def pid_file(folder: Path, number: int) -> Path:
        """The file with the process id of a worker; 0 or nothing while it does not run."""
        return folder / f"worker-{number}.pid"

    @staticmethod
    def release_lock(folder: Path) -> Path:
        """The file that is locked during a release."""
        return folder / "release.lock"
