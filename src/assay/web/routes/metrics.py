"""GET /metrics, for Prometheus."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.adapters.telemetry.prometheus import Metrics
from assay.web.access import METRICS_PATH


def router(metrics: Metrics) -> APIRouter:
    """The route; who may ask it is decided before."""
    routes = APIRouter()

    # Not in the threads that search: it is asked for most when they are all taken.
    @routes.get(METRICS_PATH, include_in_schema=False)
    async def read_metrics(request: Request) -> Response:
        content, content_type = metrics.exposition(request.headers.get("accept", ""))
        return Response(content, media_type=None, headers={"Content-Type": content_type})

    return routes
