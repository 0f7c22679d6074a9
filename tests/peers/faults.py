"""What a peer does wrong, and when: in a given order, at a rate, or always."""

import random
import threading
from collections.abc import Iterable, Sequence

FAULTS = (
    "429",  # with Retry-After in seconds
    "429-date",  # with Retry-After as a date
    "429-bare",  # without
    "500",
    "503",
    "slow",  # answers, but late
    "cut",  # does the work, and closes in the middle of the answer
    "reset",  # closes without an answer or any work
    "malformed",  # does the work, and answers with half of the JSON
    "wrong-dimension",
    "nan",
    "zero",
    "partial",  # one vector is missing
    "400",
    "401",
    "402",
    "403",
    "404",
    "month",  # 429: the trial key's calls of this month are used up
)
WORKED = frozenset({"cut", "malformed", "wrong-dimension", "nan", "zero", "partial"})
"""Faults in which the provider did the work, so that a second request embeds the same texts again."""


class Faults:
    """Decides for each request. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._script: list[str] = []
        self._always: str | None = None
        self._rate = 0.0
        self._kinds: Sequence[str] = ()
        self._random = random.Random(0)

    def script(self, faults: Iterable[str]) -> None:
        """The next requests fail so, one after the other; `ok` is a request that does not."""
        with self._lock:
            self._script = [_known(fault) for fault in faults]

    def always(self, fault: str | None) -> None:
        """Every request fails so; None ends it."""
        with self._lock:
            self._always = fault and _known(fault)

    def at_rate(self, rate: float, kinds: Sequence[str], seed: int = 0) -> None:
        """This share of requests fails, each in one of these ways."""
        with self._lock:
            self._rate, self._kinds, self._random = rate, [_known(kind) for kind in kinds], random.Random(seed)

    def next(self) -> str | None:
        """What the next request meets; None for nothing."""
        with self._lock:
            if self._script:
                fault = self._script.pop(0)
                return None if fault == "ok" else fault
            if self._always:
                return self._always
            if self._kinds and self._random.random() < self._rate:
                return self._random.choice(self._kinds)
            return None


def _known(fault: str) -> str:
    assert fault == "ok" or fault in FAULTS, f"there is no fault {fault!r}; there are: {', '.join(FAULTS)}"
    return fault
