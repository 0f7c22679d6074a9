"""A circuit breaker: when a provider has just failed several times, nobody waits for it to fail once more."""

import threading

from assay.adapters.embedders.remote.rate_limits import RateClock


class CircuitBreaker:
    """Opens after so many failures in a row; then one caller in a while may try. Safe to use from several threads.

    failures: in a row, until it opens.
    seconds: how long it stays open before somebody may try.
    """

    def __init__(self, failures: int, seconds: float, clock: RateClock) -> None:
        self._failures = failures
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._count = 0
        self._closed_again = 0.0

    def admits(self) -> bool:
        """Whether to try. After the pause exactly one caller is let through, and its outcome decides."""
        with self._lock:
            if self._count < self._failures:
                return True
            now = self._clock.now()
            if now < self._closed_again:
                return False
            self._closed_again = now + self._seconds
            return True

    def succeeded(self) -> None:
        """The provider answers."""
        with self._lock:
            self._count = 0

    def failed(self) -> None:
        """The provider did not answer."""
        with self._lock:
            self._count += 1
            self._closed_again = self._clock.now() + self._seconds
