"""The way to a Qdrant server: one client for each time limit, and asking again where that may help and cannot hurt."""

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import TypeVar

import httpx
from qdrant_client import QdrantClient, models

from assay.adapters.stores.qdrant.errors import CLIENT_ERRORS, MISREAD, FailedRequest, explain, failure_of, misread
from assay.adapters.stores.qdrant.options import Access, Reading
from assay.errors import VectorStoreError

logger = logging.getLogger(__name__)
T = TypeVar("T")

_CONNECTIONS = 256
_KEPT = 64
_PROBE_SECONDS = 1


class Again(Enum):
    """Whether a request that failed may be made a second time."""

    NEVER = "never"
    """It is not idempotent, and the first may have worked; or nobody gains by it."""

    SOON = "soon"
    """Somebody waits for it."""

    PATIENTLY = "patiently"
    """A build that has come far would rather wait for a server that is restarted."""


@dataclass(frozen=True, slots=True)
class _Patience:
    """How long a request is worth trying.

    attempts: the most requests, the first one included.
    budget: seconds after the first request in which the last one has to begin.
    first, longest: seconds before the second attempt, which double each time, and the most that they grow to.
    """

    attempts: int
    budget: float
    first: float
    longest: float

    def wait(self, attempt: int, elapsed: float, retry_after: float | None) -> float | None:
        """Seconds before the next attempt, never fewer than the server asked for; None when there is to be none."""
        grown = min(self.longest, self.first * 2.0 ** min(attempt - 1, 16))
        # Those who failed together are not to come back together.
        spread = grown * random.uniform(0.5, 1.0)  # noqa: S311 - guards nothing
        wait = spread if retry_after is None else retry_after + spread
        return wait if attempt < self.attempts and elapsed + wait <= self.budget else None


class QdrantServer:
    """A server or cluster; safe to use from several threads. Nothing is sent before something is asked."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._lock = threading.Lock()
        self._clients: dict[int, QdrantClient] = {}
        self._patience = {
            Again.NEVER: _Patience(attempts=1, budget=0.0, first=0.1, longest=0.1),
            # No longer than the shortest time limit: who has waited that long in vain is not to wait as long again.
            Again.SOON: _Patience(attempts=access.retries + 1, budget=1.0, first=0.1, longest=0.4),
            Again.PATIENTLY: _Patience(attempts=10_000, budget=access.patience_seconds, first=0.2, longest=5.0),
        }
        if access.exposes_key:
            logger.warning(
                "The API key of the Qdrant server at %s goes over the network unencrypted; use https.", access.address
            )

    @property
    def address(self) -> str:
        """Where it is, without anything secret."""
        return self._access.address

    @property
    def search_seconds(self) -> int:
        """The time that a search has."""
        return self._access.timeout_seconds

    def search(self, doing: str, name: str, call: Callable[[QdrantClient], T]) -> T:
        """Ask something that somebody waits for. Raises VectorStoreError."""
        return self._ask(doing, name, call, self._access.timeout_seconds, Again.SOON)

    def work(self, doing: str, name: str, call: Callable[[QdrantClient], T], again: Again) -> T:
        """Ask something that may take longer. Raises VectorStoreError."""
        return self._ask(doing, name, call, self._access.upload_timeout_seconds, again)

    def attempt(self, call: Callable[[QdrantClient], T], again: Again) -> T | FailedRequest:
        """As work, with the failure as a value, for those who know better what it means."""
        return self._try(call, self._access.upload_timeout_seconds, again)

    def attempt_search(self, call: Callable[[QdrantClient], T]) -> T | FailedRequest:
        """As search, with the failure as a value."""
        return self._try(call, self._access.timeout_seconds, Again.SOON)

    def probe(self, doing: str, call: Callable[[QdrantClient], T]) -> T:
        """Ask something once and wait no more than a second. Raises VectorStoreError."""
        return self._ask(doing, "", call, _PROBE_SECONDS, Again.NEVER)

    def error(self, failure: FailedRequest, doing: str, name: str) -> VectorStoreError:
        """What a failure of `attempt` is raised as."""
        return explain(failure, doing, name, self.address, self._access.upload_timeout_seconds)

    def close(self) -> None:
        """Let go of the connections; the next request opens new ones."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()

    def rankings(
        self, name: str, answers: Sequence[models.QueryResponse], asked: int
    ) -> list[list[models.ScoredPoint]]:
        """The points of each search of one request. Raises StoreUnavailable unless each has an answer with scores."""
        problem = ""
        if len(answers) != asked:
            problem = f"{len(answers)} of {asked} searches have an answer"
        elif not all(isfinite(point.score) for answer in answers for point in answer.points):
            problem = "a score is not a finite number"
        if problem:
            raise explain(FailedRequest(200, problem, strange=True), "search", name, self.address, self.search_seconds)
        return [answer.points for answer in answers]

    def _ask(self, doing: str, name: str, call: Callable[[QdrantClient], T], seconds: int, again: Again) -> T:
        answer = self._try(call, seconds, again)
        if isinstance(answer, FailedRequest):
            raise explain(answer, doing, name, self.address, seconds)
        return answer

    def _try(self, call: Callable[[QdrantClient], T], seconds: int, again: Again) -> T | FailedRequest:
        patience = self._patience[again]
        client = self._client(seconds)
        started = time.monotonic()
        attempt = 0
        while True:
            try:
                return call(client)
            except CLIENT_ERRORS as error:
                failure = failure_of(error)
            except MISREAD as error:
                failure = misread(error)
            if failure.strange and again is Again.PATIENTLY:  # a wrong address does not become right in two minutes
                patience = self._patience[Again.SOON]
            attempt += 1
            elapsed = time.monotonic() - started
            wait = patience.wait(attempt, elapsed, failure.retry_after) if failure.transient else None
            if wait is None:
                return failure
            if again is Again.PATIENTLY and attempt == 1:
                logger.warning(
                    "The Qdrant server at %s cannot do it now (%s); trying again for up to %.0f s.",
                    self.address,
                    failure.words,
                    patience.budget,
                )
            time.sleep(wait)

    def _client(self, seconds: int) -> QdrantClient:
        with self._lock:
            client = self._clients.get(seconds)
            if client is None:
                client = self._clients[seconds] = connect(self._access, seconds)
            return client


def consistency_of(reading: Reading) -> models.ReadConsistency | None:
    """The copies of a shard that a request asks, in the client's types."""
    if isinstance(reading.read_consistency, str):
        return models.ReadConsistencyType(reading.read_consistency)
    return reading.read_consistency


def connect(access: Access, seconds: int) -> QdrantClient:
    """A client that has sent nothing yet. seconds: what each of its requests may take."""
    client = QdrantClient(
        url=access.url,
        prefer_grpc=access.grpc,
        grpc_port=access.grpc_port,
        timeout=seconds,
        # As a header: given as a key, the client warns in its own way when the connection is not encrypted.
        headers={"api-key": access.api_key} if access.api_key else None,
        check_compatibility=False,
        cloud_inference=True,  # else every request is searched for texts that the client is to embed
        limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_KEPT),
    )
    if access.grpc:
        # Touched now, under a lock: made at the first request, several threads would make them.
        _ = client.grpc_points, client.grpc_collections
    return client
