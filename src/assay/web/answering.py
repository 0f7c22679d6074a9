"""What every search route does around its contract: ask, time, note for the log, and send."""

import logging
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from assay.app import Assay
from assay.contracts.formatting import Closing, format_answer
from assay.contracts.ordering import Shaping
from assay.errors import CatalogError
from assay.model.ranking import Embed, Query, Ranking
from assay.ports import ChunkMetadata
from assay.web.record import RequestRecord, record_of

logger = logging.getLogger("assay.web")


def ask(assay: Assay, query: Query, request: Request, shaping: Shaping | None = None) -> Ranking:
    """Search, and note the query and its best hit for the log line. Raises what Assay.search raises.

    shaping: of a seed's shape, whose hits all have a similarity; None for the native shape, which may fall back to
        keywords.
    """
    record = record_of(request.scope)
    record.notes |= {"query": query.text, "mode": query.mode.value, "top_k": query.top_k}
    ranking = assay.search(query) if shaping is None else shaping.arranged(assay.search(query, embed=Embed.ALWAYS))
    timings = ranking.timings
    record.stages |= {
        "embed": timings.embed_ms,
        "search": timings.search_ms,
        "fuse": timings.fuse_ms,
        "filter": timings.filter_ms,
    }
    best = ranking.hits[0] if ranking.hits else None
    record.notes |= {
        "generation": ranking.generation,
        "hits": len(ranking.hits),
        "top_chunk_id": best.chunk.id if best else None,
        "top_similarity": round(best.similarity, 4) if best and best.similarity is not None else None,
    }
    if ranking.degraded:
        record.notes["degraded"] = True
    return ranking


def catalog_rows(assay: Assay, ranking: Ranking, request: Request) -> Mapping[str, ChunkMetadata] | None:
    """What the catalog says of the hits; None when it is down, for the index stores every field too.

    Empty, too, when another generation has become live since the search: its rows may have other titles, and no
    answer mixes two generations.

    Raises CatalogError when the settings ask for strict metadata.
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
            "request %s takes its metadata from the index, for the catalog is down: %s",
            record.id,
            error.message,
            extra={"fields": {"request_id": record.id}},
        )
        return None


def send_answer(
    request: Request, project: Callable[[], Mapping[str, object]], closing: Closing | None = None
) -> Response:
    """Format the answer, and say in Server-Timing how long each stage took.

    project, closing: as format_answer has them.
    """
    record = record_of(request.scope)
    answer = format_answer(project, closing)
    record.stages["format"] = answer.milliseconds
    return Response(answer.content, headers={"Server-Timing": _server_timing(record)}, media_type="application/json")


def _server_timing(record: RequestRecord) -> str:
    return ", ".join(f"{stage};dur={milliseconds:.3f}" for stage, milliseconds in record.stages.items())
