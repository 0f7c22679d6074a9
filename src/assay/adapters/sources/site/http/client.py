"""One request to a site: an answer with its body if that is wanted, or the way in which none came. No retries."""

import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import httpcore2

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.http.decoding import BadCoding, BodyDecoder, TooLong
from assay.adapters.sources.site.http.guard import ForbiddenAddress, GuardedBackend
from assay.redaction import redacted, redacted_content
from assay.version import __version__

USER_AGENT = f"Assay/{__version__} (documentation search; robots.txt name: Assay)"

_DRAIN = 64 * 1024
"""Bytes of an unwanted body that are read so that its connection can be used again."""


class NoPage(Exception):
    """A request without an answer that can be used.

    reason: what happened, in the words of a report, without secrets.
    passing: whether another try may go better.
    unreachable: whether not even a connection came about.
    forbidden: whether this machine refused to connect. answered: whether the server said so itself, in proper HTTP.
    received: bytes that came all the same.
    """

    def __init__(
        self,
        reason: str,
        *,
        passing: bool,
        unreachable: bool = False,
        forbidden: bool = False,
        answered: bool = False,
        received: int = 0,
    ) -> None:
        self.reason = redacted(reason)
        super().__init__(self.reason)
        self.passing = passing
        self.unreachable = unreachable
        self.forbidden = forbidden
        self.answered = answered
        self.received = received


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    headers: names in small letters, each once; secrets that the server repeats are masked.
    body: decoded; b"" when it was not wanted.
    refusal: why the body was not read; "" when it was, or there was none to read.
    received: bytes of the body as they came.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    refusal: str
    received: int


Wanted = Callable[[int, Mapping[str, str]], str]
"""Why the body of an answer with this status and these headers is not read; "" to read it."""


def anything(status: int, headers: Mapping[str, str]) -> str:  # noqa: ARG001
    """Read every body of a success."""
    return "" if status == 200 else "no success"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one answer may take: seconds altogether, seconds without a byte, bytes decoded.

    cut: whether a longer body is read so far, and not refused.
    """

    seconds: float
    read_seconds: float
    bytes: int
    cut: bool = False


class Client:
    """Sends GET requests over kept connections to checked addresses. Safe to use from several threads.

    start_url: the headers go to its origin alone.
    connections: kept at the same time.
    """

    def __init__(self, backend: GuardedBackend, start_url: str, headers: Mapping[str, str], connections: int) -> None:
        self._backend = backend
        self._origin = origin_of(start_url)
        self._secret = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._pools = [self._new_pool(connections)]
        self._distrust = threading.Lock()

    def _new_pool(self, kept: int) -> httpcore2.ConnectionPool:
        return httpcore2.ConnectionPool(
            ssl_context=_verifying(),
            max_connections=None,
            max_keepalive_connections=kept,
            keepalive_expiry=10.0,
            network_backend=self._backend,
        )

    def _keep_no_connections(self) -> None:
        """From now on each request gets a connection of its own: this server sends more than its answers say.

        A 304 with a body is met, and the body would be taken for the beginning of the next answer.
        """
        with self._distrust:
            if len(self._pools) == 1:
                self._pools.append(self._new_pool(0))

    def follow(self, address: str) -> None:
        """The start URL redirects here: the headers go here too, if it is the same host, now over https."""
        old, new = urlsplit(self._origin), urlsplit(address)
        if new.scheme == "https" and old.hostname == new.hostname and old.port is None and new.port is None:
            self._origin = origin_of(address)

    def get(self, address: str, bounds: Bounds, wanted: Wanted, conditions: Mapping[str, str]) -> Answer:
        """Ask for an address. Redirects are answers like others.

        conditions: request headers such as If-None-Match.

        Raises NoPage.
        """
        try:
            with self._backend.deadline(bounds.seconds):
                return self._exchange(address, bounds, wanted, conditions)
        except ForbiddenAddress as error:
            raise NoPage(f"not asked: {error}", passing=False, forbidden=True) from None
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
            raise NoPage(str(error) or "no connection", passing=True, unreachable=True) from None
        except httpcore2.TimeoutException:
            raise NoPage(f"it did not come within {bounds.seconds:g} seconds", passing=True) from None
        except httpcore2.RemoteProtocolError as error:
            # Often what a server sent behind its last answer, or a connection that ended: another one may go better.
            if "status line" in str(error):
                self._keep_no_connections()
            raise NoPage(f"its answer is not proper HTTP ({_said(error)})", passing=True) from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
            raise NoPage(f"the connection broke ({_said(error)})", passing=True) from None
        except (httpcore2.UnsupportedProtocol, ValueError) as error:
            raise NoPage(f"the address cannot be asked for ({_said(error)})", passing=False) from None

    def _exchange(self, address: str, bounds: Bounds, wanted: Wanted, conditions: Mapping[str, str]) -> Answer:
        headers = [
            (b"User-Agent", USER_AGENT.encode()),
            (b"Accept", b"text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"),
            (b"Accept-Encoding", b"gzip, deflate, br"),
            *((name.encode(), value.encode("latin-1", "replace")) for name, value in conditions.items()),
        ]
        if origin_of(address) == self._origin:
            headers += self._secret
        timeout = min(bounds.read_seconds, bounds.seconds)
        extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)}
        with self._pools[-1].stream("GET", address, headers=headers, extensions=extensions) as response:
            answered = {
                name.decode("latin-1").lower(): value.decode("latin-1").strip() for name, value in response.headers
            }
            answered |= _joined(response.headers)
            answered = {name: redacted_content(value) for name, value in answered.items()}
            refusal = wanted(response.status, answered)
            if refusal or response.status in {204, 304}:
                received = _drain(response, answered)
                return Answer(response.status, answered, b"", refusal, received)
            body, received = _read(response, answered.get("content-encoding", ""), bounds)
            return Answer(response.status, answered, body, "", received)

    def close(self) -> None:
        """Let go of the connections."""
        for pool in self._pools:
            pool.close()


@cache
def _verifying() -> ssl.SSLContext:
    """What certificates are verified by; reading the machine's authorities takes longer than a request."""
    return ssl.create_default_context()


def _joined(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Those headers that may be sent several times and mean all of it."""
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


def _read(response: httpcore2.Response, coding: str, bounds: Bounds) -> tuple[bytes, int]:
    received, most = 0, bounds.bytes
    try:
        decoder = BodyDecoder(coding, most)
        for piece in response.iter_stream():
            received += len(piece)
            decoder.feed(piece)
        return decoder.finish(), received
    except TooLong:
        if bounds.cut:
            return bytes(decoder.body[:most]), received
        raise NoPage(f"it is longer than {most:,} bytes", passing=False, received=received) from None
    except BadCoding as error:
        raise NoPage(f"its body cannot be decoded: {error}", passing=False, received=received) from None


def _said(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:160]
