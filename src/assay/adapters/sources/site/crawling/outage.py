"""Notices that a whole site has stopped answering, before every page of it has failed."""

from dataclasses import replace

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.crawling.frontier import START
from assay.adapters.sources.site.crawling.page_fetch import Came, Fetch, Outcome
from assay.errors import SourceUnavailable

_FIRST = 20
_PULSE_KEY = "\x00pulse"


class Outage:
    """Counts failures in a row. After so many, a page that came before is asked for: if it fails too, reading ends.

    start: asked for while no page came yet.
    """

    def __init__(self, start: str) -> None:
        self._site = origin_of(start)
        self._sample = Fetch(_PULSE_KEY, start, 0, START)
        self._in_a_row = 0
        self._allowed = _FIRST
        self._asks = 0
        self._wanted = False
        self._last = ""

    @property
    def waits(self) -> bool:
        """Whether nothing else is asked for until it is known whether the site answers."""
        return self._asks > 0

    def pulse(self) -> Fetch | None:
        """The page to ask for now, if the site has to show that it is there."""
        if not self._wanted:
            return None
        self._wanted = False
        return self._sample

    def is_pulse(self, outcome: Outcome) -> bool:
        """Whether it is the outcome of a pulse, and no page's."""
        return outcome.job.key == _PULSE_KEY

    def note(self, outcome: Outcome) -> None:
        """Take note of a page's outcome."""
        if outcome.came not in {Came.BUSY, Came.BROKEN} or (outcome.status == 0 and outcome.received):
            self._in_a_row = 0
            if outcome.came in {Came.PAGE, Came.UNCHANGED}:
                self._sample = replace(self._sample, address=outcome.job.address)
            return
        self._in_a_row += 1
        self._last = outcome.detail
        if self._in_a_row >= self._allowed and not self._asks:
            self._asks, self._wanted = 1, True

    def answered(self, outcome: Outcome) -> None:
        """Take note of a pulse's outcome. Raises SourceUnavailable when it failed."""
        if outcome.came not in {Came.BUSY, Came.BROKEN}:
            self._asks, self._in_a_row = 0, 0
            self._allowed *= 2  # it is there: a part of it is ill, and that part is larger than was thought
            return
        raise SourceUnavailable(
            f"{self._site} has stopped answering: {self._in_a_row} requests failed one after the other, the last one "
            f"with: {self._last}.",
            hint="What was fetched is kept; run again when the site is well, and reading goes on from there.",
        )
