"""Waits for a process that a build has started: a working one is waited for, a silent one is ended."""

import sys
from collections.abc import Iterator
from time import monotonic, sleep

import pytest

from assay import child_process
from assay.child_process import Answers, ChildProcess, pipes_to_parent, read_frame

LIMIT = 3.0


class Child(ChildProcess):
    """Runs `main` of this module. Its start is not limited, the next waits are."""

    def __init__(self) -> None:
        super().__init__(__name__, "test", 100 * LIMIT)
        assert self.ask(b"say") == b"hello"
        self._seconds = LIMIT
        self._stopped.set()  # the watching thread begins again with the new limit
        self._watch.join()
        self._stopped.clear()
        self._watch = child_process.Thread(target=self._watch_waits, daemon=True)
        self._watch.start()

    def ask(self, message: bytes) -> bytes | None:
        """Send a message and wait for its answer."""
        self._write(message)
        return self._receive()


def main() -> None:
    """Answer messages: at once, after much work, or never."""
    requests, descriptor = pipes_to_parent()
    answers = Answers(descriptor)
    while message := read_frame(requests):
        ends = monotonic() + 3 * LIMIT
        while message == b"work" and monotonic() < ends:
            pass
        while message == b"hang":
            sleep(LIMIT)
        answers.send(b"hello")


@pytest.fixture
def child() -> Iterator[Child]:
    started = Child()
    yield started
    started.stop()


def test_a_process_that_works_for_longer_than_the_limit_is_waited_for(child: Child) -> None:
    assert child.ask(b"work") == b"hello"
    assert not child.timed_out


def test_a_process_that_hangs_is_ended(child: Child) -> None:
    assert child.ask(b"hang") is None
    assert child.timed_out
    assert child.exit_reason() == "it gave no answer for 3 s"
    if sys.platform != "win32":
        assert child.exit_code == -9


def test_a_long_wait_is_logged_before_the_process_is_ended(
    child: Child, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(child_process, "_WARN_SECONDS", 1.5)
    assert child.ask(b"hang") is None
    assert f"(test, process id {child.pid}) has not answered for 2 s. After 3 s it is killed." in caplog.text
