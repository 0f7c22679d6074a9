"""POST /api/v1/validate, which runs the validation tests of seed 004."""

from threading import Event
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts import service_validation
from assay.contracts.formatting import to_json
from assay.web.body import JsonBody
from assay.web.errors import STOPPING, error_response
from assay.web.middleware.access import charge
from assay.web.middleware.record import record_of
from assay.web.openapi import request_body, search_answers
from assay.web.routes import examples
from assay.web.validating import ServerStopping, Validations

_THREADS_PER_VALIDATION = 4


def router(assay: Assay, drain: Event) -> APIRouter:
    """The route over this Assay. Validations use at most a quarter of the search threads."""
    routes = APIRouter(tags=["retrieval service"])
    server = assay.settings.server
    read_body = JsonBody(max(server.max_validation_bytes, server.max_body_bytes))
    validations = Validations(assay, max(server.threads // _THREADS_PER_VALIDATION, 1), server.validation_seconds)

    @routes.post(
        "/api/v1/validate",
        summary="Run validation tests: queries with the chunks that they must find",
        responses=search_answers(
            service_validation.ValidationAnswer, examples.VALIDATION_ANSWER, examples.VALIDATION_REFUSAL
        ),
        openapi_extra=request_body(service_validation.ValidationRequest, examples.VALIDATION_REQUEST),
    )
    def validate(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        record = record_of(request.scope)
        parsed = service_validation.parse(body)
        record.notes["tests"] = len(parsed.tests)
        refusal = charge(request.scope, len(parsed.tests) - 1)
        if refusal is not None:
            return refusal
        if not validations.slots.acquire(blocking=False):
            message = "Other validations are running; try again in a few seconds."
            return error_response(503, "service_unavailable", message, {"Retry-After": "5"})
        try:
            generation, outcomes = validations.run(parsed, drain.is_set)
        except ServerStopping:
            return error_response(STOPPING.status, STOPPING.error, str(STOPPING.message))
        finally:
            validations.slots.release()
        answer = service_validation.to_body(outcomes, generation, record.elapsed_ms())
        record.notes |= {"generation": generation, "verdict": answer["status"], "passed": answer["passed_tests"]}
        return Response(to_json(answer), media_type="application/json")

    return routes
