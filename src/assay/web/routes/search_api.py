"""POST /search and GET /health, as seed 003 has them."""

import logging
from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import search_api
from assay.errors import CatalogError
from assay.model.ranking import Mode, Ranking
from assay.ports import ChunkMetadata
from assay.web.answering import ask, send_answer
from assay.web.body import JsonBody
from assay.web.openapi import request_body, search_answers
from assay.web.probing import Probe
from assay.web.record import record_of
from assay.web.routes import examples

logger = logging.getLogger("assay.web")

REQUESTS = (search_api.SearchRequest,)


def router(assay: Assay, probe: Probe) -> APIRouter:
    """The two routes over this Assay."""
    routes = APIRouter(tags=["retrieval API"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    mode = Mode(assay.settings.server.contract_mode)

    @routes.post(
        "/search",
        summary="Search by similarity",
        responses=search_answers(search_api.SearchResponse, examples.SEARCH_ANSWER),
        openapi_extra=request_body(search_api.SearchRequest, examples.SEARCH_REQUEST),
    )
    def search(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        ranking = ask(assay, search_api.parse(body, mode), request)
        with record_of(request.scope).stage("metadata"):
            rows = _catalog_rows(assay, ranking, request)
        return send_answer(request, lambda: search_api.to_body(ranking, rows))

    @routes.get(
        "/health",
        summary="Whether the service and its stores work",
        responses={
            200: {"model": search_api.HealthResponse, "description": "All is well."},
            503: {"model": search_api.HealthResponse, "description": "Something is down; `status` says how bad it is."},
        },
    )
    async def health() -> Response:
        state = await probe.health()
        body = search_api.to_health(
            vector_store=state.vector_store,
            catalog=state.catalog,
            serving=state.generation is not None,
            problems=len(state.problems),
        )
        return JSONResponse(body, 200 if body["status"] == search_api.HealthStatus.OK else 503)

    routes.add_api_route("/health", health, methods=["HEAD"], include_in_schema=False)
    return routes


def _catalog_rows(assay: Assay, ranking: Ranking, request: Request) -> Mapping[str, ChunkMetadata]:
    """What the catalog says of the hits; nothing when it is down, for the index stores every field too.

    Nothing, too, when another generation has become live since the search: its rows may have other titles, and no
    answer mixes two generations.

    Raises CatalogError when the settings ask for strict metadata.
    """
    if not ranking.hits:
        return {}
    try:
        rows = assay.metadata([hit.chunk.id for hit in ranking.hits])
        return rows if assay.catalog.live_id() == ranking.generation else {}
    except CatalogError as error:
        if assay.settings.server.strict_metadata:
            raise
        record = record_of(request.scope)
        record.notes["metadata"] = "index"
        logger.warning(
            "request %s takes its metadata from the index, for the catalog is down: %s",
            record.id,
            error.message,
            extra={"fields": {"request_id": record.id}},
        )
        return {}
