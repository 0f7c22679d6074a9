"""Keeping to what a provider allows in a minute, of several things at once (inputs, tokens, requests).

`RateWindow` is the arithmetic, `RateLimiter` the waiting.
"""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

MARGIN = 0.01
"""Share by which the window is longer than the provider's, for requests that arrive later than they were sent."""

PACE = 1.5
"""Requests are spread out, but at up to this many times the allowed rate, to catch up on what was refused."""


class RateLimited(Exception):
    """More patience is needed than there is. seconds: how long the wait would be."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Interrupted(Exception):
    """Somebody called interrupt() meanwhile."""


@dataclass(slots=True)
class Ticket:
    """What was taken from the limits at a time. amounts: by the limit's name."""

    at: float
    amounts: Mapping[str, int]


class RateWindow:
    """A sliding window: at no time was more taken in the last minute than is allowed in one.

    limits: what may be taken in one window, by name; each above 0. Empty for no limit.
    seconds: the provider's window.

    Times are seconds on any clock that only goes forward.
    """

    def __init__(self, limits: Mapping[str, int], seconds: float) -> None:
        self._limits = dict(limits)
        self._seconds = seconds
        self._window = seconds * (1.0 + MARGIN)
        self._taken: deque[Ticket] = deque()
        self._next = float("-inf")

    def delay(self, now: float, amounts: Mapping[str, int]) -> float:
        """Seconds until these amounts may be taken; 0 when they may be at once.

        More than a whole window's allowance may be taken when nothing else is.
        """
        while self._taken and self._taken[0].at + self._window <= now:
            self._taken.popleft()
        return max(self._next - now, *(self._wait(name, now, amounts) for name in self._limits), 0.0)

    def take(self, now: float, amounts: Mapping[str, int]) -> Ticket:
        """Note that these amounts are taken now."""
        ticket = Ticket(now, dict(amounts))
        self._taken.append(ticket)
        share = max((amounts.get(name, 0) / limit for name, limit in self._limits.items()), default=0.0)
        self._next = now + min(share, 1.0) * self._seconds / PACE
        return ticket

    def settle(self, ticket: Ticket, amounts: Mapping[str, int]) -> None:
        """Put what was really used in the place of what was taken; 0 for what the provider refused."""
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


class RateClock(Protocol):
    """Time, and waiting for it to pass."""

    def now(self) -> float:
        """Seconds that only go forward."""

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait for so long, or until somebody notifies the condition, which the caller holds."""


class MonotonicClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since some moment in the past."""
        return monotonic()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait, letting go of the condition meanwhile."""
        condition.wait(seconds)


class RateLimiter:
    """Makes callers wait for their turn. Safe to use from several threads."""

    def __init__(self, window: RateWindow, clock: RateClock) -> None:
        self._window = window
        self._clock = clock
        self._condition = threading.Condition()
        self._paused_until = float("-inf")
        self._interruptions = 0

    @property
    def interruptions(self) -> int:
        """How often interrupt() was called."""
        return self._interruptions

    def acquire(self, amounts: Mapping[str, int], since: int, patience: float, pause_patience: float) -> Ticket:
        """Wait until these amounts may be taken, and take them.

        since: the interruptions when the work began that this is for; one since then ends it.
        patience: the most seconds to wait for the limits.
        pause_patience: the most seconds to wait for a pause to end that the provider asked for.

        Raises RateLimited without waiting when the wait would be longer, Interrupted.
        """
        with self._condition:
            started = self._clock.now()
            while True:
                self._check(since)
                now = self._clock.now()
                pause = self._paused_until - now
                if pause > pause_patience:
                    raise RateLimited(pause)
                wait = max(self._window.delay(now, amounts), pause)
                if wait <= 0.0:
                    return self._window.take(now, amounts)
                if now - started + wait > max(patience, pause):
                    raise RateLimited(wait)
                self._clock.wait(self._condition, wait)

    def settle(self, ticket: Ticket, amounts: Mapping[str, int]) -> None:
        """Put what was really used in the place of what was taken; 0 for what the provider refused."""
        with self._condition:
            self._window.settle(ticket, amounts)
            self._condition.notify_all()

    def pause(self, seconds: float) -> None:
        """Let nobody through for so long."""
        with self._condition:
            self._paused_until = max(self._paused_until, self._clock.now() + seconds)

    def sleep(self, seconds: float, since: int) -> None:
        """Wait for so long. Raises Interrupted."""
        with self._condition:
            until = self._clock.now() + seconds
            while (left := until - self._clock.now()) > 0.0:
                self._check(since)
                self._clock.wait(self._condition, left)
            self._check(since)

    def interrupt(self) -> None:
        """End every wait for work that began before now."""
        with self._condition:
            self._interruptions += 1
            self._condition.notify_all()

    def _check(self, since: int) -> None:
        if self._interruptions != since:
            raise Interrupted
