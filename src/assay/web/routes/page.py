"""GET / (the search page), /admin (the page for operators), /assay.js, and their files."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts import facets, native
from assay.errors import AssayError
from assay.validation.report.markup import Child
from assay.web.answering import run_search
from assay.web.errors import error_response, refuse
from assay.web.page import html
from assay.web.page.files import LOADER, StaticFile, static_files
from assay.web.page.search import Search

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_FOREVER = "public, max-age=31536000, immutable"
_REVALIDATE = "no-cache"
_NO_FACETS: Mapping[str, object] = {"sources": []}


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay."""
    routes = APIRouter(include_in_schema=False)
    files = static_files()
    assets = f"page/{files.digest}/"
    is_public = assay.settings.server.search == "public"

    @routes.head("/")
    @routes.get("/")
    def show_page(request: Request) -> Response:
        search = Search.of(request.query_params)
        known = _known_facets()
        status, shown = (200, None) if search.is_blank else _answer(request, search, known)
        return _document(html.page(search, known, shown, assets), status)

    @routes.head("/admin")
    @routes.get("/admin")
    async def show_operators() -> Response:
        return _document(html.operators(assets))

    @routes.head(f"/{LOADER}")
    @routes.get(f"/{LOADER}")
    async def send_loader(request: Request) -> Response:
        return _send(request, files.loader, _REVALIDATE)

    @routes.head("/page/{digest}/{name}")
    @routes.get("/page/{digest}/{name}")
    async def send_file(request: Request, digest: str, name: str) -> Response:
        file = files.by_name.get(name)
        if file is None:
            return error_response(404, "not_found", "There is no such file.")
        # While servers of two versions answer, a page of the one may get its files from the other.
        return _send(request, file, _FOREVER if digest == files.digest else _REVALIDATE)

    def _answer(request: Request, search: Search, known: Mapping[str, object]) -> tuple[int, Child]:
        """The HTTP status, and the results or why there are none. known: a Facets."""
        if not is_public:
            return 200, html.problem("Searching here needs an API key.", "Turn on JavaScript to enter it.")
        try:
            parsed = native.parse(search.body(known), assay.settings.search)
            ranking = run_search(assay, parsed.query, request)
        except AssayError as error:
            status, _, message = refuse(request, error)
            return status, html.problem(message, "" if status >= 500 else "Change the query or the filters.")
        answer = native.to_results(ranking, parsed.include)
        return 200, html.results(search, answer, ranking.searched_text)

    def _known_facets() -> Mapping[str, object]:
        """The facets; none if searching needs a key, or if they cannot be read."""
        if not is_public:
            return _NO_FACETS
        try:
            generation, sources = assay.pages.sources()
            return facets.to_body(sources, generation.id)
        except AssayError:
            return _NO_FACETS

    return routes


def _document(content: str, status: int = 200) -> Response:
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": _REVALIDATE}
    return Response(content, status, headers, "text/html; charset=utf-8")


def _send(request: Request, file: StaticFile, cache: str) -> Response:
    """Send a file, compressed if the client accepts that, or say that it has not changed.

    Pages of all sites may load it: `assay.js` is made for them, and it is public.
    """
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": cache,
        "Cross-Origin-Resource-Policy": "cross-origin",
        "ETag": file.etag,
        "Vary": "Accept-Encoding",
    }
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    content = file.content
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        content = file.compressed
    return Response(content, headers=headers, media_type=file.media_type)
