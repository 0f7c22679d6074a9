"""When a request is made again, and when not."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.remote.retries import RetryPolicy, is_transient, retry_after_seconds

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
POLICY = RetryPolicy(attempts=6, budget=100.0, first=1.0, most=8.0)


@given(st.integers(1, 5), st.floats(0, 1))
def test_the_wait_doubles_up_to_a_bound_with_jitter_in_its_upper_half(attempt: int, chance: float) -> None:
    wait = POLICY.delay(attempt, 0.0, None, chance)
    grown = min(8.0, 2.0 ** (attempt - 1))
    assert wait is not None
    assert grown / 2 <= wait <= grown


@given(st.floats(0, 90), st.floats(0, 1))
def test_never_less_is_waited_than_the_provider_asked_for(retry_after: float, chance: float) -> None:
    wait = POLICY.delay(1, 0.0, retry_after, chance)
    assert wait is not None
    assert retry_after <= wait <= retry_after + 0.25


def test_the_last_attempt_is_the_last() -> None:
    assert POLICY.delay(5, 0.0, None, 1.0) is not None
    assert POLICY.delay(6, 0.0, None, 0.0) is None


@pytest.mark.parametrize(("elapsed", "retry_after", "again"), [(98.9, 1.0, True), (99.1, 1.0, False), (0, 101, False)])
def test_no_attempt_begins_after_the_budget(elapsed: float, retry_after: float, again: bool) -> None:
    assert (POLICY.delay(1, elapsed, retry_after, 0.0) is not None) is again


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    assert is_transient(status)


@pytest.mark.parametrize("status", [301, 400, 401, 402, 403, 404, 413, 422, 498, 501, 505])
def test_what_will_not_pass_is_final(status: int) -> None:
    assert not is_transient(status)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 7 ", 7.0),
        ("1.5", 1.5),
        ("Sat, 31 Jan 2026 12:00:30 GMT", 30.0),
        ("Saturday, 31-Jan-26 12:00:30 GMT", 30.0),
        ("Sat, 31 Jan 2026 11:59:00 GMT", 0.0),
        (None, None),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("9" * 400, None),
        ("Sat, 99 Jan 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds


def test_a_date_is_compared_across_time_zones() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=9)))
    assert retry_after_seconds("Sat, 31 Jan 2026 12:00:30 GMT", elsewhere) == 30.0


@given(st.text(max_size=40))
def test_no_header_breaks_the_reader(value: str) -> None:
    seconds = retry_after_seconds(value, NOW)
    assert seconds is None or seconds >= 0.0
