"""The OpenAPI document: what the routes read by themselves, declared beside what FastAPI knows."""

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from assay.contracts.search_api import ErrorResponse
from assay.web.errors import INTERNAL, REFUSALS

_REFERENCE = "#/components/schemas/{model}"
_EXAMPLES: Mapping[int, tuple[str, str, str]] = {
    400: (
        "The request is not valid.",
        "validation_error",
        "top_k: it has to be a whole number from 1 to 20; 50 was sent.",
    ),
    401: (
        "A key is needed, or the one that was sent is not known.",
        "unauthorized",
        "The API key that was sent is not known here.",
    ),
    403: (
        "The key that was sent is not for this.",
        "forbidden",
        'The scope `admin` is needed, and the key "website" does not have it.',
    ),
    404: ("There is no such route.", "not_found", "There is nothing at /serach."),
    405: ("The route has no such method.", "method_not_allowed", "/search does not answer GET, only POST."),
    408: ("The body came too slowly.", "request_timeout", "body: it did not come within 20 seconds."),
    409: (
        "The state of the generations does not allow it.",
        "conflict",
        "Generation 20260301-081500-204917 did not pass: 2 of 7 checks failed.",
    ),
    413: ("The body is too large.", "payload_too_large", "body: it has to be at most 65,536 bytes."),
    429: (
        "Too many requests; Retry-After says in how many seconds to try again.",
        "rate_limited",
        "There were too many requests; try again in 2 seconds.",
    ),
    502: ("The embedder failed.", "upstream_error", ""),
    503: ("The vector store cannot answer, or no generation is live yet.", "service_unavailable", ""),
    500: ("Something went wrong inside.", "internal_error", str(INTERNAL.message)),
}

SEARCH_ERRORS = (400, 401, 404, 405, 408, 413, 429, 500, 502, 503)
"""What a search can be answered with besides 200, at its path or one that was meant to be it."""

GET_ERRORS = (400, 401, 404, 405, 429, 500)
"""The same of a route without a body."""

ADMIN_ERRORS = (400, 401, 403, 404, 405, 429, 500, 503)
"""What an administrator's look can be answered with besides 200."""

RELEASE_ERRORS = (*ADMIN_ERRORS, 408, 409, 413, 502)
"""The same of a change."""

_ERROR_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": "How to send a key."},
    403: {"WWW-Authenticate": "The scope that is needed."},
    405: {"Allow": "The methods that the path answers."},
    429: {"Retry-After": "Seconds after which to try again."},
}


class DocumentedApi(FastAPI):
    """FastAPI that also declares the request models which the contracts read."""

    request_models: tuple[type[BaseModel], ...] = ()

    def openapi(self) -> dict[str, Any]:
        """The document, made once."""
        if not self.openapi_schema:
            document = super().openapi()
            _, definitions = models_json_schema(
                [(model, "validation") for model in self.request_models], ref_template=_REFERENCE
            )
            document.setdefault("components", {}).setdefault("schemas", {}).update(definitions["$defs"])
            self.openapi_schema = document
        return self.openapi_schema


def request_body(model: type[BaseModel], example: Mapping[str, object]) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads this model."""
    content = {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}, "example": dict(example)}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def error_answers(statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that can fail in these ways."""
    return {status: _error_answer(status) for status in statuses}


def search_answers(
    model: type[BaseModel], example: Mapping[str, object], refusal: str
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a search route. refusal: what it says of a value that it does not take."""
    headers = {**_REQUEST_ID, **_headers({"Server-Timing": "Milliseconds of each stage."})}
    answer = _answer(model, "The ranking; its results may be none.", example, headers)
    return {200: answer, **error_answers(SEARCH_ERRORS), 400: _error_answer(400, refusal)}


def admin_answers(
    model: type[BaseModel], example: Mapping[str, object], errors: Iterable[int]
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route for administrators."""
    return {200: _answer(model, "Done.", example, _REQUEST_ID), **error_answers(errors)}


def health_answers(
    model: type[BaseModel], example: Mapping[str, object], example_of_trouble: Mapping[str, object]
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that says how the service is, with one body for good and bad."""
    trouble = "Something is wrong, and `status` says how bad it is."
    return {
        200: _answer(model, "All is well.", example, _REQUEST_ID),
        **error_answers(GET_ERRORS),
        503: _answer(model, trouble, example_of_trouble, _REQUEST_ID),
    }


def _answer(
    model: type[BaseModel], description: str, example: Mapping[str, object], headers: Mapping[str, Any]
) -> dict[str, Any]:
    content = {"application/json": {"example": dict(example)}}
    return {"model": model, "description": description, "headers": dict(headers), "content": content}


def _error_answer(status: int, message: str = "") -> dict[str, Any]:
    description, error, usual = _EXAMPLES[status]
    own = next((refusal.message for _, refusal in REFUSALS if refusal.status == status), None)
    example = {"error": error, "message": message or usual or str(own)}
    headers = {**_REQUEST_ID, **_headers(_ERROR_HEADERS.get(status, {}))}
    return _answer(ErrorResponse, description, example, headers)


def _headers(descriptions: Mapping[str, str]) -> dict[str, Any]:
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in descriptions.items()}


_REQUEST_ID = _headers({"X-Request-ID": "Names this request in the log."})
