"""A circuit breaker for a failing provider."""

import threading

from assay.adapters.remote.clock import RateClock


class CircuitBreaker:
    """Opens after consecutive failures, then allows one request per pause. Safe to use from several threads.

    failures: number of consecutive failures until it opens.
    seconds: pause before the next request.
    """

    def __init__(self, failures: int, seconds: float, clock: RateClock) -> None:
        self._failures = failures
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._count = 0
        self._retry_at = 0.0

    def allows_request(self) -> bool:
        """Whether to make a request. After the pause one caller may, and its outcome decides."""
        with self._lock:
            if self._count < self._failures:
                return True
            now = self._clock.now()
            if now < self._retry_at:
                return False
            self._retry_at = now + self._seconds
            return True

    def succeeded(self) -> None:
        """Record that the provider answered."""
        with self._lock:
            self._count = 0

    def failed(self) -> None:
        """Record that the provider did not answer."""
        with self._lock:
            self._count += 1
            self._retry_at = self._clock.now() + self._seconds
