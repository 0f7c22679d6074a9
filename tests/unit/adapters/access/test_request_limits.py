"""How many requests a client may make."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.access import request_limits
from assay.adapters.access.request_limits import RequestLimits, Usage, Window

START = 1_750_000_000.0


class Clock:
    """The time, as a test has it."""

    def __init__(self) -> None:
        self.now = START

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(request_limits, "time", made)
    return made


def test_every_request_of_a_window_is_counted_and_the_first_too_many_told_when_to_come_again(clock: Clock) -> None:
    limits = RequestLimits()
    seen = []
    for second in (0.0, 10.5, 20.0, 20.0):
        clock.now = START + second
        seen.append(limits.count("3/minute", "a"))
    assert seen == [
        Usage((Window("minute", 3, 60, 2, 60),), None),
        Usage((Window("minute", 3, 60, 1, 50),), None),
        Usage((Window("minute", 3, 60, 0, 40),), None),
        Usage((Window("minute", 3, 60, 0, 40),), 40),
    ]
    clock.now = START + 60.0
    assert limits.count("3/minute", "a") == Usage((Window("minute", 3, 60, 2, 60),), None)


def test_clients_are_counted_apart(clock: Clock) -> None:
    limits = RequestLimits()
    assert [bool(limits.count("1/hour", client).retry_after) for client in "abab"] == [False, False, True, True]  # type: ignore[union-attr]


def test_off_counts_nobody(clock: Clock) -> None:
    assert [RequestLimits().count("off", "a") for _ in range(3)] == [None] * 3


def test_of_two_windows_the_tighter_one_decides_and_the_longest_wait_is_told(clock: Clock) -> None:
    limits = RequestLimits()
    for _ in range(2):
        usage = limits.count("2/second, 3/minute", "a")
        assert usage
        assert usage.retry_after is None
    assert usage.tightest == Window("second", 2, 1, 0, 1)
    refused = limits.count("2/second, 3/minute", "a")
    assert refused
    assert refused.retry_after == 1
    clock.now += 1
    both = limits.count("2/second, 3/minute", "a")
    assert both
    assert both.retry_after == 59
    assert both.tightest.name == "minute"


@given(
    quota=st.integers(1, 5),
    unit=st.sampled_from([("second", 1), ("minute", 60), ("hour", 3600)]),
    waits=st.lists(st.floats(0, 4_000, allow_nan=False), max_size=30),
)
def test_who_waits_as_long_as_told_is_answered(quota: int, unit: tuple[str, int], waits: list[float]) -> None:
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request_limits, "time", clock)
        limits = RequestLimits()
        answered: list[float] = []
        for wait in waits:
            clock.now += wait
            usage = limits.count(f"{quota}/{unit[0]}", "a")
            assert usage
            if usage.retry_after is None:
                answered.append(clock.now)
                continue
            assert 1 <= usage.retry_after <= unit[1]
            clock.now += usage.retry_after
            again = limits.count(f"{quota}/{unit[0]}", "a")
            assert again
            assert again.retry_after is None
            answered.append(clock.now)
        for index in range(len(answered) - 2 * quota):
            # A window's quota at its end, and the next one's at its beginning, is the most there can be.
            assert answered[index + 2 * quota] - answered[index] >= unit[1] - 1e-3


def test_the_memory_of_clients_is_bounded_and_forgets_who_was_seen_longest_ago(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_limits, "_MOST_CLIENTS", 100)
    limits = RequestLimits()
    limits.count("1/hour", "regular")
    for number in range(1_000):
        limits.count("1/hour", f"client {number}")
        refused = limits.count("1/hour", "regular")
        assert refused
        assert refused.retry_after == 3_600
    memory = limits._limiter.storage
    assert len(memory._counters) == 100  # type: ignore[union-attr]
    forgotten = limits.count("1/hour", "client 0")
    assert forgotten
    assert forgotten.retry_after is None


def test_the_clock_is_the_machines() -> None:
    usage = RequestLimits().count("5/day", "a")
    assert usage
    assert math.isclose(usage.windows[0].reset, 86_400, abs_tol=2)
    assert request_limits.time is time
