"""The steps shared by all search routes: run the search, time it, log it, and send the response."""

import hashlib
import logging
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts.formatting import LastFields, format_answer
from assay.contracts.ordering import Shaping
from assay.errors import CatalogError
from assay.model.ranking import Embed, Query, Ranking
from assay.ports import ChunkMetadata
from assay.web.middleware.clients import client_address
from assay.web.middleware.record import RequestRecord, record_of

logger = logging.getLogger("assay.web")


def run_search(
    assay: Assay,
    query: Query,
    request: Request,
    shaping: Shaping | None = None,
    *,
    reports_clicks: bool = False,
    repeats: bool = False,
) -> Ranking:
    """Search, and record the query and its best hit for the log line. Raises the errors of Assay.search.

    shaping: of a seed's route, whose hits all need a similarity; None for the native route, which may fall back to
        keyword search.
    reports_clicks: whether the client reports clicks with the `query_id` of the request's record.
    repeats: whether it is a part of a search that is in the log of queries already.
    """
    note_search(request, query)
    query = query if shaping is None else shaping.query(query)
    ranking = assay.searches.search(query, embed=None if shaping is None else Embed.ALWAYS)
    if shaping is not None:
        ranking = shaping.reorder(ranking)
    note_answer(request, ranking)
    if assay.queries.are_logged and not repeats and request.method != "HEAD":
        client = _client_name(assay, request)
        route = str(request.scope["route"].path)
        query_id = assay.queries.record(ranking, route, client=client, reports_clicks=reports_clicks)
        record_of(request.scope).query_id = query_id if reports_clicks else None
    return ranking


def _client_name(assay: Assay, request: Request) -> str:
    """A name for the client that only the processes of this server can compute, so that it is no address."""
    address = client_address(request.scope, assay.settings.server.trusted_proxies)
    about = f"{address} {request.headers.get('user-agent', '')}".encode("utf-8", "replace")
    return hashlib.blake2b(about, key=assay.parts.server_secret, digest_size=12).hexdigest()


def note_search(request: Request, query: Query) -> None:
    """Record a query for the log line."""
    record_of(request.scope).notes |= {"query": query.text, "mode": query.mode.value, "top_k": query.top_k}


def note_answer(request: Request, ranking: Ranking) -> None:
    """Record a ranking's best hit and stage times for the log line."""
    record = record_of(request.scope)
    timings = ranking.timings
    spent = {
        "embed": timings.embed_ms,
        "search": timings.search_ms,
        "fuse": timings.fuse_ms,
        "filter": timings.filter_ms,
    }
    if ranking.reranked or ranking.rerank_failed:
        spent["rerank"] = timings.rerank_ms
    # A request may contain several searches.
    record.stages |= {stage: record.stages.get(stage, 0.0) + milliseconds for stage, milliseconds in spent.items()}
    best = ranking.hits[0] if ranking.hits else None
    record.notes |= {
        "generation": ranking.generation,
        "hits": len(ranking.hits),
        "top_chunk_id": best.chunk.id if best else None,
        "top_similarity": round(best.similarity, 4) if best and best.similarity is not None else None,
    }
    if ranking.degraded:
        record.notes["degraded"] = True
    if ranking.rerank_failed:
        record.notes["rerank_failed"] = True


def catalog_rows(assay: Assay, ranking: Ranking, request: Request) -> Mapping[str, ChunkMetadata] | None:
    """The catalog's metadata by chunk id; None when the catalog is down, because the index stores every field too.

    Also empty when another generation became live after the search: a response never mixes two generations.

    Raises CatalogError with `[server] strict_metadata`.
    """
    if not ranking.hits:
        return {}
    record = record_of(request.scope)
    try:
        with record.stage("metadata"):
            return assay.searches.metadata([hit.chunk.id for hit in ranking.hits], ranking.generation)
    except CatalogError as error:
        if assay.settings.server.strict_metadata:
            raise
        record.notes["metadata"] = "index"
        logger.warning(
            "request %s uses the metadata in the index, because the catalog is down: %s",
            record.id,
            error.message,
            extra={"fields": {"request_id": record.id}},
        )
        return None


def send_answer(
    request: Request, project: Callable[[], Mapping[str, object]], last_fields: LastFields | None = None
) -> Response:
    """Format the response, with the time of each stage in Server-Timing. project, last_fields: see format_answer."""
    record = record_of(request.scope)
    answer = format_answer(project, last_fields)
    record.stages["format"] = answer.milliseconds
    return Response(answer.content, headers={"Server-Timing": _server_timing(record)}, media_type="application/json")


def _server_timing(record: RequestRecord) -> str:
    return ", ".join(f"{stage};dur={milliseconds:.3f}" for stage, milliseconds in record.stages.items())
