"""Collectors in another process, so that the content is checked while this process audits the index."""

import os
import pickle
import tempfile
from queue import Queue
from threading import Thread
from typing import IO

from assay.child_process import exit_reason, pipes_to_parent, read_frame, start_python, write_frame
from assay.validation.structure.collecting import Collectors, Kinds, PageText, Results

_CHARACTERS = 200_000
"""Text of the pages in one message."""

_AHEAD = 32
"""Messages that wait in the process."""


class CollectorProcess:
    """As Collectors, in a process that ends with this one.

    Raises OSError if no process can be started, and ChildProcessError if it has ended.
    """

    def __init__(self, kinds: Kinds) -> None:
        self._pages: list[PageText] = []
        self._characters = 0
        self._stderr: IO[bytes] = tempfile.TemporaryFile(prefix="assay-checks-")  # noqa: SIM115 - closed by stop
        try:
            self._process = start_python(__name__, self._stderr)
        except OSError:
            self._stderr.close()
            raise
        assert self._process.stdin
        assert self._process.stdout
        self._pipes = (self._process.stdin, self._process.stdout)
        self._requests, self._answers = (pipe.fileno() for pipe in self._pipes)
        self._send(kinds)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def add(self, page: PageText) -> None:
        """Give the next page to all."""
        self._pages.append(page)
        self._characters += len(page.text)
        if self._characters >= _CHARACTERS:
            self._send_pages()

    def results(self) -> Results:
        """Wait for every result, by the kind of its collector."""
        self._send_pages()
        self._send(None)
        frame = read_frame(self._answers)
        if frame is None:
            raise self._ended()
        results: Results = pickle.loads(frame)  # noqa: S301 - from our own process
        return results

    def stop(self) -> None:
        """Kill the process. A second call does nothing."""
        self._process.kill()
        self._process.wait()
        for stream in (*self._pipes, self._stderr):
            stream.close()

    def _send_pages(self) -> None:
        pages, self._pages, self._characters = self._pages, [], 0
        self._send(pages)

    def _send(self, message: object) -> None:
        try:
            write_frame(self._requests, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise self._ended() from None

    def _ended(self) -> ChildProcessError:
        return ChildProcessError(f"the process that checks them has ended ({exit_reason(self._process, self._stderr)})")


def main() -> None:
    """Run in the started process: collect the pages from standard input, and write the results."""
    requests, answers = pipes_to_parent()
    received: Queue[bytes] = Queue(_AHEAD)
    Thread(target=_receive, args=(requests, received), daemon=True).start()
    collectors = Collectors(pickle.loads(received.get()))  # noqa: S301 - from the process that started this one
    while (pages := pickle.loads(received.get())) is not None:  # noqa: S301 - as above
        for page in pages:
            collectors.add(page)
    write_frame(answers, pickle.dumps(collectors.results(), pickle.HIGHEST_PROTOCOL))


def _receive(requests: int, received: "Queue[bytes]") -> None:
    """Receive messages during work, so that the audit seldom waits to send one and its end is noticed."""
    while (frame := read_frame(requests)) is not None:
        received.put(frame)
    os._exit(0)
