"""GET /v1/admin/generations, POST /v1/admin/promote and POST /v1/admin/rollback, for keys with the scope `admin`."""

import logging
from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts import admin
from assay.errors import AssayError, NoLiveGeneration
from assay.web.body import JsonBody
from assay.web.openapi import ADMIN_ERRORS, RELEASE_ERRORS, admin_answers, request_body
from assay.web.record import record_of
from assay.web.routes import admin_examples

REQUESTS = (admin.PromoteRequest, admin.RollbackRequest)

logger = logging.getLogger("assay.web")


def router(assay: Assay) -> APIRouter:
    """The routes over this Assay; who may ask them is decided before.

    Each looks first whether the catalog answers at all, which takes a second or two at the most: the statements of a
    release have minutes, and nobody waits for those of a server that stands still.
    """
    routes = APIRouter(tags=["administration"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)
    releasing = Lock()  # a request that is sent again while the first is at work finds it done

    @routes.get(
        "/v1/admin/generations",
        summary="List the generations",
        responses=admin_answers(admin.GenerationList, admin_examples.GENERATIONS, ADMIN_ERRORS),
    )
    def list_generations() -> Response:
        assay.parts.catalog.check()
        return JSONResponse(admin.to_list(assay.generations()))

    @routes.post(
        "/v1/admin/promote",
        summary="Check a candidate and make it live",
        responses=admin_answers(admin.ReleaseAnswer, admin_examples.PROMOTED, RELEASE_ERRORS),
        openapi_extra=request_body(admin.PromoteRequest, admin_examples.PROMOTE),
    )
    def promote(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        wanted = admin.parse_promote(body)
        assay.parts.catalog.check()
        with releasing:
            changed = assay.parts.catalog.live_id() != wanted
            if changed:
                assay.parts.require_own_index()
                # By its id alone, never `candidate`: a request that is sent twice changes something once.
                assay.promote(assay.parts.catalog.generation(wanted).id)
            return _released(assay, request, wanted, changed=changed)

    @routes.post(
        "/v1/admin/rollback",
        summary="Go back to what was live before",
        responses=admin_answers(admin.ReleaseAnswer, admin_examples.ROLLED_BACK, RELEASE_ERRORS),
        openapi_extra=request_body(admin.RollbackRequest, admin_examples.ROLLBACK),
    )
    def rollback(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        left = admin.parse_rollback(body)
        assay.parts.catalog.check()
        with releasing:
            assay.parts.catalog.generation(left)  # one that never was cannot have been left
            live = assay.parts.catalog.live_id()
            changed = live == left
            now = assay.rollback().id if changed else live
            if now is None:
                raise NoLiveGeneration(f"No generation is live, so {left} cannot be left.")
            return _released(assay, request, now, changed=changed)

    return routes


def _released(assay: Assay, request: Request, live: str, *, changed: bool) -> Response:
    """Say what is live, and have this server serve it at once; others notice when they look next."""
    record_of(request.scope).notes |= {"generation": live, "changed": changed}
    if changed:
        logger.info("Generation %s has been made live over HTTP.", live)
        try:
            assay.searches.live.refresh()
        except AssayError as error:
            logger.error("Generation %s is live and cannot be opened yet: %s", live, error.message)  # noqa: TRY400
    return JSONResponse(admin.to_release(assay.parts.catalog.generation(live), changed=changed))
