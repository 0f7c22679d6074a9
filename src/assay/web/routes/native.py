"""/v1/search, Assay's native route, by GET and POST, GET /v1/suggest and GET /v1/facets."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import facets, native, native_entities, suggestions
from assay.contracts.native import NativeRequest
from assay.web.answering import run_search, send_answer
from assay.web.body import JsonBody
from assay.web.middleware.record import record_of
from assay.web.openapi import GET_ERRORS, SEARCH_ERRORS, plain_answers, request_body, search_answers
from assay.web.parameters import url_parameters, url_parameters_schema
from assay.web.routes import examples
from assay.web.turns import Turns


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay."""
    routes = APIRouter(tags=["search"])
    read_body = JsonBody(assay.settings.server.max_body_bytes)
    defaults = assay.settings.search
    turns = Turns()
    answers = search_answers(native_entities.SearchRanking, examples.NATIVE_ANSWER, examples.NATIVE_REFUSAL)

    @routes.post(
        "/v1/search",
        summary="Search with all options",
        responses=answers,
        openapi_extra=request_body(native_entities.SearchQuery, examples.NATIVE_REQUEST),
    )
    async def search_native(request: Request) -> Response:
        return await _answer(request, native.parse(await read_body(request), defaults))

    @routes.head("/v1/search", include_in_schema=False)
    @routes.get(
        "/v1/search",
        summary="Search by a URL that can be linked",
        responses=answers,
        openapi_extra=url_parameters_schema(native_entities.SearchParameters, {"q": examples.NATIVE_REQUEST["query"]}),
    )
    async def search_by_url(request: Request) -> Response:
        parameters = url_parameters(request, native_entities.SearchParameters)
        return await _answer(request, native.parse_parameters(parameters, defaults))

    @routes.head("/v1/suggest", include_in_schema=False)
    @routes.get(
        "/v1/suggest",
        summary="Suggest titles and headings while somebody types",
        responses=plain_answers(suggestions.Suggestions, examples.SUGGESTIONS, SEARCH_ERRORS, "The suggestions."),
        openapi_extra=url_parameters_schema(suggestions.SuggestQuery, {"q": examples.SUGGESTIONS["query"]}),
    )
    async def suggest(request: Request) -> Response:
        asked = suggestions.parse(url_parameters(request, suggestions.SuggestQuery))
        is_short = assay.searches.are_open  # the vocabulary is in memory
        names, generation = await turns.call(lambda: assay.searches.suggest(asked.q, asked.limit), is_short=is_short)
        return JSONResponse(suggestions.to_body(asked.q, names, generation))

    @routes.head("/v1/facets", include_in_schema=False)
    @routes.get(
        "/v1/facets",
        summary="List the sources, versions and locales",
        responses=plain_answers(facets.Facets, examples.FACETS, (*GET_ERRORS, 503), "The values of the filters."),
    )
    def list_facets() -> Response:
        generation, sources = assay.pages.sources()
        return JSONResponse(facets.to_body(sources, generation.id))

    async def _answer(request: Request, parsed: NativeRequest) -> Response:
        return await turns.call(lambda: _ranked(request, parsed), is_short=assay.searches.is_short(parsed.query))

    def _ranked(request: Request, parsed: NativeRequest) -> Response:
        ranking = run_search(assay, parsed.query, request, reports_clicks=parsed.reports_clicks)
        query_id = record_of(request.scope).query_id
        return send_answer(
            request,
            lambda: native.to_results(ranking, parsed.include, query_id),
            lambda format_ms: native.to_timings(ranking.timings, format_ms),
        )

    return routes
