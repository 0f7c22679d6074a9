"""Rate limits per host, and the queue of pages to retry."""

import heapq
from dataclasses import dataclass, field
from itertools import count
from random import random

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.crawling.page_fetch import FetchJob
from assay.adapters.sources.site.options import Politeness
from assay.errors import SourceError


@dataclass
class _Host:
    delay: float
    in_flight: int = 0
    next_start: float = 0.0


@dataclass
class Pacing:
    """Decides when the next request to a host may start. Times are seconds of one monotonic clock.

    connections: concurrent requests to one host.
    """

    politeness: Politeness
    connections: int
    _hosts: dict[str, _Host] = field(default_factory=dict)
    _retries: list[tuple[float, int, FetchJob]] = field(default_factory=list)
    _order: "count[int]" = field(default_factory=count)
    _total_wait: float = 0.0

    def set_delay(self, origin: str, seconds: float) -> None:
        """Set a host's crawl-delay; the longer of this and the setting applies."""
        host = self._host(origin)
        host.delay = max(self.politeness.delay_seconds, min(seconds, self.politeness.max_wait_seconds))

    def can_start(self, address: str, now: float) -> bool:
        """Whether a request to this address may start now."""
        host = self._host(origin_of(address))
        return host.in_flight < self.connections and host.next_start <= now

    def record_start(self, address: str, now: float) -> None:
        """Record the start of a request."""
        host = self._host(origin_of(address))
        host.in_flight += 1
        host.next_start = max(host.next_start, now + host.delay)

    def record_end(self, address: str) -> None:
        """Record the end of a request."""
        self._host(origin_of(address)).in_flight -= 1

    def pause(self, address: str, seconds: float, now: float) -> None:
        """Pause a host as it asked. Raises SourceError when its pauses add up to more than `max_total_wait_seconds`."""
        host = self._host(origin_of(address))
        until = now + min(seconds, self.politeness.max_wait_seconds)
        if until <= host.next_start:
            return
        self._total_wait += until - max(host.next_start, now)
        host.next_start = until
        if self._total_wait > self.politeness.max_total_wait_seconds:
            raise SourceError(
                f"{origin_of(address)} keeps asking for pauses (429 or 503 with Retry-After).",
                hint="Run again later: the fetched pages are kept, and the crawl resumes. "
                "Fewer connections or a delay between requests may help.",
            )

    def retry(self, job: FetchJob, retry_after: float | None, now: float) -> bool:
        """Queue a page for a retry; False when its retries are used up."""
        if job.tries > self.politeness.retries:
            return False
        wait = min(self.politeness.max_wait_seconds, self.politeness.first_retry_seconds * 2.0 ** (job.tries - 1))
        wait *= 0.5 + 0.5 * random()  # noqa: S311 - jitter: pages that failed together are not retried together
        if retry_after is not None:
            wait = max(wait, min(retry_after, self.politeness.max_wait_seconds))
        heapq.heappush(self._retries, (now + wait, next(self._order), job))
        return True

    def pop_due_retry(self, now: float) -> FetchJob | None:
        """Remove and return the next page whose retry is due."""
        return heapq.heappop(self._retries)[2] if self._retries and self._retries[0][0] <= now else None

    @property
    def pending_retries(self) -> int:
        """Number of pages queued for a retry."""
        return len(self._retries)

    def seconds_until_next(self, now: float) -> float:
        """Seconds until another request may start; at most 0.5."""
        times = [host.next_start for host in self._hosts.values() if host.next_start > now]
        if self._retries:
            times.append(self._retries[0][0])
        return min([0.5, *(max(time - now, 0.001) for time in times)])

    def _host(self, origin: str) -> _Host:
        host = self._hosts.get(origin)
        if host is None:
            host = self._hosts[origin] = _Host(self.politeness.delay_seconds)
        return host
