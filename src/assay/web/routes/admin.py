"""GET /v1/admin/generations, POST /v1/admin/promote and POST /v1/admin/rollback, for keys with the scope `admin`."""

import logging
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assay.app import Assay
from assay.contracts.fields import check_fields
from assay.contracts.operators import admin
from assay.errors import AssayError, InputError, NoLiveGeneration, PromotionRefused
from assay.release.generation_names import resolve_generation
from assay.web.body import JsonBody
from assay.web.middleware.record import record_of
from assay.web.openapi import ADMIN_ERRORS, RELEASE_ERRORS, plain_answers, request_body
from assay.web.routes import examples

logger = logging.getLogger("assay.web")


def router(assay: Assay) -> APIRouter:
    """The administration routes over this Assay; AccessMiddleware checks the key.

    Each first checks the catalog, which takes at most two seconds: the statements of a release have timeouts of
    minutes, too long for a client to wait on a catalog that is down.
    """
    routes = APIRouter(tags=["administration"])
    read_body = JsonBody(assay.settings.server.max_body_bytes, writes=True)
    releasing = assay.parts.release_lock()  # a repeated request waits for the first, and then finds nothing to change

    @routes.get(
        "/v1/admin/generations",
        summary="List the generations",
        responses=plain_answers(admin.GenerationList, examples.GENERATIONS, ADMIN_ERRORS),
    )
    def list_generations() -> Response:
        assay.parts.catalog.check()
        return JSONResponse(admin.to_list(assay.generations()))

    @routes.post(
        "/v1/admin/promote",
        summary="Check a candidate and make it live",
        responses=plain_answers(admin.ReleaseAnswer, examples.PROMOTED, RELEASE_ERRORS),
        openapi_extra=request_body(admin.PromoteRequest, examples.PROMOTE),
    )
    def promote(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        wanted = check_fields(admin.PromoteRequest, body).generation
        assay.parts.catalog.check()
        with releasing:
            changed = assay.parts.catalog.live_id() != wanted
            if changed:
                assay.parts.require_own_index()
                wanted = resolve_generation(assay.parts.catalog, wanted).id
                changed = assay.parts.catalog.live_id() != wanted  # not for the name `live`
            if changed:
                _promote(assay, wanted)
            return _released(assay, request, wanted, changed=changed)

    @routes.post(
        "/v1/admin/rollback",
        summary="Return to the previous live generation",
        responses=plain_answers(admin.ReleaseAnswer, examples.ROLLED_BACK, RELEASE_ERRORS),
        openapi_extra=request_body(admin.RollbackRequest, examples.ROLLBACK),
    )
    def rollback(request: Request, body: Annotated[dict[str, object], Depends(read_body)]) -> Response:
        left = check_fields(admin.RollbackRequest, body).leave
        assay.parts.catalog.check()
        with releasing:
            assay.parts.catalog.generation(left)  # raises for an unknown id
            live = assay.parts.catalog.live_id()
            changed = live == left
            now = assay.rollback().id if changed else live
            if now is None:
                raise NoLiveGeneration(f"No generation is live, so there is no rollback from {left}.")
            return _released(assay, request, now, changed=changed)

    return routes


def _promote(assay: Assay, generation: str) -> None:
    """Promote; a test set of the server that cannot be used refuses this, for the request is not at fault."""
    try:
        assay.promote(generation)
    except InputError as error:
        raise PromotionRefused(error.message, hint=error.hint) from None


def _released(assay: Assay, request: Request, live: str, *, changed: bool) -> Response:
    """Serve the new live generation at once, and answer with it; other servers notice at their next check."""
    record_of(request.scope).notes |= {"generation": live, "changed": changed}
    if changed:
        logger.info("Generation %s has been made live over HTTP.", live)
        try:
            assay.searches.live.refresh()
        except AssayError as error:
            logger.error("Generation %s is live but cannot be opened yet: %s", live, error.message)  # noqa: TRY400
    return JSONResponse(admin.to_release(assay.parts.catalog.generation(live), changed=changed))
