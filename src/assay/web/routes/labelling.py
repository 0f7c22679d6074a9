"""/v1/admin/labels: label hits in a browser, for keys with the scope `admin`."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts.fields import check_fields
from assay.contracts.operators import labelling
from assay.contracts.operators import labelling_entities as entities
from assay.web.body import JsonBody
from assay.web.openapi import ADMIN_ERRORS, RELEASE_ERRORS, plain_answers, request_body
from assay.web.routes import operator_examples as examples

_Body = dict[str, object]


def router(assay: Assay) -> APIRouter:
    """The labelling routes over this Assay; AccessMiddleware checks the key."""
    routes = APIRouter(tags=["labelling"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)
    desk = assay.labelling

    @routes.get(
        "/v1/admin/labels",
        summary="List the test sets that can be labelled",
        responses=plain_answers(entities.LabelTestSets, examples.LABEL_TEST_SETS, ADMIN_ERRORS),
    )
    def list_test_sets() -> Response:
        return JSONResponse(labelling.to_test_sets(desk.test_sets()))

    @routes.post(
        "/v1/admin/labels/queue",
        summary="List hits to label",
        responses=plain_answers(entities.LabelQueueAnswer, examples.LABEL_QUEUE, RELEASE_ERRORS),
        openapi_extra=request_body(entities.LabelQueueQuery, examples.LABEL_QUEUE_WANTED),
    )
    def list_hits(body: Annotated[_Body, Depends(read_body)]) -> Response:
        return JSONResponse(labelling.to_queue(desk.queue(labelling.parse_queue(body))))

    @routes.post(
        "/v1/admin/labels",
        summary="Label a passage",
        responses=plain_answers(entities.LabelAnswer, examples.LABELLED, RELEASE_ERRORS),
        openapi_extra=request_body(entities.LabelRequest, examples.LABEL),
    )
    def label(body: Annotated[_Body, Depends(read_body)]) -> Response:
        sent, passage = labelling.parse_label(body)
        outcome = desk.label(
            sent.test_set, sent.judge, sent.topic_id, passage, sent.label, sent.content_hash, sent.queue
        )
        return JSONResponse(labelling.to_label(outcome))

    @routes.post(
        "/v1/admin/labels/skip",
        summary="Skip a hit",
        responses=plain_answers(entities.GivenLabel, examples.SKIPPED, RELEASE_ERRORS),
        openapi_extra=request_body(entities.SkipRequest, examples.SKIP),
    )
    def skip(body: Annotated[_Body, Depends(read_body)]) -> Response:
        sent = check_fields(entities.SkipRequest, body)
        return JSONResponse(labelling.to_skip(desk.skip(sent.test_set, sent.judge, sent.topic_id, sent.content_hash)))

    @routes.post(
        "/v1/admin/labels/undo",
        summary="Undo a label or a skip",
        responses=plain_answers(entities.UndoAnswer, examples.UNDONE, RELEASE_ERRORS),
        openapi_extra=request_body(entities.UndoRequest, examples.UNDO),
    )
    def undo(body: Annotated[_Body, Depends(read_body)]) -> Response:
        sent = check_fields(entities.UndoRequest, body)
        return JSONResponse(labelling.to_undo(*desk.undo(sent.test_set, sent.judge, sent.entry, sent.queue)))

    @routes.post(
        "/v1/admin/labels/page",
        summary="Read a page, to select a passage on it",
        responses=plain_answers(entities.LabelPage, examples.LABEL_PAGE, RELEASE_ERRORS),
        openapi_extra=request_body(entities.LabelPageQuery, examples.LABEL_PAGE_WANTED),
    )
    def read_page(body: Annotated[_Body, Depends(read_body)]) -> Response:
        sent = check_fields(entities.LabelPageQuery, body)
        page = assay.labels.page(sent.generation, sent.url)
        return JSONResponse(entities.LabelPage.of(page).to_dict())

    @routes.post(
        "/v1/admin/labels/selection",
        summary="Make a passage of a selection",
        responses=plain_answers(entities.SelectedPassage, examples.SELECTED, RELEASE_ERRORS),
        openapi_extra=request_body(entities.SelectionQuery, examples.SELECTION),
    )
    def select(body: Annotated[_Body, Depends(read_body)]) -> Response:
        sent = check_fields(entities.SelectionQuery, body)
        passage, chunk_ids = assay.labels.select(sent.generation, sent.url, sent.start, sent.end)
        return JSONResponse(labelling.to_selection(passage, chunk_ids))

    return routes
