"""How long searches take: one after the other, several at once, or arriving at a fixed rate.

In a *closed loop* the next request waits for the answer to the one before. It measures what a search takes, but while
the service stands still nobody asks, so that a stall of ten seconds is one slow search among thousands. In an *open
loop* requests arrive when they are due, whatever became of those before, and the latency of each counts from when it
was due: who had to wait in line has waited (G. Tene calls the mistake "coordinated omission").
"""

import math
import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

from assay.errors import AssayError, InputError
from assay.model.ranking import Query, Ranking, Timings
from assay.model.validations import LatencyFigures, LoadFigures, Percentiles
from assay.ports import Progress

Search = Callable[[Query], Ranking]

ENOUGH_FOR_P99 = 1_000
"""Samples from which on p99 is more than an estimate: ten of them lie above it."""

LATE_MS = 10.0
"""From how many milliseconds after it was due a request counts as begun late."""

STAGES = ("embed", "search", "fuse", "filter")
WAIT = "wait"
"""The stage before a request of an open loop is sent: for a free client, because others were not answered yet."""

_MOST_REQUESTS = 10_000_000
_MOST_AT_ONCE = 1_000
_LOOK_UP = 0.1


class Clock(Protocol):
    """Time, as seconds from any moment on."""

    def now(self) -> float:
        """This moment; never goes back."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """This moment."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)


# --- percentiles ---------------------------------------------------------------------------------------------------


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of the samples lies, linear between order statistics.

    ordered: ascending, at least one. share: 0 to 1. With h = (n - 1) · share it is
    x[⌊h⌋] + (h - ⌊h⌋) · (x[⌊h⌋ + 1] - x[⌊h⌋]), x counted from 0: definition 7 of Hyndman and Fan (The American
    Statistician, 1996), which is also numpy's.
    """
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def percentiles(milliseconds: Sequence[float]) -> Percentiles:
    """Mean and percentiles of latencies, in any order; all 0 without any."""
    ordered = sorted(milliseconds)
    if not ordered:
        return Percentiles(0, 0.0, 0.0, 0.0, 0.0, 0.0, p99_estimated=True)
    return Percentiles(
        samples=len(ordered),
        mean_ms=math.fsum(ordered) / len(ordered),
        p50_ms=percentile(ordered, 0.50),
        p95_ms=percentile(ordered, 0.95),
        p99_ms=percentile(ordered, 0.99),
        max_ms=ordered[-1],
        p99_estimated=len(ordered) < ENOUGH_FOR_P99,
    )


def figures(timings: Sequence[Timings], note: str = "") -> LatencyFigures:
    """What searches say of how long they took, in all and by stage.

    note: what has to be known to read the figures right.
    """
    total = percentiles([timing.total_ms for timing in timings])
    return LatencyFigures(**asdict(total), stages=_by_stage(timings), note=note)


def _by_stage(timings: Sequence[Timings]) -> dict[str, Percentiles]:
    return {stage: percentiles([getattr(timing, f"{stage}_ms") for timing in timings]) for stage in STAGES}


# --- loads ---------------------------------------------------------------------------------------------------------


def _require(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(f"{what}: it has to be from {least:,} to {most:,}; it is {value:,}.")


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """So many requests, each client asking again when it was answered.

    at_once: clients, 1 to 1,000; 1 means one after the other.
    requests: of all clients together, 1 or more.
    warm_up: requests before, which are not counted: the first ones open files and fill caches.

    Raises InputError.
    """

    at_once: int
    requests: int
    warm_up: int = 5

    def __post_init__(self) -> None:
        _require("at once", self.at_once, 1, _MOST_AT_ONCE)
        _require("requests", self.requests, 1, _MOST_REQUESTS)

    @property
    def name(self) -> str:
        """As a report has it."""
        return f"{self.requests} in a row" if self.at_once == 1 else f"{self.requests} requests, {self.at_once} at once"


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Requests that arrive at a fixed rate, however long the answers take.

    rate: arrivals a second, more than 0; one every 1/rate seconds, the first at once.
    seconds: how long they arrive.
    at_once: requests that are on their way at the same time, at most; who arrives then waits in line.
    most_waiting: who arrives when so many wait is turned away, and counted as that.
    warm_up: requests before, one after the other, which are not counted.

    Raises InputError.
    """

    rate: float
    seconds: float
    at_once: int = 64
    most_waiting: int = 1_000
    warm_up: int = 5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0.0):
            raise InputError(f"The rate has to be more than 0 requests a second; it is {self.rate:g}.")
        if not (math.isfinite(self.seconds) and self.seconds > 0.0):
            raise InputError(f"The duration has to be more than 0 seconds; it is {self.seconds:g}.")
        _require("at once", self.at_once, 1, _MOST_AT_ONCE)
        _require("rate times duration", self.requests, 1, _MOST_REQUESTS)

    @property
    def requests(self) -> int:
        """How many arrive."""
        return max(math.ceil(self.rate * self.seconds - 1e-9), 1)

    @property
    def name(self) -> str:
        """As a report has it."""
        return f"{self.rate:g} a second for {self.seconds:g} s"


Load = ClosedLoop | OpenLoop

