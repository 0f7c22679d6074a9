"""Measure search latency: sequential, concurrent, or at a fixed arrival rate.

In a *closed loop* each client sends its next request after the response to the last one. A stall of ten seconds is
then one slow search among thousands, because nobody sends requests meanwhile. In an *open loop* requests arrive on
schedule, and latency counts from the scheduled time, so queueing is included (G. Tene calls the mistake of leaving it
out "coordinated omission").
"""

import math
import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from assay.errors import AssayError, InputError
from assay.model.ranking import Query, Ranking, Timings
from assay.model.validations import LatencyFigures, LoadFigures, Percentiles
from assay.ports import Progress, stage

Search = Callable[[Query], Ranking]

ENOUGH_FOR_P99 = 1_000
"""With fewer samples p99 is an estimate: fewer than ten lie above it."""

LATE_MS = 10.0
"""A request that starts this many milliseconds after its scheduled time is late."""

STAGES = ("embed", "search", "fuse", "filter")
RERANK = "rerank"
"""A further stage, of searches with a reranker."""

WAIT = "wait"
"""The stage in which a request of an open loop waits for a free client."""

_MOST_REQUESTS = 10_000_000
_MOST_AT_ONCE = 1_000
_LOOK_UP = 0.1


class Clock:
    """The machine's monotonic clock, in seconds."""

    def now(self) -> float:
        """The current time; never decreases."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""
        time.sleep(seconds)


# --- percentiles ---------------------------------------------------------------------------------------------------


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of the samples lies, interpolated linearly between order statistics.

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
    """Latency figures from the timings of searches, in total and by stage. note: printed with the figures."""
    total = percentiles([timing.total_ms for timing in timings])
    return LatencyFigures(**asdict(total), stages=_by_stage(timings), note=note)


def _by_stage(timings: Sequence[Timings]) -> dict[str, Percentiles]:
    stages = (*STAGES, RERANK) if any(timing.rerank_ms for timing in timings) else STAGES
    return {stage: percentiles([getattr(timing, f"{stage}_ms") for timing in timings]) for stage in stages}


# --- loads ---------------------------------------------------------------------------------------------------------


def _require(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InputError(f"{what} must be from {least:,} to {most:,}; it is {value:,}.")


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """A fixed number of requests; each client sends the next one after a response.

    at_once: number of clients, 1 to 1,000.
    requests: total of all clients, 1 or more.
    warm_up: uncounted requests before, which open files and fill caches.

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
        """Name in reports."""
        return f"{self.requests} in a row" if self.at_once == 1 else f"{self.requests} requests, {self.at_once} at once"


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Requests that arrive at a fixed rate, independent of the responses.

    rate: arrivals per second, more than 0; one every 1/rate seconds, the first immediately.
    seconds: duration of the arrivals.
    at_once: largest number of requests in flight; further ones wait in a queue.
    most_waiting: largest length of the queue; further arrivals are turned away and counted.
    warm_up: uncounted sequential requests before.

    Raises InputError.
    """

    rate: float
    seconds: float
    at_once: int = 64
    most_waiting: int = 1_000
    warm_up: int = 5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0.0):
            raise InputError(f"The rate must be more than 0 requests a second; it is {self.rate:g}.")
        if not (math.isfinite(self.seconds) and self.seconds > 0.0):
            raise InputError(f"The duration must be more than 0 seconds; it is {self.seconds:g}.")
        _require("at once", self.at_once, 1, _MOST_AT_ONCE)
        _require("rate times duration", self.requests, 1, _MOST_REQUESTS)

    @property
    def requests(self) -> int:
        """Number of arrivals."""
        return max(math.ceil(self.rate * self.seconds - 1e-9), 1)

    @property
    def name(self) -> str:
        """Name in reports."""
        return f"{self.rate:g} a second for {self.seconds:g} s"


Load = ClosedLoop | OpenLoop


# --- measuring -----------------------------------------------------------------------------------------------------


def measure_load(
    load: Load,
    search: Search,
    queries: Sequence[Query],
    progress: Progress,
    clock: Clock | None = None,
) -> LoadFigures:
    """Search under a load. Return the latency, end to end and by stage.

    search: called from as many threads as the load has requests at once.
    queries: searched in their order, repeated from the first.

    Failed and turned-away requests have no latency and are counted separately. Raises InputError without queries, and
    any error of a search that is not an AssayError.
    """
    if not queries:
        raise InputError("There is no query to measure latency with.", hint="Add a topic with text to the test set.")
    measurement = _Measurement(load, search, queries, clock or Clock(), progress)
    for place in range(load.warm_up):
        measurement.warm_up(queries[place % len(queries)])
    with stage(progress, "load", load.requests):
        measurement.run()
    return measurement.figures()


@dataclass(slots=True)
class _Samples:
    """The measurements of one load."""

    latencies: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    timings: list[Timings] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    turned_away: int = 0
    late: int = 0
    last_done: float = 0.0
    bug: BaseException | None = None


class _Measurement:
    """One load. Each thread is a client that takes the next request, waits until it is due, and sends it.

    Requests are taken in scheduled order, so the queue needs no thread of its own: a request that is due while all
    clients are busy is taken late, and the times at which earlier requests were taken give the length of the queue.
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
        self._samples = _Samples()

    def warm_up(self, query: Query) -> None:
        """Search without counting. Errors are ignored: they occur again in the measurement."""
        try:
            self._search(query)
        except AssayError:
            return

    def run(self) -> None:
        """Send all requests and wait for the responses."""
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
        if self._samples.bug is not None:
            raise self._samples.bug

    def figures(self) -> LoadFigures:
        """Summarize the measurements."""
        samples, load = self._samples, self._load
        stages = _by_stage(samples.timings)
        if isinstance(load, OpenLoop):
            stages = {WAIT: percentiles(samples.waits), **stages}
        elapsed = samples.last_done - self._begun
        return LoadFigures(
            **asdict(percentiles(samples.latencies)),
            name=load.name,
            errors=sum(samples.errors.values()),
            rate=len(samples.latencies) / elapsed if samples.latencies and elapsed > 0.0 else 0.0,
            stages=stages,
            error_kinds=dict(sorted(samples.errors.items())),
            offered_rate=load.rate if isinstance(load, OpenLoop) else None,
            late=samples.late,
            turned_away=samples.turned_away,
        )

    def _client(self) -> None:
        try:
            while not self._stop and (taken := self._take()) is not None:
                self._ask(*taken)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that measures
            self._samples.bug = error
            self._stop = True

    def _take(self) -> tuple[Query, float] | None:
        """Wait for the next request to be due. Return it with its scheduled time, or None after the last."""
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
                self._samples.turned_away += 1
                self._progress.advance()
            else:
                return None
        self._sleep_until(due)
        return self._queries[place % len(self._queries)], due

    def _line_at(self, moment: float) -> int:
        """Length of the queue at a moment: requests due before it and taken after it."""
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
            samples = self._samples
            samples.last_done = max(samples.last_done, done)
            samples.late += wait >= LATE_MS
            if timings is None:
                samples.errors[failed] += 1
            else:
                samples.latencies.append((done - due) * 1000.0)
                samples.waits.append(wait)
                samples.timings.append(timings)
            self._progress.advance()
