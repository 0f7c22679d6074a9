"""What a crawl found out, on its way to the store: written every so often, many at once."""

from time import monotonic

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.adapters.sources.site.crawling.page_fetch import Fetch
from assay.adapters.sources.site.crawling.progress import Tally
from assay.adapters.sources.site.store import CrawlStore, StoredPage, Visit

_SECONDS = 0.5
_PAGES = 100

Kept = tuple[StoredPage, bytes, bytes]
"""A page with its links and its body, packed."""


class Journal:
    """Takes what became of addresses, and writes it after half a second or a hundred pages.

    What the frontier found goes first, so that nothing is done with that was never found.
    """

    def __init__(self, store: CrawlStore, tally: Tally) -> None:
        self._store = store
        self._tally = tally
        self._visits: list[Visit] = []
        self._pages: list[Kept] = []
        self._written_at = monotonic()

    def done(self, job: Fetch, outcome: str, detail: str) -> None:
        """An address is done with."""
        self.settled(job, outcome, detail)
        self._tally.count(outcome)

    def settled(self, job: Fetch, outcome: str, detail: str = "") -> None:
        """An address is done with that is nobody's concern."""
        self._visits.append(Visit(job.key, job.address, job.depth, job.kinds, outcome, detail))

    def keep(self, page: Kept) -> None:
        """A page came."""
        self._pages.append(page)

    @property
    def is_due(self) -> bool:
        """Whether it is time to write."""
        return len(self._pages) >= _PAGES or monotonic() - self._written_at > _SECONDS

    def flush(self, frontier: Frontier) -> None:
        """Write all that is known, in one transaction. Raises SourceError when the store cannot be written."""
        found = frontier.taken()
        if found or self._visits or self._pages:
            self._store.write([*found, *self._visits], self._pages)
        self._visits, self._pages, self._written_at = [], [], monotonic()
