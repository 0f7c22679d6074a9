"""The limits of one crawl, and how much of each is used."""

from time import monotonic

from assay.adapters.sources.site.options import SiteLimits

_REQUESTS_PER_PAGE = 10
"""Requests allowed per page of the page limit: some are redirects, dead links or not pages."""


class Budget:
    """Counts against the limits of a crawl that starts now.

    received: bytes as transferred. requests: sent. pages: fetched.
    """

    def __init__(self, limits: SiteLimits) -> None:
        self._limits = limits
        self._started = monotonic()
        self.received = 0
        self.requests = 0
        self.pages = 0

    @property
    def until(self) -> float:
        """Monotonic time of the last request."""
        return self._started + self._limits.max_seconds

    def exhausted(self, in_flight: int) -> str:
        """The limit that prevents more requests, or "".

        in_flight: requests that may still bring a page.
        """
        if monotonic() > self.until:
            return "seconds"
        if self.received > self._limits.max_total_bytes:
            return "total_bytes"
        return "pages" if self._page_limit_reached(self.pages + in_flight) else ""

    def is_final(self, limit: str) -> bool:
        """Whether a limit stays reached even if no request in flight brings a page."""
        return limit != "pages" or self._page_limit_reached(self.pages)

    def _page_limit_reached(self, pages: int) -> bool:
        return pages >= self._limits.max_pages or self.requests >= _REQUESTS_PER_PAGE * self._limits.max_pages
