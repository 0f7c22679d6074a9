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
    404: ("There is no such route.", "not_found", "There is nothing at /serach."),
    405: ("The route has no such method.", "method_not_allowed", "/search does not answer GET, only POST."),
    413: ("The body is too large.", "payload_too_large", "body: it has to be at most 65,536 bytes."),
    502: ("The embedder failed.", "upstream_error", ""),
    503: ("The vector store cannot answer, or no generation is live yet.", "service_unavailable", ""),
    500: ("Something went wrong inside.", "internal_error", str(INTERNAL.message)),
}

SEARCH_ERRORS = (400, 413, 500, 502, 503)
"""What a search can be answered with besides 200; unknown paths and methods are 404 and 405 everywhere."""


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


def search_answers(model: type[BaseModel], example: Mapping[str, object]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a search route."""
    headers = {
        "X-Request-ID": {"description": "Names this request in the log.", "schema": {"type": "string"}},
        "Server-Timing": {"description": "Milliseconds of each stage.", "schema": {"type": "string"}},
    }
    answer = {
        "model": model,
        "description": "The ranking; its results may be none.",
        "headers": headers,
        "content": {"application/json": {"example": dict(example)}},
    }
    return {200: answer, **error_answers(SEARCH_ERRORS)}


def _error_answer(status: int) -> dict[str, Any]:
    description, error, message = _EXAMPLES[status]
    own = next((refusal.message for _, refusal in REFUSALS if refusal.status == status), None)
    example = {"error": error, "message": message or str(own)}
    return {"model": ErrorResponse, "description": description, "content": {"application/json": {"example": example}}}
