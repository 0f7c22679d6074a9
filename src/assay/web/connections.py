"""What uvicorn leaves open about a connection: how long a head may take, how many there may be, and who reads nothing.

uvicorn's own time-out counts only while a connection is idle: one byte of a head stops it, and a client that sends a
byte now and then would hold its connection for ever.
"""

import asyncio
import json
import logging
import re
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

logger = logging.getLogger("assay.web")

_ORIGIN = re.compile(rb"\r?\norigin:[ \t]*([^\s]+)[ \t]*\r?\n", re.IGNORECASE)

_ABSOLUTE = re.compile(rb"https?://([^/?#@]+)([/?].*)?", re.IGNORECASE)

MAX_HEAD_BYTES = 32_768
"""The most bytes of a request's line and headers."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How patient the server is.

    head_seconds: for a request's head to come, for the rest of a body that was refused, and for a client to read on.
    connections: the most at the same time.
    origins: pages of these origins may read what is answered, below the application too; `*` stands for any.
    """

    head_seconds: float
    connections: int
    origins: tuple[str, ...] = ()

    def readable_by(self, head: bytes) -> str:
        """The CORS headers of an answer to a request of which so much of the head has come.

        Where any origin may read, that of the request is not needed; else it has to have come already.
        """
        if "*" in self.origins:
            allowed = "*"
        else:
            sent = _ORIGIN.search(head)
            allowed = sent[1].decode("latin-1") if sent else ""
            if allowed not in self.origins:
                return "Vary: Origin\r\n"
        vary = "" if allowed == "*" else "Vary: Origin\r\n"
        return f"Access-Control-Allow-Origin: {allowed}\r\n{vary}"


class RefusalLog:
    """Logs refused connections once a second at most: the first at once, those after it by their number."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._unsaid = 0
        self._waits = False

    def note(self, loop: asyncio.AbstractEventLoop) -> None:
        """A connection was refused."""
        self._unsaid += 1
        if not self._waits:
            self._say(loop)

    def _say(self, loop: asyncio.AbstractEventLoop) -> None:
        self._waits = self._unsaid > 0
        if not self._waits:
            return
        refused = "A connection was" if self._unsaid == 1 else f"{self._unsaid:,} connections were"
        logger.warning("%s refused: there are %s already.", refused, self._limit)
        self._unsaid = 0
        loop.call_later(1.0, self._say, loop)


def guarded(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The protocol of uvicorn, within these limits."""
    return type("GuardedProtocol", (_Guarded,), {"limits": limits, "refusals": RefusalLog(limits.connections)})


class _BoundedHeads(h11.Connection):
    """Holds whole heads to the limit that h11 has only for those of which a part has not come, and reads targets."""

    def next_event(self) -> Any:  # noqa: ANN401 - as inherited: one of h11's events, or one of two marks
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

    A target may be a whole URL (RFC 9112, 3.2.2); its authority then takes the place of the Host header.

    Raises RemoteProtocolError for a target that is neither.
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
    """Closes in two steps where the client is still sending, so that it can read the answer first.

    A socket that is closed with bytes unread resets the connection, and the client sees an error for its next byte
    instead of the answer. So the answer's end is sent first, and what comes is dropped until the client ends.

    is_sending: whether more may come.
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
        self._ends: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - all else is the transport's
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._ends is not None or self._transport.is_closing()

    def close(self) -> None:
        if self._transport.is_closing():
            return
        if self._ends is not None or not self._is_sending() or not self._transport.can_write_eof():
            self.stop_lingering()
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._ends = self._loop.call_later(self._seconds, self._transport.abort)

    def stop_lingering(self) -> None:
        if self._ends is not None:
            self._ends.cancel()


class _Guarded(H11Protocol):
    limits: ConnectionLimits
    refusals: RefusalLog
    _head_timer: asyncio.TimerHandle | None = None
    _read_timer: asyncio.TimerHandle | None = None
    _received = b""  # last; a head that could not be read is gone from the parser's buffer

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - handed on as they are
        super().__init__(*arguments, **named)
        self.conn = _BoundedHeads(h11.SERVER, MAX_HEAD_BYTES)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._lingering = _LingeringTransport(transport, self.loop, self.limits.head_seconds, self._is_receiving)
        super().connection_made(cast("asyncio.Transport", self._lingering))
        if len(self.connections) > self.limits.connections:
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
        super().data_received(data)
        if self._is_answering():
            self._stop_watching()
        else:
            self._watch_head()  # part of a head, or of a body whose answer has been sent; time runs on if it does

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_answering() and (self.conn.their_state is not h11.IDLE or self.conn.trailing_data[0]):
            self._watch_head()

    # --- a client that reads nothing: the transport's buffer is full -----------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_reading_timer()
        # close() would wait for what nobody reads.
        self._read_timer = self.loop.call_later(self.limits.head_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_reading_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the reason is in the exception being handled
        problem = sys.exc_info()[1]
        if getattr(problem, "error_status_hint", 400) == 431:
            message = f"The request's line and headers have to be at most {MAX_HEAD_BYTES:,} bytes."
            self._refuse(431, "validation_error", message)
        else:
            self._refuse(400, "validation_error", "This is not a request in HTTP/1.1.")

    def _is_receiving(self) -> bool:
        """Whether a request has not come to its end, or is none."""
        return self.conn.their_state in {h11.SEND_BODY, h11.ERROR} or bool(self.conn.trailing_data[0])

    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request, whatever its annotation says
        return cycle is not None and not cycle.response_complete

    def _watch_head(self) -> None:
        if self._head_timer is None and not self.transport.is_closing():
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self._head_is_late)

    def _stop_watching(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_reading_timer(self) -> None:
        if self._read_timer is not None:
            self._read_timer.cancel()
            self._read_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_answering() or self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            seconds = f"{self.limits.head_seconds:g}"
            self._refuse(408, "request_timeout", f"The request's head did not come within {seconds} seconds.")
        else:
            self.transport.abort()

    def _refuse(self, status: int, error: str, message: str) -> None:
        """Answer below the application, which has not been asked, and end the connection."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = json.dumps({"error": error, "message": message}).encode()
            head = (
                f"HTTP/1.1 {status} {_PHRASES[status]}\r\n"
                "Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n"
                f"X-Request-ID: {uuid.uuid4().hex}\r\n"
                "X-Content-Type-Options: nosniff\r\n"
                "Cache-Control: no-store\r\n"
                f"{self.limits.readable_by(bytes(self.conn.trailing_data[0]) + self._received)}"
                f"{'Retry-After: 1' + chr(13) + chr(10) if status == 503 else ''}"
                "Connection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()


_PHRASES: dict[int, Any] = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}
