"""One worker process as the build sees it."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

from assay.child_process import ChildProcess, read_frame
from assay.ingest.workers.messages import UNPICKLABLE, Batch, Task, pickle_message
from assay.model.documents import RawPage

_START_TIMEOUT = 60.0
"""Start timeout in seconds."""


class WorkerProcess(ChildProcess):
    """A process that reads and chunks pages. It ends when this process ends.

    pending: messages sent and not taken yet.
    is_ready: it has started.
    ended: it was found to have ended.

    Raises OSError when no process can be started.
    """

    def __init__(self, setup: bytes, answer_timeout: float) -> None:
        self.pending = 0
        self._sent = self._received = 0
        self._early: dict[int, tuple[Any, ...]] = {}
        self.is_ready = False
        self.ended = False
        self._links: Mapping[str, str] | None = None
        self._greeted = Event()
        super().__init__("assay.ingest.workers.child", "worker", answer_timeout)
        self._give(setup)

    def give(self, pages: Sequence[RawPage]) -> int | None:
        """Send pages that share their links. Returns the ticket of the answer; None if the build has to read them."""
        links = pages[0].links
        sent = None if links is self._links else links
        ticket = self._send(Batch(tuple(replace(page, links={}) for page in pages), sent))
        if ticket is not None:
            self._links = links
        return ticket

    def give_task(self, task: Task) -> int | None:
        """Send a task. Returns the ticket of the answer; None if the build has to run it."""
        return self._send(task)

    def wait_until_ready(self) -> bool:
        """Wait until it has started; false if it has ended instead."""
        self._greeted.wait(self._seconds + _START_TIMEOUT)
        return self.is_ready

    def take(self, ticket: int) -> tuple[Any, ...] | None:
        """Wait for the answer to a message, as Batch and Task describe it; take each ticket once.

        None when the process has ended or timed out.
        """
        while ticket >= self._received:
            frame = self._receive()
            if frame is None:
                self.ended = True
                return None
            self._early[self._received] = pickle.loads(frame)  # noqa: S301 - from our own process
            self._received += 1
        self.pending -= 1
        return self._early.pop(ticket)

    def stop(self) -> None:
        """Kill the process. A second call does nothing."""
        self.ended = True
        super().stop()

    def _watch_waits(self) -> None:
        """Wait for the empty frame that a started worker sends, without the GIL. Then watch."""
        if read_frame(self._answers) is None:
            self.ended = True
        else:
            self.is_ready = True
        self._greeted.set()
        super()._watch_waits()

    def _send(self, message: Batch | Task) -> int | None:
        try:
            content = pickle_message(message)
        except UNPICKLABLE:
            return None
        if not self._give(content):
            return None
        self.pending += 1
        self._sent += 1
        return self._sent - 1

    def _give(self, message: bytes) -> bool:
        try:
            self._write(message)
        except OSError:
            self.ended = True
        return not self.ended
