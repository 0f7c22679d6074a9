"""The routes of Algolia's search API that DocSearch boxes use, at any path prefix."""

from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts.docsearch import requests as docsearch
from assay.contracts.docsearch.answers import FacetCounts, to_result
from assay.contracts.docsearch.filters import LOCALE, SOURCE, VERSION, to_filters
from assay.contracts.docsearch.requests import DocSearchQuery
from assay.web.answering import run_search, send_answer
from assay.web.body import JsonBody
from assay.web.middleware.access import charge
from assay.web.middleware.record import record_of
from assay.web.openapi import docsearch_answers, request_body
from assay.web.routes import examples

_INDEX = {
    "name": "index",
    "in": "path",
    "required": True,
    "description": "Any name; the answer repeats it.",
    "schema": {"type": "string"},
}


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay."""
    routes = APIRouter(tags=["search boxes"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, any_type=True)

    @routes.post("/{prefix:path}/1/indexes/*/queries", include_in_schema=False)
    @routes.post(
        "/1/indexes/*/queries",
        summary="Search from a DocSearch box, several searches at a time",
        responses=docsearch_answers(docsearch.DocSearchAnswer, examples.DOCSEARCH_ANSWER, examples.DOCSEARCH_REFUSAL),
        openapi_extra=request_body(docsearch.DocSearchQueries, examples.DOCSEARCH_REQUEST),
    )
    def search_several(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        sent = docsearch.parse_queries(body)
        refusal = charge(request.scope, len(sent) - 1)
        if refusal is not None:
            return refusal
        results = _results(request, sent)
        return send_answer(request, lambda: {"results": results})

    @routes.post("/{prefix:path}/1/indexes/{index}/query", include_in_schema=False)
    @routes.post(
        "/1/indexes/{index}/query",
        summary="Search from a DocSearch box",
        responses=docsearch_answers(docsearch.DocSearchResult, examples.DOCSEARCH_RESULT, examples.DOCSEARCH_REFUSAL),
        openapi_extra=request_body(docsearch.DocSearchQuery, examples.DOCSEARCH_QUERY) | {"parameters": [_INDEX]},
    )
    def search_one(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        (result,) = _results(request, [docsearch.parse_query(body, request.path_params["index"])])
        return send_answer(request, lambda: result)

    def _results(request: Request, sent: Sequence[DocSearchQuery]) -> list[dict[str, Any]]:
        record_of(request.scope).notes["searches"] = len(sent)
        logged: dict[str, str | None] = {}
        return [_result(request, each, logged) for each in sent]

    def _result(request: Request, sent: DocSearchQuery, logged: dict[str, str | None]) -> dict[str, Any]:
        """logged: ids in the log of queries by text; the searches of a request with one text are one query."""
        started = perf_counter()
        filters = to_filters(sent.facet_filters, assay.searches.page_of, _has_versions)
        ranking = counts = query_id = None
        if not sent.query.strip():
            counts = _page_counts() if sent.facets else None
        elif filters is not None:
            query = docsearch.to_query(sent, filters, assay.settings.search)
            repeats = sent.query in logged or sent.page > 0 or sent.hits_per_page == 0
            ranking = run_search(assay, query, request, reports_clicks=sent.click_analytics, repeats=repeats)
            if not repeats:
                logged[sent.query] = record_of(request.scope).query_id
            query_id = logged.get(sent.query) if sent.click_analytics else None
        spent = (perf_counter() - started) * 1000.0
        return to_result(sent, ranking, spent, assay.settings.calibrated_threshold, counts, query_id)

    def _has_versions() -> bool:
        return any(source.versions for source in assay.pages.sources()[1])

    def _page_counts() -> FacetCounts:
        """Of all pages: a box asks for its choices with an empty query."""
        _, sources = assay.pages.sources()
        versions, locales = Counter[str](), Counter[str]()
        for source in sources:
            versions.update(source.versions)
            locales.update(source.locales)
        return {VERSION: versions, LOCALE: locales, SOURCE: {source.name: source.pages for source in sources}}

    return routes
