"""The embedder over any provider: checks and batches texts, and makes concurrent requests."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from assay.adapters.embedders.remote.batches import even_batch_size, plan_batches
from assay.adapters.embedders.remote.calls import CallLimits, ProviderCalls
from assay.adapters.embedders.remote.provider import Provider
from assay.adapters.embedders.remote.rate_limits import RateLimiter, RateWindow
from assay.adapters.embedders.remote.token_estimate import ESTIMATE, estimate_tokens
from assay.adapters.embedders.remote.vector_checks import is_unicode, require_text
from assay.adapters.remote.breaker import CircuitBreaker
from assay.adapters.remote.clock import MonotonicClock
from assay.adapters.remote.retries import RetryPolicy
from assay.adapters.remote.transport import Transport
from assay.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.model.lru_cache import LruCache
from assay.ports import Batching, EmbedderObserver, TokenCounter, Vector, Vectors

_QUERY_ATTEMPTS = 3
_DOCUMENT_ATTEMPTS = 100  # the time limit ends it before
_BREAKER_FAILURES = 5
_BREAKER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class RemoteRules:
    """Limits of a provider, and time limits.

    max_tokens: of one text with its prefix; None for no limit.
    batch_texts, batch_tokens: maximum of one request.
    calls: maximum number of concurrent requests.
    rates: limits of `inputs`, `tokens` and `requests` per rate_seconds; no limit for a missing one.
    timeout, retry_seconds: seconds of one request, and of all its attempts, for documents.
    query_timeout, query_seconds: the same for a query.
    query_cache: number of cached query vectors; 0 for none.
    first_retry: seconds before the second attempt for documents; a quarter of it for queries.
    """

    max_tokens: int | None
    batch_texts: int
    batch_tokens: int
    calls: int
    rates: Mapping[str, int]
    timeout: float
    retry_seconds: float
    query_timeout: float
    query_seconds: float
    query_cache: int
    rate_seconds: float = 60.0
    first_retry: float = 1.0


class RemoteEmbedder:
    """Embeds texts by requests to a provider. Safe to use from several threads.

    Texts that are too long are refused, never truncated. While the provider keeps failing, queries fail immediately.
    """

    tokenizer = ESTIMATE
    """Name of the estimate that count_tokens uses; it is rather too high."""

    def __init__(
        self,
        provider: Provider,
        transport: Transport,
        identity: EmbedderIdentity,
        rules: RemoteRules,
        *,
        prefixes: tuple[str, str] = ("", ""),
        observer: EmbedderObserver | None = None,
    ) -> None:
        clock = MonotonicClock()
        limiter = RateLimiter(RateWindow(rules.rates, rules.rate_seconds), clock)
        self._provider = provider
        self.identity = identity
        self._rules = rules
        self._document_prefix, self._query_prefix = prefixes
        self._calls = ProviderCalls(provider, transport, identity, limiter, clock, calls=rules.calls, observer=observer)
        documents = RetryPolicy(_DOCUMENT_ATTEMPTS, rules.retry_seconds, first=rules.first_retry, most=30.0)
        queries = RetryPolicy(_QUERY_ATTEMPTS, rules.query_seconds, first=rules.first_retry / 4, most=1.0)
        self._document_limits = CallLimits(documents, rules.timeout, rate_limit_wait=float("inf"))
        self._query_limits = CallLimits(queries, rules.query_timeout, rate_limit_wait=rules.query_seconds)
        self._breaker = CircuitBreaker(_BREAKER_FAILURES, _BREAKER_SECONDS, clock)
        self._cached_queries = LruCache[str, Vector](rules.query_cache)
        self._prefetched: dict[str, Vector] = {}
        max_texts = even_batch_size(rules.batch_texts, rules.rates.get("inputs"))
        self.batching = Batching(texts=max_texts, calls=rules.calls, costly=True)  # cached: vectors cost money

    @property
    def max_tokens(self) -> int | None:
        """Maximum number of tokens of one text, without the prefix; None without a limit."""
        if self._rules.max_tokens is None:
            return None
        return self._rules.max_tokens - max(estimate_tokens([self._document_prefix, self._query_prefix]))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimated number of tokens of each text."""
        return estimate_tokens(texts)

    @property
    def token_counter(self) -> TokenCounter:
        """The estimate, a module's function."""
        return estimate_tokens

    @property
    def local_embedder(self) -> None:
        """None: only this process keeps to the provider's limits."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed documents by concurrent requests. Returns float32 of shape (len(texts), dimension), rows of length 1.

        Raises InvalidEmbedding for a text that is blank, too long or invalid Unicode, before any request;
        EmbedderUnavailable, EmbedderRefused.
        """
        return self._embed_batches([self._document_prefix + text for text in texts], self._checked(texts), "document")

    def _embed_batches(
        self,
        texts: Sequence[str],
        counts: Sequence[int],
        purpose: Literal["document", "query"],
        limits: CallLimits | None = None,
    ) -> Vectors:
        limits = limits or self._document_limits
        batches = plan_batches(counts, self.batching.texts, self._rules.batch_tokens)
        if not batches:
            return np.empty((0, self.identity.dimension), dtype=np.float32)

        def embed(batch: range) -> Vectors:
            tokens = sum(counts[position] for position in batch)
            return self._calls.embed([texts[position] for position in batch], tokens, purpose, limits)

        if len(batches) == 1:
            return embed(batches[0])
        with ThreadPoolExecutor(min(len(batches), self._rules.calls), "embed") as threads:
            try:
                return np.concatenate(list(threads.map(embed, batches)))
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                self.interrupt()
                raise

    def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns float32 of shape (dimension,), of length 1.

        Raises InvalidEmbedding for an invalid text; EmbedderUnavailable, EmbedderRefused, EmbeddingError for a failure
        of the provider.
        """
        remembered = self._prefetched.get(text)
        if remembered is None:
            remembered = self._cached_queries.get(text)
        if remembered is not None:
            return remembered
        count = self._checked([text], lenient=self._provider.refuses_long_texts)[0]
        if not self._breaker.allows_request():
            raise EmbedderUnavailable(
                f"{self._provider.name} failed several times in a row; requests to it are paused."
            )
        try:
            vector: Vector = self._calls.embed([self._query_prefix + text], count, "query", self._query_limits)[0]
        except EmbedderRefused as error:
            if self._is_over(count):
                self._breaker.succeeded()
                raise self._too_long(text, count) from error
            self._breaker.failed()
            raise
        except InvalidEmbedding as error:
            self._breaker.failed()
            raise EmbeddingError(error.message, hint=error.hint) from error  # not the query's fault
        except EmbeddingError:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        vector.flags.writeable = False  # it is cached
        self._cached_queries[text] = vector
        return vector

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Embed queries in few requests, so that embed_query answers these texts from memory.

        seconds: time limit of all retries; None for that of a build.

        Replaces what was prefetched before. Texts that cannot be embedded are left for embed_query to refuse. Raises
        EmbedderUnavailable, EmbedderRefused, EmbeddingError.
        """
        counts = estimate_tokens(texts)
        wanted = {
            text: count
            for text, count in zip(texts, counts, strict=True)
            if text.strip() and is_unicode(text) and not self._is_over(count)
        }
        sent = [self._query_prefix + text for text in wanted]
        limits = self._document_limits if seconds is None else _shortened(seconds, self._document_limits)
        vectors = self._embed_batches(sent, list(wanted.values()), "query", limits)
        vectors.flags.writeable = False
        self._prefetched = dict(zip(wanted, vectors, strict=True))

    def interrupt(self) -> None:
        """End the waiting of running embed_documents calls in other threads; they raise EmbedderUnavailable."""
        self._calls.interrupt()

    def close(self) -> None:
        """Close connections; a second call does nothing."""
        self._calls.close()

    def _checked(self, texts: Sequence[str], *, lenient: bool = False) -> list[int]:
        """Check texts and count their tokens. lenient: let the provider refuse a text that seems too long."""
        require_text(texts)
        counts = estimate_tokens(texts)
        for text, count in zip(texts, counts, strict=True):
            if not lenient and self._is_over(count):
                raise self._too_long(text, count)
        return counts

    def _is_over(self, count: int) -> bool:
        return self.max_tokens is not None and count > self.max_tokens

    def _too_long(self, text: str, count: int) -> InvalidEmbedding:
        return InvalidEmbedding(
            f"The text {text[:80]!r}… has about {count} tokens, and {self.identity.model} takes {self.max_tokens}.",
            hint="Shorten it; texts are not truncated.",
        )


def _shortened(seconds: float, limits: CallLimits) -> CallLimits:
    """Shorten all time limits to at most these seconds."""
    retries = replace(limits.retries, budget=min(limits.retries.budget, seconds))
    return CallLimits(retries, min(limits.timeout, seconds), min(limits.rate_limit_wait, seconds))
