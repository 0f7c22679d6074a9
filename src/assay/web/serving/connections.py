"""Limits of connections that uvicorn lacks: time of a request's head, number of connections, clients that stop reading.

uvicorn's own timeout applies only to idle connections: one byte of a head stops it, and a slow client could keep its
connection forever.
"""

import asyncio
import json
import logging
import re
import sys
import uuid
from collections.abc import Callable, Sequence
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from assay.settings import ServerSettings
from assay.web.middleware.access import EXEMPT_PATHS
from assay.web.middleware.in_flight import TOO_MANY, InFlight

logger = logging.getLogger("assay.web")

_ORIGIN = re.compile(rb"\r?\norigin:[ \t]*([^\s]+)[ \t]*\r?\n", re.IGNORECASE)
_ABSOLUTE = re.compile(rb"https?://([^/?#@]+)([/?].*)?", re.IGNORECASE)

MAX_HEAD_BYTES = 32_768
"""The most bytes of a request's line and headers."""


def cors_headers(origins: Sequence[str], head: bytes) -> str:
    """The CORS headers of a response that is sent below the application.

    origins: those whose pages may read it; `*` for any. head: as much of the request's head as has arrived.
    """
    if "*" in origins:
        return "Access-Control-Allow-Origin: *\r\n"
    sent = _ORIGIN.search(head)
    allowed = sent[1].decode("latin-1") if sent else ""
    return f"Access-Control-Allow-Origin: {allowed}\r\nVary: Origin\r\n" if allowed in origins else "Vary: Origin\r\n"


_REQUEST_LINE = re.compile(rb"(?:GET|POST) (/[^ ?]*)[^ ]* HTTP/1\.1\r\n")
_CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,12})[ \t]*(?=\r\n)", re.IGNORECASE)
_SPECIAL = re.compile(rb"\r\n(?:transfer-encoding|connection|expect|upgrade)[ \t]*:", re.IGNORECASE)


def _is_whole_request(data: bytes) -> bool:
    """Whether these bytes are exactly one plain GET or POST request with its body, and not a probe's.

    Only such a request can be answered without a parser that knows where the next one begins.
    """
    line = _REQUEST_LINE.match(data)
    end = data.find(b"\r\n\r\n")
    if line is None or end < 0 or line[1].decode("latin-1") in EXEMPT_PATHS:
        return False
    head = data[: end + 2]
    lengths = _CONTENT_LENGTH.findall(head)
    if len(lengths) > 1 or _SPECIAL.search(head) or head.lower().count(b"content-length") != len(lengths):
        return False
    return len(data) == end + 4 + (int(lengths[0]) if lengths else 0)


