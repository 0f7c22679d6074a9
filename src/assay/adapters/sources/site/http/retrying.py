"""Fetching single files such as robots.txt and sitemaps, with retries and redirects."""

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from urllib.parse import urlsplit

from assay.adapters.remote.retries import is_transient, retry_after_seconds
from assay.adapters.sources.site.addresses import resolve
from assay.adapters.sources.site.http.decoding import decode_text
from assay.adapters.sources.site.http.responses import FetchError, FetchLimits, Response, accept_success
from assay.adapters.sources.site.http.transport import Transport
from assay.adapters.sources.site.options import Politeness
from assay.errors import SourceError

logger = logging.getLogger(__name__)

MAX_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A fetched file. address: after redirects."""

    address: str
    response: Response

    @property
    def ok(self) -> bool:
        """Whether the response is a success."""
        return self.response.status in {200, 203}

    @property
    def media(self) -> str:
        """The media type in lower case, without parameters."""
        return self.response.headers.get("content-type", "").partition(";")[0].strip().lower()

    def text(self, *, html: bool) -> str:
        """The body as text, as decode_text gives it."""
        return decode_text(self.response.body, self.response.headers.get("content-type", ""), html=html)


class RetryingFetcher:
    """Fetches with retries, and follows redirects.

    until: monotonic time of the last request.
    """

    def __init__(self, client: Transport, politeness: Politeness, limits: FetchLimits, until: float) -> None:
        self._until = until
        self._client = client
        self._politeness = politeness
        self._limits = limits
        self._never = threading.Event()
        self.received = 0

    def fetch(
        self, address: str, max_bytes: int, *, max_redirects: int = MAX_REDIRECTS, truncate: bool = False
    ) -> FetchedFile:
        """Fetch an address.

        max_redirects: after these, or at a redirect to an invalid address, the redirect itself is returned.
        truncate: keep the first `max_bytes` of a longer body instead of raising.

        Raises FetchError when no attempt succeeds, SourceError after `until`.
        """
        limits = FetchLimits(self._limits.seconds, self._limits.read_seconds, max_bytes, truncate)
        fetched = self._fetch_with_retries(address, limits)
        while fetched.response.status in REDIRECTS and max_redirects > 0:
            target = resolve(fetched.address, fetched.response.headers.get("location", ""))
            if target is None:
                break
            max_redirects -= 1
            fetched = self._fetch_with_retries(target, limits)
        return fetched

    def _fetch_with_retries(self, address: str, limits: FetchLimits) -> FetchedFile:
        for attempt in range(self._politeness.retries + 1):
            if monotonic() > self._until:
                raise SourceError(
                    f"The time limit for {urlsplit(address).netloc} was reached before its first page was read.",
                    hint="Raise max_seconds for this source, or run again when the site is faster.",
                )
            wait = min(self._politeness.max_wait_seconds, self._politeness.first_retry_seconds * 2.0**attempt)
            try:
                response = self._client.get(address, limits, accept_success, {})
            except FetchError as failure:
                self.received += failure.received
                if not failure.transient or attempt == self._politeness.retries:
                    raise
            else:
                self.received += response.received
                if not is_transient(response.status) or response.status < 400:
                    return FetchedFile(address, response)
                if attempt == self._politeness.retries:
                    raise FetchError(f"the server returned {response.status}", transient=True, from_server=True)
                retry_after = retry_after_seconds(response.headers.get("retry-after"), datetime.now(UTC))
                wait = max(wait, min(retry_after or 0.0, self._politeness.max_wait_seconds))
            logger.info("%s did not respond as expected; retrying in %.1f s.", urlsplit(address).netloc, wait)
            self._never.wait(wait)  # interruptible, unlike time.sleep in some threads
        raise AssertionError("the last attempt returns or raises")
