"""Threads that fetch pages and can be stopped at once, and a queue that needs none."""

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable

from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchOutcome, FetchResult, fetch_page, get_page
from assay.adapters.sources.site.http.responses import FetchLimits
from assay.adapters.sources.site.http.transport import Transport
from assay.ports import TaskRunner

logger = logging.getLogger(__name__)


class Workers:
    """A pool of daemon threads. Results come in any order."""

    def __init__(self, number: int, client: Transport, limits: FetchLimits) -> None:
        self._jobs: queue.SimpleQueue[FetchJob | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[FetchResult | BaseException] = queue.SimpleQueue()
        self._client = client
        self._limits = limits
        self._threads = [threading.Thread(target=self._run, name="site", daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def submit(self, job: FetchJob) -> None:
        """Queue a page."""
        self._jobs.put(job)

    def next_result(self, seconds: float) -> FetchResult | None:
        """The next result; None if none comes within `seconds`. Re-raises the exception that ended a thread."""
        try:
            result = self._results.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(result, BaseException):
            raise result
        return result

    def stop(self) -> None:
        """Abort all requests and stop the threads."""
        self._client.abort()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout=1.0)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._results.put(_fetch(self._client, job, self._limits))
            except BaseException as error:  # noqa: BLE001 - the crawl would wait forever for a result
                self._results.put(error)


class LocalQueue:
    """Gets each page in the calling thread. Results come in the order of the jobs.

    tasks: parses the pages; None to parse each when its result is asked for.
    """

    def __init__(self, client: Transport, limits: FetchLimits, tasks: TaskRunner | None) -> None:
        self._pages: deque[tuple[FetchJob, Callable[[], FetchResult]]] = deque()
        self._client = client
        self._limits = limits
        self._tasks = tasks

    def submit(self, job: FetchJob) -> None:
        """Get a page, and start parsing it."""
        fetched = get_page(self._client, job, self._limits)
        if isinstance(fetched, FetchResult):
            self._pages.append((job, lambda: fetched))
        elif self._tasks is None:
            self._pages.append((job, fetched.parse))
        else:
            self._pages.append((job, self._tasks.run(fetched.parse, len(fetched.text))))

    def next_result(self, seconds: float) -> FetchResult | None:  # noqa: ARG002 - as Workers
        """The next result; None if no page is queued."""
        if not self._pages:
            return None
        job, parse = self._pages.popleft()
        return _caught(job, parse)

    def stop(self) -> None:
        """Nothing is running."""


def _fetch(client: Transport, job: FetchJob, limits: FetchLimits) -> FetchResult:
    return _caught(job, lambda: fetch_page(client, job, limits))


def _caught(job: FetchJob, fetch: Callable[[], FetchResult]) -> FetchResult:
    try:
        return fetch()
    except Exception as error:  # one unexpected page must not end the crawl
        logger.exception("%s cannot be read.", job.address)
        return FetchResult(job, FetchOutcome.BROKEN, f"it cannot be read ({type(error).__name__})")
