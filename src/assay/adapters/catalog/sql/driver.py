"""psycopg connections with time limits. The only file that imports psycopg, which is optional."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

KEYWORDS = frozenset(option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults())
"""Connection parameters of the installed libpq."""

Error = psycopg.Error
OperationalError = psycopg.OperationalError
InvalidUrl = psycopg.ProgrammingError

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


class ServerTimeout(psycopg.OperationalError):
    """The server did not answer in time."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the total time of all server requests that this thread makes in the block."""
    token = _deadline.set(monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float | None:
    """Seconds left of the innermost time_limit, 0 or more; None outside of one."""
    deadline = _deadline.get()
    return None if deadline is None else max(deadline - monotonic(), 0.0)


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that closes itself when the server does not answer in time.

    The server's own limit (statement_timeout) does not help if the server or the network hangs.
    """

    timeout: float | None = None
    """Seconds for one exchange with the server, unless time_limit sets fewer; None for no limit."""

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as inherited
        """Run one exchange with the server. Raises ServerTimeout."""
        limits = [seconds for seconds in (self.timeout, seconds_left()) if seconds is not None]
        if not limits:
            return super().wait(gen, *arguments, **named)
        try:
            return super().wait(_with_deadline(gen, monotonic() + min(limits)), *arguments, **named)
        except ServerTimeout:
            self.close()  # a late answer would be read as that of the next request
            raise


def _with_deadline(exchange: Generator[Any, Any, Any], deadline: float) -> Generator[Any, Any, Any]:
    """Run an exchange until a deadline. psycopg resumes it ten times a second, also without an answer."""
    try:
        wanted = next(exchange)
        while True:
            ready = yield wanted
            if not ready and monotonic() >= deadline:
                exchange.close()
                raise ServerTimeout("the server does not answer")
            wanted = exchange.send(ready)
    except StopIteration as done:
        return done.value


@dataclass(frozen=True, slots=True)
class Connector:
    """How to reach a server.

    parameters: libpq's, including the password.
    schema: that of the tables; None for the first one of the user's search path.
    """

    parameters: Mapping[str, str] = field(repr=False)
    schema: str | None = None

    @classmethod
    def of(cls, url: str, defaults: Mapping[str, str]) -> "Connector":
        """Parse a URL as libpq does, over defaults. Raises InvalidUrl, whose message may contain secrets."""
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
        return cls({**defaults, **given})

    def connect(self, *, timeout: float | None, autocommit: bool) -> BoundedConnection:
        """Connect. Raises OperationalError."""
        # A pooler may give every transaction to another session, so nothing is prepared.
        parameters: dict[str, Any] = {**self.parameters}
        connection = BoundedConnection.connect(autocommit=autocommit, prepare_threshold=None, **parameters)
        connection.timeout = timeout
        return connection


class ConnectionAttempts:
    """Connects in background threads; a caller that times out leaves its attempt to the next caller.

    Thus a time limit shorter than connecting takes delays the first answer but does not prevent it. The limit includes
    the lookup of the host name, for which libpq has none.
    """

    def __init__(self, connect: Callable[[], BoundedConnection]) -> None:
        self._connect = connect
        self._abandoned: deque[Future[BoundedConnection]] = deque()

    def __call__(self) -> BoundedConnection:
        """Return a connection. Raises OperationalError; ServerTimeout if time_limit ends first."""
        attempt = self._abandoned_attempt() or self._begin()
        try:
            return attempt.result(timeout=seconds_left())
        except FutureTimeout:
            self._abandoned.append(attempt)
            raise ServerTimeout("there is no connection yet") from None

    def close(self) -> None:
        """Close abandoned connections."""
        while self._abandoned:
            self._abandoned.popleft().add_done_callback(_close_connection)

    def _abandoned_attempt(self) -> Future[BoundedConnection] | None:
        while self._abandoned:
            with suppress(IndexError):  # another thread took it
                attempt = self._abandoned.popleft()
                if not (attempt.done() and attempt.exception()):
                    return attempt
        return None

    def _begin(self) -> Future[BoundedConnection]:
        attempt: Future[BoundedConnection] = Future()

        def run() -> None:
            try:
                attempt.set_result(self._connect())
            except BaseException as error:  # noqa: BLE001 - raised by the waiting caller
                attempt.set_exception(error)

        threading.Thread(target=run, name="catalog-connect", daemon=True).start()
        return attempt


def _close_connection(attempt: Future[BoundedConnection]) -> None:
    if not attempt.exception():
        attempt.result().close()
