"""Answers short searches on the event loop, one after the other, and everything else in threads.

The embedded engine holds the GIL while it searches, so a second thread searches no sooner. Handing a request to a
thread and back takes a fifth of the time of a search.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

T = TypeVar("T")


class Turns:
    """Calls functions in turn. Requests that arrive meanwhile are read, counted and refused as always."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def call(self, answer: Callable[[], T], *, is_short: bool) -> T:
        """Return the result. is_short: whether it takes only milliseconds, and waits for no other process."""
        if not is_short:
            return await run_in_threadpool(answer)
        async with self._turn:
            await asyncio.sleep(0)  # the loop reads what has arrived, which then waits here and counts as in progress
            return answer()
