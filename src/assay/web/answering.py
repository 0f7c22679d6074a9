"""What every search route does around its contract: ask, time, note for the log, and send."""

import json
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response

from assay.app import Assay
from assay.model.ranking import Query, Ranking
from assay.web.record import RequestRecord, record_of


def ask(assay: Assay, query: Query, request: Request) -> Ranking:
    """Search, and note the query and its best hit for the log line. Raises what Assay.search raises."""
    record = record_of(request.scope)
    record.notes |= {"query": query.text, "mode": query.mode.value, "top_k": query.top_k}
    ranking = assay.search(query)
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
        "top_similarity": round(best.similarity, 4) if best else None,
    }
    return ranking


def send_answer(request: Request, project: Callable[[], Mapping[str, object]]) -> Response:
    """Format the answer, and say in Server-Timing how long each stage took."""
    record = record_of(request.scope)
    with record.stage("format"):
        content = to_json(project())
    return Response(content, headers={"Server-Timing": _server_timing(record)}, media_type="application/json")


def to_json(body: Mapping[str, object]) -> bytes:
    """A body as compact JSON in UTF-8."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _server_timing(record: RequestRecord) -> str:
    return ", ".join(f"{stage};dur={milliseconds:.3f}" for stage, milliseconds in record.stages.items())
