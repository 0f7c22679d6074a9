"""Reading pages ahead in worker processes, bounded and in source order."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Self, TypeVar

from assay.child_process import has_interpreter
from assay.errors import InputError
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.workers.early_reading import read_later, read_small_early
from assay.ingest.workers.guard import Guard, is_large
from assay.ingest.workers.messages import UNPICKLABLE, Refused, Setup, Task, pickle_message
from assay.ingest.workers.process import WorkerProcess
from assay.model.documents import PageFailed, PageRead, RawPage
from assay.ports import PageReader

logger = logging.getLogger(__name__)

T = TypeVar("T")

SourcePage = tuple[str, PageRead]
"""A source's name and one of its pages."""

START_AFTER = 100
"""New pages that a build reads itself before it starts workers; starting one takes as long as about 70 pages."""

_PAGE_CHARACTERS = 40_000
"""A page counts as one page more for each 40,000: a built page of 120,000 takes as long as four Markdown pages."""


_BATCH_PAGES = 8
_BATCH_CHARACTERS = 60_000
_BATCH_ITEMS = 64
_BATCHES_AHEAD = 6
"""Per worker: about 0.2 s of work, so that workers go on while the build waits for the disk."""

_COPIED_CHARACTERS = 500_000
"""A batch ends when its copies, which wait for it, have this many characters."""


def _length(page: RawPage) -> int:
    return len(page.content) + len(page.document)


@dataclass(slots=True)
class _Run:
    """Consecutive items.

    pages: the new ones, without copies. worker: reads them; None if the build does. ticket: of the worker's answer.
    copies: keys of pages that the build copies from earlier ones. copied_characters: of these.
    """

    items: list[SourcePage] = field(default_factory=list)
    pages: list[RawPage] = field(default_factory=list)
    copies: set[tuple[str, str]] = field(default_factory=set)
    characters: int = 0
    copied_characters: int = 0
    worker: WorkerProcess | None = None
    ticket: int = 0

    def has_room_for(self, page: PageRead, *, is_copy: bool) -> bool:
        """Whether a page fits."""
        if len(self.items) >= _BATCH_ITEMS or self.copied_characters >= _COPIED_CHARACTERS:
            return False
        if is_copy or not (isinstance(page, RawPage) and self.pages):
            return True
        fits = len(self.pages) < _BATCH_PAGES and self.characters + _length(page) <= _BATCH_CHARACTERS
        links = self.pages[0].links
        return fits and (page.links is links or not (page.links or links))

    def add(self, source: str, page: PageRead, *, is_copy: bool) -> None:
        """Add an item."""
        self.items.append((source, page))
        if is_copy and isinstance(page, RawPage):
            self.copies.add((source, page.key))
            self.copied_characters += _length(page)
        elif isinstance(page, RawPage):
            self.pages.append(page)
            self.characters += _length(page)


