"""Processes that are forked from one that has loaded everything and done nothing yet.

A process that loads Assay itself takes a second for that, which a test of a server or of a kill need not wait for.
"""

import atexit
import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from contextlib import chdir, suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_LOADED = (
    "assay.app",
    "assay.cli.main",
    "assay.web.serving.server",
    "tests.acceptance.killing",
    "tests.integration.web.conftest",
    "tests.preloaded",
)
_CONTEXT = multiprocessing.get_context("forkserver")


def fork(target: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a function in a forked process with the environment variables of this one.

    The arguments are pickled; what the function raises is written to standard error and ends it with code 1.
    """
    _CONTEXT.set_forkserver_preload(["__main__", *_LOADED])
    with chdir(ROOT):  # modules of the tests are found from here
        forkserver.ensure_running()
    process = _CONTEXT.Process(target=_run, args=(dict(os.environ), target, *arguments))
    process.start()
    return process


def shared_number() -> Any:  # noqa: ANN401 - ctypes behind a lock
    """An integer that a forked process can set."""
    return _CONTEXT.Value("i", 0)


def _run(environment: dict[str, str], target: Callable[..., None], *arguments: object) -> None:
    os.environ.clear()
    os.environ.update(environment)
    try:
        target(*arguments)
    finally:
        atexit._run_exitfuncs()  # multiprocessing ends without them


class ForkedProgram:
    """A function that has streams of its own, with the methods of `subprocess.Popen` that tests need.

    log: the file that standard error goes to; None to mix it with standard output.
    """

    def __init__(self, log: Path | None, target: Callable[..., None], *arguments: object) -> None:
        reader, writer = _CONTEXT.Pipe(duplex=False)
        its_reader, our_writer = _CONTEXT.Pipe(duplex=False)
        self._process = fork(_with_streams, its_reader, writer, log, target, *arguments)
        writer.close()
        its_reader.close()
        self.stdout = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        self.stdin = os.fdopen(os.dup(our_writer.fileno()), "w", encoding="utf-8")
        reader.close()
        our_writer.close()

    @property
    def pid(self) -> int | None:
        """The id of the process."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, the negative of a signal, or None as long as it runs."""
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to it."""
        if self.returncode is None and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def wait(self, timeout: float) -> None:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if self.returncode is None:
            raise TimeoutExpired(str(self._process.name), timeout)

    def close(self) -> None:
        """Kill it if it runs still."""
        self._process.kill()
        self._process.join()
        self.stdout.close()
        with suppress(BrokenPipeError):
            self.stdin.close()


def _with_streams(
    reader: Connection, writer: Connection, log: Path | None, target: Callable[..., None], *arguments: object
) -> None:
    os.dup2(reader.fileno(), 0)
    os.dup2(writer.fileno(), 1)
    os.dup2(1 if log is None else os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), 2)
    reader.close()
    writer.close()
    # Those of this process were made for other files.
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(n, "w", closefd=False), "utf-8", write_through=True) for n in (1, 2)
    )
    target(*arguments)
