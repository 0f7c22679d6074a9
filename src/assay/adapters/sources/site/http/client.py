"""One GET request without retries: the response, or a FetchError with its cause."""

import ssl
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from urllib.parse import urlsplit

import httpcore2

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.http.decoding import BodyDecoder, BodyTooLong, DecodingError
from assay.adapters.sources.site.http.guard import ForbiddenAddress, GuardedBackend
from assay.adapters.sources.site.http.responses import BodyFilter, FetchError, FetchLimits, Response, Unserved
from assay.redaction import redacted_content
from assay.version import __version__

USER_AGENT = f"Assay/{__version__} (documentation search; robots.txt name: Assay)"

_DRAIN = 64 * 1024
"""Bytes of an unwanted body that are read so that its connection can be reused."""


class HttpClient:
    """Sends GET requests to checked addresses and keeps connections open. Thread-safe.

    start_url: `headers` are sent to its origin only.
    connections: requests that may be in flight; as many idle connections are kept.
    """

    is_local = False

    def __init__(self, backend: GuardedBackend, start_url: str, headers: Mapping[str, str], connections: int) -> None:
        self.connections = connections
        self._backend = backend
        self._origin = origin_of(start_url)
        self._secret = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._pools = [self._new_pool(connections)]
        self._pool_lock = threading.Lock()

    def _new_pool(self, kept: int) -> httpcore2.ConnectionPool:
        return httpcore2.ConnectionPool(
            ssl_context=_tls_context(),
            max_connections=None,
            max_keepalive_connections=kept,
            keepalive_expiry=10.0,
            network_backend=self._backend,
        )

    def _disable_keepalive(self) -> None:
        """Use a new connection for each request from now on.

        Some servers send a body with a 304; on a kept connection it would be read as the start of the next response.
        """
        with self._pool_lock:
            if len(self._pools) == 1:
                self._pools.append(self._new_pool(0))

    def follow(self, address: str) -> None:
        """Send the headers to the start URL's redirect target too, if it is the same host over https."""
        old, new = urlsplit(self._origin), urlsplit(address)
        if new.scheme == "https" and old.hostname == new.hostname and old.port is None and new.port is None:
            self._origin = origin_of(address)

    def get(self, address: str, limits: FetchLimits, wants_body: BodyFilter, conditions: Mapping[str, str]) -> Response:
        """Send one GET request; a redirect is returned, not followed.

        conditions: request headers such as If-None-Match.

        Raises FetchError.
        """
        try:
            with self._backend.deadline.within(limits.seconds):
                return self._exchange(address, limits, wants_body, conditions)
        except ForbiddenAddress as error:
            raise FetchError(f"not fetched: {error}", transient=False, forbidden=True) from None
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise FetchError(str(error) or "connection failed", transient=True, unreachable=True) from None
        except httpcore2.TimeoutException:
            raise FetchError(f"the response took longer than {limits.seconds:g} seconds", transient=True) from None
        except httpcore2.RemoteProtocolError as error:
            # Often left-over bytes of the previous response, or a closed connection: a new connection may work.
            if "status line" in str(error):
                self._disable_keepalive()
            raise FetchError(f"the response is not valid HTTP ({_error_text(error)})", transient=True) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise FetchError(f"the connection was lost ({_error_text(error)})", transient=True) from None
        except (httpcore2.UnsupportedProtocol, ValueError) as error:
            raise FetchError(f"the address is not valid ({_error_text(error)})", transient=False) from None

    def _exchange(
        self, address: str, limits: FetchLimits, wants_body: BodyFilter, conditions: Mapping[str, str]
    ) -> Response:
        headers = [
            (b"User-Agent", USER_AGENT.encode()),
            (b"Accept", b"text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"),
            (b"Accept-Encoding", b"gzip, deflate, br"),
            *((name.encode(), value.encode("latin-1", "replace")) for name, value in conditions.items()),
        ]
        if origin_of(address) == self._origin:
            headers += self._secret
        timeout = min(limits.read_seconds, limits.seconds)
        extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)}
        with self._pools[-1].stream("GET", address, headers=headers, extensions=extensions) as response:
            received_headers = {
                name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in response.headers
            }
            received_headers |= _joined_headers(response.headers)
            received_headers = {name: redacted_content(value) for name, value in received_headers.items()}
            refusal = wants_body(response.status, received_headers)
            if refusal or response.status in {204, 304}:
                received = _drain(response, received_headers)
                return Response(response.status, received_headers, b"", refusal, received)
            body, received = _read_body(response, received_headers.get("content-encoding", ""), limits)
            return Response(response.status, received_headers, body, "", received)

    def unserved(self) -> Sequence[Unserved]:
        """Nothing: a site does not list its pages."""
        return ()

    def abort(self) -> None:
        """Abort all requests in all threads, and refuse new connections."""
        self._backend.abort()

    def close(self) -> None:
        """Close all connections."""
        for pool in self._pools:
            pool.close()


@cache
def _tls_context() -> ssl.SSLContext:
    """The TLS context, cached: loading the system's certificates takes longer than a request."""
    return ssl.create_default_context()


def _joined_headers(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers that may be repeated, with their values joined."""
    robots = [value.decode("latin-1") for name, value in headers if name.lower() == b"x-robots-tag"]
    links = [value.decode("latin-1") for name, value in headers if name.lower() == b"link"]
    joined = {"x-robots-tag": "\n".join(robots), "link": ", ".join(links)}
    return {name: value for name, value in joined.items() if value}


def _drain(response: httpcore2.Response, headers: Mapping[str, str]) -> int:
    """Read a short unwanted body; a longer one costs its connection."""
    length = headers.get("content-length", "")
    received = 0
    if length.isdigit() and int(length) > _DRAIN:
        return 0
    for piece in response.iter_stream():
        received += len(piece)
        if received > _DRAIN:
            break
    return received


def _read_body(response: httpcore2.Response, coding: str, limits: FetchLimits) -> tuple[bytes, int]:
    received, max_bytes = 0, limits.bytes
    try:
        decoder = BodyDecoder(coding, max_bytes)
        for piece in response.iter_stream():
            received += len(piece)
            decoder.feed(piece)
        return decoder.finish(), received
    except BodyTooLong:
        if limits.truncate:
            return bytes(decoder.body[:max_bytes]), received
        raise FetchError(f"the body is longer than {max_bytes:,} bytes", transient=False, received=received) from None
    except DecodingError as error:
        raise FetchError(f"the body cannot be decoded: {error}", transient=False, received=received) from None


def _error_text(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:160]
