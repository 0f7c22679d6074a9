"""Asking for the few files that a reading begins with, one after the other, with patience."""

import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from urllib.parse import urlsplit

from assay.adapters.embedders.remote.retries import is_transient, retry_after_seconds
from assay.adapters.sources.site.addresses import resolve
from assay.adapters.sources.site.http.client import Answer, Bounds, Client, NoPage, anything
from assay.adapters.sources.site.options import Politeness
from assay.errors import SourceError

logger = logging.getLogger(__name__)

MOST_HOPS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address led to. address: where the answer came from, after redirects."""

    address: str
    answer: Answer

    @property
    def ok(self) -> bool:
        """Whether it is there."""
        return self.answer.status in {200, 203}

    @property
    def media(self) -> str:
        """Its type in small letters, without parameters."""
        return self.answer.headers.get("content-type", "").partition(";")[0].strip().lower()


class Asker:
    """Asks through a client, again where that may help, following redirects.

    until: monotonic time after which nothing more is asked.
    """

    def __init__(self, client: Client, politeness: Politeness, bounds: Bounds, until: float) -> None:
        self._until = until
        self._client = client
        self._politeness = politeness
        self._bounds = bounds
        self._never = threading.Event()
        self.received = 0

    def ask(self, address: str, most_bytes: int, *, hops: int = MOST_HOPS, cut: bool = False) -> Asked:
        """What is at an address.

        cut: whether a longer body is read so far, and not refused.
        hops: redirects that are followed; the answer after them is a redirect again where there are more, or where one
            leads to no address of the web.

        Raises NoPage when there is no answer, or an error of the server that another try did not mend; SourceError
        when the time is over.
        """
        bounds = Bounds(self._bounds.seconds, self._bounds.read_seconds, most_bytes, cut)
        asked = self._patiently(address, bounds)
        while asked.answer.status in REDIRECTS and hops > 0:
            target = resolve(asked.address, asked.answer.headers.get("location", ""))
            if target is None:
                break
            hops -= 1
            asked = self._patiently(target, bounds)
        return asked

    def _patiently(self, address: str, bounds: Bounds) -> Asked:
        for attempt in range(self._politeness.retries + 1):
            if monotonic() > self._until:
                raise SourceError(
                    f"Reading {urlsplit(address).netloc} has taken as long as it may before its first page came.",
                    hint="Raise the limit of seconds of this source, or run again when the site answers faster.",
                )
            wait = min(self._politeness.longest_wait, self._politeness.first_wait * 2.0**attempt)
            try:
                answer = self._client.get(address, bounds, anything, {})
            except NoPage as failure:
                self.received += failure.received
                if not failure.passing or attempt == self._politeness.retries:
                    raise
            else:
                self.received += answer.received
                if not is_transient(answer.status) or answer.status < 400:
                    return Asked(address, answer)
                if attempt == self._politeness.retries:
                    raise NoPage(f"the server says {answer.status}", passing=True, answered=True)
                asked_for = retry_after_seconds(answer.headers.get("retry-after"), datetime.now(UTC))
                wait = max(wait, min(asked_for or 0.0, self._politeness.longest_wait))
            logger.info("%s did not answer as it should; asking again in %.1f s.", urlsplit(address).netloc, wait)
            self._never.wait(wait)  # an interrupt ends it, unlike time.sleep in some threads
        raise AssertionError("the last attempt returns or raises")
