"""The parent of a server's workers: it starts them, replaces dead ones, and passes on signals. It serves nothing."""

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from secrets import token_bytes
from time import monotonic

from assay.adapters.telemetry.prometheus import forget_gauges
from assay.app import Assay
from assay.errors import AssayError, ConfigurationError
from assay.model.workers import SECRET_BYTES, WorkerShare
from assay.settings import Settings, pickle_settings
from assay.web.middleware.logs import configure_logging
from assay.web.serving.listening import check_public, is_loopback, listen, url_of, write_line
from assay.web.serving.workers.messages import Failed, Order, Ready, Task
from assay.web.serving.workers.process import WorkerProcess
from assay.web.serving.workers.shared_files import shared_files

logger = logging.getLogger("assay.web")

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
"""Seconds before a dead worker is replaced: 0 if it lived for LONGEST_PAUSE, else from FIRST_PAUSE on, doubled."""

_EXTRA_SECONDS = 5.0
"""Seconds, after those of the drain, in which a worker has to end."""


@dataclass(slots=True)
class _Seat:
    """One worker's place. process: None while it waits for its next start."""

    number: int
    process: WorkerProcess | None = None
    pause: float = 0.0
    start_at: float = 0.0

    @property
    def is_ready(self) -> bool:
        return self.process is not None and self.process.is_ready


