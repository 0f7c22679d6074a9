"""Threads that fetch pages, and end at once when they are told to."""

import logging
import queue
import threading

from assay.adapters.sources.site.crawling.page_fetch import Came, Fetch, Outcome, fetch_page
from assay.adapters.sources.site.http.client import Bounds, Client
from assay.adapters.sources.site.http.guard import GuardedBackend

logger = logging.getLogger(__name__)


class Workers:
    """So many threads; what they are given is answered in any order. They never hold the process up at its end."""

    def __init__(self, number: int, client: Client, backend: GuardedBackend, bounds: Bounds) -> None:
        self._jobs: queue.SimpleQueue[Fetch | None] = queue.SimpleQueue()
        self._outcomes: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        self._client = client
        self._backend = backend
        self._bounds = bounds
        self._threads = [threading.Thread(target=self._run, name="site", daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def give(self, job: Fetch) -> None:
        """Have a page fetched."""
        self._jobs.put(job)

    def take(self, seconds: float) -> Outcome | None:
        """What came of one of them; None when nothing came in so many seconds. Raises what a thread ended with."""
        try:
            outcome = self._outcomes.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def stop(self) -> None:
        """End everything that goes on."""
        self._backend.abort()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(timeout=1.0)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._outcomes.put(fetch_page(self._client, job, self._bounds))
            except Exception as error:  # one page that nobody had thought of does not end the reading
                logger.exception("%s cannot be read.", job.address)
                self._outcomes.put(Outcome(job, Came.BROKEN, f"it cannot be read ({type(error).__name__})"))
            except BaseException as error:  # noqa: BLE001 - a fault here would let the reading wait forever
                self._outcomes.put(error)
