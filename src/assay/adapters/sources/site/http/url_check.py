"""A check of external links: HEAD, then GET if HEAD fails; one request at a time, with a pause between requests."""

from collections.abc import Callable, Sequence
from time import sleep
from urllib.parse import urljoin, urlsplit

import httpcore2

from assay.adapters.sources.site.http.client import USER_AGENT
from assay.adapters.sources.site.http.guard import GuardedBackend, SocketGuard
from assay.adapters.sources.site.http.retrying import REDIRECTS
from assay.errors import SourceError
from assay.model.ids import WEB_PORTS

NO_ANSWER = "no answer"
_SECONDS = 20.0
_PAUSE = 0.1
_MAX_REDIRECTS = 5


class UrlCheck:
    """Checks URLs. A private address is contacted only at the host and port of a configured source.

    origins: URLs of the configured sources.
    """

    def __init__(self, origins: Sequence[str], pause: Callable[[float], None] = sleep) -> None:
        self._origins = {_origin(url): url for url in origins}
        self._pause = pause
        self._pools: dict[tuple[str, int], httpcore2.ConnectionPool] = {}

    def problem(self, url: str) -> str:
        """Return why the URL is broken, or "" if it responds with a success."""
        status = 0
        for method in ("HEAD", "GET"):
            try:
                status = self._status(method, url)
            except (httpcore2.NetworkError, httpcore2.TimeoutException, httpcore2.ProtocolError, SourceError) as error:
                return f"{NO_ANSWER}: {error}"
            except (httpcore2.UnsupportedProtocol, ValueError):
                return "not an http or https URL"
            if status < 400:
                return ""
        return f"the server returned {status}"

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            pool.close()

    def _status(self, method: str, url: str) -> int:
        """The status after redirects."""
        for _ in range(_MAX_REDIRECTS + 1):
            self._pause(_PAUSE)
            pool = self._pool(_origin(url))
            timeouts = dict.fromkeys(("connect", "read", "write", "pool"), _SECONDS)
            sent = [("User-Agent", USER_AGENT), ("Host", urlsplit(url).netloc.rpartition("@")[2])]
            with pool.stream(method, url.partition("#")[0], headers=sent, extensions={"timeout": timeouts}) as answer:
                headers = {name.lower(): value for name, value in answer.headers}
                if answer.status not in REDIRECTS or b"location" not in headers:
                    return answer.status
            url = urljoin(url, headers[b"location"].decode("latin-1"))
        raise SourceError(f"more than {_MAX_REDIRECTS} redirects")

    def _pool(self, origin: tuple[str, int]) -> httpcore2.ConnectionPool:
        if origin not in self._pools:
            start = self._origins.get(origin)
            guard = SocketGuard(start) if start else _PublicOnly()
            self._pools[origin] = httpcore2.ConnectionPool(max_connections=1, network_backend=GuardedBackend(guard))
        return self._pools[origin]


class _PublicOnly(SocketGuard):
    """Allows public addresses only."""

    def __init__(self) -> None:
        self._host, self._port = "", 0
        self.private_start = False


def _origin(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or WEB_PORTS.get(parts.scheme, 0)
