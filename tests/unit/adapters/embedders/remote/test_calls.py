"""How long a provider that fails is tried, and what is said meanwhile."""

import json
import logging
from collections.abc import Mapping, Sequence
from itertools import chain, repeat

import pytest
from tests.clocks import FakeClock

from assay.adapters.embedders.remote.calls import CallLimits, ProviderCalls
from assay.adapters.embedders.remote.rate_limits import RateLimiter, RateWindow
from assay.adapters.remote.retries import RetryPolicy
from assay.adapters.remote.transport import Answer, NoAnswer, Transport
from assay.errors import EmbedderUnavailable
from assay.model.generations import EmbedderIdentity

BUILD = CallLimits(RetryPolicy(100, 300.0, first=1.0, most=30.0), timeout=60.0, rate_limit_wait=float("inf"))
QUERY = CallLimits(RetryPolicy(3, 5.0, first=0.25, most=1.0), timeout=3.0, rate_limit_wait=5.0)
REFUSED = NoAnswer("unreachable", "no connection: [Errno 111] Connection refused")
UNKNOWN_HOST = NoAnswer("unreachable", "no connection: [Errno -2] Name or service not known")
CUT = NoAnswer("cut", "the connection broke")
BUSY = Answer(503, {}, b"{}")
LIMITED = Answer(429, {"retry-after": "7"}, b"{}")
GOOD = Answer(200, {}, json.dumps([[0.6, 0.8]]).encode())


class _Provider:
    name = "openai"
    refuses_long_texts = True

    def request(self, texts: Sequence[str], purpose: str) -> Mapping[str, object]:
        return {"texts": list(texts), "purpose": purpose}

    def rows(self, answer: object) -> object:
        return answer

    def tokens(self, _: object) -> None:
        return None

    def is_final(self, status: int, _: str) -> bool:
        return status == 400

    def hint(self, status: int, _: str) -> str:
        return f"about {status}"


class _Script(Transport):
    """Answers with one thing after the other; the last one again and again."""

    def __init__(self, *outcomes: Answer | NoAnswer) -> None:
        super().__init__("http://127.0.0.1:9/v1", {}, 1)
        self._outcomes = chain(outcomes, repeat(outcomes[-1]))

    def post(self, body: bytes, seconds: float, most: int) -> Answer:
        outcome = next(self._outcomes)
        if isinstance(outcome, NoAnswer):
            raise outcome
        return outcome


def _calls(*outcomes: Answer | NoAnswer) -> tuple[ProviderCalls, FakeClock]:
    clock = FakeClock()
    limiter = RateLimiter(RateWindow({}, 60.0), clock)
    identity = EmbedderIdentity("openai", "a-model", 2)
    return ProviderCalls(_Provider(), _Script(*outcomes), identity, limiter, clock, calls=8), clock


def _tried_for(*outcomes: Answer | NoAnswer) -> float:
    """Seconds that a build tries before it gives up."""
    calls, clock = _calls(*outcomes)
    began = clock.now()
    with pytest.raises(EmbedderUnavailable, match="tries in"):
        calls.embed(["hello"], 1, "document", BUILD)
    return clock.now() - began


def _warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("failure", [REFUSED, UNKNOWN_HOST])
def test_a_provider_that_no_request_reaches_is_given_up_after_half_a_minute(failure: NoAnswer) -> None:
    assert 20.0 <= _tried_for(failure) <= 30.0


@pytest.mark.parametrize("first", [CUT, BUSY, NoAnswer("timeout", "no answer within 60 seconds")])
def test_a_provider_that_was_reached_once_is_tried_for_the_whole_time(first: Answer | NoAnswer) -> None:
    assert 240.0 <= _tried_for(first, REFUSED) <= 300.0


def test_a_provider_that_answered_an_earlier_request_is_tried_for_the_whole_time() -> None:
    calls, clock = _calls(GOOD, REFUSED)
    calls.embed(["hello"], 1, "document", BUILD)
    began = clock.now()
    with pytest.raises(EmbedderUnavailable):
        calls.embed(["hello"], 1, "document", BUILD)
    assert clock.now() - began >= 240.0


def test_a_provider_that_starts_within_half_a_minute_is_waited_for() -> None:
    calls, _ = _calls(*[REFUSED] * 4, GOOD)
    assert calls.embed(["hello"], 1, "document", BUILD).shape == (1, 2)


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (
            [REFUSED],
            (
                "openai does not answer: no connection: [Errno 111] Connection refused (http://127.0.0.1:9/v1). "
                "Trying again for up to 30 seconds; Ctrl-C stops."
            ),
        ),
        ([CUT], "openai does not answer: the connection broke (http://127.0.0.1:9/v1). Trying again for up to 5"),
        ([BUSY], "openai keeps failing: it answered 503. Trying again for up to 5 minutes; Ctrl-C stops."),
    ],
)
def test_a_build_that_waits_says_so_once(
    outcomes: list[Answer | NoAnswer], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    _tried_for(*outcomes)
    (warning,) = _warnings(caplog)
    assert warning.startswith(told)


def test_the_first_failure_without_an_answer_is_said_before_the_second_try(caplog: pytest.LogCaptureFixture) -> None:
    calls, _ = _calls(REFUSED, GOOD)
    calls.embed(["hello"], 1, "document", BUILD)
    assert len(_warnings(caplog)) == 1


def test_one_error_that_passes_is_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    calls, _ = _calls(BUSY, GOOD)
    calls.embed(["hello"], 1, "document", BUILD)
    assert _warnings(caplog) == []


def test_a_second_outage_is_said_again(caplog: pytest.LogCaptureFixture) -> None:
    calls, _ = _calls(CUT, GOOD, CUT, CUT, GOOD)
    calls.embed(["hello"], 1, "document", BUILD)
    calls.embed(["hello"], 1, "document", BUILD)
    assert len(_warnings(caplog)) == 2


def test_the_rate_limit_of_a_build_is_said_once_with_the_setting(caplog: pytest.LogCaptureFixture) -> None:
    calls, _ = _calls(LIMITED, LIMITED, GOOD, LIMITED, LIMITED, GOOD)
    calls.embed(["hello"], 1, "document", BUILD)
    calls.embed(["hello"], 1, "document", BUILD)
    (warning,) = _warnings(caplog)
    assert warning == "openai limits the request rate: it answered 429. Assay waits as long as it asks. about 429"


def test_a_query_fails_within_seconds_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    calls, clock = _calls(REFUSED)
    began = clock.now()
    with pytest.raises(EmbedderUnavailable):
        calls.embed(["hello"], 1, "query", QUERY)
    assert clock.now() - began <= 5.0
    assert _warnings(caplog) == []
