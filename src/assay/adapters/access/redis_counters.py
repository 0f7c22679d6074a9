"""Rate limits that several machines count together in Redis, and alone while it does not answer."""

import logging
from importlib.util import find_spec
from threading import Lock
from time import monotonic
from typing import Any, ClassVar
from urllib.parse import urlsplit

from limits.errors import StorageError
from limits.storage import Storage
from limits.storage.redis import RedisStorage

from assay.adapters.access.request_limits import RequestLimits, Usage
from assay.errors import ConfigurationError

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 0.25
"""Time-out of connecting to Redis, and of each of its answers."""

RETRY_SECONDS = 5.0
"""Seconds until Redis is tried again after it did not answer."""

_PREFIX = "assay-limits"


class SharedLimits(RequestLimits):
    """Limits counted in Redis.

    While Redis does not answer, this machine counts for itself: a limit is there to protect searches, and refusing
    them all would be worse than up to one quota for each machine. One warning says so.

    url: of Redis. local: the counters of this machine; None for the memory of this process.

    Raises ConfigurationError without the extra `redis` and for a URL that Redis does not take.
    """

    is_remote: ClassVar[bool] = True

    def __init__(self, url: str, local: Storage | None = None) -> None:
        super().__init__(_redis(url))
        self._local = RequestLimits(local)
        self._server = urlsplit(url).hostname or urlsplit(url).path
        self._lock = Lock()
        self._retry_at = 0.0
        self._is_down = False

    def count(self, limit: str, client: str, requests: int = 1) -> Usage | None:
        """Count as RequestLimits does; takes a round trip or, while Redis does not answer, up to TIMEOUT_SECONDS."""
        if monotonic() >= self._retry_at:
            try:
                usage = super().count(limit, client, requests)
            except StorageError as error:
                self._note_failure(error)
            else:
                self._note_success()
                return usage
        return self._local.count(limit, client, requests)

    def _note_failure(self, error: StorageError) -> None:
        with self._lock:
            self._retry_at = monotonic() + RETRY_SECONDS
            was_down, self._is_down = self._is_down, True
        if not was_down:
            logger.warning(
                "Redis at %s does not count requests, so this machine counts rate limits for itself: %s",
                self._server,
                error.storage_error,
            )

    def _note_success(self) -> None:
        if self._is_down:
            with self._lock:
                was_down, self._is_down = self._is_down, False
            if was_down:
                logger.info("Redis at %s counts rate limits again.", self._server)


def _redis(url: str) -> RedisStorage:
    if find_spec("redis") is None:
        raise ConfigurationError(
            "[server] rate_limit_storage needs the extra `redis`, which is not installed.",
            hint="Run pip install '.[redis]' in Assay's checkout, or remove the setting.",
        )
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    options: dict[str, Any] = {
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 1),  # once, for a connection that Redis has closed
    }
    try:
        return RedisStorage(url, key_prefix=_PREFIX, wrap_exceptions=True, **options)
    except ValueError as error:
        raise ConfigurationError(
            f"[server] rate_limit_storage is not a URL of Redis: {error}.",
            hint="Write it as redis://:password@host:6379/0.",
        ) from None
