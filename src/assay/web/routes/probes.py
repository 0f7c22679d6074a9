"""GET /livez and GET /readyz, for load balancers and supervisors."""

from threading import Event

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from assay.contracts.fields import AnswerModel
from assay.web.errors import STOPPING, error_response
from assay.web.openapi import GET_ERRORS, plain_answers
from assay.web.probing import Probe
from assay.web.routes import examples


class ProbeAnswer(AnswerModel):
    """The body of a probe; programs use the status code."""

    status: str


def router(probe: Probe, drain: Event) -> APIRouter:
    """The two routes, for GET and HEAD."""
    routes = APIRouter(tags=["probes"])

    @routes.get(
        "/livez",
        summary="Check that the process runs",
        responses=plain_answers(ProbeAnswer, examples.LIVE, GET_ERRORS, "It runs."),
    )
    async def livez() -> Response:
        return JSONResponse(examples.LIVE)

    @routes.get(
        "/readyz",
        summary="Check that the server can answer searches",
        responses=plain_answers(ProbeAnswer, examples.READY, [*GET_ERRORS, 503], "It can."),
    )
    async def readyz() -> Response:
        if drain.is_set():
            return error_response(STOPPING.status, STOPPING.error, str(STOPPING.message))
        health = await probe.health()
        if health.generation is None:
            return error_response(503, "service_unavailable", "No generation is live.")
        if not health.vector_store:
            return error_response(503, "service_unavailable", "The vector store cannot be reached.")
        return JSONResponse(examples.READY)

    for path, endpoint in (("/livez", livez), ("/readyz", readyz)):
        routes.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)
    return routes
