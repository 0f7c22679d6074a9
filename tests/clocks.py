"""A clock that moves when somebody waits, so that an hour of waiting takes no time."""

import threading
from collections.abc import Callable


class FakeClock:
    """Waiting moves it at once; before that, `meanwhile` may happen."""

    def __init__(self) -> None:
        self.time = 1_000.0
        self.waits: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def now(self) -> float:
        return self.time

    def wait(self, condition: threading.Condition, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        self.meanwhile()
