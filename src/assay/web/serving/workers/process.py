"""One worker process as its parent sees it."""

import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing.connection import Pipe
from time import monotonic

from assay.model.workers import PID_BYTES, WorkerShare
from assay.web.serving.workers.messages import Failed, Order, Ready, Task

_START = "import sys; sys.path[:] = sys.argv[2:]; from {module} import main; main(int(sys.argv[1]))"


class WorkerProcess:
    """A process that serves a task. It is spawned: threads and open indexes do not survive a fork.

    module: its entry point, a module whose `main(descriptor)` serves the Task that it receives
        over this connection.
    started: when, by the monotonic clock.

    Raises OSError when it cannot be started.
    """

    def __init__(self, module: str, task: Task) -> None:
        self.number = task.share.number
        self.started = monotonic()
        self.is_ready = False
        self._pid_file = WorkerShare.pid_file(task.share.folder, self.number)
        self.connection, theirs = Pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, "-c", _START.format(module=module), str(theirs.fileno()), *sys.path],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), task.listener, task.share.file),
                process_group=0,  # Ctrl-C reaches the parent alone, which then tells its workers
            )
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self._note(self.pid)
        with suppress(OSError):  # it has ended already; the parent reads that from the connection
            self.connection.send(task)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def receive(self) -> Ready | Failed | None:
        """The next message of a readable connection; None if the process has ended."""
        try:
            message: Ready | Failed = self.connection.recv()
        except (EOFError, OSError):
            return None
        return message

    def send(self, order: Order) -> None:
        """Give an order; nothing happens if the process has ended."""
        with suppress(OSError):
            self.connection.send(order)

    def end(self, seconds: float = 0.0) -> str:
        """Wait for its end, and kill it when the time is over. Returns how it ended."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self.connection.close()
        self._note(0)
        return f"was ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"

    def _note(self, pid: int) -> None:
        """Write this process's id where the metrics look for it; it replaces that of an earlier process."""
        with suppress(OSError), self._pid_file.open("r+b") as file:
            file.write(str(pid).ljust(PID_BYTES).encode())


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
