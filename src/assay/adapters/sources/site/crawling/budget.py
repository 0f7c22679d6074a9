"""What one reading may use up, and what it has used of it."""

from time import monotonic

from assay.adapters.sources.site.options import SiteLimits

_REQUESTS_PER_PAGE = 10
"""Most requests for each page that may come: the rest is redirects, dead links and what is no page."""


class Budget:
    """Counts against the limits of a reading, which begins now.

    received: bytes as they came. asked: requests. pages: that came.
    """

    def __init__(self, limits: SiteLimits) -> None:
        self._limits = limits
        self._began = monotonic()
        self.received = 0
        self.asked = 0
        self.pages = 0

    @property
    def until(self) -> float:
        """Monotonic time after which nothing is asked for."""
        return self._began + self._limits.seconds

    def exhausted(self, under_way: int) -> str:
        """The limit that forbids more requests; "" when none does.

        under_way: requests that may yet bring a page.
        """
        if monotonic() > self.until:
            return "seconds"
        if self.received > self._limits.total_bytes:
            return "total_bytes"
        return "pages" if self._has_its_pages(self.pages + under_way) else ""

    def is_final(self, limit: str) -> bool:
        """Whether a limit is reached for good, and not only if all that is under way brings pages."""
        return limit != "pages" or self._has_its_pages(self.pages)

    def _has_its_pages(self, pages: int) -> bool:
        return pages >= self._limits.pages or self.asked >= _REQUESTS_PER_PAGE * self._limits.pages