class ReadAhead:
    """Reads and chunks new pages in workers while the build goes on; a context that ends them.

    If a worker fails, its pages are read again one by one in another process; a page that exceeds the limits there is
    reported as failed. Large pages are always read in a separate process.

    setup: for the workers; None if no process can be started.
    copies: the pages so far that may have copies; these are not sent to workers.
    workers: processes to start; 0 for none.
    start_after: new pages that the build reads before workers start, unless the source expects more; a long one counts
        as several. The build goes on reading until a worker is ready.
    """

    def __init__(
        self,
        setup: Setup | None,
        copies: CopiedPages,
        *,
        workers: int,
        start_after: int = START_AFTER,
    ) -> None:
        self._setup = setup
        self._copies = copies
        self._guard = Guard(self._setup if has_interpreter() else None)
        self._workers_to_start = 0 if self._setup is None else workers
        self._start_after = start_after
        self._seen = 0
        self._workers: list[WorkerProcess] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._guard.stop()
        while self._workers:
            self._workers.pop().stop()

    def read(self, items: Iterable[SourcePage]) -> Iterator[tuple[str, PageRead, Cut | None]]:
        """Yield every item in order with a worker's result, or copied; None if the build has to read it.

        The caller keeps each page in the copies before it takes the next item.
        """
        queue: deque[_Run] = deque()
        for run in self._runs(items):
            self._dispatch(run)
            queue.append(run)
            while queue and (queue[0].worker is None or len(queue) >= _BATCHES_AHEAD * len(self._workers)):
                yield from self._results(queue.popleft())
        for run in queue:
            yield from self._results(run)

    def expect(self, pages: int, characters: int = 0) -> None:
        """Start the workers now if this number of new pages needs them (see TaskRunner)."""
        while self._workers_to_start and pages + characters // _PAGE_CHARACTERS > self._start_after:
            self._start()

    def run(self, task: Callable[[PageReader], T], characters: int) -> Callable[[], T]:
        """Start a task of a source; the returned function waits for its result (see TaskRunner)."""
        self._seen += 1 + characters // _PAGE_CHARACTERS
        worker = self._ready_worker()
        ticket = worker.give_task(Task(task)) if worker is not None else None
        if worker is None or ticket is None:
            return partial(task, read_small_early)

        def result() -> T:
            answers = None if worker.ended else worker.take(ticket)
            if answers is None:
                self._drop(worker)
            elif not isinstance(answers[0], Refused):
                found: T = answers[0]
                return found
            return task(read_later)

        return result

    def _runs(self, items: Iterable[SourcePage]) -> Iterator[_Run]:
        run = _Run()
        for source, page in items:
            is_copy = isinstance(page, RawPage) and self._copies.is_copy(page)
            if not run.has_room_for(page, is_copy=is_copy):
                yield run
                run = _Run()
            run.add(source, page, is_copy=is_copy)
        if run.items:
            yield run

    def _dispatch(self, run: _Run) -> None:
        """Send the new pages of a run to a worker, if one can take them."""
        self._seen += sum(1 + len(page.content) // _PAGE_CHARACTERS for page in run.pages)
        worker = self._ready_worker() if run.pages else None
        ticket = worker.give(run.pages) if worker is not None else None
        if ticket is not None:
            run.worker, run.ticket = worker, ticket

    def _ready_worker(self) -> WorkerProcess | None:
        """The worker with the fewest pending messages. Starts another one if it is time."""
        for worker in [worker for worker in self._workers if worker.ended]:
            self._drop(worker)
        if (
            self._workers_to_start
            and self._seen > self._start_after
            and all(worker.is_ready for worker in self._workers)
        ):
            self._start()
        ready = [worker for worker in self._workers if worker.is_ready]
        return min(ready, key=lambda each: each.pending, default=None)

    def _results(self, run: _Run) -> Iterator[tuple[str, PageRead, Cut | None]]:
        """Wait for a run and yield its items."""
        taken = run.worker.take(run.ticket) if run.worker and not run.worker.ended else None
        is_lost = run.worker is not None and taken is None
        if run.worker and is_lost:
            self._drop(run.worker)
        answers = iter(taken or ())
        for source, page in run.items:
            if not isinstance(page, RawPage):
                yield source, page, None
                continue
            answer: Cut | Refused | PageFailed | None
            if (source, page.key) in run.copies:
                answer = self._copy(page)
            else:
                answer = next(answers, None)
                if isinstance(answer, Refused):
                    answer = PageFailed(page.key, answer.reason) if answer.is_final else self._guard.read(page)
                elif answer is None and (is_lost or (taken is None and is_large(page))):
                    answer = self._guard.read(page)
            yield (source, answer, None) if isinstance(answer, PageFailed) else (source, page, answer)

    def _copy(self, page: RawPage) -> Cut | PageFailed | None:
        """Copy an earlier page; None if the build has to read it.

        A page like one that could not be read is read within limits, and so is a large page that cannot be copied.
        """
        try:
            cut = self._copies.cut(page)
        except InputError as error:
            return PageFailed(page.key, error.message)
        if cut is None and (is_large(page) or not self._copies.has_read(page)):
            return self._guard.read(page)
        return cut

    def _start(self) -> None:
        """Start one more worker. One at a time, so that their start does not delay the build."""
        assert self._setup
        self._workers_to_start -= 1
        try:
            self._workers.append(WorkerProcess(pickle_message(self._setup), self._setup.limits.answer_timeout))
        except (*UNPICKLABLE, OSError) as error:
            self._workers_to_start = 0
            logger.warning("No worker can be started; pages are read by %d: %s", len(self._workers), error)

    def _drop(self, worker: WorkerProcess) -> None:
        """Remove a worker that has ended."""
        if worker in self._workers:
            self._workers.remove(worker)
            logger.warning(
                "A worker has ended (%s); %s. [ingest] workers = 1 starts none.",
                worker.exit_reason(),
                f"{len(self._workers)} go on" if self._workers else "pages are read without workers",
            )
            worker.stop()
