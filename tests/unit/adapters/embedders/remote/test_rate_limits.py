"""No window of the provider's ever holds more than it allows, and little less than that."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clocks import FakeClock

from assay.adapters.embedders.remote.rate_limits import Interrupted, RateLimited, RateLimiter, RateWindow


def _limiter(limits: dict[str, int], seconds: float = 60.0) -> tuple[RateLimiter, FakeClock]:
    clock = FakeClock()
    return RateLimiter(RateWindow(limits, seconds), clock), clock


def _acquire(limiter: RateLimiter, inputs: int, tokens: int = 0, *, timeout: float = 1e9, pause: float = 1e9) -> None:
    limiter.acquire({"inputs": inputs, "tokens": tokens, "requests": 1}, limiter.interruptions, timeout, pause)


@given(st.lists(st.tuples(st.integers(1, 96), st.integers(1, 50_000), st.floats(0, 20)), max_size=120))
def test_no_window_holds_more_than_is_allowed(requests: list[tuple[int, int, float]]) -> None:
    limits = {"inputs": 500, "tokens": 100_000, "requests": 20}
    limiter, clock = _limiter(limits)
    taken: list[tuple[float, int, int]] = []
    for inputs, tokens, pause in requests:
        clock.time += pause
        _acquire(limiter, inputs, tokens)
        taken.append((clock.time, inputs, tokens))
    for start, _, _ in taken:
        window = [request for request in taken if start <= request[0] < start + 60.0]
        assert sum(inputs for _, inputs, _ in window) <= 500
        assert sum(tokens for _, _, tokens in window) <= 100_000
        assert len(window) <= 20


def test_the_whole_allowance_but_a_margin_is_used() -> None:
    limiter, clock = _limiter({"inputs": 2_000})
    began, sent = clock.time, 0
    while clock.time < began + 600.0:
        _acquire(limiter, 95)
        sent += 95
    assert sent >= 0.97 * 2_000 * 10


def test_what_was_refused_is_caught_up_on() -> None:
    limiter, clock = _limiter({"inputs": 2_000})
    began, worked, number = clock.time, 0, 0
    while clock.time < began + 600.0:
        ticket = limiter.acquire({"inputs": 95}, 0, 1e9, 1e9)
        number += 1
        if number % 10 == 0:
            limiter.settle(ticket, {"inputs": 0})
        else:
            worked += 95
    assert worked >= 0.97 * 2_000 * 10


def test_requests_are_spread_out_instead_of_sent_in_a_burst() -> None:
    limiter, clock = _limiter({"inputs": 600})
    times = []
    for _ in range(6):
        _acquire(limiter, 60)
        times.append(clock.time)
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert gaps == pytest.approx([4.0] * 5)


def test_what_the_provider_counted_takes_the_place_of_the_estimate() -> None:
    limiter, clock = _limiter({"tokens": 1_000})
    ticket = limiter.acquire({"tokens": 1_000}, 0, 1e9, 1e9)
    limiter.settle(ticket, {"tokens": 400})
    clock.time += 40.0
    before = clock.time
    _acquire(limiter, 1, 600)
    assert clock.time == before


def test_more_than_a_window_allows_is_let_through_when_nothing_else_is() -> None:
    limiter, clock = _limiter({"tokens": 1_000})
    _acquire(limiter, 1, 5_000)
    before = clock.time
    _acquire(limiter, 1, 10)
    assert clock.time - before >= 60.0


def test_without_limits_nobody_waits() -> None:
    limiter, clock = _limiter({})
    for _ in range(100):
        _acquire(limiter, 96, 50_000)
    assert clock.waits == []


def test_who_has_no_patience_is_told_at_once_how_long_it_would_be() -> None:
    limiter, clock = _limiter({"inputs": 10})
    _acquire(limiter, 10)
    with pytest.raises(RateLimited) as raised:
        _acquire(limiter, 1, timeout=5.0)
    assert 48.0 <= raised.value.seconds <= 61.0
    assert clock.waits == []


def test_a_pause_holds_everybody_up_and_a_shorter_one_does_not_end_it() -> None:
    limiter, clock = _limiter({})
    limiter.pause(30.0)
    limiter.pause(1.0)
    before = clock.time
    _acquire(limiter, 1)
    assert clock.time == before + 30.0


def test_a_pause_longer_than_the_patience_is_not_waited_for() -> None:
    limiter, clock = _limiter({})
    limiter.pause(3_600.0)
    with pytest.raises(RateLimited):
        _acquire(limiter, 1, pause=300.0)
    assert clock.waits == []


def test_an_interruption_ends_the_waiting() -> None:
    limiter, clock = _limiter({"inputs": 1})
    _acquire(limiter, 1)
    clock.meanwhile = limiter.interrupt
    with pytest.raises(Interrupted):
        _acquire(limiter, 1)
    with pytest.raises(Interrupted):
        limiter.sleep(10.0, limiter.interruptions)


def test_work_begun_before_an_interruption_does_not_wait_again_and_later_work_does() -> None:
    limiter, clock = _limiter({})
    since = limiter.interruptions
    limiter.interrupt()
    with pytest.raises(Interrupted):
        limiter.acquire({}, since, 1e9, 1e9)
    with pytest.raises(Interrupted):
        limiter.sleep(1.0, since)
    limiter.sleep(1.0, limiter.interruptions)
    assert clock.waits == [1.0]
