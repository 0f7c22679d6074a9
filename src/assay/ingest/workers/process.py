"""One worker process, seen from the build: started, given pages, asked for what became of them, stopped."""

import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Thread, Timer
from typing import IO

from assay.ingest.intake import Cut
from assay.ingest.workers.messages import UNPICKLABLE, Batch, Refused, packed, read_frame, write_frame
from assay.model.documents import RawPage

_START = "import sys; sys.path[:] = sys.argv[1:]; from assay.ingest.workers.child import main; main()"

_LONGEST_START = 60.0
"""Seconds that a process may take to start."""

_LAST_WORDS = 2.0
"""Seconds that a process whose pipe has closed is given to end and say why."""


class WorkerProcess:
    """A process of its own that reads and cuts pages; it ends by itself when this one is gone.

    pending: batches that were given to it and not taken back yet.
    is_ready: whether it has started and answers at once.
    ended: whether it has been found to be gone.
    was_too_slow: whether it was ended because it took longer than `patience` seconds to answer or to take something.

    Raises OSError when no process can be started.
    """

    def __init__(self, setup: bytes, patience: float) -> None:
        self._seconds = patience
        self.pending = 0
        self.is_ready = False
        self.ended = False
        self.was_too_slow = False
        self._links: Mapping[str, str] | None = None
        self._said: IO[bytes] = tempfile.TemporaryFile(prefix="assay-worker-")  # noqa: SIM115 - closed by stop
        try:
            self._process = _launch(self._said)
        except OSError:
            self._said.close()
            raise
        assert self._process.stdin
        assert self._process.stdout
        self._pipes = (self._process.stdin, self._process.stdout)
        self._requests, self._answers = (pipe.fileno() for pipe in self._pipes)
        self._write(setup)
        # Pipes cannot be polled on Windows; this waits without the interpreter's lock, and only while it starts.
        self._greeting = Thread(target=self._await_greeting, daemon=True)
        self._greeting.start()

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def give(self, pages: Sequence[RawPage]) -> bool:
        """Hand over pages that share their links; false when they cannot be and have to be read here."""
        links = pages[0].links
        sent = None if links is self._links else links
        batch = Batch(tuple(replace(page, links={}) for page in pages), sent)
        try:
            message = packed(batch)
        except UNPICKLABLE:
            return False
        if not self._write(message):
            return False
        self._links = links
        self.pending += 1
        return True

    def wait_until_ready(self) -> bool:
        """Wait until it has started; false when it has ended instead."""
        self._greeting.join(self._seconds + _LONGEST_START)
        return self.is_ready

    def take(self) -> tuple[Cut | Refused | None, ...] | None:
        """Wait for what became of the earliest batch that was given.

        None when the process has ended, or has been ended because it took too long.
        """
        with self._patience():
            frame = read_frame(self._answers)
        if frame is None:
            self.ended = True
            return None
        self.pending -= 1
        cuts: tuple[Cut | Refused | None, ...] = pickle.loads(frame)  # noqa: S301 - from a process that this one started
        return cuts

    def ending(self) -> str:
        """How a process that has ended did, for the log."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WORDS)
        if self.was_too_slow:
            return f"it gave no answer for {self._seconds:g} s"
        code = self._process.poll()
        self._said.seek(0)
        last_line = self._said.read().decode(errors="replace").strip().rpartition("\n")[2]
        return _described(code, last_line)

    def stop(self) -> None:
        """End the process, whatever it does: it has nothing to lose. A second call does nothing."""
        self.ended = True
        self._process.kill()
        self._process.wait()
        self._greeting.join()
        for stream in (*self._pipes, self._said):
            stream.close()

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """End the process when the block takes too long, which closes its pipes and so ends the wait for them."""
        timer = Timer(self._seconds, self._lose_patience)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _lose_patience(self) -> None:
        self.was_too_slow = True
        self._process.kill()

    def _await_greeting(self) -> None:
        """A worker that has started sends an empty frame."""
        if read_frame(self._answers) is None:
            self.ended = True
        else:
            self.is_ready = True

    def _write(self, message: bytes) -> bool:
        try:
            with self._patience():
                write_frame(self._requests, message)
        except OSError:
            self.ended = True
        return not self.ended


def _launch(said: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start an interpreter that finds modules where this one does.

    Not by multiprocessing, which runs the program's main module again in each process: a program that imports Assay
    would need a main guard. In a process group of its own, so that Ctrl-C ends the build, and the build its workers.
    """
    # Unbuffered: frames are read and written by descriptor.
    command = [sys.executable, "-c", _START, *sys.path]
    if sys.platform == "win32":
        return subprocess.Popen(  # noqa: S603 - this interpreter
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
    return subprocess.Popen(  # noqa: S603 - this interpreter
        command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, process_group=0
    )


def _described(code: int | None, last_line: str) -> str:
    if code is None:
        return "it no longer answers"
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return f"exit code {code}" + (f": {last_line}" if last_line else "")
