"""The OpenAPI document, with the request models that routes parse themselves and FastAPI does not know."""

from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from assay.contracts.docsearch.requests import DocSearchError
from assay.contracts.search_api import ErrorResponse
from assay.web.errors import INTERNAL, REFUSALS

_REFERENCE = "#/components/schemas/{model}"
_EXAMPLES: Mapping[int, tuple[str, str, str]] = {
    400: (
        "The request is invalid.",
        "validation_error",
        "top_k: it must be a whole number from 1 to 20; 50 was sent.",
    ),
    401: (
        "The API key is missing, unknown or expired.",
        "unauthorized",
        "Unknown or expired API key.",
    ),
    403: (
        "The API key lacks the required scope.",
        "forbidden",
        'The API key "website" lacks the required scope `admin`.',
    ),
    404: ("There is no such route.", "not_found", "There is nothing at /serach."),
    405: ("The route has no such method.", "method_not_allowed", "/search does not answer GET, only POST."),
    408: ("The body arrived too slowly.", "request_timeout", "body: it did not arrive within 20 seconds."),
    409: (
        "The state of the generation does not allow it.",
        "conflict",
        "Generation 20260301-081500-204917 did not pass: 2 of 7 checks failed.",
    ),
    413: ("The body is too large.", "payload_too_large", "body: it may have at most 65,536 bytes."),
    429: (
        "Too many requests; try again after Retry-After seconds.",
        "rate_limited",
        "Too many requests from this address; try again in 2 seconds.",
    ),
    502: ("The embedder failed.", "upstream_error", ""),
    503: ("The vector store does not answer, or no generation is live yet.", "service_unavailable", ""),
    500: ("Internal error.", "internal_error", str(INTERNAL.message)),
}

SEARCH_ERRORS = (400, 401, 404, 405, 408, 413, 429, 500, 502, 503)
"""Error statuses of a search route."""

CLICK_ERRORS = (400, 401, 404, 405, 408, 413, 429, 500, 503)
"""Error statuses of a route for reports of clicks."""

GET_ERRORS = (400, 401, 404, 405, 429, 500)
"""Error statuses of a public route without a body."""

ADMIN_ERRORS = (400, 401, 403, 404, 405, 429, 500, 503)
"""Error statuses of a read-only administration route."""

RELEASE_ERRORS = (*ADMIN_ERRORS, 408, 409, 413, 502)
"""Error statuses of promote and rollback."""

_ERROR_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": "How to send a key."},
    403: {"WWW-Authenticate": "The required scope."},
    405: {"Allow": "The methods of the path."},
    429: {"Retry-After": "Seconds to wait before the next try."},
}


_REQUEST_MODELS: dict[type[BaseModel], None] = {}
"""The models that request_body was called with."""


class DocumentedApi(FastAPI):
    """FastAPI whose document also declares the request models that the contracts parse."""

    def openapi(self) -> dict[str, Any]:
        """The document, cached."""
        if not self.openapi_schema:
            document = super().openapi()
            _, definitions = models_json_schema(
                [(model, "validation") for model in _REQUEST_MODELS], ref_template=_REFERENCE
            )
            document.setdefault("components", {}).setdefault("schemas", {}).update(definitions["$defs"])
            self.openapi_schema = document
        return self.openapi_schema


def request_body(model: type[BaseModel], example: Mapping[str, object]) -> dict[str, Any]:
    """The `openapi_extra` of a route that parses this model."""
    _REQUEST_MODELS[model] = None
    content = {"schema": {"$ref": _REFERENCE.format(model=model.__name__)}, "example": dict(example)}
    return {"requestBody": {"required": True, "content": {"application/json": content}}}


def error_answers(statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route for these error statuses."""
    return {status: _error_answer(status) for status in statuses}


def search_answers(
    model: type[BaseModel], example: Mapping[str, object], refusal: str
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a search route. refusal: an example of its 400 message."""
    headers = {**_REQUEST_ID, **_headers({"Server-Timing": "Milliseconds of each stage."})}
    answer = _answer(model, "The ranking; it may have no results.", example, headers)
    return {200: answer, **error_answers(SEARCH_ERRORS), 400: _error_answer(400, refusal)}


def docsearch_answers(
    model: type[BaseModel], example: Mapping[str, object], refusal: str
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a DocSearch route that searches. refusal: an example of its 400 message."""
    return _with_docsearch_errors(search_answers(model, example, refusal))


def event_answers(
    model: type[BaseModel], example: Mapping[str, object], refusal: str
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of the DocSearch route for events. refusal: an example of its 400 message."""
    answers = plain_answers(model, example, CLICK_ERRORS, "The report was read.")
    return _with_docsearch_errors(answers | {400: _error_answer(400, refusal)})


def _with_docsearch_errors(answers: Mapping[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    answers = {**answers, 403: _error_answer(403)}
    return {status: answer if status == 200 else _docsearch_error(status, answer) for status, answer in answers.items()}


def _docsearch_error(status: int | str, answer: Mapping[str, Any]) -> dict[str, Any]:
    message = answer["content"]["application/json"]["example"]["message"]
    content = {"application/json": {"example": {"message": message, "status": status}}}
    return {**answer, "model": DocSearchError, "content": content}


def plain_answers(
    model: type[BaseModel], example: Mapping[str, object], errors: Iterable[int], description: str = "Done."
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route with one kind of answer. description: of that answer."""
    return {200: _answer(model, description, example, _REQUEST_ID), **error_answers(errors)}


def health_answers(
    model: type[BaseModel], example: Mapping[str, object], example_of_trouble: Mapping[str, object]
) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a health route, which has the same body for 200 and 503."""
    trouble = "Something is wrong; see `status`."
    return {
        200: _answer(model, "Everything works.", example, _REQUEST_ID),
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


_REQUEST_ID = _headers({"X-Request-ID": "The id of this request in the log."})
