"""Rate limits that several machines count in Redis.

ASSAY_TEST_REDIS_URL names a real Redis, such as redis://127.0.0.1:6379/9.
"""

import logging
import os
import uuid

import pytest

pytest.importorskip("redis", reason="the extra `redis` is not installed")

from assay.adapters.access import redis_counters as module
from assay.adapters.access.redis_counters import SharedLimits
from assay.adapters.access.request_limits import RequestLimits
from assay.errors import ConfigurationError

NOWHERE = "redis://:a-rare-password@127.0.0.1:1/0"
REAL = os.environ.get("ASSAY_TEST_REDIS_URL", "")
needs_redis = pytest.mark.skipif(not REAL, reason="ASSAY_TEST_REDIS_URL names no Redis")


@pytest.fixture
def client() -> str:
    """A client that nobody has counted."""
    return uuid.uuid4().hex


@needs_redis
def test_two_machines_count_one_client_together(client: str) -> None:
    machines = SharedLimits(REAL), SharedLimits(REAL)
    answers = [machines[number % 2].count("3/minute", client) for number in range(5)]
    assert [answer.retry_after is None for answer in answers if answer] == [True] * 3 + [False] * 2
    assert [answer.windows[0].remaining for answer in answers if answer] == [2, 1, 0, 0, 0]
    assert all(0 < answer.windows[0].reset <= 60 for answer in answers if answer)


@needs_redis
def test_several_requests_are_counted_together_or_not_at_all(client: str) -> None:
    one, other = SharedLimits(REAL), SharedLimits(REAL)
    counts = [limits.count("10/minute", client, requests) for limits, requests in ((one, 6), (other, 6), (one, 4))]
    assert [count.retry_after is None for count in counts if count] == [True, False, True]


def test_without_redis_a_machine_counts_for_itself_and_says_so_once(
    client: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    limits = SharedLimits(NOWHERE)
    with caplog.at_level(logging.INFO):
        answers = [limits.count("2/minute", client) for _ in range(3)]
    assert [answer.retry_after is None for answer in answers if answer] == [True, True, False]
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert "Redis at 127.0.0.1 does not count" in warnings[0]
    assert "a-rare-password" not in warnings[0]


def test_redis_that_comes_back_counts_again(
    client: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    limits = SharedLimits(NOWHERE)
    limits.count("9/minute", client)
    works = RequestLimits()
    limits._limiter = works._limiter
    caplog.clear()
    with caplog.at_level(logging.INFO):
        limits.count("9/minute", client)  # not tried yet
        assert not caplog.records
        now[0] = module.RETRY_SECONDS
        usage = limits.count("9/minute", client)
    assert usage is not None
    assert usage.windows[0].remaining == 8
    assert [record.getMessage() for record in caplog.records] == ["Redis at 127.0.0.1 counts rate limits again."]


def test_off_asks_nobody(client: str, caplog: pytest.LogCaptureFixture) -> None:
    assert SharedLimits(NOWHERE).count("off", client) is None
    assert not caplog.records


def test_a_url_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="rate_limit_storage is not a URL of Redis"):
        SharedLimits("redis://127.0.0.1:port/0")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _name: None)
    with pytest.raises(ConfigurationError, match="needs the extra `redis`"):
        SharedLimits(NOWHERE)
