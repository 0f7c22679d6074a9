"""Pages on their way through worker processes, a bounded number of them ahead, in the order of their source."""

import logging
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.intake import Cut
from assay.ingest.workers.guard import Guard, is_large
from assay.ingest.workers.limits import PageLimits
from assay.ingest.workers.messages import UNPICKLABLE, Refused, Setup, packed
from assay.ingest.workers.process import WorkerProcess
from assay.model.documents import PageFailed, PageRead, RawPage
from assay.ports import TokenCounter

logger = logging.getLogger(__name__)

SourcePage = tuple[str, PageRead]
"""The name of a source, and a page of it."""

START_AFTER = 100
"""New pages that a build reads itself before it starts workers, which takes as long as about 70 pages."""

_MOST_WORKERS = 4
"""What the build itself does for each page, which is to find and to store it, keeps about as many busy."""

_PAGES_AT_ONCE = 8
_CHARACTERS_AT_ONCE = 60_000
_ITEMS_AT_ONCE = 64
_BATCHES_AHEAD = 3
"""For each worker: one that it works on, one that waits for it, one that waits for its turn."""


def worker_count(wanted: int) -> int:
    """How many workers a build may start; 0 when it is to read every page itself.

    wanted: as in the setting: 0 for as many as there are CPUs for this process, up to 4; 1 for none.
    """
    count = wanted or min(_available_cpus(), _MOST_WORKERS)
    return count if count > 1 and _has_interpreter() else 0


def _has_interpreter() -> bool:
    """Whether there is one to start; in a program that Python is built into, sys.executable is that program."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _available_cpus() -> int:
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@dataclass(slots=True)
class _Run:
    """Items that follow one another; worker: who has its new pages, None when they are read here."""

    items: list[SourcePage] = field(default_factory=list)
    pages: list[RawPage] = field(default_factory=list)
    characters: int = 0
    worker: WorkerProcess | None = None

    def has_room_for(self, page: PageRead) -> bool:
        """Whether a page may be added."""
        if len(self.items) >= _ITEMS_AT_ONCE:
            return False
        if not (isinstance(page, RawPage) and self.pages):
            return True
        fits = len(self.pages) < _PAGES_AT_ONCE and self.characters + len(page.content) <= _CHARACTERS_AT_ONCE
        links = self.pages[0].links
        return fits and (page.links is links or not (page.links or links))

    def add(self, source: str, page: PageRead) -> None:
        """Take an item."""
        self.items.append((source, page))
        if isinstance(page, RawPage):
            self.pages.append(page)
            self.characters += len(page.content)


class ReadAhead:
    """Has new pages read and cut by workers while the build goes on; a context that ends them.

    Whatever befalls a worker, its pages are read again one by one in another process. A page that takes too much of
    that one comes back as failed. Large pages are read in a process of their own also where there are no workers.

    workers: how many processes may be started to read ahead; 0 for none.
    start_after: new pages that are left to the build before workers are started; more are until one is ready.
    """

    def __init__(
        self,
        rules: ChunkingRules,
        count_tokens: TokenCounter | None,
        *,
        workers: int,
        limits: PageLimits,
        start_after: int = START_AFTER,
    ) -> None:
        self._setup = None if count_tokens is None else Setup(rules, count_tokens, limits)
        self._guard = Guard(self._setup if _has_interpreter() else None)
        self._wanted = 0 if self._setup is None else workers
        self._start_after = start_after
        self._seen = 0
        self._workers: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.stop()
        while self._workers:
            self._workers.pop().stop()

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that are ready to work."""
        return [worker.pid for worker in self._workers if worker.is_ready]

    def read(self, items: Iterable[SourcePage]) -> Iterator[tuple[str, PageRead, Cut | None]]:
        """Every item in order, with what a worker made of it; None for what is left to the build."""
        waiting: deque[_Run] = deque()
        for run in _runs(items):
            run.worker = self._hand_over(run.pages)
            waiting.append(run)
            while waiting and (waiting[0].worker is None or len(waiting) >= _BATCHES_AHEAD * len(self._workers)):
                yield from self._finished(waiting.popleft())
        for run in waiting:
            yield from self._finished(run)

    def _hand_over(self, pages: list[RawPage]) -> WorkerProcess | None:
        """Give pages to the worker with the least to do; None when they are left to the build."""
        self._seen += len(pages)
        for worker in [worker for worker in self._workers if worker.ended]:
            self._lose(worker)
        if self._wanted and self._seen > self._start_after and all(worker.is_ready for worker in self._workers):
            self._start()
        ready = [worker for worker in self._workers if worker.is_ready]
        if not (pages and ready):
            return None
        worker = min(ready, key=lambda each: each.pending)
        return worker if worker.give(pages) else None

    def _finished(self, run: _Run) -> Iterator[tuple[str, PageRead, Cut | None]]:
        """Wait for a run and yield its items."""
        taken = run.worker.take() if run.worker and not run.worker.ended else None
        is_lost = run.worker is not None and taken is None
        if run.worker and is_lost:
            self._lose(run.worker)
        answers = iter(taken or ())
        for source, page in run.items:
            if not isinstance(page, RawPage):
                yield source, page, None
                continue
            answer: Cut | Refused | PageFailed | None = next(answers, None)
            if isinstance(answer, Refused):
                answer = PageFailed(page.key, answer.reason) if answer.is_final else self._guard.read(page)
            elif answer is None and (is_lost or (taken is None and is_large(page))):
                answer = self._guard.read(page)
            yield (source, answer, None) if isinstance(answer, PageFailed) else (source, page, answer)

    def _start(self) -> None:
        """Start another worker; one after the other, so that all of them together do not hold the build up."""
        assert self._setup
        self._wanted -= 1
        try:
            self._workers.append(WorkerProcess(packed(self._setup), self._setup.limits.patience))
        except (*UNPICKLABLE, OSError) as error:
            self._wanted = 0
            logger.warning("No worker can be started, and pages are read by %d: %s", len(self._workers), error)

    def _lose(self, worker: WorkerProcess) -> None:
        """Go on without a worker that has ended."""
        if worker in self._workers:
            self._workers.remove(worker)
            logger.warning(
                "A worker has ended (%s); %s. [ingest] workers = 1 starts none.",
                worker.ending(),
                f"{len(self._workers)} go on" if self._workers else "pages are read without workers",
            )
            worker.stop()


def _runs(items: Iterable[SourcePage]) -> Iterator[_Run]:
    run = _Run()
    for source, page in items:
        if not run.has_room_for(page):
            yield run
            run = _Run()
        run.add(source, page)
    if run.items:
        yield run
