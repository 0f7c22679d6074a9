"""/v1/admin/queries: the log of queries, and topics from it, for keys with the scope `admin`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts.fields import check_fields
from assay.contracts.operators import query_lists
from assay.model.queries import QueryKind
from assay.web.body import JsonBody
from assay.web.openapi import ADMIN_ERRORS, RELEASE_ERRORS, plain_answers, request_body
from assay.web.parameters import url_parameters, url_parameters_schema
from assay.web.routes import operator_examples as examples


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay; AccessMiddleware checks the key."""
    routes = APIRouter(tags=["queries"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)

    @routes.get(
        "/v1/admin/queries",
        summary="List logged queries",
        responses=plain_answers(query_lists.QueryList, examples.QUERY_LIST, ADMIN_ERRORS),
        openapi_extra=url_parameters_schema(query_lists.QueryListQuery, {}),
    )
    def list_queries(request: Request) -> Response:
        wanted = check_fields(query_lists.QueryListQuery, url_parameters(request, query_lists.QueryListQuery))
        report = assay.queries.report(QueryKind(wanted.kind), days=wanted.days, limit=wanted.limit)
        return JSONResponse(query_lists.to_list(report, logged=assay.queries.are_logged))

    @routes.post(
        "/v1/admin/queries/topics",
        summary="Add queries to the test set",
        responses=plain_answers(query_lists.TopicsAnswer, examples.TOPICS_ADDED, RELEASE_ERRORS),
        openapi_extra=request_body(query_lists.TopicsRequest, examples.TOPICS_WANTED),
    )
    def add_topics(body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        sent = check_fields(query_lists.TopicsRequest, body)
        return JSONResponse(query_lists.to_topics(assay.queries.add_texts(sent.queries)))

    return routes
