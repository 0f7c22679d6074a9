"""The crawl's results on their way to the store, written in batches."""

from time import monotonic

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.adapters.sources.site.crawling.page_fetch import FetchJob
from assay.adapters.sources.site.crawling.progress import CrawlProgress
from assay.adapters.sources.site.store import CrawlStore, StoredPage, Visit

_SECONDS = 0.5
_PAGES = 100

PageRecord = tuple[StoredPage, bytes, bytes]
"""A page with its links and body, compressed."""


class Journal:
    """Collects results and writes them after half a second or a hundred pages.

    Newly found addresses are written first, so that no result refers to an unknown one.
    """

    def __init__(self, store: CrawlStore, crawl_progress: CrawlProgress) -> None:
        self._store = store
        self._crawl_progress = crawl_progress
        self._visits: list[Visit] = []
        self._pages: list[PageRecord] = []
        self._flushed_at = monotonic()

    def finish(self, job: FetchJob, outcome: str, detail: str) -> None:
        """Record an address's result and count it."""
        self.record(job, outcome, detail)
        self._crawl_progress.count(outcome)

    def record(self, job: FetchJob, outcome: str, detail: str = "") -> None:
        """Record an address's result without counting it."""
        self._visits.append(Visit(job.key, job.address, job.depth, job.kinds, outcome, detail))

    def add_page(self, page: PageRecord) -> None:
        """Keep a fetched page."""
        self._pages.append(page)

    @property
    def is_due(self) -> bool:
        """Whether a write is due."""
        return len(self._pages) >= _PAGES or monotonic() - self._flushed_at > _SECONDS

    def flush(self, frontier: Frontier) -> None:
        """Write everything in one transaction. Raises SourceError when the store cannot be written."""
        found = frontier.drain_visits()
        if found or self._visits or self._pages:
            self._store.write([*found, *self._visits], self._pages)
        self._visits, self._pages, self._flushed_at = [], [], monotonic()
