"""Limits of CPU time and memory for reading one page."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OVER_MEMORY = 77
"""Exit code of a process that ended itself because of its memory."""

_MEGABYTE = 1 << 20
_POLL_SECONDS = 0.02
"""Seconds between two memory checks, on systems without a memory limit."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits of reading and chunking one page.

    page_seconds: CPU time.
    page_megabytes: total memory of the process that reads it.
    """

    page_seconds: float
    page_megabytes: int

    @property
    def answer_timeout(self) -> float:
        """Seconds within which a process must answer or accept a batch.

        More than the CPU time, because other processes use the machine too.
        """
        return 2 * self.page_seconds

    @property
    def too_slow(self) -> str:
        """The reason of a page that took too long."""
        return f"reading it takes more than {self.page_seconds:g} s (ingest.page_seconds)"

    @property
    def too_large(self) -> str:
        """The reason of a page that took too much memory."""
        return f"reading it takes more than {self.page_megabytes} MB of memory (ingest.page_megabytes)"


class OutOfTimeError(Exception):
    """A page exceeded its time limit."""


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread when the block takes more CPU time than this.

    Windows has no such timer; there the build ends a process that does not answer.
    """
    if sys.platform == "win32":
        yield
        return

    def give_up(*_: object) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_memory(megabytes: int) -> None:
    """Limit this process's memory; beyond it MemoryError is raised, or the process ends with OVER_MEMORY.

    Linux enforces the limit. On macOS a thread checks the memory. On Windows there is no limit.
    """
    if sys.platform == "win32":
        return
    import resource  # not on Windows

    status = Path("/proc/self/status")
    if sys.platform == "linux" and status.exists():
        sizes = dict(line.split(":", 1) for line in status.read_text(encoding="ascii").splitlines() if "kB" in line)
        data, resident = (int(sizes[name].split()[0]) * 1024 for name in ("VmData", "VmRSS"))
        limit = data + max(megabytes * _MEGABYTE - resident, _MEGABYTE)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        return
    threading.Thread(target=_watch_memory, args=(megabytes * _MEGABYTE,), daemon=True).start()


def _watch_memory(limit: int) -> None:
    import resource  # not on Windows

    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < limit:  # bytes on macOS
        time.sleep(_POLL_SECONDS)
    os._exit(OVER_MEMORY)
