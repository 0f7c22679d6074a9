"""Connections of psycopg that wait no longer than they may. The only file that imports psycopg; it is optional."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillWaiting
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

KEYWORDS = frozenset(option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults())
"""The parameters of a connection that the installed libpq knows."""

Error = psycopg.Error
OperationalError = psycopg.OperationalError
InvalidUrl = psycopg.ProgrammingError

_until: ContextVar[float | None] = ContextVar("until", default=None)


class OutOfTime(psycopg.OperationalError):
    """The server did not answer in the time that there was."""


@contextmanager
def done_within(seconds: float) -> Iterator[None]:
    """Whatever this thread asks of a server in the block has to be done in so many seconds from now, all together."""
    token = _until.set(monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


def seconds_left() -> float | None:
    """What is left of the innermost done_within, 0 or more; None outside of it."""
    until = _until.get()
    return None if until is None else max(until - monotonic(), 0.0)


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that closes itself when the server does not answer in time.

    A limit that the server keeps (statement_timeout) helps against slow statements, and not against a server or a
    network that stands still.
    """

    patience: float | None = None
    """Seconds that one exchange with the server may take, where no done_within says less; None for no limit."""

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as inherited
        """Run one exchange with the server to its end. Raises OutOfTime."""
        limits = [seconds for seconds in (self.patience, seconds_left()) if seconds is not None]
        if not limits:
            return super().wait(gen, *arguments, **named)
        try:
            return super().wait(_until_done(gen, monotonic() + min(limits)), *arguments, **named)
        except OutOfTime:
            self.close()  # an answer that comes later would be taken for that of another question
            raise


def _until_done(exchange: Generator[Any, Any, Any], until: float) -> Generator[Any, Any, Any]:
    """The same exchange, ended at that time. psycopg wakes it ten times a second though nothing has come."""
    try:
        wanted = next(exchange)
        while True:
            ready = yield wanted
            if not ready and monotonic() >= until:
                exchange.close()
                raise OutOfTime("the server does not answer")
            wanted = exchange.send(ready)
    except StopIteration as done:
        return done.value


@dataclass(frozen=True, slots=True)
class Connector:
    """How to reach a server.

    parameters: as libpq has them; the password is one of them.
    schema: the one that the parameters put on the search path; None for the user's own path.
    """

    parameters: Mapping[str, str] = field(repr=False)
    schema: str | None = None

    @classmethod
    def of(cls, url: str, defaults: Mapping[str, str]) -> "Connector":
        """Read a URL as libpq does; defaults hold where it says nothing. Raises InvalidUrl, which may name secrets."""
        said = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
        return cls({**defaults, **said})

    def connect(self, *, patience: float | None, autocommit: bool) -> BoundedConnection:
        """A new connection. Raises OperationalError."""
        # A pooler between us and the server may give every transaction to another session: nothing is prepared.
        parameters: dict[str, Any] = {**self.parameters}
        connection = BoundedConnection.connect(autocommit=autocommit, prepare_threshold=None, **parameters)
        connection.patience = patience
        return connection


class PatientConnects:
    """Connects in threads of their own: who cannot wait any longer leaves the connection to who comes next.

    So a limit that is shorter than it takes to connect delays the first answer, and does not prevent it. Looking up a
    host's name is within the limit too, for which libpq has none.
    """

    def __init__(self, connect: Callable[[], BoundedConnection]) -> None:
        self._connect = connect
        self._left: deque[Future[BoundedConnection]] = deque()

    def __call__(self) -> BoundedConnection:
        """A connection. Raises OperationalError; OutOfTime when done_within ends before there is one."""
        attempt = self._left_by_another() or self._begin()
        try:
            return attempt.result(timeout=seconds_left())
        except StillWaiting:
            self._left.append(attempt)
            raise OutOfTime("there is no connection yet") from None

    def close(self) -> None:
        """Close what nobody came for."""
        while self._left:
            self._left.popleft().add_done_callback(_close_connection)

    def _left_by_another(self) -> Future[BoundedConnection] | None:
        while self._left:
            with suppress(IndexError):  # another thread took it
                attempt = self._left.popleft()
                if not (attempt.done() and attempt.exception()):
                    return attempt
        return None

    def _begin(self) -> Future[BoundedConnection]:
        attempt: Future[BoundedConnection] = Future()

        def run() -> None:
            try:
                attempt.set_result(self._connect())
            except BaseException as error:  # noqa: BLE001 - whoever waits for the attempt raises it
                attempt.set_exception(error)

        threading.Thread(target=run, name="catalog-connect", daemon=True).start()
        return attempt


def _close_connection(attempt: Future[BoundedConnection]) -> None:
    if not attempt.exception():
        attempt.result().close()
