"""Requests to a Qdrant server: one client per time limit, and retries of transient failures."""

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from enum import Enum
from math import isfinite
from typing import Any, TypeVar

import httpx
from qdrant_client import QdrantClient, models

from assay.adapters.remote.retries import RetryPolicy
from assay.adapters.stores.qdrant.errors import (
    CLIENT_ERRORS,
    PARSE_ERRORS,
    FailedRequest,
    classify_error,
    explain,
    unrecognized_answer,
)
from assay.adapters.stores.qdrant.options import Access, ReadOptions
from assay.errors import IndexCorrupt, IndexNotFound, VectorStoreError

logger = logging.getLogger(__name__)
T = TypeVar("T")

_CONNECTIONS = 256
_KEPT = 64
_PROBE_SECONDS = 1

_SPREAD_SECONDS = 5.0
"""Seconds within which a node of a cluster learns of a change that another node confirmed."""

_SPREAD_PAUSE = 0.1


class Retry(Enum):
    """How long a failed request is retried."""

    NEVER = "never"
    """For requests that are not idempotent, or where a retry is useless."""

    BRIEF = "brief"
    """For requests that a user waits for."""

    LONG = "long"
    """For builds, which wait for a server to restart."""


class QdrantServer:
    """A server or cluster; safe to use from several threads. Connects on the first request.

    address: without secrets. search_seconds: time limit of a search.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self.address = access.address
        self.search_seconds = access.timeout_seconds
        self._lock = threading.Lock()
        self._clients: dict[int, QdrantClient] = {}
        self._several: bool | None = None
        self._gave_up_at: float | None = None
        self._policies = {
            Retry.NEVER: RetryPolicy(attempts=1, budget=0.0, first=0.1, most=0.1),
            Retry.BRIEF: RetryPolicy(attempts=access.retries + 1, budget=1.0, first=0.1, most=0.4),
            Retry.LONG: RetryPolicy(attempts=10_000, budget=access.patience_seconds, first=0.2, most=5.0),
        }
        if access.sends_key_unencrypted:
            logger.warning(
                "The API key of the Qdrant server at %s is sent over the network unencrypted; use https.",
                access.address,
            )

    def search(self, operation: str, name: str, call: Callable[[QdrantClient], T], retry: Retry = Retry.BRIEF) -> T:
        """Make a request with the time limit of a search. Raises VectorStoreError."""
        return self._ask(operation, name, call, self._access.timeout_seconds, retry)

    def request(self, operation: str, name: str, call: Callable[[QdrantClient], T], retry: Retry) -> T:
        """Make a request with the time limit of an upload. Raises VectorStoreError."""
        return self._ask(operation, name, call, self._access.upload_timeout_seconds, retry)

    def try_request(self, call: Callable[[QdrantClient], T], retry: Retry) -> T | FailedRequest:
        """Like `request`, but returns the failure."""
        return self._try(call, self._access.upload_timeout_seconds, retry)

    def try_search(self, call: Callable[[QdrantClient], T]) -> T | FailedRequest:
        """Like `search`, but returns the failure."""
        return self._try(call, self._access.timeout_seconds, Retry.BRIEF)

    def probe(self, operation: str, call: Callable[[QdrantClient], T]) -> T:
        """Make a request once, with a time limit of a second. Raises VectorStoreError."""
        return self._ask(operation, "", call, _PROBE_SECONDS, Retry.NEVER)

    def error(self, failure: FailedRequest, operation: str, name: str) -> VectorStoreError:
        """The error for a failure of `try_request`."""
        return explain(failure, operation, name, self.address, self._access.upload_timeout_seconds)

    def once_spread(self, read: Callable[[], T]) -> T:
        """Read the state of a collection. On a cluster, read again for some seconds while it is missing or unfinished.

        Each request may reach another node, which may not know yet of a change that the last one confirmed.

        Raises IndexNotFound, IndexCorrupt if it stays so.
        """
        started = time.monotonic()
        while True:
            try:
                return read()
            except (IndexNotFound, IndexCorrupt):
                if time.monotonic() - started > _SPREAD_SECONDS or not self.is_cluster():
                    raise
            time.sleep(_SPREAD_PAUSE)

    def _may_be_unheard_of(self, failure: FailedRequest, retry: Retry, elapsed: float) -> bool:
        """Whether a collection may be missing only because this node of a cluster does not know it yet."""
        return failure.is_missing and retry is not Retry.NEVER and elapsed < _SPREAD_SECONDS and self.is_cluster()

    def is_cluster(self) -> bool:
        """Whether the server has several nodes; false if it does not tell."""
        if self._several is None:
            found = self._try(lambda client: client.cluster_status(), self._access.timeout_seconds, Retry.NEVER)
            if isinstance(found, FailedRequest):
                return False
            self._several = isinstance(found, models.ClusterStatusOneOf1) and len(found.peers) > 1
        return self._several

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        with self._lock:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            client.close()

    def rankings(
        self, name: str, answers: Sequence[models.QueryResponse], asked: int
    ) -> list[list[models.ScoredPoint]]:
        """The points of each search of a request. Raises StoreUnavailable if one lacks finite scores."""
        problem = ""
        if len(answers) != asked:
            problem = f"{len(answers)} of {asked} searches have an answer"
        elif not all(isfinite(point.score) for answer in answers for point in answer.points):
            problem = "a score is not a finite number"
        if problem:
            raise explain(
                FailedRequest(200, problem, unrecognized=True), "search", name, self.address, self.search_seconds
            )
        return [answer.points for answer in answers]

    def _ask(self, operation: str, name: str, call: Callable[[QdrantClient], T], seconds: int, retry: Retry) -> T:
        answer = self._try(call, seconds, retry)
        if isinstance(answer, FailedRequest):
            raise explain(answer, operation, name, self.address, seconds)
        return answer

    def _try(self, call: Callable[[QdrantClient], T], seconds: int, retry: Retry) -> T | FailedRequest:
        policy = self._policies[retry]
        if retry is Retry.LONG and self._gave_up_lately():
            policy = self._policies[Retry.BRIEF]
        client = self._client(seconds)
        started = time.monotonic()
        failed_at: float | None = None
        attempt = 0
        while True:
            try:
                answer = call(client)
                self._gave_up_at = None
                return answer
            except CLIENT_ERRORS as error:
                failure = classify_error(error)
            except PARSE_ERRORS as error:
                failure = unrecognized_answer(error)
            if failure.unrecognized and retry is Retry.LONG:  # a wrong address, which stays wrong
                policy = self._policies[Retry.BRIEF]
            attempt += 1
            now = time.monotonic()
            if retry is not Retry.LONG and now - started >= seconds:  # it has used up its time limit
                return failure
            failed_at = now if failed_at is None else failed_at
            # A search may be broken after a long wait, by a node that dies: the time for retries begins then.
            elapsed = now - (started if retry is Retry.LONG else failed_at)
            # Jitter, so that clients that failed together do not retry together.
            wait = policy.delay(attempt, elapsed, failure.retry_after, random.random())  # noqa: S311 - guards nothing
            if wait is None or not (failure.transient or self._may_be_unheard_of(failure, retry, elapsed)):
                if policy is self._policies[Retry.LONG] and failure.transient:
                    self._gave_up_at = time.monotonic()
                return failure
            if retry is Retry.LONG and attempt == 1 and failure.transient:
                logger.warning(
                    "The Qdrant server at %s %s (%s); trying again for up to %.0f s.",
                    self.address,
                    "limits the rate of requests" if failure.status == 429 else "is unavailable",
                    failure.message,
                    policy.budget,
                )
            time.sleep(wait)

    def _gave_up_lately(self) -> bool:
        """Whether a build has just waited in vain. Then requests no longer wait, because a gate makes many of them."""
        gave_up = self._gave_up_at
        return gave_up is not None and time.monotonic() - gave_up < self._access.patience_seconds

    def _client(self, seconds: int) -> QdrantClient:
        with self._lock:
            client = self._clients.get(seconds)
            if client is None:
                client = self._clients[seconds] = connect(self._access, seconds)
            return client


def consistency_of(reading: ReadOptions) -> models.ReadConsistency | None:
    """The read consistency in the client's types."""
    if isinstance(reading.read_consistency, str):
        return models.ReadConsistencyType(reading.read_consistency)
    return reading.read_consistency


