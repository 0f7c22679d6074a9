"""Client-side rate limits of several quantities (inputs, tokens, requests).

`RateWindow` does the arithmetic, `RateLimiter` the waiting.
"""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from assay.adapters.remote.clock import RateClock

MARGIN = 0.01
"""Share by which the window is longer than the provider's, because of network delays."""

PACE = 1.5
"""Requests are spread out, at up to this multiple of the allowed rate, to catch up after refusals."""


class RateLimited(Exception):
    """The wait would exceed the timeout. seconds: length of the wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Interrupted(Exception):
    """interrupt() was called meanwhile."""


@dataclass(slots=True)
class Ticket:
    """Amounts taken from the limits at a time, by the limit's name."""

    at: float
    amounts: Mapping[str, int]


class RateWindow:
    """A sliding window of the amounts taken.

    limits: maximum amount per window, by name; each above 0. Empty for no limit.
    seconds: length of the provider's window.

    Times are seconds on any monotonic clock.
    """

    def __init__(self, limits: Mapping[str, int], seconds: float) -> None:
        self._limits = dict(limits)
        self._seconds = seconds
        self._window = seconds * (1.0 + MARGIN)
        self._taken: deque[Ticket] = deque()
        self._next = float("-inf")

    def delay(self, now: float, amounts: Mapping[str, int]) -> float:
        """Seconds until these amounts may be taken, 0 or more.

        Amounts above the limit of a window may be taken from an empty window.
        """
        while self._taken and self._taken[0].at + self._window <= now:
            self._taken.popleft()
        return max(self._next - now, *(self._wait(name, now, amounts) for name in self._limits), 0.0)

    def take(self, now: float, amounts: Mapping[str, int]) -> Ticket:
        """Take these amounts now."""
        ticket = Ticket(now, dict(amounts))
        self._taken.append(ticket)
        share = max((amounts.get(name, 0) / limit for name, limit in self._limits.items()), default=0.0)
        self._next = now + min(share, 1.0) * self._seconds / PACE
        return ticket

    def settle(self, ticket: Ticket, amounts: Mapping[str, int]) -> None:
        """Replace the taken amounts by the used ones; 0 for a refused request."""
        ticket.amounts = {**ticket.amounts, **amounts}

    def _wait(self, name: str, now: float, amounts: Mapping[str, int]) -> float:
        limit = self._limits[name]
        over = sum(ticket.amounts.get(name, 0) for ticket in self._taken) + min(amounts.get(name, 0), limit) - limit
        for ticket in self._taken:
            if over <= 0:
                break
            over -= ticket.amounts.get(name, 0)
            if over <= 0:
                return ticket.at + self._window - now
        return 0.0


class RateLimiter:
    """Makes callers wait until the limits allow their requests. Safe to use from several threads.

    interruptions: number of calls of interrupt().
    """

    def __init__(self, window: RateWindow, clock: RateClock) -> None:
        self._window = window
        self._clock = clock
        self._condition = threading.Condition()
        self._paused_until = float("-inf")
        self.interruptions = 0

    def acquire(self, amounts: Mapping[str, int], since: int, timeout: float, pause_timeout: float) -> Ticket:
        """Wait until these amounts may be taken, and take them.

        since: value of `interruptions` when the work began; a later interruption ends the wait.
        timeout: maximum wait for the limits, in seconds.
        pause_timeout: maximum wait for a pause that the provider asked for, in seconds.

        Raises RateLimited without waiting if the wait would be longer, Interrupted.
        """
        with self._condition:
            started = self._clock.now()
            while True:
                self._check(since)
                now = self._clock.now()
                pause = self._paused_until - now
                if pause > pause_timeout:
                    raise RateLimited(pause)
                wait = max(self._window.delay(now, amounts), pause)
                if wait <= 0.0:
                    return self._window.take(now, amounts)
                if now - started + wait > max(timeout, pause):
                    raise RateLimited(wait)
                self._clock.wait(self._condition, wait)

    def settle(self, ticket: Ticket, amounts: Mapping[str, int]) -> None:
        """Replace the taken amounts by the used ones; 0 for a refused request."""
        with self._condition:
            self._window.settle(ticket, amounts)
            self._condition.notify_all()

    def pause(self, seconds: float) -> None:
        """Let no request through for these seconds."""
        with self._condition:
            self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    def sleep(self, seconds: float, since: int) -> None:
        """Wait for these seconds. Raises Interrupted."""
        with self._condition:
            until = self._clock.now() + seconds
            while (left := until - self._clock.now()) > 0.0:
                self._check(since)
                self._clock.wait(self._condition, left)
            self._check(since)

    def interrupt(self) -> None:
        """End all waits for work that has begun."""
        with self._condition:
            self.interruptions += 1
            self._condition.notify_all()

    def _check(self, since: int) -> None:
        if self.interruptions != since:
            raise Interrupted
