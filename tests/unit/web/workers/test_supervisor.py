"""The parent of a server's workers, with workers that serve nothing."""

import os
import signal
import socket
import tempfile
from pathlib import Path
from threading import Event, Thread

import pytest

from assay.errors import AssayError, ConfigurationError
from assay.settings import Settings
from assay.web.workers import supervisor
from assay.web.workers.supervisor import Supervisor

pytestmark = pytest.mark.skipif(os.name != "posix", reason="several workers share a port on POSIX systems only")


class Server:
    """A supervisor of fake workers."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, plan: str) -> None:
        self._notes = folder / "notes"
        self._notes.touch()
        monkeypatch.setenv("FAKE_WORKER", plan)
        monkeypatch.setenv("FAKE_NOTES", str(self._notes))
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        self.announced = 0
        self.folder = folder

    def announce(self) -> None:
        self.announced += 1

    def run(self, *signals: tuple[str, signal.Signals], times: int = 1) -> None:
        """Run it; each signal is sent once the notes have its line so many times."""
        ended = Event()

        def send() -> None:
            for line, number in signals:
                while self.notes.count(line) < times and not ended.wait(0.01):
                    pass
                if not ended.is_set():
                    os.kill(os.getpid(), number)

        sender = Thread(target=send)
        sender.start()
        try:
            with socket.socket() as listener:
                settings = Settings(server={"workers": 2})
                fake = "tests.unit.web.workers.fake_worker"
                Supervisor(fake, settings, None, "127.0.0.1", listener, self.announce).run()
        finally:
            ended.set()
            sender.join()

    @property
    def notes(self) -> list[str]:
        return self._notes.read_text().splitlines()


def test_the_error_of_a_worker_that_cannot_start_ends_the_server_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(tmp_path, monkeypatch, "fail")
    with pytest.raises(ConfigurationError, match="It cannot start") as caught:
        server.run()
    assert caught.value.hint == "Do this."
    assert (server.announced, server.notes) == (0, ["started 1"])
    assert [one.name for one in tmp_path.iterdir()] == ["notes"]  # the shared folder is removed


def test_a_worker_that_dies_before_it_answers_ends_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path, monkeypatch, "die")
    with pytest.raises(AssayError, match="Worker 1 ended with exit code 7 before it answered"):
        server.run()


def test_a_worker_that_crashes_is_replaced_after_a_pause_that_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.1)
    server = Server(tmp_path, monkeypatch, "crash")
    server.run(("started 2", signal.SIGTERM), times=3)
    pauses = [line.rpartition("starts in ")[2] for line in caplog.messages if "was ended by SIGKILL" in line]
    assert pauses[:2] == ["0.1 s.", "0.2 s."]
    assert server.announced == 1


def test_a_signal_is_passed_on_and_a_second_one_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path, monkeypatch, "stubborn")
    before = signal.getsignal(signal.SIGTERM)
    server.run(("started 2", signal.SIGTERM), ("notice and drain", signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) is before
    assert "stop" in server.notes


def test_an_interrupt_drains_without_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path, monkeypatch, "serve")
    server.run(("started 2", signal.SIGINT))
    assert server.notes[2:] in (["drain"], ["drain", "drain"])  # a worker that does not answer yet is ended instead
