"""Requests to a provider, made until one succeeds or there is no use in another: limits, retries, pauses, counting."""

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import random

from assay.adapters.embedders.remote.provider import Provider, Purpose, message_of
from assay.adapters.embedders.remote.rate_limits import Interrupted, RateClock, RateLimited, RateLimiter, Ticket
from assay.adapters.embedders.remote.retries import RetryPolicy, is_transient, retry_after_seconds
from assay.adapters.embedders.remote.transport import Answer, NoAnswer, Transport
from assay.adapters.embedders.remote.vector_checks import UnusableAnswer, unit_vectors
from assay.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.ports import EmbedderCall, EmbedderObserver, Vectors
from assay.redaction import peer_words

logger = logging.getLogger(__name__)

_MOST_UNUSABLE = 3
"""A provider that answers so many times with what cannot be used will not do better, and each answer costs."""

_UNREACHED_SECONDS, _UNREACHED_PAUSE = 30.0, 5.0
"""How long a provider is tried that no request has reached yet, and the longest pause: the address may be wrong."""

_NOT_THE_API = (
    "Is [embedding] base_url the address of this provider's API? A proxy's page and another API look like this."
)
_ANSWER_BYTES, _NUMBER_BYTES, _ESCAPED = 512 * 1024, 40, 6
"""Bytes of an answer without vectors, of one number of a vector with what is around it, and of a repeated byte."""

