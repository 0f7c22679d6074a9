"""When each host may be asked next, and when a page that failed is asked for again."""

import heapq
from dataclasses import dataclass, field
from itertools import count
from random import random

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.crawling.page_fetch import Fetch
from assay.adapters.sources.site.options import Politeness
from assay.errors import SourceError


@dataclass
class _Host:
    delay: float
    under_way: int = 0
    free_at: float = 0.0


@dataclass
class Pacing:
    """Keeps to what hosts want. Times are seconds of one monotonic clock.

    connections: to one host at the same time.
    """

    politeness: Politeness
    connections: int
    _hosts: dict[str, _Host] = field(default_factory=dict)
    _later: list[tuple[float, int, Fetch]] = field(default_factory=list)
    _order: "count[int]" = field(default_factory=count)
    _waited: float = 0.0

    def set_delay(self, origin: str, seconds: float) -> None:
        """A host wants so many seconds between requests; the longer of this and the setting is kept to."""
        host = self._host(origin)
        host.delay = max(self.politeness.delay, min(seconds, self.politeness.longest_wait))

    def may_begin(self, address: str, now: float) -> bool:
        """Whether a request to this address may begin now."""
        host = self._host(origin_of(address))
        return host.under_way < self.connections and host.free_at <= now

    def began(self, address: str, now: float) -> None:
        """A request begins."""
        host = self._host(origin_of(address))
        host.under_way += 1
        host.free_at = max(host.free_at, now + host.delay)

    def ended(self, address: str) -> None:
        """A request is over."""
        self._host(origin_of(address)).under_way -= 1

    def pause(self, address: str, seconds: float, now: float) -> None:
        """A host asks to be left alone. Raises SourceError when it asked for more than the reading has patience for."""
        host = self._host(origin_of(address))
        until = now + min(seconds, self.politeness.longest_wait)
        if until <= host.free_at:
            return
        self._waited += until - max(host.free_at, now)
        host.free_at = until
        if self._waited > self.politeness.patience:
            raise SourceError(
                f"{origin_of(address)} asks again and again to be left alone (429 or 503 with Retry-After).",
                hint="Run again later: what was fetched is kept, and reading goes on from there. "
                "Fewer connections or a delay between requests may help.",
            )

    def retry(self, job: Fetch, asked_for: float | None, now: float) -> bool:
        """Ask for a page again later. False when it was tried often enough."""
        if job.tries > self.politeness.retries:
            return False
        wait = min(self.politeness.longest_wait, self.politeness.first_wait * 2.0 ** (job.tries - 1))
        wait *= 0.5 + 0.5 * random()  # noqa: S311 - those who failed together shall not come back together
        if asked_for is not None:
            wait = max(wait, min(asked_for, self.politeness.longest_wait))
        heapq.heappush(self._later, (now + wait, next(self._order), job))
        return True

    def due(self, now: float) -> Fetch | None:
        """The next page whose time to be asked for again has come."""
        return heapq.heappop(self._later)[2] if self._later and self._later[0][0] <= now else None

    @property
    def waiting(self) -> int:
        """Pages that will be asked for again."""
        return len(self._later)

    def next_time(self, now: float) -> float:
        """Seconds until something may begin that may not now; at most half a second."""
        times = [host.free_at for host in self._hosts.values() if host.free_at > now]
        if self._later:
            times.append(self._later[0][0])
        return min([0.5, *(max(time - now, 0.001) for time in times)])

    def _host(self, origin: str) -> _Host:
        host = self._hosts.get(origin)
        if host is None:
            host = self._hosts[origin] = _Host(self.politeness.delay)
        return host
