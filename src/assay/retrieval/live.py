"""Serving the live generation, and swapping to the next one between two requests."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from assay.errors import AssayError, CatalogCorrupt, IndexCorrupt, NoLiveGeneration
from assay.model.generations import Generation
from assay.retrieval.searcher import Searcher

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Lease:
    """A searcher with the number of requests that are using it; closed once it is replaced and nobody does.

    damage: what the first search said that met damaged data; "" as long as none has.
    """

    searcher: Searcher
    users: int = 0
    replaced: bool = False
    damage: str = ""


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """What is served and what went wrong last.

    generation: id of the generation that answers now; None before the first promotion.
    problem: why the catalog could not be asked or the next generation not opened; "" when all is well.
    damage: what of this generation a search found damaged; "" as long as none has. Another generation clears it.
    """

    generation: str | None
    problem: str
    damage: str = ""


@dataclass(slots=True)
class _Watch:
    """The polling thread and the signal that ends it."""

    thread: threading.Thread
    stop: threading.Event


class LiveSearcher:
    """Hands out the searcher of the live generation; every request sees one generation from beginning to end.

    live_id: asks the catalog which generation is live.
    open_searcher: opens a generation.

    When the catalog cannot be asked, or the new generation cannot be opened, the one that is served stays.
    """

    def __init__(self, live_id: Callable[[], str | None], open_searcher: Callable[[str], Searcher]) -> None:
        self._live_id = live_id
        self._open_searcher = open_searcher
        self._lock = threading.Lock()
        self._refreshing = threading.Lock()
        self._current: _Lease | None = None
        self._problem = ""
        self._watch: _Watch | None = None

    @contextmanager
    def lease(self) -> Iterator[Searcher]:
        """Use the live searcher; it stays open until the block is left.

        Raises NoLiveGeneration, or the error that opening it gave, when there is nothing to serve.
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
        """What is served now, without asking the catalog."""
        with self._lock:
            if self._current is None:
                return LiveStatus(None, self._problem)
            return LiveStatus(self._current.searcher.generation.id, self._problem, self._current.damage)

    def generation(self) -> Generation | None:
        """The generation that is served now, as it was when it was opened, without asking the catalog."""
        with self._lock:
            return self._current.searcher.generation if self._current else None

    def refresh(self) -> None:
        """Ask which generation is live, and swap to it if it is another.

        Raises AssayError when that fails; what was served before is served on.
        """
        with self._refreshing:
            try:
                target = self._live_id()
                with self._lock:
                    served = self._current.searcher.generation.id if self._current else None
                if target is not None and target != served:
                    self._swap(self._open_searcher(target))
            except AssayError as error:
                self._note(error.message)
                raise
            self._note("")

    def watch(self, seconds: float) -> None:
        """Refresh every so many seconds from a thread of its own, until close().

        A problem is logged when it comes and when it has gone; one that is there already has been told.
        """
        stop = threading.Event()
        arguments = (stop, seconds, self.status().problem)
        self._watch = _Watch(
            threading.Thread(target=self._poll, args=arguments, name="live-generation", daemon=True), stop
        )
        self._watch.thread.start()

    def close(self) -> None:
        """Stop watching, and close the searcher once its last request is done."""
        if self._watch:
            self._watch.stop.set()
            self._watch.thread.join()
            self._watch = None
        self._swap(None)

    def _acquire(self) -> _Lease:
        with self._lock:
            if self._current:
                self._current.users += 1
                return self._current
        self.refresh()
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

    def _poll(self, stop: threading.Event, seconds: float, said: str) -> None:
        """Refresh, and log what changes about it: nobody else hears of it. What is served stays."""
        while not stop.wait(seconds):
            problem = ""
            try:
                self.refresh()
            except AssayError as error:
                problem = error.message
            if problem and problem != said:
                logger.error("The live generation cannot be refreshed: %s", problem)
            elif said and not problem:
                logger.info("The live generation can be refreshed again.")
            said = problem