def connect(access: Access, seconds: int) -> QdrantClient:
    """Make a client without connecting. seconds: time limit of each request."""
    trusted = access.tls_context()
    client = QdrantClient(
        url=access.url,
        prefer_grpc=access.grpc,
        grpc_port=access.grpc_port,
        timeout=seconds,
        headers=_headers(access),
        check_compatibility=False,
        cloud_inference=True,  # otherwise the client searches every request for texts to embed
        limits=httpx.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_KEPT),
        verify=trusted or True,
        grpc_options=_grpc_options(access),
    )
    if access.grpc:
        # Created now, under the lock, because several threads could create them at the first request.
        _ = client.grpc_points, client.grpc_collections
    return client


def _grpc_options(access: Access) -> dict[str, Any]:
    # While gRPC waits before it connects again, by default up to two minutes, every request fails.
    options: dict[str, Any] = {"grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 200}
    return options | ({"root_certificates": access.ca_file.read_bytes()} if access.ca_file else {})


def _headers(access: Access) -> dict[str, str]:
    # The key as a header, because with api_key the client logs its own warning about unencrypted connections.
    headers = {"api-key": access.api_key} if access.api_key else {}
    if not access.grpc:
        # The server writes a compressed answer in parts, without TCP_NODELAY: its last part waits 40 ms for the
        # acknowledgement of the others. An uncompressed one is one write.
        headers["Accept-Encoding"] = "identity"
    return headers
