"""Python processes that a build starts, and the messages to and from them.

A message is its length and then its bytes. Pipes are read by file descriptor: a thread in a buffered reader holds a
lock, and Python aborts if it has to end meanwhile.

A process may be stopped or hang, so every wait for one is limited. A process that works for long sends an empty message
now and then (Answers).
"""

import logging
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from threading import Event, Lock, Thread
from time import process_time, sleep, thread_time
from typing import IO, Any

logger = logging.getLogger(__name__)

_START = "import sys; sys.path[:] = sys.argv[2:]; from importlib import import_module as get; get(sys.argv[1]).main()"

_MAX_WORKERS = 4
"""The build's own work per page, finding and storing it, keeps about this many workers busy."""

_EXIT_SECONDS = 2.0
"""Seconds to wait for a process to end after its pipe has closed."""

SILENT_SECONDS = 300.0
"""Seconds after which a process that neither answers nor uses CPU time is killed: it is stopped, or it hangs."""

_WARN_SECONDS = 60.0
"""Seconds of a wait after which a warning is logged."""

_CHECKS = 20
"""Checks within the time limit of a wait."""

_SIGN_SECONDS, _SIGN_CPU_SECONDS = 1.0, 0.01
"""Least time between two empty messages, and least CPU time."""

_LENGTH = struct.Struct("<Q")
_READ_BYTES = 1 << 20
_PIPE_BYTES = 1 << 20
"""As large as most messages. A smaller pipe makes the writer wait for the reader, who may be working."""


def has_interpreter() -> bool:
    """Whether sys.executable is a Python interpreter; in an embedded Python it is the embedding program."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def worker_count(requested: int) -> int:
    """The number of workers that a build may start; 0 if it reads every page itself.

    requested: the setting: 0 for one per available CPU, up to 4; 1 for none.
    """
    count = requested or min(_available_cpus(), _MAX_WORKERS)
    return count if count > 1 and has_interpreter() else 0


def _available_cpus() -> int:
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class ChildProcess:
    """A Python process that runs `main` of a module, and ends with this process. Raises OSError if it cannot start.

    use: a word for what it does, for the log and the name of the file that gets its standard error.
    seconds: limit of each wait for it; None for SILENT_SECONDS.
    timed_out: it was killed because a wait took longer, which closed its pipes and ended the wait.
    """

    def __init__(self, module: str, use: str, seconds: float | None = None) -> None:
        self.timed_out = False
        self._use = use
        self._seconds = SILENT_SECONDS if seconds is None else seconds
        self._wait: object = None
        self._stopped = Event()
        self._stderr: IO[bytes] = tempfile.TemporaryFile(prefix=f"assay-{use}-")  # noqa: SIM115 - closed by stop
        try:
            self._process = _start_python(module, self._stderr)
        except OSError:
            self._stderr.close()
            raise
        assert self._process.stdin
        assert self._process.stdout
        self._pipes = (self._process.stdin, self._process.stdout)
        self._requests, self._answers = (pipe.fileno() for pipe in self._pipes)
        # Pipes cannot be polled on Windows. One thread for all waits: while other processes work, starting one for each
        # takes longer than the answer.
        self._watch = Thread(target=self._watch_waits, daemon=True)
        self._watch.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def exit_reason(self) -> str:
        """Why it has ended, for messages."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_SECONDS)
        if self.timed_out:
            return f"it gave no answer for {self._seconds:g} s"
        code = self.exit_code
        if code is None:
            return "it no longer answers"
        if code < 0:
            try:
                return f"killed by {signal.Signals(-code).name}"
            except ValueError:
                return f"killed by signal {-code}"
        self._stderr.seek(0)
        last_line = self._stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
        return f"exit code {code}" + (f": {last_line}" if last_line else "")

    def stop(self) -> None:
        """Kill the process. A second call does nothing."""
        self._process.kill()
        self._stopped.set()
        self._watch.join()
        self._process.wait()
        for stream in (*self._pipes, self._stderr):
            stream.close()

    def _receive(self) -> bytes | None:
        """Wait for a message that is not empty; None when the process has ended or timed out."""
        while True:
            with self._limit_time():
                frame = read_frame(self._answers)
            if frame != b"":
                return frame

    def _write(self, message: bytes) -> None:
        """Send a message. Raises OSError when the process has ended or timed out."""
        with self._limit_time():
            write_frame(self._requests, message)

    @contextmanager
    def _limit_time(self) -> Iterator[None]:
        """Kill the process when the block takes too long."""
        self._wait = object()
        try:
            yield
        finally:
            self._wait = None

    def _watch_waits(self) -> None:
        """Kill the process when one wait takes too long.

        Checks are counted, not seconds: a build that was suspended would find that it has waited for all of that time.
        """
        wait: object = None
        checks = 0
        while not self._stopped.wait(interval := self._seconds / _CHECKS):
            is_same = self._wait is not None and self._wait is wait
            wait, checks = self._wait, checks + 1 if is_same else 0
            if checks >= _CHECKS:
                self.timed_out = True
                self._process.kill()
                return
            if (checks - 1) * interval < _WARN_SECONDS <= checks * interval:
                logger.warning(
                    "A process of this build (%s, process id %d) has not answered for %.0f s. "
                    "After %.0f s it is killed.",
                    self._use,
                    self.pid,
                    checks * interval,
                    self._seconds,
                )


