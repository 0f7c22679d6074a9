"""The parent of a server's workers, with workers that serve nothing."""

import errno
import os
import signal
import socket
import tempfile
from pathlib import Path
from threading import Event, Thread

import pytest

from assay.adapters.telemetry.prometheus import WORKER_FILE_BYTES
from assay.errors import AssayError, ConfigurationError
from assay.model.workers import COUNTERS_BYTES
from assay.settings import Settings
from assay.web.serving.workers import shared_files, supervisor
from assay.web.serving.workers.messages import Task
from assay.web.serving.workers.process import WorkerProcess
from assay.web.serving.workers.supervisor import Supervisor

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
                fake = "tests.unit.web.serving.workers.fake_worker"
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


def test_a_process_that_cannot_be_started_is_tried_again_while_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    started: list[int] = []

    def start(module: str, task: Task) -> WorkerProcess:
        started.append(task.share.number)
        if len(started) == 3:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return WorkerProcess(module, task)

    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.1)
    monkeypatch.setattr(supervisor, "WorkerProcess", start)
    server = Server(tmp_path, monkeypatch, "crash")
    server.run(("started 2", signal.SIGTERM), times=3)
    assert started[:4] == [1, 2, 2, 2]
    assert [line for line in caplog.messages if "No process can be started: Cannot allocate memory." in line]


def test_without_space_for_the_shared_files_no_worker_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shared_files, "_reserve", refuse)
    server = Server(tmp_path, monkeypatch, "serve")
    with pytest.raises(ConfigurationError, match="cannot hold the files that workers share: No space left"):
        server.run()
    assert server.notes == []
    assert [one.name for one in tmp_path.iterdir()] == ["notes"]


def test_the_shared_files_have_all_their_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with shared_files.shared_files(2) as (folder, counters):
        for path in [folder / "counter_1.db", folder / "histogram_2.db", folder / "gauge_livesum_2.db"]:
            assert path.stat().st_blocks * 512 >= path.stat().st_size == WORKER_FILE_BYTES
        assert os.fstat(counters).st_blocks * 512 >= COUNTERS_BYTES
    assert list(tmp_path.iterdir()) == []


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
