"""GET /livez and GET /readyz, for load balancers and supervisors."""

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from assay.contracts.fields import AnswerModel
from assay.web.drain import Drain
from assay.web.errors import STOPPING, error_response
from assay.web.openapi import GET_ERRORS, error_answers
from assay.web.probing import Probe
from assay.web.routes import examples

REQUESTS: tuple[type[BaseModel], ...] = ()


class ProbeAnswer(AnswerModel):
    """The body of a probe; programs use the status code."""

    status: str


def router(probe: Probe, drain: Drain) -> APIRouter:
    """The two routes, for GET and HEAD."""
    routes = APIRouter(tags=["probes"])

    @routes.get(
        "/livez",
        summary="Check that the process runs",
        responses={
            200: {
                "model": ProbeAnswer,
                "description": "It runs.",
                "content": {"application/json": {"example": examples.LIVE}},
            },
            **error_answers(GET_ERRORS),
        },
    )
    async def livez() -> Response:
        return JSONResponse(examples.LIVE)

    @routes.get(
        "/readyz",
        summary="Check that the server can answer searches",
        responses={
            200: {
                "model": ProbeAnswer,
                "description": "It can.",
                "content": {"application/json": {"example": examples.READY}},
            },
            **error_answers([*GET_ERRORS, 503]),
        },
    )
    async def readyz() -> Response:
        if drain.begun:
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
