"""What a peer was asked and what it did, for a test to look at afterwards."""

import threading
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from time import monotonic


class Ledger:
    """Counts requests and texts, and holds callers to the rate limits. Safe to use from several threads.

    limits: of `inputs` and `tokens`, in any window of so many seconds.
    """

    def __init__(self, limits: Mapping[str, int], window: float) -> None:
        self._lock = threading.Lock()
        self._limits = dict(limits)
        self._window = window
        self._granted: deque[tuple[float, dict[str, int]]] = deque()
        self.reset()

    def reset(self) -> None:
        """Forget what was counted; what was granted still counts for the limits."""
        with self._lock:
            self.requests = 0
            self.statuses: Counter[str] = Counter()
            self.embedded: Counter[str] = Counter()
            self.undelivered: Counter[str] = Counter()
            self.queries: Counter[str] = Counter()
            self.over_limit = 0
            self.tokens = 0
            self.in_flight = 0
            self.most_in_flight = 0
            self.first: float | None = None
            self.last = 0.0

    def arrived(self) -> None:
        """A request came in."""
        with self._lock:
            self.requests += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            self.first = monotonic() if self.first is None else self.first

    def left(self, status: str) -> None:
        """It was answered, or dropped."""
        with self._lock:
            self.in_flight -= 1
            self.statuses[status] += 1

    def wait_for(self, amounts: Mapping[str, int]) -> float:
        """0 when these amounts fit and are taken; else the seconds until they would, and nothing is taken."""
        with self._lock:
            now = monotonic()
            while self._granted and self._granted[0][0] <= now - self._window:
                self._granted.popleft()
            for name, limit in self._limits.items():
                if sum(taken[name] for _, taken in self._granted) + amounts[name] > limit:
                    self.over_limit += 1
                    return max(self._granted[0][0] + self._window - now, 0.001) if self._granted else self._window
            self._granted.append((now, dict(amounts)))
            self.last = now
            return 0.0

    def worked(self, texts: Sequence[str], tokens: int, *, query: bool, delivered: bool) -> None:
        """Texts were embedded. delivered: whether the caller got the vectors."""
        with self._lock:
            self.tokens += tokens
            (self.queries if query else self.embedded).update(texts)
            if not delivered:
                self.undelivered.update(texts)

    def as_json(self, *, texts: bool) -> dict[str, object]:
        """Everything counted. texts: with the count of each text."""
        with self._lock:
            again = {text: count for text, count in self.embedded.items() if count > 1}
            counts: dict[str, object] = {
                "requests": self.requests,
                "statuses": dict(self.statuses),
                "texts": len(self.embedded),
                "embeddings": sum(self.embedded.values()),
                "texts_embedded_again": len(again),
                "undelivered": sum(self.undelivered.values()),
                "queries": sum(self.queries.values()),
                "over_limit": self.over_limit,
                "tokens": self.tokens,
                "most_in_flight": self.most_in_flight,
                "seconds": self.last - self.first if self.first is not None else 0.0,
            }
            if texts:
                counts["counts"] = dict(self.embedded)
            return counts