_NOTHING = {"inputs": 0, "tokens": 0}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one purpose may take. timeout: seconds of one request. limits: seconds to wait for the rate limits."""

    retries: RetryPolicy
    timeout: float
    limits: float


@dataclass(frozen=True, slots=True)
class _Failure:
    """How an attempt failed.

    status: as EmbedderCall has it.
    said: what happened, for a message.
    error: what to raise when it was the last attempt.
    final: whether another attempt would fail too.
    worked: whether the provider may have embedded the texts all the same.
    retry_after: seconds that the provider asked for.
    """

    status: str
    said: str
    error: type[EmbeddingError]
    hint: str = ""
    final: bool = False
    worked: bool = False
    retry_after: float | None = None


class ProviderCalls:
    """Embeds the texts of one request. Safe to use from several threads.

    calls: the most requests at the same time.
    """

    def __init__(
        self,
        provider: Provider,
        transport: Transport,
        identity: EmbedderIdentity,
        limiter: RateLimiter,
        clock: RateClock,
        *,
        calls: int,
        observer: EmbedderObserver | None = None,
    ) -> None:
        self._provider = provider
        self._transport = transport
        self._identity = identity
        self._limiter = limiter
        self._clock = clock
        self._observer = observer
        self._in_flight = threading.BoundedSemaphore(calls)
        self._reached = False  # whether any request has reached the provider
        self._warning = threading.Lock()
        self._warned = False  # whether a warning told of the outage that goes on

    def embed(self, texts: Sequence[str], tokens: int, purpose: Purpose, patience: Patience) -> Vectors:
        """Vectors of length 1, float32 of shape (len(texts), dimension).

        tokens: of all texts, as we count them.

        Raises EmbedderUnavailable, EmbedderRefused; InvalidEmbedding when the provider keeps answering with vectors
        that cannot be used.
        """
        body = json.dumps(self._provider.request(texts, purpose), ensure_ascii=False, allow_nan=False).encode()
        amounts = {"inputs": len(texts), "tokens": tokens, "requests": 1}
        attempt = unusable = 0
        failing = 0.0
        since = self._limiter.interruptions
        while True:
            attempt += 1
            ticket = self._turn(amounts, since, patience, failing)
            began = self._clock.now()
            outcome = self._attempt(body, texts, tokens, purpose, patience.timeout, ticket)
            if not isinstance(outcome, _Failure):
                self._reached, self._warned = True, False
                return outcome
            self._reached |= outcome.status != "unreachable"
            failing += self._clock.now() - began
            unusable += outcome.status == "unusable"
            delay = None
            retries = patience.retries if self._reached else _at_most_unreached(patience.retries)
            if not outcome.final and unusable < _MOST_UNUSABLE:
                delay = retries.delay(attempt, failing, outcome.retry_after, random())  # noqa: S311 - jitter
            if delay is None:
                raise self._last_word(outcome, attempt, failing)
            self._tell(outcome, attempt, delay, retries.budget)
            if outcome.status == "429":
                self._limiter.pause(delay)  # what is refused to one would be refused to all
            self._wait(delay, since)
            failing += delay

    def _tell(self, failure: _Failure, attempt: int, delay: float, budget: float) -> None:
        """Log that another attempt follows: once per outage as a warning, where somebody waits long for it.

        A provider that answers with an error often answers well at once after; only its second error is a warning.
        """
        name, no_answer = self._provider.name, failure.status in {"unreachable", "timeout", "cut"}
        if budget >= _UNREACHED_SECONDS and attempt >= (1 if no_answer else 2) and self._is_first_warning():
            what = f"{name} does not answer: {failure.said}" if no_answer else f"{name} keeps failing: {failure.said}"
            logger.warning("%s. Trying again for up to %s; Ctrl-C stops.", what, _duration(budget))
        else:
            logger.info("%s: %s; trying again in %.1f s.", name, failure.said, delay)

    def _is_first_warning(self) -> bool:
        with self._warning:
            first, self._warned = not self._warned, True
            return first

    def interrupt(self) -> None:
        """End the waiting that goes on in other threads."""
        self._limiter.interrupt()

    def close(self) -> None:
        """Let go of the connections."""
        self.interrupt()
        self._transport.close()

    def _turn(self, amounts: Mapping[str, int], since: int, patience: Patience, failing: float) -> Ticket:
        try:
            return self._limiter.acquire(amounts, since, patience.limits, max(patience.retries.budget - failing, 0.0))
        except RateLimited as limited:
            raise EmbedderUnavailable(
                f"{self._provider.name} can be asked again in {limited.seconds:.0f} seconds; that is too long to wait.",
                hint="The rate limit is used up; try again later, or raise the limits in [embedding] if you may.",
            ) from None
        except Interrupted:
            raise self._interrupted() from None

    def _wait(self, seconds: float, since: int) -> None:
        try:
            self._limiter.sleep(seconds, since)
        except Interrupted:
            raise self._interrupted() from None

    def _interrupted(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(f"Waiting for {self._provider.name} was given up.")

    def _attempt(
        self, body: bytes, texts: Sequence[str], tokens: int, purpose: Purpose, timeout: float, ticket: Ticket
    ) -> Vectors | _Failure:
        """One request, counted, with what it used settled with the limits."""
        outcome: Vectors | _Failure
        used: int | None = None
        with self._in_flight:
            began = self._clock.now()
            try:
                answer = self._transport.post(body, timeout, self._most_bytes(body, len(texts)))
            except NoAnswer as lost:
                outcome = self._lost(lost)
            else:
                if answer.status == 200:
                    outcome, used = self._read(answer, len(texts))
                else:
                    outcome = self._refusal(answer)
            seconds = self._clock.now() - began
        if isinstance(outcome, _Failure):
            self._observe(purpose, len(texts), 0, seconds, outcome.status)
            if not outcome.worked:
                self._limiter.settle(ticket, _NOTHING)
        else:
            used = tokens if used is None else used
            self._observe(purpose, len(texts), used, seconds, "ok")
            self._limiter.settle(ticket, {"tokens": used})
        return outcome

    def _most_bytes(self, body: bytes, texts: int) -> int:
        """What an answer can need: its numbers however they are written, and the request, which some repeat."""
        return _ANSWER_BYTES + texts * self._identity.dimension * _NUMBER_BYTES + _ESCAPED * len(body)

    def _read(self, answer: Answer, texts: int) -> tuple[Vectors | _Failure, int | None]:
        try:
            parsed = json.loads(answer.body)
            vectors = unit_vectors(self._provider.rows(parsed), texts, self._identity.dimension)
        except (ValueError, RecursionError, UnusableAnswer) as error:
            reason = str(error) if isinstance(error, UnusableAnswer) else _unread(error)
            hint = _NOT_THE_API
            if "dimensions instead" in reason:
                hint = "Set [embedding] dimensions to the length of this model's vectors."
            elif "vectors came for" in reason:
                hint = (
                    "Lower [embedding] batch_texts: some servers answer for a part of a long list. Their log says more."
                )
            said = f"its answer cannot be used, for {reason}"
            return _Failure("unusable", said, InvalidEmbedding, hint, worked=True), None
        return vectors, self._provider.tokens(parsed)

    def _lost(self, lost: NoAnswer) -> _Failure:
        said = f"{lost.detail} ({self._transport.address})"
        if lost.fault == "oversized":  # another try would bring as much
            return _Failure("unusable", peer_words(said), InvalidEmbedding, _NOT_THE_API, final=True, worked=True)
        return _Failure(
            lost.fault,
            peer_words(said),
            EmbedderUnavailable,
            "Is the address right, the server started and the network up? See [embedding] base_url."
            if lost.fault == "unreachable"
            else "",
            worked=lost.begun or lost.fault == "timeout",  # a provider counts what it answers
        )

    def _refusal(self, answer: Answer) -> _Failure:
        """What an answer other than 200 means."""
        try:
            message = peer_words(message_of(json.loads(answer.body)))
        except (ValueError, RecursionError):
            message = ""
        status = answer.status
        said = f"it answered {status}" + (f": {message.rstrip('.')}" if message else "")
        final = not is_transient(status) or self._provider.is_final(status, message)
        return _Failure(
            str(status),
            said,
            EmbedderRefused if final else EmbedderUnavailable,
            self._provider.hint(status, message) or _hint(status),
            final=final,
            retry_after=_retry_after(answer.headers),
        )

    def _last_word(self, failure: _Failure, attempts: int, seconds: float) -> EmbeddingError:
        name = self._provider.name
        tries = f" ({attempts} tries in {seconds:.1f} seconds)" if attempts > 1 else ""
        verb = "refused" if failure.error is EmbedderRefused else "failed"
        return failure.error(f"{name} {verb}: {failure.said}{tries}.", hint=failure.hint)

    def _observe(self, purpose: Purpose, texts: int, tokens: int, seconds: float, status: str) -> None:
        if self._observer is not None:
            identity = self._identity
            self._observer(EmbedderCall(identity.provider, identity.model, purpose, texts, tokens, seconds, status))


def _at_most_unreached(policy: RetryPolicy) -> RetryPolicy:
    """The policy for a provider that no request has reached yet."""
    return replace(policy, budget=min(policy.budget, _UNREACHED_SECONDS), most=min(policy.most, _UNREACHED_PAUSE))


def _duration(seconds: float) -> str:
    """A number of seconds in words, as in `5 minutes`."""
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _hint(status: int) -> str:
    """What can be said about a status at any provider."""
    if 300 <= status < 400:
        return (
            "Redirects are not followed, for the key would go along; set [embedding] base_url to where this one leads."
        )
    if status >= 500:
        return "The fault is at the provider: try again later; its log or status page says more."
    return "Is [embedding] base_url the address of this provider's API, and is model one of its models?"


def _unread(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else "it is not JSON"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = retry_after_seconds(headers.get("retry-after-ms"), datetime.now(UTC))
    if milliseconds is not None:
        return milliseconds / 1000.0
    return retry_after_seconds(headers.get("retry-after"), datetime.now(UTC))
