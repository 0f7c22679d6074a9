"""The reports of validations: /v1/admin/reports for keys with the scope `admin`, and /reports/… for their tickets."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts.fields import check_fields
from assay.contracts.operators import reports
from assay.web.body import JsonBody
from assay.web.errors import error_response
from assay.web.middleware.access import REPORTS_PREFIX
from assay.web.openapi import ADMIN_ERRORS, RELEASE_ERRORS, plain_answers, request_body
from assay.web.routes import operator_examples as examples
from assay.web.tickets import Tickets

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "sandbox"
)
"""No script, no network, and an origin of its own. The page's own policy also names its style by hash."""


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay; AccessMiddleware checks the key, and a ticket stands for one."""
    routes = APIRouter(tags=["administration"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)
    tickets = Tickets(assay.parts.server_secret)

    @routes.get(
        "/v1/admin/reports",
        summary="List the reports of validations",
        responses=plain_answers(reports.ReportList, examples.REPORTS, ADMIN_ERRORS),
    )
    def list_reports() -> Response:
        return JSONResponse(reports.to_list(assay.evaluation.reports()))

    @routes.post(
        "/v1/admin/reports/link",
        summary="Make a link to a report",
        responses=plain_answers(reports.ReportLink, examples.REPORT_LINK, RELEASE_ERRORS),
        openapi_extra=request_body(reports.ReportLinkRequest, examples.REPORT_WANTED),
    )
    def link_report(body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        name = check_fields(reports.ReportLinkRequest, body).report
        assay.evaluation.report_page(name)  # raises for an unknown one
        return JSONResponse(reports.ReportLink(path=f"{REPORTS_PREFIX}{tickets.issue(name)}").to_dict())

    @routes.get(f"{REPORTS_PREFIX}{{ticket}}", include_in_schema=False)
    def show_report(ticket: str) -> Response:
        name = tickets.name_of(ticket)
        if name is None:
            return error_response(
                404, "not_found", "The link to this report is unknown or has expired; make a new one."
            )
        headers = {"Content-Security-Policy": _POLICY}
        return Response(assay.evaluation.report_page(name), headers=headers, media_type="text/html")

    return routes
