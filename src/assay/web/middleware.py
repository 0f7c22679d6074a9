"""What is around every route: request id, log line, metrics, trace, security headers, CORS, and the last catch.

Plain ASGI, outermost first: RequestEdge, CorsAnswers, (gzip), MaskedAnswers, LastCatch, KnownHosts, ForeignPages,
Access, Backpressure, BodyPatience.
"""

import asyncio
import logging
import re
import uuid
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.adapters.telemetry.prometheus import Metrics
from assay.adapters.telemetry.traces import RequestTraces
from assay.redaction import redacted_bytes
from assay.web.drain import Drain
from assay.web.errors import INTERNAL, STOPPING, error_response
from assay.web.logs import QueryWords, spelled
from assay.web.record import RequestRecord, attach_record, record_of

logger = logging.getLogger("assay.web")

_SANE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0{0,3})?\s*(,|$)")
PROBES = frozenset({"/livez", "/readyz", "/health", "/api/v1/health", "/metrics"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_TRACED = frozenset({"mode", "top_k", "generation", "hits", "key", "degraded"})
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""On every answer whose route does not set its own."""


class RequestEdge:
    """Gives each request its id and record, each answer its headers, and the log its line; counts and traces it.

    drain: once it has begun, every answer asks its client to connect anew, so that none speaks to a closed socket.
    words: how a query's text stands in the log.
    traces: None where nothing is traced.
    """

    def __init__(
        self, app: ASGIApp, drain: Drain, words: QueryWords, metrics: Metrics, traces: RequestTraces | None
    ) -> None:
        self._app = app
        self._drain = drain
        self._words = words
        self._metrics = metrics
        self._traces = traces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord(_request_id(Headers(scope=scope).get("x-request-id", "")))
        attach_record(scope, record)
        started = perf_counter()
        status = 0
        method = scope["method"] if scope["method"] in _METHODS else "other"
        sent = Headers(scope=scope)
        # Whoever passed it on may have read the other one (RFC 9112, 6.1): what follows may be no request.
        has_two_lengths = "content-length" in sent and "transfer-encoding" in sent
        span = self._traces.begin(method, Headers(scope=scope)) if self._traces else None
        if span:
            record.notes["trace_id"] = span.trace_id

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if span:
                    span.answering()
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = record.id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if self._drain.begun or has_two_lengths:
                    headers["Connection"] = "close"
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            seconds = perf_counter() - started
            self._metrics.in_flight.dec()
            self._count(scope, record, method, status, seconds)
            if span:
                span.end(_route(scope), method, status, record.stages, _attributes(record))
            _log(scope, record, self._words, status, seconds * 1000.0)

    def _count(self, scope: Scope, record: RequestRecord, method: str, status: int, seconds: float) -> None:
        route = _route(scope)
        self._metrics.request_answered(route, method, status, seconds)
        if "query" in record.notes:
            hits = record.notes.get("hits")
            self._metrics.search_answered(route, status, record.stages, hits if isinstance(hits, int) else None)
            if "degraded" in record.notes:
                self._metrics.search_degraded(route)


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


class MaskedAnswers:
    """Answers without secrets, should a peer have put one where it is passed on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message = {}

        async def send_masked(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # its Content-Length depends on the body
                return
            if message["type"] == "http.response.body":
                body = message.get("body", b"")
                masked = redacted_bytes(body)
                if start and masked != body and not message.get("more_body"):
                    MutableHeaders(scope=start)["Content-Length"] = str(len(masked))
                message = {**message, "body": masked}
                if start:
                    await send(start)
                    start = {}
            await send(message)

        await self._app(scope, receive, send_masked)


class GzipAnswers(GZipMiddleware):
    """Compression for who takes it; `gzip;q=0` says that somebody does not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and _NO_GZIP.search(Headers(scope=scope).get("accept-encoding", "")):
            headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
            scope["headers"] = headers
        await super().__call__(scope, receive, send)


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


def _route(scope: Scope) -> str:
    """The path of the route that answered, as the application has it; `none` where none did."""
    route = getattr(scope.get("route"), "path", None)
    # The document's route is not one of ours, and says nothing of itself.
    return str(route or ("/openapi.json" if scope["path"] == "/openapi.json" else "none"))


def _attributes(record: RequestRecord) -> dict[str, str | int]:
    """What a trace says of a request, besides its route and status; never the query's text."""
    noted = {name: value for name, value in record.notes.items() if name in _TRACED}
    return {"request_id": record.id} | {name: value for name, value in noted.items() if isinstance(value, str | int)}


def _log(scope: Scope, record: RequestRecord, words: QueryWords, status: int, milliseconds: float) -> None:
    """One line for each request; those of probes only when somebody looks for them."""
    level = logging.DEBUG if scope["path"] in PROBES and status < 500 else logging.INFO
    if not logger.isEnabledFor(level):
        return
    fields: dict[str, object] = {"request_id": record.id, **words.applied(record.notes)}
    if record.stages:
        fields["stages_ms"] = {stage: round(spent, 3) for stage, spent in record.stages.items()}
    outline = {"method": scope["method"], "path": scope["path"], "status": status, "ms": round(milliseconds, 3)}
    logger.log(level, "request %s", spelled(outline | fields), extra={"event": "request", "fields": outline | fields})
