"""POST /v1/clicks, and the events of DocSearch boxes: results that readers opened."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import clicks
from assay.contracts.docsearch.requests import DocSearchError
from assay.web.body import JsonBody
from assay.web.openapi import CLICK_ERRORS, event_answers, plain_answers, request_body
from assay.web.routes import examples

_MOST_BYTES = 8_192


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay. CrossSiteGuard refuses origins that may not search either."""
    routes = APIRouter(tags=["clicks"])
    most = assay.settings.server.max_body_bytes
    read_body = JsonBody(min(_MOST_BYTES, most), writes=True)
    read_events = JsonBody(most, any_type=True)  # browsers send events as `text/plain` while a page is left

    @routes.post(
        "/v1/clicks",
        summary="Report a result that was opened",
        responses=plain_answers(clicks.ClickAnswer, examples.CLICKED, CLICK_ERRORS, "The report was read."),
        openapi_extra=request_body(clicks.ClickReport, examples.CLICK),
    )
    async def report_click(body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        assay.queries.click(*clicks.parse(body))
        return JSONResponse(clicks.ClickAnswer(accepted=True).to_dict())

    @routes.post("/{prefix:path}/1/events", include_in_schema=False)
    @routes.post(
        "/1/events",
        summary="Report events of a DocSearch box",
        responses=event_answers(DocSearchError, examples.EVENTS_ANSWER, examples.EVENTS_REFUSAL),
        openapi_extra=request_body(clicks.DocSearchEvents, examples.EVENTS),
    )
    async def report_events(body: Annotated[dict[str, object], Depends(read_events)]) -> Response:
        for query_id, chunk_id in clicks.parse_events(body):
            assay.queries.click(query_id, chunk_id)
        return JSONResponse(DocSearchError(message="OK", status=200).to_dict())

    return routes
