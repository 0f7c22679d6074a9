"""Says how far a crawl has come, and at its end what was left out."""

import logging
from collections import Counter
from time import monotonic

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.ports import Progress

logger = logging.getLogger(__name__)

_SECONDS = 0.25


class Tally:
    """Counts what came of the pages, for whoever looks."""

    def __init__(self, name: str, progress: Progress) -> None:
        self._name = name
        self._progress = progress
        self._counts: Counter[str] = Counter()
        self._expected = 0
        self._said_at = 0.0

    def resumed(self, done: int) -> None:
        """So many were done by a reading that was cut off."""
        logger.info("%s: going on with a reading that was cut off; %d pages are done.", self._name, done)
        self._progress.advance(done)

    def expect(self, found: int) -> None:
        """So many pages are known by now."""
        if found != self._expected and monotonic() - self._said_at > _SECONDS:
            self._said_at = monotonic()
            self._expected = found
            self._progress.expect(found)
            self._progress.remark(self._remark())

    def count(self, outcome: str) -> None:
        """One page is done with."""
        self._counts[outcome] += 1
        self._progress.advance()

    def report(self, frontier: Frontier, unasked: str) -> None:
        """Say what was found, and what was left out and why."""
        self._progress.expect(frontier.found)
        self._progress.remark(self._remark())
        counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self._counts.items()))
        logger.info("%s: %s.", self._name, counts or "nothing new was asked for")
        for reason, count in sorted(frontier.left_out.items()):
            logger.info("%s: left out %d %s.", self._name, count, reason)
        if unasked:
            logger.warning(
                "%s: %d pages that were found are not read, for %s; raise it in the limits of this source.",
                self._name,
                len(frontier.waiting),
                unasked,
            )

    def _remark(self) -> str:
        left = self._counts["excluded"] + self._counts["moved"]
        gone = self._counts["gone"]
        dead = "dead link" if gone == 1 else "dead links"
        parts = [(self._counts["failed"], "failed"), (left, "left out"), (gone, dead)]
        return ", ".join(f"{count} {what}" for count, what in parts if count)
