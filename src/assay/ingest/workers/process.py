"""One worker process as the build sees it."""

import math
import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from time import monotonic
from typing import Any

from assay.child_process import ChildProcess, read_frame, write_frame
from assay.ingest.workers.messages import UNPICKLABLE, Batch, Task, pickle_message
from assay.model.documents import RawPage

_START_TIMEOUT = 60.0
"""Start timeout in seconds."""

_CHECKS = 20
"""Checks within the time limit of an answer."""


class WorkerProcess(ChildProcess):
    """A process that reads and chunks pages. It ends when this process ends.

    pending: messages sent and not taken yet.
    is_ready: it has started.
    ended: it was found to have ended.
    timed_out: it was killed because it exceeded `answer_timeout` seconds.

    Raises OSError when no process can be started.
    """

    def __init__(self, setup: bytes, answer_timeout: float) -> None:
        super().__init__("assay.ingest.workers.child", "worker")
        self._seconds = answer_timeout
        self.pending = 0
        self._sent = self._received = 0
        self._early: dict[int, tuple[Any, ...]] = {}
        self.is_ready = False
        self.ended = False
        self.timed_out = False
        self._links: Mapping[str, str] | None = None
        self._greeted, self._stopped = Event(), Event()
        self._deadline = math.inf
        # Pipes cannot be polled on Windows; this thread waits for the greeting without the GIL.
        self._watch = Thread(target=self._await_greeting_and_watch, daemon=True)
        self._watch.start()
        self._write(setup)

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
            with self._limit_time():
                frame = read_frame(self._answers)
            if frame is None:
                self.ended = True
                return None
            self._early[self._received] = pickle.loads(frame)  # noqa: S301 - from our own process
            self._received += 1
        self.pending -= 1
        return self._early.pop(ticket)

    def exit_reason(self) -> str:
        """Why the process ended, for the log."""
        reason = super().exit_reason()
        return f"it gave no answer for {self._seconds:g} s" if self.timed_out else reason

    def stop(self) -> None:
        """Kill the process. A second call does nothing."""
        self.ended = True
        self._process.kill()  # this ends the watching thread, which reads from it
        self._stopped.set()
        self._watch.join()
        super().stop()

    @contextmanager
    def _limit_time(self) -> Iterator[None]:
        """Kill the process when the block takes too long; that closes its pipes and ends the wait."""
        self._deadline = monotonic() + self._seconds
        try:
            yield
        finally:
            self._deadline = math.inf

    def _await_greeting_and_watch(self) -> None:
        """Wait for the empty frame that a started worker sends. Then kill the process if it exceeds a deadline.

        One thread for all deadlines: while other processes work, starting one for each takes longer than the answer.
        """
        if read_frame(self._answers) is None:
            self.ended = True
        else:
            self.is_ready = True
        self._greeted.set()
        while not self._stopped.wait(self._seconds / _CHECKS):
            if monotonic() > self._deadline:
                self.timed_out = True
                self._process.kill()
                return

    def _send(self, message: Batch | Task) -> int | None:
        try:
            content = pickle_message(message)
        except UNPICKLABLE:
            return None
        if not self._write(content):
            return None
        self.pending += 1
        self._sent += 1
        return self._sent - 1

    def _write(self, message: bytes) -> bool:
        try:
            with self._limit_time():
                write_frame(self._requests, message)
        except OSError:
            self.ended = True
        return not self.ended
