"""Postgres queries that a search waits for, with a time limit."""

import threading
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from assay.adapters.catalog.sql.driver import (
    BoundedConnection,
    ConnectionAttempts,
    Connector,
    Error,
    OperationalError,
    seconds_left,
    time_limit,
)
from assay.adapters.catalog.sql.faults import map_driver_error
from assay.errors import CatalogUnavailable

if TYPE_CHECKING:
    from assay.adapters.catalog.sql.postgres import PostgresOptions

PAUSE_SECONDS = 5.0
"""Pause of lookups after a server did not answer, unless it answers another query first."""


class Lookups:
    """Single statements over connections of their own, without transactions; safe to use from several threads.

    options: the maximum number of connections, and the time limits.

    A dead idle connection is replaced, so a restart of the server goes unnoticed. After a failure `fetch` raises
    immediately until fetch_despite_pause succeeds (in a health check, or in the thread that follows the live
    generation), or until the pause ends and one caller has tried.
    """

    def __init__(self, connector: Connector, name: str, options: "PostgresOptions") -> None:
        self._name = name
        self._options = options
        self._free = threading.BoundedSemaphore(options.pool_size)
        self._idle: deque[BoundedConnection] = deque()
        self._connects = ConnectionAttempts(lambda: connector.connect(timeout=None, autocommit=True))
        self._lock = threading.Lock()
        self._retry_at: float | None = None

    def fetch(self, sql: str, values: Sequence[object], *, seconds: float | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a statement. Raises CatalogError.

        seconds: time limit; None for that of a search.
        """
        if not self._may_query():
            raise CatalogUnavailable(
                f"The catalog {self._name} did not answer a moment ago.", hint="Try again in a few seconds."
            )
        return self.fetch_despite_pause(sql, values, seconds=seconds or self._options.lookup_seconds)

    def fetch_despite_pause(
        self, sql: str, values: Sequence[object], *, seconds: float | None = None
    ) -> list[tuple[Any, ...]]:
        """Like `fetch`, but also during a pause. seconds: time limit; None for that of connecting."""
        try:
            with time_limit(seconds or self._options.connect_seconds):
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
                hint="Increase catalog.pool_size, or find out why the server is slow.",
            )
        try:
            return self._fetch(sql, values)
        except Error as error:
            raise map_driver_error(self._name, error) from error
        finally:
            self._free.release()

    def _fetch(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        while True:
            used = self._pop_idle()
            connection = used or self._connects()
            try:
                rows = connection.execute(sql.encode(), values).fetchall()
            except OperationalError:
                died = connection.closed
                connection.close()
                # A restarted server has closed all idle connections; each turn discards one.
                if used is None or not died or not seconds_left():
                    raise
            except BaseException:
                connection.close()
                raise
            else:
                self._idle.append(connection)
                return rows

    def _pop_idle(self) -> BoundedConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _drop_idle(self) -> None:
        while connection := self._pop_idle():
            connection.close()

    def _may_query(self) -> bool:
        with self._lock:
            if self._retry_at is None:
                return True
            now = monotonic()
            if now < self._retry_at:
                return False
            self._retry_at = now + PAUSE_SECONDS  # for other callers
            return True

    def _pause(self, seconds: float | None) -> None:
        with self._lock:
            self._retry_at = None if seconds is None else monotonic() + seconds
