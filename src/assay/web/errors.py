"""The HTTP status and body of each error.

A response shows an error's own message only for the client's mistakes and for damaged points. Other messages may
contain a path, an address or a key: they go to the log, and the response gets a text from here.
"""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from assay.contracts.fields import quoted
from assay.errors import (
    AssayError,
    CatalogCorrupt,
    CatalogError,
    CatalogNotFound,
    EmbeddingError,
    FileUnwritable,
    GenerationError,
    GenerationNotFound,
    IdentityMismatch,
    IndexCorrupt,
    IndexNotFound,
    InputError,
    NoLiveGeneration,
    PointCorrupt,
    RerankError,
    VectorStoreError,
)
from assay.model.field_errors import field_error, field_path
from assay.web.middleware.record import record_of

logger = logging.getLogger("assay.web")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The response to an error. message: None for the error's own message."""

    status: int
    error: str
    message: str | None


INTERNAL = Refusal(500, "internal_error", "Internal error; find it in the server's log by the request id.")
_NOTHING_LIVE = Refusal(503, "service_unavailable", "No generation is live yet, so there is nothing to search.")
_DAMAGED = (
    "`assay publish --rebuild` rebuilds it; `assay rollback` returns to the previous generation, if there is one."
)

REFUSALS: tuple[tuple[type[AssayError], Refusal], ...] = (
    (FileUnwritable, INTERNAL),
    (InputError, Refusal(400, "validation_error", None)),
    (EmbeddingError, Refusal(502, "upstream_error", "The embedder failed; try again in a moment.")),
    (RerankError, Refusal(502, "upstream_error", "The reranker failed; try again in a moment.")),
    (NoLiveGeneration, _NOTHING_LIVE),
    (CatalogNotFound, _NOTHING_LIVE),
    (PointCorrupt, Refusal(503, "service_unavailable", None)),
    (
        IndexCorrupt,
        Refusal(503, "service_unavailable", f"The index of the live generation is damaged. {_DAMAGED}"),
    ),
    (
        IndexNotFound,
        Refusal(503, "service_unavailable", f"The index of the live generation is missing. {_DAMAGED}"),
    ),
    (CatalogCorrupt, Refusal(503, "service_unavailable", f"A record of the catalog is damaged. {_DAMAGED}")),
    (
        VectorStoreError,
        Refusal(503, "service_unavailable", "The vector store does not answer; try again in a moment."),
    ),
    (CatalogError, Refusal(503, "service_unavailable", "The catalog does not answer; try again in a moment.")),
    (
        IdentityMismatch,
        Refusal(
            503, "service_unavailable", "The live generation was built with another embedder than the configured one."
        ),
    ),
)
"""The first class that matches decides; any other error is an internal error."""

ADMIN_PREFIX = "/v1/admin/"
ADMIN_REFUSALS: tuple[tuple[type[AssayError], Refusal], ...] = (
    (GenerationNotFound, Refusal(404, "not_found", None)),
    (GenerationError, Refusal(409, "conflict", None)),
    *REFUSALS,
)
"""The same for administrators, who see the messages of errors about generations."""

STOPPING = Refusal(503, "service_unavailable", "The server is stopping; try again in a moment.")


class BodyRefused(Exception):
    """A request whose body is too large or arrives too slowly; the arguments are those of error_response."""

    def __init__(self, status: int, error: str, message: str) -> None:
        super().__init__(status, error, message)
        self.status, self.error, self.message = status, error, message

    @classmethod
    def too_large(cls, limit: int) -> Self:
        """The body is over the limit, in bytes."""
        return cls(413, "payload_too_large", f"body: it may have at most {limit:,} bytes.")

    @classmethod
    def too_slow(cls, seconds: float) -> Self:
        """The body did not arrive within these seconds."""
        return cls(408, "request_timeout", f"body: it did not arrive within {seconds:g} seconds.")


def refusal_of(error: AssayError, path: str = "") -> Refusal:
    """The response to an error. path: of the request."""
    for kind, refusal in ADMIN_REFUSALS if path.startswith(ADMIN_PREFIX) else REFUSALS:
        if isinstance(error, kind):
            return refusal
    return INTERNAL


def error_response(status: int, error: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """A response with the error body that all routes share."""
    content = json.dumps({"error": error, "message": message}, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, status, headers, "application/json")


def add_error_answers(app: FastAPI) -> None:
    """Register a handler for each error that routes raise; ErrorBoundary catches all others."""
    app.add_exception_handler(AssayError, _assay_error)
    app.add_exception_handler(BodyRefused, _body_refused)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(RequestValidationError, _request_validation_error)


def refuse(request: Request, error: AssayError) -> tuple[int, str, str]:
    """The status, word and message for an error; logs those of the server."""
    refusal = refusal_of(error, request.scope["path"])
    if refusal.status >= 500:
        record = record_of(request.scope)
        logger.error(
            "request %s failed: %s: %s",
            record.id,
            type(error).__name__,
            error,
            exc_info=refusal is INTERNAL,
            extra={"fields": {"request_id": record.id}},
        )
    return refusal.status, refusal.error, str(error) if refusal.message is None else refusal.message


async def _assay_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AssayError)
    return error_response(*refuse(request, error))


async def _body_refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, BodyRefused)
    return error_response(error.status, error.error, error.message)


_ROUTES = "GET /openapi.json describes the routes, `assay docs api` explains them; POST /v1/search searches."


def _methods(request: Request) -> list[str]:
    """The methods of all routes with the path of a request; the exception has those of the first route."""
    scopes = ((method, {**request.scope, "method": method}) for method in ("GET", "HEAD", "POST"))
    routes = request.app.routes
    return [method for method, scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]


async def _http_exception(request: Request, error: Exception) -> Response:
    """Answer an unknown path, or a method that a path does not have."""
    assert isinstance(error, HTTPException)
    path = quoted(request.url.path).strip('"')
    if error.status_code == 404:
        routes = f" {_ROUTES}" if path == "/" else ""
        return error_response(404, "not_found", f"There is nothing at {path}.{routes}")
    if error.status_code == 405:
        allowed = ", ".join(_methods(request))
        message = f"{path} does not answer {request.method}, only {allowed}."
        return error_response(405, "method_not_allowed", message, {"Allow": allowed})
    if error.status_code < 500:
        return error_response(400, "validation_error", "Invalid request.")
    return error_response(INTERNAL.status, INTERNAL.error, str(INTERNAL.message))


async def _request_validation_error(_request: Request, error: Exception) -> Response:
    """Answer 400 instead of FastAPI's 422 when FastAPI itself parses parameters."""
    assert isinstance(error, RequestValidationError)
    problems = [f"{field_path(p['loc'][1:], 'body')}: {field_error(p['msg'])}." for p in error.errors()]
    return error_response(400, "validation_error", " ".join(problems))
