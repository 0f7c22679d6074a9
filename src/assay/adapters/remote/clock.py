"""The clock of rate limits, retries and circuit breakers; tests set their own."""

import threading
from time import monotonic
from typing import Protocol


class RateClock(Protocol):
    """A clock that can wait."""

    def now(self) -> float:
        """Monotonic time in seconds."""

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait for these seconds or a notification. The caller holds the condition."""


class MonotonicClock:
    """The system's monotonic clock."""

    def now(self) -> float:
        """Monotonic time in seconds."""
        return monotonic()

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        """Wait for these seconds or a notification. The caller holds the condition."""
        condition.wait(seconds)
