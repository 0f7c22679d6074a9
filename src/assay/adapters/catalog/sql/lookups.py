"""Questions to Postgres that a search waits for: answered within a limit, or refused."""

import threading
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from assay.adapters.catalog.sql.driver import (
    BoundedConnection,
    Connector,
    Error,
    OperationalError,
    PatientConnects,
    done_within,
    seconds_left,
)
from assay.adapters.catalog.sql.faults import from_postgres
from assay.errors import CatalogUnavailable

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.postgres import PostgresOptions

PAUSE_SECONDS = 5.0
"""How long no search asks a server that did not answer, unless somebody else finds that it answers again."""


class LookUps:
    """Single statements over connections of their own, without transactions; safe to use from several threads.

    options: how many connections there are at the most, and how long an answer may take.

    A connection that has died since it was last used is replaced, so that nobody notices a restart of the server.
    After a failure `ask` refuses at once, until an `insist` (of the thread that follows the live generation, or of a
    health check) succeeds, or until the pause is over and one caller has tried.
    """

    def __init__(self, connector: Connector, name: str, options: "PostgresOptions") -> None:
        self._name = name
        self._options = options
        self._free = threading.BoundedSemaphore(options.pool_size)
        self._idle: deque[BoundedConnection] = deque()
        self._connects = PatientConnects(lambda: connector.connect(patience=None, autocommit=True))
        self._lock = threading.Lock()
        self._asked_again_at: float | None = None

    def ask(self, sql: str, values: Sequence[object], *, seconds: float | None = None) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises CatalogError, at the latest after so many seconds.

        seconds: None for as long as a search may wait.
        """
        if not self._may_ask():
            raise CatalogUnavailable(
                f"The catalog {self._name} did not answer a moment ago.", hint="It is asked again in a few seconds."
            )
        return self.insist(sql, values, seconds=seconds or self._options.lookup_seconds)

    def insist(self, sql: str, values: Sequence[object], *, seconds: float | None = None) -> list[tuple[Any, ...]]:
        """The same, asked also while `ask` refuses. seconds: None for as long as connecting may take."""
        try:
            with done_within(seconds or self._options.connect_seconds):
                rows = self._rows(sql, values)
        except CatalogUnavailable:
            self._pause(PAUSE_SECONDS)
            self._drop_idle()
            raise
        self._pause(None)
        return rows

    def close(self) -> None:
        """Let go of all connections."""
        self._drop_idle()
        self._connects.close()

    def _rows(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        if not self._free.acquire(timeout=seconds_left()):
            raise CatalogUnavailable(
                f"All {self._options.pool_size} connections to the catalog {self._name} are in use.",
                hint="Raise catalog.pool_size, or find out why the server is slow.",
            )
        try:
            return self._rows_over_a_connection(sql, values)
        except Error as error:
            raise from_postgres(self._name, error) from error
        finally:
            self._free.release()

    def _rows_over_a_connection(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        while True:
            used = self._take_idle()
            connection = used or self._connects()
            try:
                rows = connection.execute(sql.encode(), values).fetchall()
            except OperationalError:
                died = connection.closed
                connection.close()
                # A server that was started again has ended all the idle connections; each turn throws one away.
                if used is None or not died or not seconds_left():
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                self._idle.append(connection)
                return rows

    def _take_idle(self) -> BoundedConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _drop_idle(self) -> None:
        while connection := self._take_idle():
            connection.close()

    def _may_ask(self) -> bool:
        with self._lock:
            if self._asked_again_at is None:
                return True
            now = monotonic()
            if now < self._asked_again_at:
                return False
            self._asked_again_at = now + PAUSE_SECONDS  # for everybody else
            return True

    def _pause(self, seconds: float | None) -> None:
        with self._lock:
            self._asked_again_at = None if seconds is None else monotonic() + seconds
