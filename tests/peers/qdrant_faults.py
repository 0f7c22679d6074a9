"""What a Qdrant peer does wrong: each rule names the requests it is for, and how many it lets pass before and after."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

FAULTS = (
    "reset",  # closes without an answer or any work
    "lost",  # does the work, and closes without an answer
    "cut",  # does the work, and closes in the middle of the answer
    "slow",  # does the work and answers, but late
    "html",  # answers 200 with a page, as a proxy does
    "404-bare",  # as the server does for a path that it does not know
    "nasty",  # 500 with the peer's `nasty`
    "strange",  # answers 200 with the peer's `strange`
    "echo-200",  # repeats the headers that came, in an answer, as the name of a field and in its own headers
    "echo-401",
    "echo-500",
    "429",  # with Retry-After
    "429-bare",
    "full",  # 500: no space left on the disk
    "quota",  # 507: the disk is fuller than the server's quota
    "strict",  # 400: a limit of strict mode
    "401",
    "403",
    "500",
    "502",
    "503",
    "504",
)


@dataclass
class FaultRule:
    """One fault. method, path: of the requests it is for; path is a part of it. skip: so many pass first."""

    kind: str
    method: str = ""
    path: str = ""
    skip: int = 0
    times: int | None = 1

    def __post_init__(self) -> None:
        assert self.kind in FAULTS, f"there is no fault {self.kind!r}; there are: {', '.join(FAULTS)}"


class Faults:
    """Decides for each request. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rules: list[FaultRule] = []

    def set(self, rules: Iterable[FaultRule | dict[str, Any]]) -> None:
        """Forget the rules that are there, and follow these."""
        with self._lock:
            self._rules = [rule if isinstance(rule, FaultRule) else FaultRule(**rule) for rule in rules]

    def next(self, method: str, path: str) -> str | None:
        """What a request meets; None for nothing."""
        with self._lock:
            for rule in self._rules:
                if rule.method not in ("", method) or rule.path not in path or rule.times == 0:
                    continue
                if rule.skip > 0:
                    rule.skip -= 1
                    continue
                if rule.times is not None:
                    rule.times -= 1
                return rule.kind
        return None
