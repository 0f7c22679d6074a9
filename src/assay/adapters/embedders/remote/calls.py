"""Requests to a provider with rate limits, retries and metrics."""

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import random

from assay.adapters.embedders.remote.provider import Provider, Purpose
from assay.adapters.embedders.remote.rate_limits import Interrupted, RateLimited, RateLimiter, Ticket
from assay.adapters.embedders.remote.vector_checks import unit_vectors
from assay.adapters.remote.answers import message_in
from assay.adapters.remote.clock import RateClock
from assay.adapters.remote.failures import Failure, redirect_hint, refusal
from assay.adapters.remote.retries import RetryPolicy
from assay.adapters.remote.transport import Answer, NoAnswer, Transport
from assay.adapters.remote.unusable import UnusableAnswer, unusable_reason
from assay.errors import EmbedderRefused, EmbedderUnavailable, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.ports import EmbedderCall, EmbedderObserver, Vectors
from assay.redaction import peer_words

logger = logging.getLogger(__name__)

_MAX_UNUSABLE = 3
"""Retries end after this many unusable answers, because each of them costs."""

_UNREACHED_SECONDS, _UNREACHED_PAUSE = 30.0, 5.0
"""Retry time and longest pause for a provider that no request has reached: its address may be wrong."""

_WRONG_API_HINT = (
    "Check that [embedding] base_url is the address of this provider's API, and not of a proxy or another API."
)
_ANSWER_BYTES, _NUMBER_BYTES, _ESCAPED = 512 * 1024, 40, 6
"""Upper bounds in bytes: an answer without vectors, one number of a vector, one repeated byte of the request."""