SUITE = (ClosedLoop(1, 100), ClosedLoop(50, 50))
"""What seed 001's specification asks for: 100 in a row, on average under 500 ms; 50 at once, p95 under 2 s."""


# --- measuring -----------------------------------------------------------------------------------------------------


def measure_load(
    load: Load,
    search: Search,
    queries: Sequence[Query],
    progress: Progress,
    clock: Clock | None = None,
) -> LoadFigures:
    """Ask under a load, and say how long it took from end to end and by stage.

    search: called from as many threads as the load has requests at once.
    queries: asked in their order, again from the first when they run out.

    A request that failed has no latency, and is counted apart with those that were turned away. Raises InputError
    without queries; a failure that is not an AssayError is raised again.
    """
    if not queries:
        raise InputError("There is no query to measure latency with.", hint="A test set with a topic that has text.")
    measurement = _Measurement(load, search, queries, clock or SystemClock(), progress)
    for place in range(load.warm_up):
        measurement.warm_up(queries[place % len(queries)])
    progress.begin("load", load.requests)
    try:
        measurement.run()
    finally:
        progress.end()
    return measurement.figures()


@dataclass(slots=True)
class _Notes:
    """What one load brought."""

    latencies: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    timings: list[Timings] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    turned_away: int = 0
    late: int = 0
    last_done: float = 0.0
    bug: BaseException | None = None


class _Measurement:
    """One load. Each thread is a client that takes the next request, waits until it is due, and asks.

    Requests are taken in the order in which they are due, so the line in front of the clients needs no thread of its
    own: who is due while all clients ask is taken late, and how long the line was when it arrived follows from when
    those before it were taken.
    """

    def __init__(self, load: Load, search: Search, queries: Sequence[Query], clock: Clock, progress: Progress) -> None:
        self._load = load
        self._search = search
        self._queries = queries
        self._clock = clock
        self._progress = progress
        self._lock = threading.Lock()
        self._next = 0
        self._taken: list[float] = []
        self._begun = 0.0
        self._stop = False
        self._notes = _Notes()

    def warm_up(self, query: Query) -> None:
        """Ask without counting; a failure will come up again."""
        try:
            self._search(query)
        except AssayError:
            return

    def run(self) -> None:
        """Ask everything."""
        self._begun = self._clock.now()
        threads = [
            threading.Thread(target=self._client, name=f"load-{number}", daemon=True)
            for number in range(min(self._load.at_once, self._load.requests))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_LOOK_UP)
        finally:
            self._stop = True
        if self._notes.bug is not None:
            raise self._notes.bug

    def figures(self) -> LoadFigures:
        """What was found."""
        notes, load = self._notes, self._load
        stages = _by_stage(notes.timings)
        if isinstance(load, OpenLoop):
            stages = {WAIT: percentiles(notes.waits), **stages}
        elapsed = notes.last_done - self._begun
        return LoadFigures(
            **asdict(percentiles(notes.latencies)),
            name=load.name,
            errors=sum(notes.errors.values()),
            rate=len(notes.latencies) / elapsed if notes.latencies and elapsed > 0.0 else 0.0,
            stages=stages,
            error_kinds=dict(sorted(notes.errors.items())),
            offered_rate=load.rate if isinstance(load, OpenLoop) else None,
            late=notes.late,
            turned_away=notes.turned_away,
        )

    def _client(self) -> None:
        try:
            while not self._stop and (taken := self._take()) is not None:
                self._ask(*taken)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that measures
            self._notes.bug = error
            self._stop = True

    def _take(self) -> tuple[Query, float] | None:
        """The next request and when it is due; None when there are no more. Returns when it is due."""
        with self._lock:
            while (place := self._next) < self._load.requests:
                self._next += 1
                now = self._clock.now()
                if isinstance(self._load, ClosedLoop):
                    return self._queries[place % len(self._queries)], now
                due = self._begun + place / self._load.rate
                if self._line_at(due) < self._load.most_waiting:
                    self._taken.append(max(due, now))
                    break
                self._notes.turned_away += 1
                self._progress.advance()
            else:
                return None
        self._sleep_until(due)
        return self._queries[place % len(self._queries)], due

    def _line_at(self, moment: float) -> int:
        """How many were waiting then: those due before that were taken only after."""
        return len(self._taken) - bisect_right(self._taken, moment)

    def _sleep_until(self, due: float) -> None:
        while (left := due - self._clock.now()) > _LOOK_UP and not self._stop:
            self._clock.sleep(_LOOK_UP)
        if 0.0 < left <= _LOOK_UP:
            self._clock.sleep(left)

    def _ask(self, query: Query, due: float) -> None:
        begun = self._clock.now()
        try:
            ranking = self._search(query)
            failed, timings = "", ranking.timings
        except AssayError as error:
            failed, timings = type(error).__name__, None
        done = self._clock.now()
        wait = (begun - due) * 1000.0
        with self._lock:
            notes = self._notes
            notes.last_done = max(notes.last_done, done)
            notes.late += wait >= LATE_MS
            if timings is None:
                notes.errors[failed] += 1
            else:
                notes.latencies.append((done - due) * 1000.0)
                notes.waits.append(wait)
                notes.timings.append(timings)
            self._progress.advance()
