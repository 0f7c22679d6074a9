"""POST /api/v1/validate, as seed 004 has its tests."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts import service_validation
from assay.contracts.formatting import to_json
from assay.web.access import charge
from assay.web.body import JsonBody
from assay.web.drain import Drain
from assay.web.errors import STOPPING, error_response
from assay.web.openapi import request_body, search_answers
from assay.web.record import record_of
from assay.web.routes import examples
from assay.web.validating import Stopping, Validations

REQUESTS = (service_validation.ValidationRequest,)
_THREADS_FOR_ONE = 4


def router(assay: Assay, drain: Drain) -> APIRouter:
    """The route over this Assay. Of the threads that search, at most a quarter validate."""
    routes = APIRouter(tags=["retrieval service"])
    server = assay.settings.server
    read_body = JsonBody(max(server.max_validation_bytes, server.max_body_bytes))
    validations = Validations(assay, max(server.threads // _THREADS_FOR_ONE, 1), server.validation_seconds)

    @routes.post(
        "/api/v1/validate",
        summary="Run validation tests: which chunks does a query have to find?",
        responses=search_answers(
            service_validation.ValidationAnswer, examples.VALIDATION_ANSWER, examples.VALIDATION_REFUSAL
        ),
        openapi_extra=request_body(service_validation.ValidationRequest, examples.VALIDATION_REQUEST),
    )
    def validate(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        record = record_of(request.scope)
        asked = service_validation.parse(body)
        record.notes["tests"] = len(asked.tests)
        refusal = charge(request.scope, len(asked.tests) - 1)
        if refusal is not None:
            return refusal
        if not validations.places.acquire(blocking=False):
            message = "Other validations are under way; try again in a few seconds."
            return error_response(503, "service_unavailable", message, {"Retry-After": "5"})
        try:
            generation, outcomes = validations.run(asked, lambda: drain.begun)
        except Stopping:
            return error_response(STOPPING.status, STOPPING.error, str(STOPPING.message))
        finally:
            validations.places.release()
        answer = service_validation.to_body(outcomes, generation, record.elapsed_ms())
        record.notes |= {"generation": generation, "verdict": answer["status"], "passed": answer["passed_tests"]}
        return Response(to_json(answer), media_type="application/json")

    return routes
