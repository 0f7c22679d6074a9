"""Rate limits of clients, counted by the library `limits`."""

import math
import time
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

from limits import RateLimitItem, parse_many
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from assay.model.lru_cache import LruCache

_MOST_CLIENTS = 100_000
OFF = "off"


@dataclass(frozen=True, slots=True)
class Window:
    """State of a window. name: `minute`; quota: requests; seconds: its length; reset: seconds until the next one."""

    name: str
    quota: int
    seconds: int
    remaining: int
    reset: int


@dataclass(frozen=True, slots=True)
class Usage:
    """State of a client's limits after a request.

    windows: in the order of the limit.
    retry_after: whole seconds until a request is allowed; None if this one is.
    """

    windows: tuple[Window, ...]
    retry_after: int | None

    @property
    def tightest(self) -> Window:
        """The window with the fewest remaining requests."""
        return min(self.windows, key=lambda window: (window.remaining, -window.reset))


class RequestLimits:
    """Fixed windows that begin with a client's first request, so that Retry-After is exact to the second.

    storage: the counters; None to count in the memory of this process.
    is_remote: whether counting waits for another process.
    """

    is_remote: ClassVar[bool] = False

    def __init__(self, storage: Storage | None = None) -> None:
        self._limiter = FixedWindowRateLimiter(storage or _BoundedMemory())
        self._parsed: dict[str, tuple[RateLimitItem, ...]] = {}

    def count(self, limit: str, client: str, requests: int = 1) -> Usage | None:
        """Count a client's request, or several at once. limit: `20/second, 600/minute`. Returns None for `off`.

        Several are counted together, or not at all if they exceed the rest.
        """
        if limit == OFF:
            return None
        items = self._parsed.get(limit) or self._parsed.setdefault(limit, tuple(parse_many(limit)))
        if requests == 1:
            passed = [self._limiter.hit(item, client) for item in items]
        else:
            passed = [self._limiter.test(item, client, cost=requests) for item in items]
            if all(passed):
                passed = [self._limiter.hit(item, client, cost=requests) for item in items]
        windows = tuple(self._window(item, client) for item in items)
        waits = [window.reset for window, ok in zip(windows, passed, strict=True) if not ok]
        return Usage(windows, max(waits) if waits else None)

    def _window(self, item: RateLimitItem, client: str) -> Window:
        stats = self._limiter.get_window_stats(item, client)
        reset = max(1, math.ceil(stats.reset_time - time.time()))
        return Window(item.GRANULARITY.name, item.amount, item.get_expiry(), stats.remaining, reset)


class _BoundedMemory(Storage):
    """Counters in an LRU cache, so that their number is limited.

    The library's own memory storage scans all its counters after each request in a separate thread.
    """

    STORAGE_SCHEME = None

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._counters = LruCache[str, tuple[int, float]](_MOST_CLIENTS)

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = time.time()
        with self._lock:
            count, ends = self._counters.get(key, (0, 0.0))
            if ends <= now:
                count, ends = 0, now + expiry
            self._counters[key] = (count + amount, ends)
            return count + amount

    def get(self, key: str) -> int:
        with self._lock:
            count, ends = self._counters.get(key, (0, 0.0))
            return count if ends > time.time() else 0

    def get_expiry(self, key: str) -> float:
        with self._lock:
            now = time.time()
            return max(self._counters.get(key, (0, now))[1], now)

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        with self._lock:
            count = len(self._counters)
            self._counters.clear()
            return count

    def clear(self, key: str) -> None:
        with self._lock:
            self._counters.pop(key, None)
