"""Collectors in another process, so that the content is checked while this process audits the index."""

import pickle

from assay.child_process import Answers, ChildProcess, pipes_to_parent, receive_ahead
from assay.validation.structure.collecting import Collectors, Kinds, PageText, Results

_CHARACTERS = 200_000
"""Text of the pages in one message."""

_AHEAD = 32
"""Messages that wait in the process."""


class CollectorProcess(ChildProcess):
    """As Collectors, in a process that ends with this one.

    Raises OSError if no process can be started, and ChildProcessError if it has ended.
    """

    def __init__(self, kinds: Kinds) -> None:
        super().__init__(__name__, "checks")
        self._pages: list[PageText] = []
        self._characters = 0
        self._send(kinds)

    def add(self, page: PageText) -> None:
        """Pass the next page to all collectors."""
        self._pages.append(page)
        self._characters += len(page.text)
        if self._characters >= _CHARACTERS:
            self._send_pages()

    def results(self) -> Results:
        """Wait for every result, by the kind of its collector."""
        self._send_pages()
        self._send(None)
        frame = self._receive()
        if frame is None:
            raise self._ended()
        results: Results = pickle.loads(frame)  # noqa: S301 - from our own process
        return results

    def _send_pages(self) -> None:
        pages, self._pages, self._characters = self._pages, [], 0
        self._send(pages)

    def _send(self, message: object) -> None:
        try:
            self._write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise self._ended() from None

    def _ended(self) -> ChildProcessError:
        return ChildProcessError(f"the process that checks them has ended ({self.exit_reason()})")


def main() -> None:
    """Run in the started process: collect the pages from standard input, and write the results."""
    requests, descriptor = pipes_to_parent()
    answers = Answers(descriptor)
    received = receive_ahead(requests, _AHEAD)
    collectors = Collectors(pickle.loads(received.get()))  # noqa: S301 - from the process that started this one
    while (pages := pickle.loads(received.get())) is not None:  # noqa: S301 - as above
        for page in pages:
            collectors.add(page)
    answers.send(pickle.dumps(collectors.results(), pickle.HIGHEST_PROTOCOL))
