"""Threads that fetch pages and can be stopped at once, and a queue that needs none."""

import logging
import queue
import threading
from collections import deque

from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchOutcome, FetchResult, fetch_page
from assay.adapters.sources.site.http.client import FetchLimits
from assay.adapters.sources.site.http.transport import Transport

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
    """Fetches each page when its result is asked for, in the calling thread."""

    def __init__(self, client: Transport, limits: FetchLimits) -> None:
        self._jobs: deque[FetchJob] = deque()
        self._client = client
        self._limits = limits

    def submit(self, job: FetchJob) -> None:
        """Queue a page."""
        self._jobs.append(job)

    def next_result(self, seconds: float) -> FetchResult | None:  # noqa: ARG002 - as Workers
        """The next result; None if no page is queued."""
        return _fetch(self._client, self._jobs.popleft(), self._limits) if self._jobs else None

    def stop(self) -> None:
        """Nothing is running."""


def _fetch(client: Transport, job: FetchJob, limits: FetchLimits) -> FetchResult:
    try:
        return fetch_page(client, job, limits)
    except Exception as error:  # one unexpected page must not end the crawl
        logger.exception("%s cannot be read.", job.address)
        return FetchResult(job, FetchOutcome.BROKEN, f"it cannot be read ({type(error).__name__})")
