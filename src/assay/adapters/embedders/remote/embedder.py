"""The embedder over any provider: texts checked and batched, several requests at once, queries quick or not at all."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from assay.adapters.embedders.remote.batches import even_share, plan_batches
from assay.adapters.embedders.remote.breaker import CircuitBreaker
from assay.adapters.embedders.remote.calls import Patience, ProviderCalls
from assay.adapters.embedders.remote.provider import Provider
from assay.adapters.embedders.remote.rate_limits import MonotonicClock, RateLimiter, RateWindow
from assay.adapters.embedders.remote.retries import RetryPolicy
from assay.adapters.embedders.remote.token_estimate import ESTIMATE, estimate_tokens
from assay.adapters.embedders.remote.transport import Transport
from assay.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError, InvalidEmbedding
from assay.model.generations import EmbedderIdentity
from assay.model.lru_cache import LruCache
from assay.ports import Batching, EmbedderObserver, TokenCounter, Vector, Vectors

_QUERY_ATTEMPTS = 3
_DOCUMENT_ATTEMPTS = 100  # the budget ends it before
_BREAKER_FAILURES = 5
_BREAKER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class RemoteRules:
    """What a provider takes, and how long it is waited for.

    max_tokens: of one text, with everything that is put in front of it; None for no limit.
    batch_texts, batch_tokens: the most of one request.
    calls: the most requests at the same time.
    rates: how many `inputs`, `tokens` and `requests` may be sent in rate_seconds; what is not named has no limit.
    timeout, retry_seconds: seconds of one request, and of all attempts at it, for documents.
    query_timeout, query_seconds: the same for a query.
    query_cache: how many queries' vectors are remembered; 0 for none.
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
    """Texts to vectors by requests to a provider. Safe to use from several threads.

    A text that is too long is refused here, never cut. A query waits for seconds at the most, and while the provider
    keeps failing, queries fail at once.
    """

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
        self._identity = identity
        self._rules = rules
        self._document_prefix, self._query_prefix = prefixes
        self._calls = ProviderCalls(provider, transport, identity, limiter, clock, calls=rules.calls, observer=observer)
        documents = RetryPolicy(_DOCUMENT_ATTEMPTS, rules.retry_seconds, first=rules.first_retry, most=30.0)
        queries = RetryPolicy(_QUERY_ATTEMPTS, rules.query_seconds, first=rules.first_retry / 4, most=1.0)
        self._for_documents = Patience(documents, rules.timeout, limits=float("inf"))
        self._for_queries = Patience(queries, rules.query_timeout, limits=rules.query_seconds)
        self._breaker = CircuitBreaker(_BREAKER_FAILURES, _BREAKER_SECONDS, clock)
        self._remembered = LruCache[str, Vector](rules.query_cache)
        self._expected: dict[str, Vector] = {}
        self._most = even_share(rules.batch_texts, rules.rates.get("inputs"))

    @property
    def identity(self) -> EmbedderIdentity:
        """What the meaning of its vectors depends on; the address is no part of it."""
        return self._identity

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of one text; what is put in front of each is taken off already."""
        if self._rules.max_tokens is None:
            return None
        return self._rules.max_tokens - max(estimate_tokens([self._document_prefix, self._query_prefix]))

    @property
    def tokenizer(self) -> str:
        """Name of the tokenizer that count_tokens uses: an estimate that is rather too high."""
        return ESTIMATE

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, by estimate."""
        return estimate_tokens(texts)

    @property
    def token_counter(self) -> TokenCounter:
        """The estimate, a function of a module."""
        return estimate_tokens

    @property
    def batching(self) -> Batching:
        """One request for each call, and as many as the rate limit and the settings allow."""
        return Batching(texts=self._most, calls=self._rules.calls, costly=True)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, several requests at a time.

        Raises InvalidEmbedding for a text that is blank, too long or not Unicode, before anything is sent;
        EmbedderUnavailable, EmbedderRefused.
        """
        return self._embed_batches([self._document_prefix + text for text in texts], self._checked(texts), "document")

    def _embed_batches(
        self,
        texts: Sequence[str],
        counts: Sequence[int],
        purpose: Literal["document", "query"],
        patience: Patience | None = None,
    ) -> Vectors:
        patience = patience or self._for_documents
        batches = plan_batches(counts, self._most, self._rules.batch_tokens)
        if not batches:
            return np.empty((0, self._identity.dimension), dtype=np.float32)

        def embed(batch: range) -> Vectors:
            tokens = sum(counts[position] for position in batch)
            return self._calls.embed([texts[position] for position in batch], tokens, purpose, patience)

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
        """Embed a text to find with.

        Raises InvalidEmbedding for what is wrong with the text; EmbedderUnavailable, EmbedderRefused or
        EmbeddingError for what is wrong with the provider.
        """
        remembered = self._expected.get(text)
        if remembered is None:
            remembered = self._remembered.get(text)
        if remembered is not None:
            return remembered
        count = self._checked([text], lenient=self._provider.refuses_long_texts)[0]
        if not self._breaker.admits():
            raise EmbedderUnavailable(f"{self._provider.name} has just failed several times and is left alone for now.")
        try:
            vector: Vector = self._calls.embed([self._query_prefix + text], count, "query", self._for_queries)[0]
        except EmbedderRefused as error:
            if self._is_over(count):
                self._breaker.succeeded()
                raise self._too_long(text, count) from error
            self._breaker.failed()
            raise
        except InvalidEmbedding as error:
            self._breaker.failed()
            raise EmbeddingError(error.message, hint=error.hint) from error  # not the fault of who asks
        except EmbeddingError:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        vector.flags.writeable = False  # it is handed out again
        self._remembered[text] = vector
        return vector

    def prefetch_queries(self, texts: Sequence[str], seconds: float | None = None) -> None:
        """Embed queries that will be asked next in few requests; kept until the next call.

        seconds: after which no request is begun; None for a build's patience.

        Raises EmbedderUnavailable, EmbedderRefused, EmbeddingError.
        """
        counts = estimate_tokens(texts)
        wanted = {
            text: count
            for text, count in zip(texts, counts, strict=True)
            if text.strip() and _is_unicode(text) and not self._is_over(count)
        }
        sent = [self._query_prefix + text for text in wanted]
        patience = self._for_documents if seconds is None else _no_longer_than(seconds, self._for_documents)
        vectors = self._embed_batches(sent, list(wanted.values()), "query", patience)
        vectors.flags.writeable = False
        self._expected = dict(zip(wanted, vectors, strict=True))

    def interrupt(self) -> None:
        """End the waiting of calls that go on in other threads."""
        self._calls.interrupt()

    def close(self) -> None:
        """Let go of the connections; a second call does nothing."""
        self._calls.close()

    def _checked(self, texts: Sequence[str], *, lenient: bool = False) -> list[int]:
        """Tokens of each text. lenient: leave it to the provider to refuse what is too long by our estimate."""
        for text in texts:
            if not text.strip():
                raise InvalidEmbedding(
                    f"The text {text!r} is blank and has no embedding.", hint="Leave blank texts out."
                )
            if not _is_unicode(text):
                raise InvalidEmbedding(
                    f"The text {text[:80]!r} holds half of a character and cannot be embedded.",
                    hint="Save the page as UTF-8.",
                )
        counts = estimate_tokens(texts)
        for text, count in zip(texts, counts, strict=True):
            if not lenient and self._is_over(count):
                raise self._too_long(text, count)
        return counts

    def _is_over(self, count: int) -> bool:
        return self.max_tokens is not None and count > self.max_tokens

    def _too_long(self, text: str, count: int) -> InvalidEmbedding:
        return InvalidEmbedding(
            f"The text {text[:80]!r}… has about {count} tokens, and {self._identity.model} takes {self.max_tokens}.",
            hint="Shorten it; nothing is cut silently.",
        )


def _no_longer_than(seconds: float, patience: Patience) -> Patience:
    """The same patience, at an end after so many seconds."""
    retries = replace(patience.retries, budget=min(patience.retries.budget, seconds))
    return Patience(retries, min(patience.timeout, seconds), min(patience.limits, seconds))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
