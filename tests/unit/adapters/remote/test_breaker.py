"""A provider that keeps failing is left alone for a while, and then tried by one."""

from tests.clocks import FakeClock

from assay.adapters.remote.breaker import CircuitBreaker


def _broken() -> tuple[CircuitBreaker, FakeClock]:
    clock = FakeClock()
    breaker = CircuitBreaker(3, 5.0, clock)
    for _ in range(3):
        assert breaker.allows_request()
        breaker.failed()
    return breaker, clock


def test_it_opens_after_so_many_failures_in_a_row() -> None:
    breaker, _ = _broken()
    assert not breaker.allows_request()


def test_a_success_in_between_begins_the_count_anew() -> None:
    breaker = CircuitBreaker(3, 5.0, FakeClock())
    for _ in range(4):
        breaker.failed()
        breaker.failed()
        breaker.succeeded()
        assert breaker.allows_request()


def test_after_the_pause_one_may_try_and_the_others_wait_for_the_outcome() -> None:
    breaker, clock = _broken()
    clock.time += 5.0
    assert breaker.allows_request()
    assert not breaker.allows_request()


def test_a_successful_try_closes_it() -> None:
    breaker, clock = _broken()
    clock.time += 5.0
    assert breaker.allows_request()
    breaker.succeeded()
    assert breaker.allows_request()
    assert breaker.allows_request()


def test_a_failed_try_begins_the_pause_anew() -> None:
    breaker, clock = _broken()
    clock.time += 5.0
    assert breaker.allows_request()
    breaker.failed()
    clock.time += 4.9
    assert not breaker.allows_request()
    clock.time += 0.1
    assert breaker.allows_request()


def test_a_try_that_never_comes_back_does_not_keep_it_open_for_ever() -> None:
    breaker, clock = _broken()
    clock.time += 5.0
    assert breaker.allows_request()
    clock.time += 5.0
    assert breaker.allows_request()
