"""POST /v1/admin/explain, for keys with the scope `admin`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts.operators import explanations
from assay.web.answering import note_answer, note_search, send_answer
from assay.web.body import JsonBody
from assay.web.openapi import RELEASE_ERRORS, plain_answers, request_body
from assay.web.routes import operator_examples as examples


def router(assay: Assay) -> APIRouter:
    """The route over this Assay; AccessMiddleware checks the key."""
    routes = APIRouter(tags=["administration"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)
    defaults = assay.settings.search

    @routes.post(
        "/v1/admin/explain",
        summary="Search, and explain each score",
        responses=plain_answers(
            explanations.ExplainAnswer, examples.EXPLANATION, RELEASE_ERRORS, "The ranking and the parts of its scores."
        ),
        openapi_extra=request_body(explanations.ExplainRequest, examples.EXPLAIN),
    )
    def explain(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        parsed = explanations.parse(body, defaults)
        query = parsed.request.query
        note_search(request, query)
        explanation = assay.searches.explain(query, parsed.generation)
        note_answer(request, explanation.ranking)
        return send_answer(request, lambda: explanations.to_body(explanation, parsed.request.include))

    return routes
