"""Token counters that a worker process can import, and a build that waits for its workers."""

import os
import time
from collections.abc import Sequence

from assay.ingest.workers.read_ahead import ReadAhead
from assay.model.documents import RawPage
from assay.ports import PageReader


def pids(ahead: ReadAhead) -> list[int]:
    """Ids of the processes that are ready."""
    return [worker._process.pid for worker in ahead._workers if worker.is_ready]


def words(texts: Sequence[str]) -> list[int]:
    """Number of words of each text."""
    return [len(text.split()) for text in texts]


def talkative(texts: Sequence[str]) -> list[int]:
    """Prints while it counts."""
    print("counting")  # noqa: T201 - the point
    os.write(1, b"really\n")
    return words(texts)


def short_of_memory(texts: Sequence[str]) -> list[int]:
    """Fails at a text that is said to be too large."""
    if any("too large" in text for text in texts):
        raise MemoryError
    return words(texts)


def suicidal(texts: Sequence[str]) -> list[int]:
    """Ends its process at a text that is said to be the end."""
    if any("the end." in text for text in texts):
        os._exit(3)
    return words(texts)


def greedy(texts: Sequence[str]) -> list[int]:
    """Takes a gigabyte for a text that is said to be hungry."""
    taken = [bytearray(1 << 20) for text in texts if "hungry" in text for _ in range(1_000)]
    return words(texts)[: len(texts) + len(taken)]


def never_done(texts: Sequence[str]) -> list[int]:
    """Never ends when a text says so."""
    while any(text.endswith(" never") for text in texts):
        pass
    return words(texts)


def where_it_runs(wanted: str, read: PageReader) -> tuple[str, int]:
    """A task that gives what it was given, and its process."""
    return wanted, os.getpid()


def fails_elsewhere(build: int, fate: str, page: RawPage, read: PageReader) -> tuple[str, int, bytes]:
    """A task that fails in every process but the build's."""
    if os.getpid() != build:
        if fate == "ends":
            os._exit(3)
        raise ValueError(fate)
    return "here", build, read(page, None)


class Unloadable:
    """Can be pickled, and not unpickled."""

    def __reduce__(self) -> tuple[object, tuple[()]]:
        return _fail, ()

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """Number of words of each text."""
        return words(texts)


def _fail() -> None:
    raise RuntimeError("this counter is of another version")


class PatientReadAhead(ReadAhead):
    """Waits for a worker that it starts, so that it gets pages on any machine."""

    def _start(self) -> None:
        super()._start()
        deadline = time.monotonic() + 60
        while self._workers and not (self._workers[-1].is_ready or self._workers[-1].ended):
            assert time.monotonic() < deadline, "the worker does not start"
            time.sleep(0.01)
