"""Single HTTP requests to a provider, without retries.

Only the client's headers contain the key; no message, log line or repr does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

import httpx2

from assay.adapters.remote.time_limit import TimeLimit
from assay.errors import ConfigurationError
from assay.redaction import hide, secrets_in_header

_CONNECT_SECONDS = 10.0

Fault = Literal["unreachable", "timeout", "cut", "oversized"]


class NoAnswer(Exception):
    """A request without an answer.

    fault: `unreachable` (nothing was sent), `timeout`, `cut` (the connection ended during the answer), or `oversized`.
    begun: whether the answer had begun, so that the server did the work.
    """

    def __init__(self, fault: Fault, detail: str, *, begun: bool = False) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
        self.begun = begun


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer. headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends requests to one URL over a connection pool. Safe to use from several threads.

    url: with its query.
    headers: sent with each request.
    connections: maximum number of idle connections.
    setting, owner: names of the URL's setting and of the owner of the key, for messages.

    Raises ConfigurationError for an invalid URL or header.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        connections: int,
        *,
        setting: str = "[embedding] base_url",
        owner: str = "embedder",
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigurationError(
                f"{safe_url(url)!r} is not the address of a server.",
                hint=f"Set {setting} to one that begins with https:// or http://.",
            )
        if not all(value.isascii() and value.isprintable() for value in headers.values()):
            raise ConfigurationError(
                f"The {owner}'s key contains an invalid character (a line break, or one that is not ASCII).",
                hint="Copy the key again.",
            )
        for value in headers.values():
            hide(secrets_in_header(value))
        self.address = safe_url(url)
        self._url = url
        self._client = httpx2.Client(
            headers={**headers, "Content-Type": "application/json", "Accept": "application/json"},
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=connections, keepalive_expiry=30.0),
        )
        self._limit = TimeLimit()
        self._limit.apply_to(self._client)

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""
        return self._client.is_closed

    def post(self, body: bytes, seconds: float, most: int) -> Answer:
        """Send a request and read the whole answer.

        seconds: total time limit. most: maximum bytes of the answer's body.

        Raises NoAnswer.
        """
        timeout = httpx2.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        begun = False
        try:
            with (
                self._limit.deadline.within(seconds),
                self._client.stream("POST", self._url, content=body, timeout=timeout) as response,
            ):
                begun = True
                content = bytearray()
                for piece in response.iter_bytes():
                    content += piece
                    if len(content) > most:
                        raise NoAnswer("oversized", f"the answer is longer than {most:,} bytes", begun=True)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status_code, headers, bytes(content))
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError, httpx2.PoolTimeout) as error:
            raise NoAnswer("unreachable", f"no connection: {str(error) or type(error).__name__}") from None
        except httpx2.TimeoutException:
            detail = "the answer was not complete after" if begun else "no answer within"
            raise NoAnswer("timeout", f"{detail} {seconds:g} seconds", begun=begun) from None
        except httpx2.HTTPError as error:
            raise NoAnswer("cut", f"the connection broke: {str(error) or type(error).__name__}", begun=begun) from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __repr__(self) -> str:
        return f"Transport({self.address!r})"


def safe_url(url: str) -> str:
    """A URL for messages, without user, password and query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else parts.path
