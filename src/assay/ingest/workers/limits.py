"""How much of a machine one page may take: CPU time and memory of the process that reads it."""

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
"""Exit code of a process that ended itself because it had too much memory."""

_MEGABYTE = 1 << 20
_BETWEEN_LOOKS = 0.02
"""Seconds between two looks at the memory, where the system cannot be told of a limit."""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """What reading and cutting one page may take.

    page_seconds: of CPU time.
    page_megabytes: of the memory of the process that reads it, all of it counted.
    """

    page_seconds: float
    page_megabytes: int

    @property
    def patience(self) -> float:
        """Seconds that a process may take to answer, or to take a batch: a stopped one never does, nor one in a loop.

        They pass also while others use the machine, so there are more of them than of CPU time.
        """
        return 2 * self.page_seconds

    @property
    def too_slow(self) -> str:
        """Why a page failed that took too long."""
        return f"reading it takes more than {self.page_seconds:g} s (ingest.page_seconds)"

    @property
    def too_large(self) -> str:
        """Why a page failed that took too much memory."""
        return f"reading it takes more than {self.page_megabytes} MB of memory (ingest.page_megabytes)"


class OutOfTimeError(Exception):
    """A page took longer than it may."""


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError in the main thread when the block takes more CPU time than this.

    Windows has no such timer: there the build ends a process that does not answer.
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
    """Let this process have so much memory; more raises MemoryError, or ends it with OVER_MEMORY.

    Linux counts what a process takes for itself and refuses more. macOS does not, so a thread looks how much it has.
    Windows has no such limit here: pages are bounded by their size and time only.
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
        time.sleep(_BETWEEN_LOOKS)
    os._exit(OVER_MEMORY)
