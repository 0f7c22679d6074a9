"""Middleware of every route: request id, log line, metrics, trace, security headers, CORS, and the error boundary.

Plain ASGI, outermost first: RequestEdge, CorsAnswers, GzipAnswers, DocSearchErrors, RedactedAnswers, ErrorBoundary,
AllowedHosts, CrossSiteGuard, AccessMiddleware, Backpressure, BodyTimeout.
"""

import asyncio
import logging
import re
import uuid
from threading import Event
from time import perf_counter

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.adapters.telemetry.prometheus import Metrics
from assay.adapters.telemetry.traces import RequestTraces
from assay.redaction import redacted_bytes
from assay.web.errors import INTERNAL, STOPPING, error_response
from assay.web.middleware.asgi import HttpMiddleware
from assay.web.middleware.logs import QueryLogRule, format_fields
from assay.web.middleware.record import RequestRecord, attach_record, record_of

logger = logging.getLogger("assay.web")

_SANE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_NO_GZIP = re.compile(r"gzip\s*;\s*q=0(\.0{0,3})?\s*(,|$)")
PROBES = frozenset({"/livez", "/readyz", "/health", "/api/v1/health", "/metrics"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_TRACED = frozenset({"mode", "top_k", "generation", "hits", "key", "degraded", "rerank_failed"})
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Defaults for every response; a route may set its own."""


class RequestEdge(HttpMiddleware):
    """Gives each request an id and a record, and each response its headers; logs, counts and traces the request.

    drain: once it is set, responses close their connection, so that no client uses a closed socket.
    query_rule: how the log shows a query's text.
    traces: None without tracing.
    """

    def __init__(
        self, app: ASGIApp, drain: Event, query_rule: QueryLogRule, metrics: Metrics, traces: RequestTraces | None
    ) -> None:
        super().__init__(app)
        self._drain = drain
        self._query_rule = query_rule
        self._metrics = metrics
        self._traces = traces

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        record = RequestRecord(_request_id(Headers(scope=scope).get("x-request-id", "")))
        attach_record(scope, record)
        started = perf_counter()
        status = 0
        method = scope["method"] if scope["method"] in _METHODS else "other"
        sent = Headers(scope=scope)
        # A proxy may have used the other length (RFC 9112, 6.1), so the next bytes may be no request.
        has_two_lengths = "content-length" in sent and "transfer-encoding" in sent
        span = self._traces.begin(method, Headers(scope=scope)) if self._traces else None
        if span:
            record.notes["trace_id"] = span.trace_id

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])  # some send an enumeration, whose name the log would show
                if span:
                    span.answering()
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = record.id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if self._drain.is_set() or has_two_lengths:
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
            _log(scope, record, self._query_rule, status, seconds * 1000.0)

    def _count(self, scope: Scope, record: RequestRecord, method: str, status: int, seconds: float) -> None:
        route = _route(scope)
        self._metrics.request_answered(route, method, status, seconds)
        if "query" in record.notes:
            hits = record.notes.get("hits")
            self._metrics.search_answered(route, status, record.stages, hits if isinstance(hits, int) else None)
            if "degraded" in record.notes:
                self._metrics.search_degraded(route)
            if "rerank_failed" in record.notes:
                self._metrics.rerank_failed(route)


class CorsAnswers(CORSMiddleware):
    """CORS whose refusals have the shared error body."""

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a preflight request."""
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        refused = bytes(response.body).decode().removeprefix("Disallowed CORS ")
        kept = {name: value for name, value in response.headers.items() if not name.startswith("content-")}
        return error_response(400, "validation_error", f"CORS: not allowed: {refused}.", kept)


class RedactedAnswers(HttpMiddleware):
    """Masks registered secrets in response bodies, in case a peer repeated one."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        start: Message = {}

        async def send_masked(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message  # held back: masking the body changes Content-Length
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
    """Gzip that honours `gzip;q=0`, which Starlette's ignores."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and _NO_GZIP.search(Headers(scope=scope).get("accept-encoding", "")):
            headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
            scope["headers"] = headers
        await super().__call__(scope, receive, send)


class ErrorBoundary(HttpMiddleware):
    """Turns an uncaught exception into a response without detail, and logs the detail."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
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
            # The server stops, and this request exceeded the drain time.
            if begun:
                raise
            refusal = STOPPING
        except Exception:  # the outermost edge
            identity = record_of(scope).id
            logger.exception("request %s failed unexpectedly", identity, extra={"fields": {"request_id": identity}})
            if begun:
                raise
        response = error_response(refusal.status, refusal.error, str(refusal.message))
        await response(scope, receive, watched_send)


def _request_id(sent: str) -> str:
    """The client's own id if it is short and plain, else a new one."""
    return sent if _SANE_ID.fullmatch(sent) else uuid.uuid4().hex


def _route(scope: Scope) -> str:
    """The path template of the matched route; `none` without a match."""
    route = getattr(scope.get("route"), "path", None)
    # FastAPI's route of the OpenAPI document does not set scope["route"].
    return str(route or ("/openapi.json" if scope["path"] == "/openapi.json" else "none"))


def _attributes(record: RequestRecord) -> dict[str, str | int]:
    """A trace's attributes besides route and status; never the query's text."""
    noted = {name: value for name, value in record.notes.items() if name in _TRACED}
    return {"request_id": record.id} | {name: value for name, value in noted.items() if isinstance(value, str | int)}


def _log(scope: Scope, record: RequestRecord, query_rule: QueryLogRule, status: int, milliseconds: float) -> None:
    """Log one line for a request, at DEBUG for a probe without a server error."""
    level = logging.DEBUG if scope["path"] in PROBES and status < 500 else logging.INFO
    if not logger.isEnabledFor(level):
        return
    fields: dict[str, object] = {"request_id": record.id, **query_rule.apply(record.notes)}
    if record.stages:
        fields["stages_ms"] = {stage: round(spent, 3) for stage, spent in record.stages.items()}
    outline = {"method": scope["method"], "path": scope["path"], "status": status, "ms": round(milliseconds, 3)}
    logger.log(
        level, "request %s", format_fields(outline | fields), extra={"event": "request", "fields": outline | fields}
    )
