"""POST /search and GET /health of seed 003."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import search_api
from assay.web.answering import catalog_rows, run_search, send_answer
from assay.web.body import JsonBody
from assay.web.openapi import health_answers, request_body, search_answers
from assay.web.probing import Probe
from assay.web.routes import examples


def router(assay: Assay, probe: Probe) -> APIRouter:
    """The two routes over this Assay."""
    routes = APIRouter(tags=["retrieval API"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    shaping = assay.searches.shaping

    @routes.post(
        "/search",
        summary="Search by similarity",
        responses=search_answers(search_api.SearchResponse, examples.SEARCH_ANSWER, examples.SEARCH_REFUSAL),
        openapi_extra=request_body(search_api.SearchRequest, examples.SEARCH_REQUEST),
    )
    def search(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        ranking = run_search(assay, search_api.parse(body, shaping.mode), request, shaping)
        rows = catalog_rows(assay, ranking, request) or {}
        return send_answer(request, lambda: search_api.to_body(ranking, rows))

    @routes.get(
        "/health",
        summary="Check the service and its stores",
        responses=health_answers(search_api.HealthResponse, examples.HEALTH, examples.HEALTH_DEGRADED),
    )
    async def health() -> Response:
        body = search_api.to_health(await probe.health())
        return JSONResponse(body, 200 if body["status"] == search_api.HealthStatus.OK else 503)

    routes.add_api_route("/health", health, methods=["HEAD"], include_in_schema=False)
    return routes