class Supervisor:
    """Runs the workers of one server until a signal ends them.

    module: the entry point of a worker (see WorkerProcess).
    listener: the listening socket, of which every worker gets a copy.
    announce: called once all workers answer.
    """

    def __init__(
        self,
        module: str,
        settings: Settings,
        generation: str | None,
        host: str,
        listener: socket.socket,
        announce: Callable[[], None],
    ) -> None:
        self._module = module
        self._settings = settings
        self._pickled = pickle_settings(settings)
        self._generation = generation
        self._host = host
        self._listener = listener
        self._announce = announce
        self._secret = token_bytes(SECRET_BYTES)
        self._seats = [_Seat(number) for number in range(1, settings.server.workers + 1)]
        self._is_announced = False
        self._signals: list[int] = []

    def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises the error of a worker that cannot start."""
        with shared_files(len(self._seats)) as (self._folder, self._file), self._catching_signals() as wakeup:
            try:
                while not self._signals:
                    self._start_due()
                    self._handle(self._readable(wakeup))
                self._drain(wakeup)
            finally:
                self._kill(self._seats)

    def _start_due(self) -> None:
        """Start the first worker, and once it answers, the others: an error in the start is then reported once."""
        has_answered = self._is_announced or any(seat.is_ready for seat in self._seats)
        for seat in self._seats if has_answered else self._seats[:1]:
            if seat.process is None and seat.start_at <= monotonic():
                try:
                    seat.process = WorkerProcess(self._module, self._task(seat.number))
                except OSError as error:
                    hint = "Check the limits of processes, open files and memory."
                    self._on_failed(seat, AssayError(f"No process can be started: {error.strerror}.", hint=hint))

    def _task(self, number: int) -> Task:
        share = WorkerShare(number, len(self._seats), self._folder, self._file, self._secret)
        return Task(share, self._pickled, self._generation, self._host, self._listener.fileno())

    def _readable(self, wakeup: socket.socket, deadline: float | None = None) -> list[_Seat]:
        """Wait for a message, a death, a signal, the next start or the deadline. Returns seats with a message."""
        due = [seat.start_at for seat in self._seats if seat.process is None and seat.start_at > monotonic()]
        times = due if deadline is None else [deadline]
        seconds = max(min(times) - monotonic(), 0.0) if times else None
        running = {seat.process.connection: seat for seat in self._seats if seat.process is not None}
        readable = wait([*running, wakeup], seconds)
        if wakeup in readable:
            with suppress(BlockingIOError):
                wakeup.recv(64)
        return [running[one] for one in readable if one in running]

    def _handle(self, seats: list[_Seat]) -> None:
        for seat in seats:
            assert seat.process is not None
            message = seat.process.receive()
            if isinstance(message, Ready):
                self._on_ready(seat)
            elif isinstance(message, Failed):
                self._on_failed(seat, message.error)
            else:
                self._on_death(seat)

    def _on_ready(self, seat: _Seat) -> None:
        assert seat.process is not None
        seat.process.is_ready = True
        logger.info("Worker %s answers, process %s.", seat.number, seat.process.pid)
        if not self._is_announced and all(one.is_ready for one in self._seats):
            self._is_announced = True
            self._announce()

    def _on_failed(self, seat: _Seat, error: AssayError) -> None:
        """A worker that cannot start ends the server, unless another one answers."""
        if not self._is_announced or not any(one.is_ready for one in self._seats):
            raise error
        if seat.process is not None:
            seat.process.end(_EXTRA_SECONDS)
        self._pause(seat)
        logger.error("Worker %s cannot start: %s Next try in %.1f s.", seat.number, error, seat.pause)

    def _on_death(self, seat: _Seat) -> None:
        assert seat.process is not None
        pid, lived = seat.process.pid, monotonic() - seat.process.started
        was_ready, how = seat.process.is_ready, seat.process.end(_EXTRA_SECONDS)
        forget_gauges(self._folder, seat.number)
        if not self._is_announced or not (was_ready or any(one.is_ready for one in self._seats if one is not seat)):
            raise AssayError(
                f"Worker {seat.number} {how} before it answered.", hint="The log above may have the reason."
            )
        if was_ready and lived >= LONGEST_PAUSE:
            seat.process, seat.pause, seat.start_at = None, 0.0, 0.0
        else:
            self._pause(seat)
        logger.error("Worker %s died: process %s %s; another starts in %.1f s.", seat.number, pid, how, seat.pause)

    def _pause(self, seat: _Seat) -> None:
        seat.process = None
        seat.pause = min(max(seat.pause * 2, FIRST_PAUSE), LONGEST_PAUSE)
        seat.start_at = monotonic() + seat.pause

    def _drain(self, wakeup: socket.socket) -> None:
        """Let the workers end: after the notice of SIGTERM, and at once at a second signal."""
        self._listener.close()  # workers have copies; the last one to close it refuses new connections
        order = Order.NOTICE_AND_DRAIN if self._signals[0] == signal.SIGTERM else Order.DRAIN
        self._kill([seat for seat in self._seats if not seat.is_ready])  # these answer nothing
        self._tell_all(order)
        deadline = monotonic() + 1.0 + self._settings.server.drain_seconds + _EXTRA_SECONDS
        is_hurried = False
        while any(seat.process for seat in self._seats) and monotonic() < deadline:
            if len(self._signals) > 1 and not is_hurried:
                is_hurried, deadline = True, monotonic() + _EXTRA_SECONDS
                self._tell_all(Order.STOP)
            for seat in self._readable(wakeup, deadline):
                assert seat.process is not None
                if seat.process.receive() is None:
                    seat.process.end(_EXTRA_SECONDS)
                    seat.process = None

    def _tell_all(self, order: Order) -> None:
        for seat in self._seats:
            if seat.process is not None:
                seat.process.send(order)

    def _kill(self, seats: list[_Seat]) -> None:
        for seat in seats:
            if seat.process is not None:
                seat.process.end()
                seat.process = None

    @contextmanager
    def _catching_signals(self) -> Iterator[socket.socket]:
        """Note SIGTERM and SIGINT, each of which makes the yielded socket readable."""
        reader, writer = socket.socketpair()
        reader.setblocking(False)
        writer.setblocking(False)

        def note(number: int, _frame: object) -> None:
            self._signals.append(number)
            with suppress(OSError):
                writer.send(b".")

        before = {one: signal.signal(one, note) for one in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield reader
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            reader.close()
            writer.close()


def serve_with_workers(
    assay: Assay, host: str, port: int, module: str, *, allow_public: bool, announce: Callable[[str], None] = write_line
) -> None:
    """Answer over HTTP with `[server] workers` processes until SIGTERM or SIGINT; see assay.web.serving.server.serve.

    assay: closed before the first worker starts.
    module: the entry point of a worker (see WorkerProcess).

    Raises ConfigurationError on Windows, what `serve` raises, and the error of a worker that cannot start.
    """
    if sys.platform == "win32":
        raise ConfigurationError(
            "Several workers cannot share a port on Windows.",
            hint="Set [server] workers = 1, or start several servers behind a balancer.",
        )
    configure_logging(assay.settings.server.log_format, with_process=True)
    if not is_loopback(host):
        check_public(assay, host, allow_public=allow_public)
    generation = assay.searches.resolve_name()
    settings = assay.settings
    assay.close()
    with listen(host, port) as listener:
        ready = f"Assay answers at {url_of(listener)}"
        Supervisor(module, settings, generation, host, listener, lambda: announce(ready)).run()
