"""A reranker over HTTP: one request for each query, within a time limit that includes a retry."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import random
from time import sleep
from typing import Any, Protocol

from assay.adapters.remote.answers import message_in
from assay.adapters.remote.breaker import CircuitBreaker
from assay.adapters.remote.clock import MonotonicClock
from assay.adapters.remote.failures import Failure, redirect_hint, refusal
from assay.adapters.remote.retries import RetryPolicy
from assay.adapters.remote.transport import Answer, NoAnswer, Transport
from assay.adapters.remote.unusable import UnusableAnswer, unusable_reason
from assay.adapters.rerankers.score_checks import scores_by_index
from assay.errors import RerankerRefused, RerankError, RerankerUnavailable
from assay.ports import RerankerCall, RerankerIdentity, RerankerObserver
from assay.redaction import peer_words

_ATTEMPTS, _FIRST_RETRY = 2, 0.05
"""Attempts of one query, and seconds before the second; a search waits for both."""

_BREAKER_FAILURES, _BREAKER_SECONDS = 5, 5.0

_OF_THE_QUERY = frozenset({"400", "413", "422"})
"""Refusals of one query, as of a text that is too long: others may go well, so they do not pause requests."""

_ANSWER_BYTES, _RESULT_BYTES, _ESCAPED = 64 * 1024, 512, 6
"""Upper bounds in bytes: an answer without results, one result, one byte of the request that a server repeats."""

_HINTS: Mapping[int, str] = {
    401: "Check the key of the reranker: [rerank] api_key.",
    403: "This key may not use the model: check [rerank] model and api_key.",
    404: "There is no such model or address: check [rerank] model and base_url.",
    413: "Decrease [rerank] depth: the server accepts fewer texts in a request.",
    429: "The provider limits the rate of requests; a search that it refuses keeps its order.",
}


@dataclass(frozen=True, slots=True)
class RerankRules:
    """timeout: seconds of one query, with its retry. calls: maximum number of concurrent requests."""

    timeout: float
    calls: int


def rerank_route(base_url: str, key: str | None, rules: RerankRules) -> Transport:
    """Build a transport to `{base_url}/rerank`. key: None for a server without keys. Raises ConfigurationError."""
    url = f"{base_url.rstrip('/')}/rerank"
    headers = {} if key is None else {"Authorization": f"Bearer {key.strip()}"}
    return Transport(url, headers, rules.calls, setting="[rerank] base_url", owner="reranker")


class RerankApi(Protocol):
    """A provider's API: formats requests, finds the results in answers, explains refusals."""

    @property
    def name(self) -> str:
        """Name for messages."""

    @property
    def score_field(self) -> str:
        """Name of the score in a result."""

    def request(self, query: str, texts: Sequence[str]) -> Mapping[str, object]:
        """JSON body of a request."""

    def results(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON, not checked yet
        """The results in an answer's parsed JSON. Raises UnusableAnswer."""

    def hint(self, status: int, message: str) -> str:
        """Hint for a refusal; empty for none."""


class RemoteReranker:
    """Scores texts by requests to a provider. Safe to use from several threads.

    While the provider keeps failing, one request per pause is made and every other call fails at once.
    """

    def __init__(
        self,
        api: RerankApi,
        transport: Transport,
        identity: RerankerIdentity,
        rules: RerankRules,
        observer: RerankerObserver | None = None,
    ) -> None:
        self.identity = identity
        self._api = api
        self._transport = transport
        self._rules = rules
        self._observer = observer
        self._clock = MonotonicClock()
        self._breaker = CircuitBreaker(_BREAKER_FAILURES, _BREAKER_SECONDS, self._clock)
        self._in_flight = threading.BoundedSemaphore(rules.calls)
        self._retries = RetryPolicy(_ATTEMPTS, rules.timeout, first=_FIRST_RETRY, most=_FIRST_RETRY)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite score for each text, in the order of the texts. See Reranker.scores.

        Raises RerankerUnavailable, RerankerRefused; RerankError for an answer that cannot be used.
        """
        if not texts:
            return []
        if not self._breaker.allows_request():
            raise RerankerUnavailable(f"{self._api.name} failed several times in a row; requests to it are paused.")
        deadline = self._clock.now() + self._rules.timeout
        if not self._in_flight.acquire(timeout=self._rules.timeout):
            raise RerankerUnavailable(
                f"{self._api.name} was not called: the limit of requests in flight is reached ({self._rules.calls}).",
                hint="Increase [rerank] calls if the server can answer more at once.",
            )
        try:
            scores = self._ask(query, texts, deadline)
        finally:
            self._in_flight.release()
        self._breaker.succeeded()
        return scores

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _ask(self, query: str, texts: Sequence[str], deadline: float) -> list[float]:
        """Make one request, and a second one if there is time."""
        # A text may have an unpaired surrogate, which is not worth a failed search.
        body = json.dumps(self._api.request(query, texts), ensure_ascii=False).encode("utf-8", "replace")
        attempt, began = 0, self._clock.now()
        while True:
            attempt += 1
            outcome = self._attempt(body, len(texts), max(round(deadline - self._clock.now(), 3), 0.001))
            if not isinstance(outcome, Failure):
                return outcome
            elapsed = self._clock.now() - began
            delay = None
            if not outcome.final:
                delay = self._retries.delay(attempt, elapsed, outcome.retry_after, random())  # noqa: S311 - jitter
            if delay is None or self._clock.now() + delay >= deadline:
                if outcome.status not in _OF_THE_QUERY:
                    self._breaker.failed()
                raise outcome.to_error(self._api.name, f" ({attempt} tries)" if attempt > 1 else "")
            sleep(delay)

    def _attempt(self, body: bytes, texts: int, seconds: float) -> list[float] | Failure:
        began = self._clock.now()
        most = _ANSWER_BYTES + texts * _RESULT_BYTES + _ESCAPED * len(body)
        outcome: list[float] | Failure
        try:
            answer = self._transport.post(body, seconds, most)
        except NoAnswer as lost:
            outcome = self._lost(lost)
        else:
            outcome = self._read(answer, texts) if answer.status == 200 else self._refusal(answer)
        status = outcome.status if isinstance(outcome, Failure) else "ok"
        if self._observer is not None:
            identity = self.identity
            seconds = self._clock.now() - began
            self._observer(RerankerCall(identity.provider, identity.model, texts, seconds, status))
        return outcome

    def _read(self, answer: Answer, texts: int) -> list[float] | Failure:
        try:
            return scores_by_index(self._api.results(json.loads(answer.body)), texts, self._api.score_field)
        except (ValueError, RecursionError, UnusableAnswer) as error:
            reason = unusable_reason(error)
        hint = "Check that [rerank] base_url is the address of a reranker, and that [rerank] provider names its API."
        return Failure("unusable", f"its answer cannot be used: {reason}", RerankError, hint, final=True)

    def _lost(self, lost: NoAnswer) -> Failure:
        message = peer_words(f"{lost.detail} ({self._transport.address})")
        if lost.fault == "oversized":
            hint = "Check that [rerank] base_url is the address of a reranker."
            return Failure("unusable", message, RerankError, hint, final=True)
        hint = {
            "unreachable": "Check [rerank] base_url, the server and the network.",
            "timeout": "Increase [rerank] timeout, or decrease [rerank] depth.",
        }.get(lost.fault, "")
        return Failure(lost.fault, message, RerankerUnavailable, hint, final=lost.fault == "timeout")

    def _refusal(self, answer: Answer) -> Failure:
        status, message = answer.status, message_in(answer)
        hint = self._api.hint(status, message) or _HINTS.get(status, "")
        if 300 <= status < 400:
            hint = redirect_hint("[rerank] base_url")
        return refusal(answer, message, (RerankerRefused, RerankerUnavailable), hint)
