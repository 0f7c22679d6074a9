"""Python processes that a build starts, and the messages to and from them.

A message is its length and then its bytes. Pipes are read by file descriptor: a thread in a buffered reader holds a
lock, and Python aborts if it has to end meanwhile.
"""

import os
import signal
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any

_START = "import sys; sys.path[:] = sys.argv[2:]; from importlib import import_module as get; get(sys.argv[1]).main()"

_MAX_WORKERS = 4
"""The build's own work per page, finding and storing it, keeps about this many workers busy."""

_EXIT_SECONDS = 2.0
"""Seconds to wait for a process to end after its pipe has closed."""

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

    use: a word for what it does, in the name of the file that gets its standard error.
    """

    def __init__(self, module: str, use: str) -> None:
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
        self._process.wait()
        for stream in (*self._pipes, self._stderr):
            stream.close()


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
