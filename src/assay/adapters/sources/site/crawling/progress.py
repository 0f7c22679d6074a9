"""Progress of a crawl, and a summary of what was rejected."""

import logging
from collections import Counter
from time import monotonic

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.ports import Progress

logger = logging.getLogger(__name__)

_SECONDS = 0.25


class CrawlProgress:
    """Counts results, and reports them to a Progress and the log."""

    def __init__(self, name: str, progress: Progress) -> None:
        self._name = name
        self._progress = progress
        self._counts: Counter[str] = Counter()
        self._expected = 0
        self._updated_at = 0.0

    def resumed(self, done: int) -> None:
        """Report the pages done before the crawl was interrupted."""
        logger.info("%s: resuming an interrupted crawl; %d pages are done.", self._name, done)
        self._progress.advance(done)

    def expect(self, found: int) -> None:
        """Update the number of known pages."""
        if found != self._expected and monotonic() - self._updated_at > _SECONDS:
            self._updated_at = monotonic()
            self._expected = found
            self._progress.expect(found)
            self._progress.remark(self._remark())

    def count(self, outcome: str) -> None:
        """Count one result."""
        self._counts[outcome] += 1
        self._progress.advance()

    def report(self, frontier: Frontier, limit_reason: str) -> None:
        """Log what was found, and what was rejected and why."""
        self._progress.expect(max(frontier.found, self._counts.total()))  # excluded files were not found by a link
        self._progress.remark(self._remark())
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self._counts.items()))
        logger.info("%s: %s.", self._name, counts or "nothing new was fetched")
        for reason, count in sorted(frontier.rejected.items()):
            logger.info("%s: skipped %d %s.", self._name, count, reason)
        if limit_reason:
            logger.warning(
                "%s: %d pages were found and not fetched: %s. Raise that limit for this source to read them.",
                self._name,
                len(frontier.queue),
                limit_reason,
            )

    def _remark(self) -> str:
        excluded = self._counts["excluded"] + self._counts["moved"]
        gone = self._counts["gone"]
        dead = "dead link" if gone == 1 else "dead links"
        parts = [(self._counts["failed"], "failed"), (excluded, "left out"), (gone, dead)]
        return ", ".join(f"{count} {what}" for count, what in parts if count)
