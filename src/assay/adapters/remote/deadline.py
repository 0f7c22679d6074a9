"""A deadline for all that a thread sends and receives in a block, whatever the limits of single reads and writes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import httpcore2


class Deadline:
    """Each thread has its own. message: of the error past it."""

    def __init__(self, message: str) -> None:
        self._message = message
        self._thread = threading.local()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Limit all that this thread does in the block to `seconds`."""
        self._thread.until = monotonic() + seconds
        try:
            yield
        finally:
            self._thread.until = None

    def left(self, timeout: float | None) -> float | None:
        """The timeout, at most the time left to the deadline. Raises httpcore2.ReadTimeout past the deadline."""
        until: float | None = getattr(self._thread, "until", None)
        if until is None:
            return timeout
        left = until - monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout(self._message)
        return left if timeout is None else min(left, timeout)
