"""A flood of refused connections is no flood of log lines."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from assay.web.serving.connections import RefusalLog


class Clock:
    """The loop's timers, run by hand."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[..., None], tuple[Any, ...]]] = []

    def call_later(self, seconds: float, callback: Callable[..., None], *arguments: object) -> None:
        self.timers.append((seconds, callback, arguments))

    def run(self) -> float:
        """Run the only timer; returns for how long it was set."""
        ((seconds, callback, arguments),) = self.timers
        self.timers.clear()
        callback(*arguments)
        return seconds


def test_the_first_is_logged_at_once_and_the_rest_by_number_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    clock, log = Clock(), RefusalLog(1_000)
    loop: asyncio.AbstractEventLoop = clock  # type: ignore[assignment]
    for _ in range(5_001):
        log.note(loop)
    assert caplog.messages == ["A connection was refused: 1000 are open, the limit of [server] max_connections."]
    assert clock.run() == 1.0
    assert caplog.messages[1:] == [
        "5,000 connections were refused: 1000 are open, the limit of [server] max_connections."
    ]
    log.note(loop)
    assert len(caplog.messages) == 2
    clock.run()
    assert caplog.messages[2:] == ["A connection was refused: 1000 are open, the limit of [server] max_connections."]
    clock.run()
    assert (len(caplog.messages), clock.timers) == (3, [])
    log.note(loop)
    assert len(caplog.messages) == 4
