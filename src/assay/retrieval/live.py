"""Serves the live generation and switches to the next one between two requests."""

import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from assay.errors import AssayError, CatalogCorrupt, IndexCorrupt, NoLiveGeneration
from assay.model.generations import Generation
from assay.retrieval.searcher import Searcher

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
"""Seconds without a check by requests after one that failed: an unreachable database may answer late."""


@dataclass(slots=True)
class _Lease:
    """A searcher with the number of its running requests; closed when it is replaced and has none.

    damage: message of the first search that met damaged data; "" if none has.
    """

    searcher: Searcher
    users: int = 0
    replaced: bool = False
    damage: str = ""


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """The generation that is served, and its problems.

    generation: its id; None before the first promotion.
    problem: why the catalog could not be read or the next generation not opened; "" if neither failed.
    damage: message of the first search that met damaged data in this generation; "" if none has.
    """

    generation: str | None
    problem: str
    damage: str = ""


class LiveSearcher:
    """Leases the searcher of the live generation; each request sees one generation from start to end.

    live_id: reads the id of the live generation from the catalog.
    open_searcher: opens a generation.
    check_seconds: unless a thread watches, the first request after this time checks which generation is live.

    If the catalog cannot be read or the new generation cannot be opened, the old one is still served.
    """

    def __init__(
        self, live_id: Callable[[], str | None], open_searcher: Callable[[str], Searcher], check_seconds: float
    ) -> None:
        self._live_id = live_id
        self._open_searcher = open_searcher
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        self._current: _Lease | None = None
        self._check_seconds = check_seconds
        self._next_check = -math.inf
        self._problem = ""
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    @contextmanager
    def lease(self) -> Iterator[Searcher]:
        """Use the live searcher; it stays open until the block is left.

        Raises NoLiveGeneration, or the error of opening it, if there is nothing to serve.
        """
        lease = self._acquire()
        try:
            yield lease.searcher
        except (IndexCorrupt, CatalogCorrupt) as error:
            self._remember_damage(lease, error.message)
            raise
        finally:
            self._release(lease)

    def status(self) -> LiveStatus:
        """The current status, without reading the catalog."""
        with self._lock:
            if self._current is None:
                return LiveStatus(None, self._problem)
            return LiveStatus(self._current.searcher.generation.id, self._problem, self._current.damage)

    def generation(self) -> Generation | None:
        """The generation that is served, as it was when it was opened; does not read the catalog."""
        with self._lock:
            return self._current.searcher.generation if self._current else None

    def refresh(self) -> None:
        """Read which generation is live, and switch to it if it is a new one.

        Raises AssayError if that fails; the old generation is still served.
        """
        with self._refreshing:
            try:
                target = self._live_id()
                with self._lock:
                    served = self._current.searcher.generation.id if self._current else None
                if target is not None and target != served:
                    self._swap(self._open_latest(target))
            except AssayError as error:
                self._note(error.message)
                raise
            self._note("")

    def expire(self) -> None:
        """Let the next request check which generation is live, unless a thread watches."""
        with self._lock:
            self._next_check = -math.inf

    def _open_latest(self, target: str) -> Searcher:
        """Open the live generation.

        On a busy machine it can be replaced and removed by retention between reading its id and opening it. Then its
        successor is opened.
        """
        while True:
            try:
                return self._open_searcher(target)
            except AssayError:
                latest = self._live_id()
                if latest is None or latest == target:
                    raise
                target = latest

    def watch(self, seconds: float) -> None:
        """Call refresh() every `seconds` in a background thread until close().

        Logs when a problem starts and when it ends; a problem that exists already was logged before.
        """
        arguments = (seconds, self.status().problem)
        self._thread = threading.Thread(target=self._poll, args=arguments, name="live-generation", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching, and close the searcher once its last request is done."""
        self._stop.set()
        if self._thread:
            self._thread.join()
        self._swap(None)

    def _acquire(self) -> _Lease:
        with self._lock:
            is_due = self._thread is None and monotonic() >= self._next_check
            if self._current and not is_due:
                self._current.users += 1
                return self._current
            is_served = self._current is not None
            self._next_check = monotonic() + self._check_seconds
        try:
            self.refresh()
        except AssayError as error:
            if not is_served:
                raise
            logger.warning("The live generation cannot be refreshed: %s", error.message)
            with self._lock:
                self._next_check = monotonic() + _RETRY_SECONDS
        with self._lock:
            if self._current is None:
                raise NoLiveGeneration(
                    "No generation is live yet.", hint="`assay publish` builds one, checks it and promotes it."
                )
            self._current.users += 1
            return self._current

    def _remember_damage(self, lease: _Lease, damage: str) -> None:
        with self._lock:
            first, lease.damage = not lease.damage, lease.damage or damage
        if first:
            logger.error("Generation %s is damaged: %s", lease.searcher.generation.id, damage)

    def _release(self, lease: _Lease) -> None:
        with self._lock:
            lease.users -= 1
            idle = lease.replaced and lease.users == 0
        if idle:
            lease.searcher.close()

    def _swap(self, searcher: Searcher | None) -> None:
        with self._lock:
            old, self._current = self._current, _Lease(searcher) if searcher else None
            if old:
                old.replaced = True
            idle = old is not None and old.users == 0
        if old and idle:
            old.searcher.close()

    def _note(self, problem: str) -> None:
        with self._lock:
            self._problem = problem

    def _poll(self, seconds: float, logged: str) -> None:
        """Refresh and log changes of the problem, which nobody else would report."""
        while not self._stop.wait(seconds):
            problem = ""
            try:
                self.refresh()
            except AssayError as error:
                problem = error.message
            if problem and problem != logged:
                logger.error("The live generation cannot be refreshed: %s", problem)
            elif logged and not problem:
                logger.info("The live generation can be refreshed again.")
            logged = problem
