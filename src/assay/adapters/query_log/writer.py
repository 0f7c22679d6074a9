"""A bounded queue in front of the log of queries, and the thread that writes it. Nothing waits for the log."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic

from assay.adapters.query_log.store import PAUSE, QueryLog
from assay.errors import AssayError
from assay.model.queries import Click, LoggedQuery

logger = logging.getLogger(__name__)

MOST_WAITING = 10_000
"""Queries and clicks in the queue; beyond that they are dropped."""

FLUSH_SECONDS = 1.0
"""Seconds between two transactions."""

_BATCH = 500
_CLICK_TRIES = 5
"""Transactions after which a click on an unknown query is dropped; another process may not have written it yet."""

_CLIENT_SECONDS = PAUSE.total_seconds() + 5.0
"""Seconds for which the log keeps the name of a client."""

_PURGE_SECONDS = 3_600.0
_WARNING_SECONDS = 60.0
_CLOSE_SECONDS = 5.0

Observer = Callable[[str, int], None]
"""Called with `logged`, `clicks` or `dropped`, and a number."""


@dataclass(frozen=True, slots=True)
class LogRules:
    """The limits of the log.

    keep: for how long. most: maximum number of queries. redact: applied to each text before it is stored.
    """

    keep: timedelta
    most: int
    redact: Callable[[str], str]


class QueryWriter:
    """Writes queries and clicks in batches. `put` neither waits nor raises, whatever happens to the log.

    observe: called after each batch, in the writer's thread.
    """

    def __init__(self, log: QueryLog, rules: LogRules, observe: Observer) -> None:
        self._log = log
        self._rules = rules
        self._observe = observe
        self._waiting: deque[LoggedQuery | Click] = deque()
        self._late: list[tuple[Click, int]] = []
        self._clients_until: float | None = None
        self._wake = Event()
        self._ended = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._purge_at = self._warn_at = 0.0  # of the monotonic clock

    def put(self, item: LoggedQuery | Click) -> None:
        """Queue a query or click; drop it if the queue is full."""
        if len(self._waiting) >= MOST_WAITING or self._ended.is_set():
            self._observe("dropped", 1)
            return
        self._waiting.append(item)
        if not self._wake.is_set():
            self._wake.set()
            self.start()

    def close(self) -> None:
        """Write what is queued, for at most a few seconds."""
        self._ended.set()
        self._wake.set()
        thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    def start(self) -> None:
        """Start the thread, which deletes old queries also while there are no new ones; a second call does nothing."""
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="query-log", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        self._clients_until = monotonic() + _CLIENT_SECONDS  # a server that was killed left names
        self._attempt(0, self._clean_up)
        while not self._ended.is_set():
            self._wake.wait(self._idle_seconds())
            self._ended.wait(FLUSH_SECONDS)
            self._wake.clear()
            self._flush()
        self._flush()
        if self._clients_until is not None:
            self._attempt(0, lambda: self._log.forget_clients(datetime.now(UTC)))

    def _idle_seconds(self) -> float:
        """Seconds without work unless a new query or click arrives."""
        if self._late:
            return FLUSH_SECONDS
        return _PURGE_SECONDS if self._clients_until is None else _CLIENT_SECONDS

    def _flush(self) -> None:
        """Write all that is queued, then clean up. An error costs one batch."""
        late, self._late = self._late, []
        while self._waiting or late:
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), _BATCH))]
            self._attempt(len(batch) + len(late), partial(self._write, batch, late))
            late = []
        self._attempt(0, self._clean_up)

    def _attempt(self, items: int, action: Callable[[], None]) -> None:
        try:
            action()
        except AssayError as error:
            self._observe("dropped", items)
            if monotonic() >= self._warn_at:
                self._warn_at = monotonic() + _WARNING_SECONDS
                logger.warning("Queries are not logged: %s", error)
        except Exception:  # the outermost edge of this thread, which goes on
            self._observe("dropped", items)
            logger.exception("Queries are not logged")

    def _write(self, batch: list[LoggedQuery | Click], late: list[tuple[Click, int]]) -> None:
        queries = [item for item in batch if isinstance(item, LoggedQuery)]
        tries = dict(late) | {item: _CLICK_TRIES for item in batch if isinstance(item, Click)}
        unknown = self._log.append(queries, list(tries), self._rules.redact)
        if any(query.client for query in queries):
            self._clients_until = monotonic() + _CLIENT_SECONDS
        self._late += [(click, tries[click] - 1) for click in unknown if tries[click] > 1]
        self._observe("logged", len(queries))
        self._observe("clicks", len(tries) - len(unknown))

    def _clean_up(self) -> None:
        now = datetime.now(UTC)
        if self._clients_until is not None:
            self._log.forget_clients(now - timedelta(seconds=_CLIENT_SECONDS))
            if monotonic() >= self._clients_until:
                self._clients_until = None
        if monotonic() >= self._purge_at:
            self._purge_at = monotonic() + _PURGE_SECONDS
            self._log.purge(now - self._rules.keep, self._rules.most)
