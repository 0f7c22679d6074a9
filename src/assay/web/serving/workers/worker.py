"""A worker process: it serves on the socket of its parent, and obeys only its parent."""

import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from threading import Event, Thread
from typing import Any

import uvicorn

from assay.app import Assay
from assay.errors import AssayError
from assay.settings import unpickle_settings
from assay.web.application import Endpoint
from assay.web.middleware.logs import configure_logging
from assay.web.serving.listening import BACKLOG
from assay.web.serving.server import DrainingServer, build_server, check_placeholders
from assay.web.serving.workers.messages import Failed, Order, Ready, Task

logger = logging.getLogger("assay.web")


class _SharedListener(socket.socket):
    """A listening socket that keeps its own backlog, whatever asyncio asks for."""

    def listen(self, backlog: int = BACKLOG, /) -> None:  # noqa: ARG002 - as inherited
        super().listen(BACKLOG)


class WorkerServer(DrainingServer):
    """A server that leaves signals to its parent.

    systemd and others send SIGTERM to all processes of a service. Here the parent's order alone counts, or a worker
    would take the second SIGTERM as a wish to stop at once.
    """

    def __init__(self, config: uvicorn.Config, *arguments: Any) -> None:  # noqa: ANN401 - passed on unchanged
        # asyncio accepts as many connections in a row as the backlog has: the first worker to wake would take all.
        config.backlog = 1
        super().__init__(config, *arguments)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Change no signal handler."""
        yield


class _Orders:
    """Passes the parent's orders on to the server; those before its start end the process."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._server: DrainingServer | None = None
        self._stops = Event()
        Thread(target=self._listen, name="orders", daemon=True).start()

    def attach(self, server: DrainingServer) -> None:
        self._server = server
        if self._stops.is_set():
            server.begin_stop(with_notice=False)

    def _listen(self) -> None:
        while True:
            try:
                order = self._connection.recv()
            except (EOFError, OSError):
                logger.error("The parent process is gone: this worker ends.")  # noqa: TRY400 - the reason is known
                self._obey(Order.DRAIN)
                return
            self._obey(order)

    def _obey(self, order: Order) -> None:
        self._stops.set()
        if self._server is None:
            return
        if order == Order.STOP:
            self._server.stop_now()
        else:
            self._server.begin_stop(with_notice=order == Order.NOTICE_AND_DRAIN)


def run_worker(descriptor: int, endpoints: Callable[[Assay], Sequence[Endpoint]]) -> None:
    """Serve the task that the parent sends until it orders to stop; send it an error that prevents the start.

    descriptor: of the connection to the parent. endpoints: the further surfaces over an Assay.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    connection = Connection(descriptor)
    try:
        task: Task = connection.recv()
    except (EOFError, OSError):  # the parent is gone already
        return
    for passed in (descriptor, task.listener, task.share.file):
        os.set_inheritable(passed, False)
    try:
        _serve(task, connection, endpoints)
    except AssayError as error:
        with suppress(OSError):
            connection.send(Failed(error))


def _say_ready(connection: Connection) -> None:
    with suppress(OSError):  # the parent is gone, which ends this worker
        connection.send(Ready())


def _serve(task: Task, connection: Connection, endpoints: Callable[[Assay], Sequence[Endpoint]]) -> None:
    settings = unpickle_settings(task.settings)
    configure_logging(settings.server.log_format, with_process=True)
    orders = _Orders(connection)
    with Assay.open(settings, generation=task.generation) as assay:
        assay.parts.workers = task.share
        if task.generation is not None:
            assay.searches.served_generation()  # fail at once if it does not exist
        check_placeholders(assay, task.host)
        with _SharedListener(fileno=task.listener) as listener:
            assay.searches.start_serving()
            server = build_server(assay, task.host, lambda: _say_ready(connection), endpoints(assay), kind=WorkerServer)
            orders.attach(server)
            server.run(sockets=[listener])