_NOTHING = {"inputs": 0, "tokens": 0}


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Time limits for queries or documents, in seconds: of one request, and of waiting for the rate limit."""

    retries: RetryPolicy
    timeout: float
    rate_limit_wait: float


@dataclass
class ProviderCalls:
    """Embeds the texts of one request. Safe to use from several threads.

    calls: maximum number of concurrent requests.
    """

    provider: Provider
    transport: Transport
    identity: EmbedderIdentity
    limiter: RateLimiter
    clock: RateClock
    calls: int
    observer: EmbedderObserver | None = None

    def __post_init__(self) -> None:
        self._in_flight = threading.BoundedSemaphore(self.calls)
        self._reached = False  # whether any request has reached the provider
        self._warning = threading.Lock()
        self._warned = False  # whether the current outage was logged as a warning
        self._limit_warned = False  # whether a warning of the rate limit was logged; it holds for the whole build

    def embed(self, texts: Sequence[str], tokens: int, purpose: Purpose, limits: CallLimits) -> Vectors:
        """Vectors of length 1, float32 of shape (len(texts), dimension).

        tokens: estimated number of tokens of all texts.

        Raises EmbedderUnavailable, EmbedderRefused; InvalidEmbedding for repeated unusable answers.
        """
        body = json.dumps(self.provider.request(texts, purpose), ensure_ascii=False, allow_nan=False).encode()
        amounts = {"inputs": len(texts), "tokens": tokens, "requests": 1}
        attempt = unusable = 0
        failing = 0.0
        since = self.limiter.interruptions
        while True:
            attempt += 1
            ticket = self._acquire_ticket(amounts, since, limits, failing)
            began = self.clock.now()
            outcome = self._attempt(body, texts, tokens, purpose, limits.timeout, ticket)
            if not isinstance(outcome, Failure):
                self._reached, self._warned = True, False
                return outcome
            self._reached |= outcome.status != "unreachable"
            failing += self.clock.now() - began
            unusable += outcome.status == "unusable"
            delay = None
            retries = limits.retries
            if not self._reached:
                budget, most = min(retries.budget, _UNREACHED_SECONDS), min(retries.most, _UNREACHED_PAUSE)
                retries = replace(retries, budget=budget, most=most)
            if not outcome.final and unusable < _MAX_UNUSABLE:
                delay = retries.delay(attempt, failing, outcome.retry_after, random())  # noqa: S311 - jitter
            if delay is None:
                tries = f" ({attempt} tries in {failing:.1f} seconds)" if attempt > 1 else ""
                raise outcome.to_error(self.provider.name, tries)
            self._log_retry(outcome, attempt, delay, retries.budget)
            if outcome.status == "429":
                self.limiter.pause(delay)  # other requests would be refused too
            self._wait(delay, since)
            failing += delay

    def _log_retry(self, failure: Failure, attempt: int, delay: float, budget: float) -> None:
        """Log a retry: during long waits as a warning, once per outage, and once for the rate limit.

        After an error answer the next one is often good, so only the second error is a warning.
        """
        name, no_answer = self.provider.name, failure.status in {"unreachable", "timeout", "cut"}
        limited = failure.status == "429"
        waits_long = budget >= _UNREACHED_SECONDS and attempt >= (1 if no_answer else 2)
        if not (waits_long and self._is_first_warning(limited=limited)):
            logger.info("%s: %s; trying again in %.1f s.", name, failure.message, delay)
        elif limited:
            logger.warning(
                "%s limits the request rate: %s. Assay waits as long as it asks. %s",
                name,
                failure.message,
                failure.hint,
            )
        else:
            what = "does not answer" if no_answer else "keeps failing"
            wait = _duration(budget)
            logger.warning("%s %s: %s. Trying again for up to %s; Ctrl-C stops.", name, what, failure.message, wait)

    def _is_first_warning(self, *, limited: bool) -> bool:
        with self._warning:
            if limited:
                first, self._limit_warned = not self._limit_warned, True
            else:
                first, self._warned = not self._warned, True
            return first

    def interrupt(self) -> None:
        """End the waits in other threads."""
        self.limiter.interrupt()

    def close(self) -> None:
        """Close the connections."""
        self.interrupt()
        self.transport.close()

    def _acquire_ticket(self, amounts: Mapping[str, int], since: int, limits: CallLimits, failing: float) -> Ticket:
        try:
            return self.limiter.acquire(
                amounts, since, limits.rate_limit_wait, max(limits.retries.budget - failing, 0.0)
            )
        except RateLimited as limited:
            raise EmbedderUnavailable(
                f"{self.provider.name} accepts requests again in {limited.seconds:.0f} seconds, too long to wait.",
                hint="The rate limit is used up; try again later, or increase [embedding]'s limits if you may.",
            ) from None
        except Interrupted:
            raise self._interrupted() from None

    def _wait(self, seconds: float, since: int) -> None:
        try:
            self.limiter.sleep(seconds, since)
        except Interrupted:
            raise self._interrupted() from None

    def _interrupted(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"Waiting for {self.provider.name} was interrupted.")

    def _attempt(
        self, body: bytes, texts: Sequence[str], tokens: int, purpose: Purpose, timeout: float, ticket: Ticket
    ) -> Vectors | Failure:
        """Make one request, record it, and correct the rate limiter by its real use."""
        outcome: Vectors | Failure
        used: int | None = None
        with self._in_flight:
            began = self.clock.now()
            try:
                # An answer has its numbers, and the request, which some providers repeat.
                most = _ANSWER_BYTES + len(texts) * self.identity.dimension * _NUMBER_BYTES + _ESCAPED * len(body)
                answer = self.transport.post(body, timeout, most)
            except NoAnswer as lost:
                outcome = self._lost_failure(lost)
            else:
                if answer.status == 200:
                    outcome, used = self._read(answer, len(texts))
                else:
                    outcome = self._refusal(answer)
            seconds = self.clock.now() - began
        if isinstance(outcome, Failure):
            self._observe(purpose, len(texts), 0, seconds, outcome.status)
            if not outcome.worked:
                self.limiter.settle(ticket, _NOTHING)
        else:
            used = tokens if used is None else used
            self._observe(purpose, len(texts), used, seconds, "ok")
            self.limiter.settle(ticket, {"tokens": used})
        return outcome

    def _read(self, answer: Answer, texts: int) -> tuple[Vectors | Failure, int | None]:
        try:
            parsed = json.loads(answer.body)
            vectors = unit_vectors(self.provider.rows(parsed), texts, self.identity.dimension)
        except (ValueError, RecursionError, UnusableAnswer) as error:
            reason = unusable_reason(error)
            hint = _WRONG_API_HINT
            if "dimensions instead" in reason:
                hint = "Set [embedding] dimensions to the length of this model's vectors."
            elif "vectors for" in reason:
                hint = (
                    "Decrease [embedding] batch_texts: some servers answer only a part of a long list. See their log."
                )
            message = f"its answer cannot be used: {reason}"
            return Failure("unusable", message, InvalidEmbedding, hint, worked=True), None
        return vectors, self.provider.tokens(parsed)

    def _lost_failure(self, lost: NoAnswer) -> Failure:
        message = f"{lost.detail} ({self.transport.address})"
        if lost.fault == "oversized":  # a retry would have the same size
            return Failure("unusable", peer_words(message), InvalidEmbedding, _WRONG_API_HINT, final=True, worked=True)
        return Failure(
            lost.fault,
            peer_words(message),
            EmbedderUnavailable,
            "Check [embedding] base_url, the server and the network." if lost.fault == "unreachable" else "",
            worked=lost.begun or lost.fault == "timeout",  # the provider charges for it
        )

    def _refusal(self, answer: Answer) -> Failure:
        """Map an answer other than 200."""
        status, message = answer.status, message_in(answer)
        hint = self.provider.hint(status, message) or _hint(status)
        is_final = self.provider.is_final(status, message)
        return refusal(answer, message, (EmbedderRefused, EmbedderUnavailable), hint, is_final=is_final)

    def _observe(self, purpose: Purpose, texts: int, tokens: int, seconds: float, status: str) -> None:
        if self.observer is not None:
            identity = self.identity
            self.observer(EmbedderCall(identity.provider, identity.model, purpose, texts, tokens, seconds, status))


def _duration(seconds: float) -> str:
    """Format seconds, as in `5 minutes`."""
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _hint(status: int) -> str:
    """Hint for a status of any provider."""
    if 300 <= status < 400:
        return redirect_hint("[embedding] base_url")
    if status >= 500:
        return "The provider failed: try again later, or see its log or status page."
    return "Check that [embedding] base_url is the address of this provider's API, and model one of its models."
