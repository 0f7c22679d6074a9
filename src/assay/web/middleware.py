"""What is around every route: request id, log line, security headers, CORS, and the last catch.

Plain ASGI, outermost first: RequestEdge, CorsAnswers, (gzip), LastCatch.
"""

import asyncio
import logging
import re
import uuid
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.web.drain import Drain
from assay.web.errors import INTERNAL, STOPPING, error_response
from assay.web.logs import spelled
from assay.web.record import RequestRecord, attach_record, record_of

logger = logging.getLogger("assay.web")

_SANE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
PROBES = frozenset({"/livez", "/readyz", "/health", "/api/v1/health"})
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""On every answer whose route does not set its own."""


class RequestEdge:
    """Gives each request its id and record, each answer its headers, and the log its line.

    drain: once it has begun, every answer asks its client to connect anew, so that none speaks to a closed socket.
    """

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self._app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord(_request_id(Headers(scope=scope).get("x-request-id", "")))
        attach_record(scope, record)
        started = perf_counter()
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = record.id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if self._drain.begun:
                    headers["Connection"] = "close"
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            _log(scope, record, status, (perf_counter() - started) * 1000.0)


class CorsAnswers(CORSMiddleware):
    """CORS, whose refusals have the body that every error has."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser that asks what it may send."""
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        refused = bytes(response.body).decode().removeprefix("Disallowed CORS ")
        kept = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
        return error_response(400, "validation_error", f"CORS: these are not allowed: {refused}.", kept)


class LastCatch:
    """Turns what nobody caught into an answer without any detail, and writes the detail to the log."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched_send(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        refusal = INTERNAL
        try:
            await self._app(scope, receive, watched_send)
            return
        except asyncio.CancelledError:
            # The server stops, and this request took longer than it may.
            if begun:
                raise
            refusal = STOPPING
        except Exception:  # the outermost edge: logged with the request id, answered without detail
            identity = record_of(scope).id
            logger.exception("request %s failed unexpectedly", identity, extra={"fields": {"request_id": identity}})
            if begun:
                raise
        response = error_response(refusal.status, refusal.error, str(refusal.message))
        await response(scope, receive, watched_send)


def _request_id(sent: str) -> str:
    """The client's own id where it is short and plain, else a new one."""
    return sent if _SANE_ID.fullmatch(sent) else uuid.uuid4().hex


def _log(scope: Scope, record: RequestRecord, status: int, milliseconds: float) -> None:
    """One line for each request; those of probes only when somebody looks for them."""
    level = logging.DEBUG if scope["path"] in PROBES and status < 500 else logging.INFO
    if not logger.isEnabledFor(level):
        return
    fields: dict[str, object] = {"request_id": record.id, **record.notes}
    if record.stages:
        fields["stages_ms"] = {stage: round(spent, 3) for stage, spent in record.stages.items()}
    outline = {"method": scope["method"], "path": scope["path"], "status": status, "ms": round(milliseconds, 3)}
    logger.log(level, "request %s", spelled(outline | fields), extra={"event": "request", "fields": outline | fields})
