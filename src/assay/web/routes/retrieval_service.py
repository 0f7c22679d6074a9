"""POST /api/v1/search and GET /api/v1/health of seed 004."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import retrieval_service
from assay.contracts.retrieval_service import Dropped, ServiceHealthStatus
from assay.model.ranking import Embed, Ranking
from assay.web.answering import catalog_rows, run_search, send_answer
from assay.web.body import JsonBody
from assay.web.middleware.record import record_of
from assay.web.openapi import health_answers, request_body, search_answers
from assay.web.probing import Probe
from assay.web.routes import examples


def router(assay: Assay, probe: Probe) -> APIRouter:
    """The two routes over this Assay."""
    routes = APIRouter(tags=["retrieval service"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    shaping = assay.searches.shaping

    def _dropped(parsed: retrieval_service.ServiceRequest, ranking: Ranking) -> Dropped | None:
        """The hits that the default threshold drops and the embedder's calibrated threshold would keep."""
        lower = assay.settings.calibrated_threshold
        short = parsed.default_threshold and len(ranking.hits) < parsed.query.top_k
        if not short or lower is None or lower >= parsed.query.threshold:
            return None
        return retrieval_service.dropped_by_default(
            assay.searches.search(replace(parsed.query, threshold=lower, rerank=False), embed=Embed.ALWAYS)
        )

    @routes.post(
        "/api/v1/search",
        summary="Search by similarity above a threshold, with details of each score",
        responses=search_answers(retrieval_service.ServiceResponse, examples.SERVICE_ANSWER, examples.SERVICE_REFUSAL),
        openapi_extra=request_body(retrieval_service.ServiceQuery, examples.SERVICE_REQUEST),
    )
    def search(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        record = record_of(request.scope)
        parsed = retrieval_service.parse(body, shaping.mode, record.received_at)
        ranking = run_search(assay, parsed.query, request, shaping)
        record.notes["query_id"] = parsed.id
        dropped = _dropped(parsed, ranking)
        rows = catalog_rows(assay, ranking, request)
        embedder = assay.parts.embedder.identity.fingerprint
        return send_answer(
            request,
            lambda: retrieval_service.to_body(ranking, parsed, rows, embedder, dropped),
            lambda _format_ms: retrieval_service.to_time(record.elapsed_ms()),
        )

    @routes.get(
        "/api/v1/health",
        summary="Check the service and its stores, and name the live generation",
        responses=health_answers(
            retrieval_service.ServiceHealth, examples.SERVICE_HEALTH, examples.SERVICE_HEALTH_DEGRADED
        ),
    )
    async def health() -> Response:
        body = retrieval_service.to_health(await probe.health())
        return JSONResponse(body, 200 if body["status"] == ServiceHealthStatus.HEALTHY else 503)

    routes.add_api_route("/api/v1/health", health, methods=["HEAD"], include_in_schema=False)
    return routes
