"""Detection of a site outage, before every page has failed."""

from dataclasses import replace

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.crawling.frontier import START
from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchOutcome, FetchResult
from assay.errors import SourceUnavailable

_FIRST_LIMIT = 20
_PROBE_KEY = "\x00pulse"


class Outage:
    """Counts consecutive failures.

    After too many, a page that worked before is probed; if it fails too, the crawl ends.

    start: the page to probe until another page was fetched.
    is_probing: a probe is in flight; no page is fetched until it returns.
    """

    def __init__(self, start: str) -> None:
        self._site = origin_of(start)
        self._probe_job = FetchJob(_PROBE_KEY, start, 0, START)
        self._in_a_row = 0
        self._limit = _FIRST_LIMIT
        self.is_probing = False
        self._probe_due = False
        self._last = ""

    def probe(self) -> FetchJob | None:
        """The probe to send now, if one is due."""
        if not self._probe_due:
            return None
        self._probe_due = False
        return self._probe_job

    def is_probe(self, result: FetchResult) -> bool:
        """Whether a result is a probe's and not a page's."""
        return result.job.key == _PROBE_KEY

    def record(self, result: FetchResult) -> None:
        """Record the result of a page."""
        if result.outcome not in {FetchOutcome.BUSY, FetchOutcome.BROKEN} or (result.status == 0 and result.received):
            self._in_a_row = 0
            if result.outcome in {FetchOutcome.PAGE, FetchOutcome.UNCHANGED}:
                self._probe_job = replace(self._probe_job, address=result.job.address)
            return
        self._in_a_row += 1
        self._last = result.detail
        if self._in_a_row >= self._limit and not self.is_probing:
            self.is_probing = self._probe_due = True

    def record_probe(self, result: FetchResult) -> None:
        """Record the result of a probe. Raises SourceUnavailable when it failed."""
        if result.outcome not in {FetchOutcome.BUSY, FetchOutcome.BROKEN}:
            self.is_probing, self._in_a_row = False, 0
            self._limit *= 2  # the site is up: a section fails that is larger than the limit
            return
        raise SourceUnavailable(
            f"{self._site} has stopped responding: {self._in_a_row} consecutive requests failed, the last one "
            f"with: {self._last}.",
            hint="The fetched pages are kept; run again when the site works, and the crawl resumes.",
        )