class RefusalLog:
    """Logs refusals at most once a second: the first immediately, the next ones as a number.

    kind, state, setting: what is refused, the state of those that are not, and the setting of the limit.
    """

    def __init__(
        self, limit: int, kind: str = "connection", state: str = "open", setting: str = "max_connections"
    ) -> None:
        self._limit = limit
        self._kind = kind
        self._reason = f"%s are {state}, the limit of [server] {setting}."
        self._unreported = 0
        self._timer_runs = False

    def note(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count a refusal."""
        self._unreported += 1
        if not self._timer_runs:
            self._report(loop)

    def _report(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer_runs = self._unreported > 0
        if not self._timer_runs:
            return
        refused = f"A {self._kind} was" if self._unreported == 1 else f"{self._unreported:,} {self._kind}s were"
        logger.warning("%s refused: " + self._reason, refused, self._limit)  # noqa: G003 - a text of this module
        self._unreported = 0
        loop.call_later(1.0, self._report, loop)


def guarded_protocol(
    limits: ServerSettings, in_flight: InFlight, on_refusal: Callable[[], None]
) -> type[asyncio.Protocol]:
    """A subclass of uvicorn's protocol with the limits of a server.

    While in_flight is full, it refuses requests before they are parsed, which costs a small part of the application's
    refusal, and calls on_refusal for each.

    head_seconds is the time for a request's head, for the rest of a refused body, and for a client that stopped
    reading.
    """
    fields = {
        "limits": limits,
        "in_flight": in_flight,
        "on_refusal": staticmethod(on_refusal),
        "refusals": RefusalLog(limits.max_connections),
        "overload": RefusalLog(limits.max_requests, "request", "in progress", "max_requests"),
    }
    return type("GuardedProtocol", (_Guarded,), fields)


class _BoundedHeads(h11.Connection):
    """Applies the size limit to complete heads too, which h11 does only to partial ones, and normalizes targets."""

    def next_event(self) -> Any:  # noqa: ANN401 - as inherited: an event or a sentinel of h11
        """The next event. Raises RemoteProtocolError, with 431 for a head that is too long."""
        waiting = len(self.trailing_data[0]) if self.their_state is h11.IDLE else 0
        event = super().next_event()
        if not isinstance(event, h11.Request):
            return event
        if waiting - len(self.trailing_data[0]) > MAX_HEAD_BYTES:
            raise h11.RemoteProtocolError("The head is too long.", error_status_hint=431)
        return _in_origin_form(event)


def _in_origin_form(request: h11.Request) -> h11.Request:
    """The request with a path as its target.

    A target may be a URL (RFC 9112, 3.2.2), whose authority then replaces the Host header.

    Raises RemoteProtocolError for any other target.
    """
    if request.target.startswith(b"/") or request.method == b"CONNECT" or request.target == b"*":
        return request
    written = _ABSOLUTE.fullmatch(request.target)
    if written is None:
        raise h11.RemoteProtocolError("The target is neither a path nor a URL.")
    host, path = written[1], written[2] or b"/"
    headers = [(name, value) for name, value in request.headers if name != b"host"]
    return h11.Request(
        method=request.method,
        target=path if path.startswith(b"/") else b"/" + path,
        headers=[(b"host", host), *headers],
        http_version=request.http_version,
    )


class _LingeringTransport:
    """Closes in two steps while the client is still sending, so that it can read the response first.

    Closing a socket with unread bytes resets the connection, and the client gets an error, not the response. So
    this half-closes, and discards what arrives until the client closes or the timeout ends.

    is_sending: whether the client may send more.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        is_sending: Callable[[], bool],
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._seconds = seconds
        self._is_sending = is_sending
        self._abort_timer: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - delegated to the transport
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._abort_timer is not None or self._transport.is_closing()

    def close(self) -> None:
        if self._transport.is_closing():
            return
        if self._abort_timer is not None or not self._is_sending() or not self._transport.can_write_eof():
            self.stop_lingering()
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._abort_timer = self._loop.call_later(self._seconds, self._transport.abort)

    def stop_lingering(self) -> None:
        if self._abort_timer is not None:
            self._abort_timer.cancel()


class _Guarded(H11Protocol):
    limits: ServerSettings
    in_flight: InFlight
    on_refusal: Callable[[], None]
    refusals: RefusalLog
    overload: RefusalLog
    _head_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _received = b""  # the last bytes: the parser drops a head that it cannot parse

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - passed on unchanged
        super().__init__(*arguments, **named)
        self.conn = _BoundedHeads(h11.SERVER, MAX_HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._lingering = _LingeringTransport(transport, self.loop, self.limits.head_seconds, self._is_receiving)
        super().connection_made(cast("asyncio.Transport", self._lingering))
        if len(self.connections) > self.limits.max_connections:
            self.refusals.note(self.loop)
            self._refuse(503, "service_unavailable", "Too many connections are open; try again in a second.")
            return
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._stop_reading_timer()
        self._lingering.stop_lingering()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._received = data
        if self.in_flight.is_full and self._is_between_requests() and _is_whole_request(data):
            self._refuse_request(data)
            return
        super().data_received(data)
        if self._is_answering():
            self._stop_watching()
        else:
            self._watch_head()  # a partial head, or the rest of a body that is already answered

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_answering() and (self.conn.their_state is not h11.IDLE or self.conn.trailing_data[0]):
            self._watch_head()

    # --- a client that stops reading: the transport's buffer is full -----------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_reading_timer()
        # close() would wait until the client reads.
        self._read_timer = self.loop.call_later(self.limits.head_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_reading_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the reason is in the exception being handled
        problem = sys.exc_info()[1]
        if getattr(problem, "error_status_hint", 400) == 431:
            message = f"The request line and headers may have at most {MAX_HEAD_BYTES:,} bytes."
            self._refuse(431, "validation_error", message)
        else:
            self._refuse(400, "validation_error", "Not a valid HTTP/1.1 request.")

    def _is_receiving(self) -> bool:
        """Whether a request is incomplete or invalid."""
        return self.conn.their_state in {h11.SEND_BODY, h11.ERROR} or bool(self.conn.trailing_data[0])

    def _is_between_requests(self) -> bool:
        idle = self.conn.our_state is h11.IDLE and self.conn.their_state is h11.IDLE
        return idle and not self._is_answering() and not self.conn.trailing_data[0]

    def _refuse_request(self, request: bytes) -> None:
        """Answer 503 to a whole request without parsing it; the connection stays open."""
        self.on_refusal()
        self.overload.note(self.loop)
        self._stop_watching()
        self._watch_head()
        self.transport.write(self._refusal(503, "service_unavailable", TOO_MANY, request))

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request, despite uvicorn's annotation
        return cycle is not None and not cycle.response_complete

    def _watch_head(self) -> None:
        if self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self._on_head_timeout)

    def _stop_watching(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_reading_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _on_head_timeout(self) -> None:
        self._head_timer = None
        if self._is_answering() or self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            seconds = f"{self.limits.head_seconds:g}"
            self._refuse(408, "request_timeout", f"The request's head did not arrive within {seconds} seconds.")
        else:
            self.transport.abort()

    def _refuse(self, status: int, error: str, message: str) -> None:
        """Respond without the application, and close the connection."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            head = bytes(self.conn.trailing_data[0]) + self._received
            self.transport.write(self._refusal(status, error, message, head, "Connection: close\r\n"))
        self.transport.close()

    def _refusal(self, status: int, error: str, message: str, head: bytes, more: str = "") -> bytes:
        """A response. head: as much of the request as has arrived. more: further headers."""
        body = json.dumps({"error": error, "message": message}).encode()
        answer = (
            f"HTTP/1.1 {status} {_PHRASES[status]}\r\n"
            "Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n"
            f"X-Request-ID: {uuid.uuid4().hex}\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Cache-Control: no-store\r\n"
            f"{cors_headers(self.limits.cors_origins, head)}"
            f"{'Retry-After: 1' + chr(13) + chr(10) if status == 503 else ''}"
            f"{more}\r\n"
        )
        return answer.encode() + body


_PHRASES: dict[int, Any] = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}
