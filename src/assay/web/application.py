"""The web application: routes, errors and what is around them, over an Assay that somebody else opens and closes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from assay import __version__
from assay.app import Assay
from assay.web.drain import Drain
from assay.web.errors import add_error_answers
from assay.web.middleware import CorsAnswers, LastCatch, RequestEdge
from assay.web.openapi import DocumentedApi
from assay.web.probing import Probe
from assay.web.routes import native, probes, retrieval_service, retrieval_testing, search_api

_COMPRESS_FROM_BYTES = 4_096
_COMPRESSION_LEVEL = 4
_READABLE_HEADERS = ("X-Request-ID", "Server-Timing", "Retry-After")
_SENDABLE_HEADERS = ("Content-Type", "X-Request-ID")


def create_app(assay: Assay, drain: Drain | None = None) -> FastAPI:
    """The ASGI application over this Assay.

    drain: tells the readiness probe that the server is stopping; a server that stops without notice leaves it out.
    """
    server = assay.settings.server
    stopping = drain or Drain()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = server.threads
        yield

    app = DocumentedApi(
        title="Assay",
        summary="Retrieval for documentation, from an index that proved itself before it went live.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        middleware=[
            Middleware(RequestEdge, drain=stopping),
            Middleware(
                CorsAnswers,
                allow_origins=server.cors_origins,
                allow_methods=("GET", "HEAD", "POST", "OPTIONS"),
                allow_headers=_SENDABLE_HEADERS,
                expose_headers=_READABLE_HEADERS,
            ),
            Middleware(GZipMiddleware, minimum_size=_COMPRESS_FROM_BYTES, compresslevel=_COMPRESSION_LEVEL),
            Middleware(LastCatch),
        ],
    )
    app.request_models = (
        *native.REQUESTS,
        *search_api.REQUESTS,
        *retrieval_testing.REQUESTS,
        *retrieval_service.REQUESTS,
        *probes.REQUESTS,
    )
    add_error_answers(app)
    probe = Probe(assay)
    app.include_router(native.router(assay))
    app.include_router(search_api.router(assay, probe))
    app.include_router(retrieval_testing.router(assay))
    app.include_router(retrieval_service.router(assay, probe))
    app.include_router(probes.router(probe, stopping))
    return app
