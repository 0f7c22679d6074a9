"""POST /v1/search, Assay's native route."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts import native
from assay.web.answering import run_search, send_answer
from assay.web.body import JsonBody
from assay.web.openapi import request_body, search_answers
from assay.web.routes import examples


def router(assay: Assay) -> APIRouter:
    """The route over this Assay."""
    routes = APIRouter(tags=["search"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    defaults = assay.settings.search

    @routes.post(
        "/v1/search",
        summary="Search with all options",
        responses=search_answers(native.SearchRanking, examples.NATIVE_ANSWER, examples.NATIVE_REFUSAL),
        openapi_extra=request_body(native.SearchQuery, examples.NATIVE_REQUEST),
    )
    def search_native(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        parsed = native.parse(body, defaults)
        ranking = run_search(assay, parsed.query, request)
        return send_answer(
            request,
            lambda: native.to_results(ranking, parsed.include),
            lambda format_ms: native.to_timings(ranking.timings, format_ms),
        )

    return routes