def _start_python(module: str, stderr: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start an interpreter with this one's module path, which runs `main` of a module. Raises OSError.

    multiprocessing would run the program's main module again in each process, so a program that imports Assay would
    need a main guard. The process has its own group, so that Ctrl-C ends the build and the build ends its processes.
    """
    # Unbuffered: frames are read and written by descriptor.
    command = [sys.executable, "-c", _START, module, *sys.path]
    group: Any = {"process_group": 0}
    if sys.platform == "win32":
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    process = subprocess.Popen(  # noqa: S603 - this interpreter
        command, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=_environment(), **group
    )
    _enlarge(process.stdin, process.stdout)
    return process


def _environment() -> dict[str, str]:
    """This process's, but with buffered output: a `sitecustomize` may print before pipes_to_parent redirects it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def _enlarge(*pipes: IO[bytes] | None) -> None:
    """Enlarge pipes where the system can: Linux, up to a limit for each user."""
    if sys.platform == "linux":
        from fcntl import F_SETPIPE_SZ, fcntl  # not on Windows

        for pipe in filter(None, pipes):
            with suppress(OSError):
                fcntl(pipe.fileno(), F_SETPIPE_SZ, _PIPE_BYTES)


def pipes_to_parent() -> tuple[int, int]:
    """In the started process: the pipes from and to its parent. Printed output goes to standard error instead."""
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return sys.stdin.fileno(), answers


class Answers:
    """In the started process: sends messages to its parent, and empty ones while it uses CPU time.

    The empty ones show that the process works on a long message. One that was stopped sends none.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = Lock()
        Thread(target=self._send_signs, daemon=True).start()

    def send(self, message: bytes) -> None:
        """Send a message. Raises OSError when the parent is gone."""
        with self._lock:
            write_frame(self._descriptor, message)

    def _send_signs(self) -> None:
        seen = 0.0
        while True:
            sleep(_SIGN_SECONDS)
            worked = process_time() - thread_time()  # without this thread's
            if worked - seen >= _SIGN_CPU_SECONDS:
                seen = worked
                try:
                    self.send(b"")
                except OSError:
                    return


def receive_ahead(requests: int, most: int = 0) -> "Queue[bytes]":
    """In the started process: receive messages from the parent in a thread, so that it seldom waits to send one.

    The process ends when the parent does. most: number of messages that may wait; 0 for no limit.
    """
    received: Queue[bytes] = Queue(most)
    Thread(target=_receive, args=(requests, received), daemon=True).start()
    return received


def _receive(requests: int, received: "Queue[bytes]") -> None:
    while (frame := read_frame(requests)) is not None:
        received.put(frame)
    os._exit(0)


def write_frame(descriptor: int, message: bytes) -> None:
    """Write a message. Raises OSError when the reader is gone."""
    for part in (_LENGTH.pack(len(message)), message):
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def read_frame(descriptor: int) -> bytes | None:
    """Read a message; None when the other side is gone, even within one."""
    header = _read(descriptor, _LENGTH.size)
    return None if header is None else _read(descriptor, _LENGTH.unpack(header)[0])


def _read(descriptor: int, length: int) -> bytes | None:
    received = bytearray()
    while len(received) < length:
        try:
            part = os.read(descriptor, min(length - len(received), _READ_BYTES))
        except OSError:
            return None
        if not part:
            return None
        received += part
    return bytes(received)
