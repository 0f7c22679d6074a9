"""POST /query of seed 000."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts import retrieval_testing
from assay.contracts.retrieval_testing import Lifecycle
from assay.web.answering import run_search, send_answer
from assay.web.body import JsonBody
from assay.web.middleware.record import record_of
from assay.web.openapi import request_body, search_answers
from assay.web.routes import examples


def router(assay: Assay) -> APIRouter:
    """The route over this Assay."""
    routes = APIRouter(tags=["retrieval testing"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    shaping = assay.searches.shaping

    @routes.post(
        "/query",
        summary="Search by similarity, with the time of each step",
        responses=search_answers(retrieval_testing.QueryResponse, examples.QUERY_ANSWER, examples.QUERY_REFUSAL),
        openapi_extra=request_body(retrieval_testing.QueryRequest, examples.QUERY_REQUEST),
    )
    def query(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        parsed = retrieval_testing.parse(body, shaping.mode)
        ranking = run_search(assay, parsed.query, request, shaping)
        record = record_of(request.scope)
        filtered_ms = record.elapsed_ms()

        def metadata(_format_ms: float) -> dict[str, object]:
            formatted_ms = record.elapsed_ms()
            lifecycle = Lifecycle.of(ranking, record.received_at, filtered_ms, formatted_ms, record.elapsed_ms())
            return retrieval_testing.to_metadata(ranking, lifecycle)

        return send_answer(
            request,
            lambda: retrieval_testing.to_body(ranking, include_metadata=parsed.include_metadata),
            metadata,
        )

    return routes
