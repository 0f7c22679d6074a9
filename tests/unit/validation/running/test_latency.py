"""Latency: percentiles by their formula, and loads on a clock that only moves when it is told to."""

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import EmbedderUnavailable, InputError, StoreUnavailable
from assay.model.ranking import Query, Ranking, Timings
from assay.model.validations import LoadFigures
from assay.ports import Silence
from assay.validation.running.latency import (
    Clock,
    ClosedLoop,
    Load,
    OpenLoop,
    figures,
    measure_load,
    percentile,
    percentiles,
)

QUERIES = [Query("one", 5), Query("two", 5), Query("three", 5)]
STAGES = Timings(embed_ms=1.0, search_ms=2.0, fuse_ms=0.5, filter_ms=0.25, total_ms=4.0)


Takes = float | tuple[float, Exception]


class ToldClock:
    """A clock that moves when somebody sleeps or works, and by nothing else."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self.naps: list[float] = []

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        assert seconds > 0.0
        self.naps.append(seconds)
        self.at += seconds


class Service:
    """Answers after so many seconds of the told clock; what is an error is raised after them."""

    def __init__(self, clock: ToldClock, takes: Iterator[Takes]) -> None:
        self.clock = clock
        self.takes = takes
        self.asked: list[tuple[float, str]] = []

    def __call__(self, query: Query) -> Ranking:
        self.asked.append((self.clock.at - 1_000.0, query.text))
        match next(self.takes):
            case (float(seconds), Exception() as error):
                self.clock.at += seconds
                raise error
            case float(seconds):
                self.clock.at += seconds
        return Ranking(query, (), "g1", STAGES)


def _always(seconds: float) -> Iterator[float]:
    while True:
        yield seconds


def _with(usual: float, exceptions: dict[int, Takes]) -> Iterator[Takes]:
    number = 0
    while True:
        yield exceptions.get(number, usual)
        number += 1


def _measured(load: Load, takes: Iterator[Takes], queries: Sequence[Query] = QUERIES) -> tuple[LoadFigures, Service]:
    clock = ToldClock()
    service = Service(clock, takes)
    return measure_load(load, service, queries, Silence(), clock), service


# --- percentiles ---------------------------------------------------------------------------------------------------


@given(
    st.lists(st.floats(0.0, 1e6), min_size=1, max_size=200),
    st.one_of(st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 0.95, 0.99, 1.0])),
)
def test_a_percentile_is_the_one_that_numpy_has_by_default(values: list[float], share: float) -> None:
    ordered = sorted(values)
    assert percentile(ordered, share) == pytest.approx(float(np.percentile(ordered, share * 100.0)), rel=1e-9, abs=1e-9)


def test_the_figures_of_known_samples() -> None:
    found = percentiles([float(value) for value in range(100, 0, -1)])
    assert (found.samples, found.mean_ms, found.max_ms) == (100, 50.5, 100.0)
    assert (found.p50_ms, found.p95_ms, found.p99_ms) == pytest.approx((50.5, 95.05, 99.01))


@pytest.mark.parametrize(("samples", "estimated"), [(1, True), (999, True), (1_000, False), (2_000, False)])
def test_p99_is_an_estimate_with_fewer_than_a_thousand_samples(samples: int, estimated: bool) -> None:
    assert percentiles([1.0] * samples).p99_estimated is estimated


def test_without_samples_there_are_no_figures() -> None:
    found = percentiles([])
    assert (found.samples, found.mean_ms, found.p95_ms, found.p99_estimated) == (0, 0.0, 0.0, True)


def test_what_searches_say_of_themselves_is_counted_in_all_and_by_stage() -> None:
    found = figures([STAGES, Timings(3.0, 2.0, 0.5, 0.25, 6.0)], "a note")
    assert (found.samples, found.mean_ms, found.note) == (2, 5.0, "a note")
    assert {stage: one.mean_ms for stage, one in found.stages.items()} == {
        "embed": 2.0,
        "search": 2.0,
        "fuse": 0.5,
        "filter": 0.25,
    }


# --- closed loop ---------------------------------------------------------------------------------------------------


def test_an_injected_delay_is_measured_as_it_is() -> None:
    plain, _ = _measured(ClosedLoop(1, 100), _always(0.012))
    slowed, _ = _measured(ClosedLoop(1, 100), _always(0.062))
    assert plain.p95_ms == pytest.approx(12.0)
    assert slowed.p95_ms - plain.p95_ms == pytest.approx(50.0)
    assert slowed.mean_ms - plain.mean_ms == pytest.approx(50.0)


def test_the_warm_up_is_asked_and_not_counted() -> None:
    slow_start: dict[int, Takes] = {0: 9.0, 1: (2.0, StoreUnavailable("opening"))}
    found, service = _measured(ClosedLoop(1, 10, warm_up=3), _with(0.01, slow_start))
    assert len(service.asked) == 13
    assert (found.samples, found.errors) == (10, 0)
    assert found.max_ms == pytest.approx(10.0)


def test_queries_are_asked_in_turn_and_again_from_the_first() -> None:
    _, service = _measured(ClosedLoop(1, 7, warm_up=0), _always(0.01))
    assert [text for _, text in service.asked] == ["one", "two", "three", "one", "two", "three", "one"]


def test_failures_have_no_latency_and_are_counted_by_kind() -> None:
    failing: dict[int, Takes] = {
        2: (0.0, StoreUnavailable("gone")),
        3: (30.0, StoreUnavailable("gone")),
        7: (0.0, EmbedderUnavailable("busy")),
    }
    found, _ = _measured(ClosedLoop(1, 10, warm_up=0), _with(0.01, failing))
    assert (found.samples, found.errors) == (7, 3)
    assert found.error_kinds == {"EmbedderUnavailable": 1, "StoreUnavailable": 2}
    assert found.mean_ms == pytest.approx(10.0)
    assert found.p50_ms == pytest.approx(10.0)


def test_nothing_but_failures_is_no_latency_of_zero() -> None:
    found, _ = _measured(ClosedLoop(1, 5, warm_up=0), iter([(0.1, StoreUnavailable("gone"))] * 5))
    assert (found.samples, found.errors, found.rate) == (0, 5, 0.0)


def test_the_rate_counts_answers_over_all_the_time_that_was_asked() -> None:
    found, _ = _measured(ClosedLoop(1, 10, warm_up=0), _with(0.1, {9: (1.1, StoreUnavailable("gone"))}))
    assert found.rate == pytest.approx(9 / 2.0)


def test_a_stage_is_reported_as_the_search_timed_it() -> None:
    found, _ = _measured(ClosedLoop(1, 3), _always(0.01))
    assert {stage: one.p95_ms for stage, one in found.stages.items()} == {
        "embed": 1.0,
        "search": 2.0,
        "fuse": 0.5,
        "filter": 0.25,
    }
    assert (found.offered_rate, found.late, found.turned_away) == (None, 0, 0)


def test_fifty_at_once_are_really_on_their_way_at_once() -> None:
    together = threading.Barrier(50)

    def search(query: Query) -> Ranking:
        together.wait(30.0)  # breaks unless all fifty are here
        return Ranking(query, (), "g1", STAGES)

    found = measure_load(ClosedLoop(50, 100, warm_up=0), search, QUERIES, Silence())
    assert (found.samples, found.errors) == (100, 0)


def test_every_request_is_asked_once_however_many_clients_there_are() -> None:
    asked: list[str] = []

    def search(query: Query) -> Ranking:
        asked.append(query.text)
        return Ranking(query, (), "g1", STAGES)

    queries = [Query(f"q{number}", 5) for number in range(500)]
    found = measure_load(ClosedLoop(8, 500, warm_up=0), search, queries, Silence())
    assert sorted(asked) == sorted(query.text for query in queries)
    assert found.samples == 500


# --- open loop -----------------------------------------------------------------------------------------------------


def test_requests_arrive_at_their_rate_whatever_the_answers_take() -> None:
    found, service = _measured(OpenLoop(10.0, 2.0, at_once=1, warm_up=0), _always(0.03))
    assert [at for at, _ in service.asked] == pytest.approx([number / 10.0 for number in range(20)])
    assert found.p95_ms == pytest.approx(30.0)
    assert found.offered_rate == 10.0
    assert found.rate == pytest.approx(20 / 1.93)
    assert (found.late, found.turned_away, found.stages["wait"].max_ms) == (0, 0, pytest.approx(0.0, abs=1e-6))


def test_a_stall_shows_in_the_open_loop_and_not_in_the_closed_one() -> None:
    stall: dict[int, Takes] = {300: 5.0}
    closed, _ = _measured(ClosedLoop(1, 1_000, warm_up=0), _with(0.002, stall))
    opened, _ = _measured(OpenLoop(100.0, 10.0, at_once=1, warm_up=0), _with(0.002, stall))
    assert closed.samples == opened.samples == 1_000
    assert closed.p99_ms == pytest.approx(2.0)
    assert closed.mean_ms < 10.0
    assert opened.p99_ms > 4_500.0
    assert opened.p95_ms > 4_000.0
    assert opened.mean_ms > 1_000.0
    assert opened.late > 500
    assert opened.stages["wait"].p95_ms > 4_000.0


def test_the_latency_of_who_waited_counts_from_when_it_was_due() -> None:
    found, service = _measured(OpenLoop(1.0, 4.0, at_once=1, warm_up=0), iter([2.5, 0.1, 0.1, 0.1]))
    assert [at for at, _ in service.asked] == pytest.approx([0.0, 2.5, 2.6, 3.0])
    assert found.max_ms == pytest.approx(2_500.0)
    assert found.mean_ms == pytest.approx((2_500.0 + 1_600.0 + 700.0 + 100.0) / 4)
    assert found.late == 2


def test_who_finds_the_line_full_is_turned_away_and_counted() -> None:
    load = OpenLoop(10.0, 1.0, at_once=1, most_waiting=2, warm_up=0)
    found, service = _measured(load, _with(0.01, {0: 0.75}))
    # due at 0.1 and 0.2: they wait; 0.3 to 0.7: the line is full; from 0.8 on nobody is in front of them
    assert [at for at, _ in service.asked] == pytest.approx([0.0, 0.75, 0.76, 0.8, 0.9])
    assert (found.samples, found.turned_away, found.errors) == (5, 5, 0)


def test_a_service_that_never_keeps_up_is_shown_as_that() -> None:
    found, _ = _measured(OpenLoop(100.0, 10.0, at_once=1, most_waiting=10_000, warm_up=0), _always(0.02))
    assert found.rate == pytest.approx(50.0, rel=0.01)
    assert found.offered_rate == 100.0
    assert found.p95_ms > 9_000.0


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=60),
    st.sampled_from([1, 2, 4, 8, 16]),
    st.integers(0, 5),
)
def test_one_client_serves_as_a_queue_with_a_bound_does(takes: list[int], gap: int, most_waiting: int) -> None:
    """Against an independent simulation of a first-come-first-served queue.

    In whole 1/1024 seconds, which floating point adds and divides exactly: a request may be due as another is taken.
    """
    free_at, waiting_until = 0, []
    latencies, turned_away = [], 0
    durations = iter(takes)
    for number in range(len(takes)):
        due = number * gap
        line = sum(begin > due for begin in waiting_until)
        if line >= max(most_waiting, 1):
            turned_away += 1
            continue
        begin = max(due, free_at)
        waiting_until.append(begin)
        free_at = begin + next(durations)
        latencies.append((free_at - due) * 1000 / 1024)
    load = OpenLoop(1024 / gap, len(takes) * gap / 1024, 1, max(most_waiting, 1), warm_up=0)
    clock = ToldClock()
    clock.at = 0.0
    durations = iter(takes)

    def search(query: Query) -> Ranking:
        clock.at += next(durations) / 1024
        return Ranking(query, (), "g1", STAGES)

    found = measure_load(load, search, QUERIES, Silence(), clock)
    assert (found.samples, found.turned_away) == (len(latencies), turned_away)
    assert found.max_ms == pytest.approx(max(latencies))
    assert found.mean_ms == pytest.approx(sum(latencies) / len(latencies))


# --- what cannot be measured ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [ClosedLoop(1, 10, warm_up=0), ClosedLoop(4, 10, warm_up=0), OpenLoop(1e5, 1e-4)])
def test_a_bug_is_no_failed_request(load: Load) -> None:
    def search(query: Query) -> Ranking:
        raise KeyError(query.text)

    with pytest.raises(KeyError, match="one"):
        measure_load(load, search, QUERIES[:1], Silence())


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClosedLoop(0, 10),
        lambda: ClosedLoop(1_001, 10),
        lambda: ClosedLoop(1, 0),
        lambda: OpenLoop(0.0, 10.0),
        lambda: OpenLoop(-1.0, 10.0),
        lambda: OpenLoop(float("nan"), 10.0),
        lambda: OpenLoop(float("inf"), 10.0),
        lambda: OpenLoop(10.0, 0.0),
        lambda: OpenLoop(10.0, float("inf")),
        lambda: OpenLoop(1e6, 1e6),
        lambda: OpenLoop(10.0, 10.0, at_once=0),
    ],
)
def test_a_load_that_cannot_be_is_refused(make: Callable[[], Load]) -> None:
    with pytest.raises(InputError, match="must be"):
        make()


@pytest.mark.parametrize(
    ("load", "requests"),
    [(OpenLoop(10.0, 1.0), 10), (OpenLoop(0.1, 1.0), 1), (OpenLoop(3.0, 0.5), 2), (OpenLoop(0.3, 10.0), 3)],
)
def test_as_many_arrive_as_the_rate_says(load: OpenLoop, requests: int) -> None:
    assert load.requests == requests


def test_without_queries_nothing_can_be_measured() -> None:
    with pytest.raises(InputError, match="no query"):
        measure_load(ClosedLoop(1, 1), lambda query: Ranking(query, (), "g1", STAGES), [], Silence())


def test_a_load_has_a_name_that_says_what_was_done() -> None:
    names = [load.name for load in (ClosedLoop(1, 100), ClosedLoop(50, 200), OpenLoop(20.0, 30.0))]
    assert names == ["100 in a row", "200 requests, 50 at once", "20 a second for 30 s"]


def test_the_system_clock_goes_on_while_it_sleeps() -> None:
    clock = Clock()
    before = clock.now()
    clock.sleep(0.001)
    assert clock.now() - before >= 0.001
