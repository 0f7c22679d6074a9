"""The web application: routes, middleware and error handlers over an open Assay, which the caller closes."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from threading import Event
from typing import Protocol

import anyio
import anyio.to_thread
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from assay.adapters.telemetry.traces import RequestTraces
from assay.app import Assay
from assay.version import __version__
from assay.web.errors import add_error_answers
from assay.web.middleware.access import RATE_LIMIT_HEADERS, AccessMiddleware
from assay.web.middleware.docsearch_errors import DocSearchErrors
from assay.web.middleware.edge import CorsAnswers, ErrorBoundary, GzipAnswers, RedactedAnswers, RequestEdge
from assay.web.middleware.guards import ANY_HOST, AllowedHosts, Backpressure, BodyTimeout, CrossSiteGuard
from assay.web.middleware.in_flight import InFlight
from assay.web.middleware.logs import QueryLogRule
from assay.web.openapi import DocumentedApi
from assay.web.probing import Probe
from assay.web.routes import (
    admin,
    clicks,
    docsearch,
    explaining,
    labelling,
    metrics,
    native,
    page,
    probes,
    queries,
    reports,
    retrieval_service,
    retrieval_testing,
    search_api,
    service_validation,
)

logger = logging.getLogger("assay.web")

_COMPRESS_FROM_BYTES = 4_096
_COMPRESSION_LEVEL = 4
_READABLE_HEADERS = ("X-Request-ID", "Server-Timing", "WWW-Authenticate", *RATE_LIMIT_HEADERS)
_SENDABLE_HEADERS = (
    *("Authorization", "Content-Type", "X-API-Key", "X-Request-ID", "traceparent", "tracestate"),
    *("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"),
    *("X-Algolia-API-Key", "X-Algolia-Application-Id", "X-Algolia-Agent", "X-Algolia-UserToken", "Request-ID"),
)
_LAST_TRACES_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Listening:
    """Where clients reach the application.

    hosts: its host names when `[server] allowed_hosts` is empty; `*` for any.
    exposed: whether other machines can connect.
    """

    hosts: Sequence[str] = ANY_HOST
    exposed: bool = False


class Endpoint(Protocol):
    """Another surface of Assay on the same port, such as MCP: an ASGI application with a lifespan."""

    @property
    def path(self) -> str:
        """Its path, such as `/mcp`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, which has passed all checks of the middleware."""

    def lifespan(self) -> AbstractAsyncContextManager[None]:
        """Run it from the start of the server to its end."""


def create_app(
    assay: Assay,
    drain: Event | None = None,
    listening: Listening | None = None,
    traces: RequestTraces | None = None,
    endpoints: Sequence[Endpoint] = (),
    in_flight: InFlight | None = None,
) -> FastAPI:
    """The ASGI application over this Assay.

    drain: set when the server begins to stop, which makes /readyz fail; None for a server that stops without notice.
    listening: None when unknown: every host name is accepted, and only the settings limit requests.
    traces: None for those of the settings.
    endpoints: further surfaces to serve.
    in_flight: the requests in progress, shared with the protocol; None for an own count.
    """
    server = assay.settings.server
    if assay.parts.embedder_observer is None:
        assay.parts.embedder_observer = assay.searches.metrics.embedder_called
    if assay.parts.reranker_observer is None:
        assay.parts.reranker_observer = assay.searches.metrics.reranker_called
    if assay.queries.are_logged:
        assay.queries.prepare(assay.searches.metrics.queries_logged)
    stopping = drain or Event()
    where = listening or Listening()
    tracing = traces or (_traces(assay) if server.traces else None)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = server.threads
        async with AsyncExitStack() as running:
            for endpoint in endpoints:
                await running.enter_async_context(endpoint.lifespan())
            yield
        if tracing:
            with anyio.move_on_after(_LAST_TRACES_SECONDS):
                await anyio.to_thread.run_sync(tracing.close, abandon_on_cancel=True)

    app = DocumentedApi(
        title="Assay",
        summary="Retrieval for documentation, from an index that proved itself before it went live.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=_middleware(assay, stopping, where, tracing, in_flight or InFlight(server.max_requests)),
    )
    add_error_answers(app)
    probe = Probe(assay)
    app.include_router(native.router(assay))
    app.include_router(search_api.router(assay, probe))
    app.include_router(retrieval_testing.router(assay))
    app.include_router(retrieval_service.router(assay, probe))
    app.include_router(service_validation.router(assay, stopping))
    app.include_router(docsearch.router(assay))
    app.include_router(clicks.router(assay))
    app.include_router(admin.router(assay))
    app.include_router(explaining.router(assay))
    app.include_router(labelling.router(assay))
    app.include_router(queries.router(assay))
    app.include_router(reports.router(assay))
    app.include_router(probes.router(probe, stopping))
    if server.page:
        app.include_router(page.router(assay))
    if server.metrics != "off":
        app.include_router(metrics.router(assay.searches.metrics))
    app.router.routes.extend(_EndpointRoute(one.path, one, include_in_schema=False) for one in endpoints)
    return app


class _EndpointRoute(Route):
    """A route that is in the scope, as FastAPI's are, so that its requests are counted under its path."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether this is the route of a request, and what it adds to the scope."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def _middleware(
    assay: Assay, stopping: Event, where: Listening, tracing: RequestTraces | None, in_flight: InFlight
) -> list[Middleware]:
    """The middleware, outermost first."""
    server = assay.settings.server
    return [
        Middleware(
            RequestEdge,
            drain=stopping,
            query_rule=QueryLogRule(server.log_queries, assay.parts.server_secret),
            metrics=assay.searches.metrics,
            traces=tracing,
        ),
        Middleware(
            CorsAnswers,
            allow_origins=server.cors_origins,
            allow_methods=("GET", "HEAD", "POST", "OPTIONS"),
            allow_headers=_SENDABLE_HEADERS,
            expose_headers=_READABLE_HEADERS,
        ),
        Middleware(GzipAnswers, minimum_size=_COMPRESS_FROM_BYTES, compresslevel=_COMPRESSION_LEVEL),
        Middleware(DocSearchErrors),
        Middleware(RedactedAnswers),
        Middleware(ErrorBoundary),
        Middleware(AllowedHosts, hosts=server.allowed_hosts or where.hosts),
        Middleware(CrossSiteGuard, origins=server.cors_origins),
        Middleware(
            AccessMiddleware,
            server=server,
            find_key=assay.parts.keys.find,
            exposed=where.exposed,
            limits=assay.parts.request_limits(),
            metrics=assay.searches.metrics,
        ),
        Middleware(Backpressure, in_flight=in_flight, metrics=assay.searches.metrics),
        Middleware(BodyTimeout, seconds=server.body_seconds),
    ]


def _traces(assay: Assay) -> RequestTraces | None:
    traces = assay.parts.request_traces()
    if traces is not None:
        return traces
    logger.warning(
        "Traces are enabled, but the extra that sends them is not installed: run pip install '.[otel]' in Assay's "
        "checkout, or set [server] traces = false and unset OTEL_EXPORTER_OTLP_ENDPOINT."
    )
    return None
