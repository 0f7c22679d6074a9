"""GET /metrics, for Prometheus."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.adapters.telemetry.prometheus import Metrics
from assay.web.middleware.access import METRICS_PATH


def router(metrics: Metrics) -> APIRouter:
    """The metrics route; AccessMiddleware decides who may read it."""
    routes = APIRouter()

    # async, so that it needs no search thread: monitoring matters most when all are busy.
    @routes.api_route(METRICS_PATH, methods=["GET", "HEAD"], include_in_schema=False)
    async def read_metrics(request: Request) -> Response:
        content, content_type = metrics.exposition(request.headers.get("accept", ""))
        return Response(content, media_type=None, headers={"Content-Type": content_type})

    return routes
