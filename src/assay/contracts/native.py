"""Assay's native shape: GET and POST /v1/search, `assay search --json`, and searches in Python.

It has all options of a search; the seeds' shapes are narrower views of the same ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any, Literal, Protocol, TypedDict

from assay.contracts.fields import check_fields, utc_timestamp
from assay.contracts.native_entities import (
    SearchFilters,
    SearchInclude,
    SearchParameters,
    SearchQuery,
)
from assay.contracts.passages.highlights import Matcher, matcher_of, merged
from assay.contracts.passages.plain_text import plain_part
from assay.contracts.passages.snippets import best_part, text_fragment
from assay.errors import InputError
from assay.model.arguments import require_type
from assay.model.documents import Chunk
from assay.model.headings import Place
from assay.model.ids import canonical_url
from assay.model.ranking import Filters, Hit, Mode, Query, Ranking, Timings, by_page


class Defaults(Protocol):
    """Values of omitted request fields: the `[search]` settings."""

    @property
    def top_k(self) -> int:
        """The maximum number of results."""

    @property
    def mode(self) -> Mode:
        """Which vectors to search."""

    @property
    def threshold(self) -> float:
        """The minimum similarity of a result."""


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """A parsed request body."""

    query: Query
    include: SearchInclude
    reports_clicks: bool = False


class SearchOptions(TypedDict, total=False):
    """Options of a search in Python besides its text and top_k; `[search]` has the defaults.

    mode: `hybrid`, `dense` or `sparse`.
    threshold: the minimum similarity of a hit, 0 to 1.
    correct, typing, rerank: see Query.
    group_by, passages_per_page: `page` and the most hits of one page; top_k then counts pages.
    versions, locales, url_prefix, sections, sources, everything, include_unversioned: see Filters.
    """

    mode: Mode | Literal["hybrid", "dense", "sparse"]
    threshold: float
    correct: bool
    typing: bool
    rerank: bool
    group_by: Literal["page"]
    passages_per_page: int
    versions: Sequence[str]
    locales: Sequence[str]
    url_prefix: str
    sections: Sequence[str]
    sources: Sequence[str]
    everything: bool
    include_unversioned: bool


_NO_FILTERS = ("mode", "threshold", "correct", "typing", "rerank", "group_by", "passages_per_page")


def search_request(text: str, top_k: int | None, options: SearchOptions) -> dict[str, Any]:
    """The request body of a search in Python. Raises TypeError for an unknown option."""
    unknown = set(options) - SearchOptions.__optional_keys__
    if unknown:
        raise TypeError(f"search() has no option {min(unknown)!r}; it has {', '.join(SearchOptions.__annotations__)}")
    filters: dict[str, Any] = {
        name: list(value) if isinstance(value, list | tuple) else value for name, value in options.items()
    }
    others: dict[str, Any] = {name: filters.pop(name) for name in _NO_FILTERS if name in filters}
    body: dict[str, Any] = {"query": text, **others, "filters": filters}
    return body if top_k is None else body | {"top_k": top_k}


def require_query(query: object, top_k: int | None, options: SearchOptions) -> None:
    """Refuse what is neither text nor a Query (InputError), and arguments next to a Query (TypeError)."""
    require_type("query", query, Query, "text or a Query")
    given = [*(["top_k"] if top_k is not None else []), *options]
    if given:
        raise TypeError(
            f"search() with a Query takes no {', '.join(given)}: set them in the Query, or pass the query as text"
        )


def parse(fields: Mapping[str, object], defaults: Defaults) -> NativeRequest:
    """Parse a request body. Raises InputError that names the field, its limit and what was sent."""
    return to_request(check_fields(SearchQuery, fields), defaults)


def to_request(request: SearchQuery, defaults: Defaults) -> NativeRequest:
    """The query of a request. Raises InputError if url_prefix is not an absolute URL."""
    query = Query(
        text=request.query,
        top_k=defaults.top_k if request.top_k is None else request.top_k,
        mode=defaults.mode if request.mode is None else request.mode,
        threshold=defaults.threshold if request.threshold is None else request.threshold,
        filters=to_filters(request.filters),
        with_vectors=request.include.vectors,
        with_similarity=request.include.similarity,
        correct=request.correct,
        typing=request.typing,
        passages_per_page=request.passages_per_page if request.group_by else None,
        rerank=request.rerank,
    )
    return NativeRequest(query, request.include, request.clicks)


def parse_parameters(parameters: Mapping[str, object], defaults: Defaults) -> NativeRequest:
    """Parse the parameters of a URL. Raises InputError that names the parameter, its limit and what was sent."""
    sent = check_fields(SearchParameters, parameters).model_dump(exclude_unset=True)
    filters = {name: sent.pop(name) for name in SearchFilters.model_fields if name in sent}
    return parse({"query": sent.pop("q"), **sent, "filters": filters}, defaults)


def to_body(ranking: Ranking, include: SearchInclude) -> dict[str, object]:
    """The ranking as JSON values, a SearchRanking."""
    started = perf_counter()
    body = to_results(ranking, include)
    return body | to_timings(ranking.timings, (perf_counter() - started) * 1000.0)


def to_results(ranking: Ranking, include: SearchInclude, query_id: str | None = None) -> dict[str, object]:
    """The ranking without its timings, a SearchResults. query_id: to report clicks; None if they are not wanted.

    Without its model, which takes twice as long as the snippets.
    """
    query, matcher = ranking.query, matcher_for(ranking)
    pages = {} if query.passages_per_page is None else {"pages": list(map(_page, by_page(ranking.hits)))}
    return {
        "query": query.text,
        "results": [_result(hit, matcher, include) for hit in ranking.hits],
        **pages,
        **({} if query_id is None else {"query_id": query_id}),
        "generation": ranking.generation,
        "mode": query.mode.value,
        "top_k": query.top_k,
        "threshold": query.threshold,
        "degraded": ranking.degraded,
        "no_good_answer": ranking.no_good_answer,
        "reranked": ranking.reranked,
        "rerank_failed": ranking.rerank_failed,
        "corrections": [asdict(one) for one in ranking.corrections],
        "warnings": list(ranking.warnings),
    }


def matcher_for(ranking: Ranking) -> Matcher:
    """Finds the words that were searched in the passages of a ranking."""
    end = len(ranking.query.text)
    is_completed = any(one.start + len(one.typed) == end for one in ranking.corrections)
    return matcher_of(ranking.searched_text, is_open=ranking.query.typing and not is_completed)


def with_places(ranking: Ranking) -> Ranking:
    """The ranking with the place of each hit whose chunk has several sections."""
    if not any(hit.chunk.inner_headings for hit in ranking.hits):
        return ranking
    matcher = matcher_for(ranking)
    return replace(ranking, hits=tuple(_with_place(hit, matcher) for hit in ranking.hits))


def _with_place(hit: Hit, matcher: Matcher) -> Hit:
    if not hit.chunk.inner_headings:
        return hit
    part = best_part(hit.chunk, matcher.find(hit.chunk.text), matcher)
    return replace(hit, place=hit.chunk.place_at(part.section))


def to_timings(timings: Timings, format_ms: float) -> dict[str, object]:
    """The last fields of the response. format_ms: formatting time of the others."""
    stages = {
        "embed": timings.embed_ms,
        "search": timings.search_ms,
        "fuse": timings.fuse_ms,
        "filter": timings.filter_ms,
        "rerank": timings.rerank_ms,
        "format": format_ms,
        "total": timings.total_ms + format_ms,
    }
    return {"timings_ms": {name: round(milliseconds, 3) for name, milliseconds in stages.items()}}


def to_filters(filters: SearchFilters) -> Filters:
    """Convert to the filters of the model. Raises InputError if url_prefix is not an absolute URL."""
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in filters}
    return Filters(**values | {"url_prefix": None if filters.url_prefix is None else _url_prefix(filters.url_prefix)})


def _url_prefix(url: str) -> str:
    try:
        return canonical_url(url)
    except InputError as error:
        raise InputError(f"filters.url_prefix: {error.message}", hint=error.hint) from None


def _page(hits: Sequence[Hit]) -> dict[str, object]:
    document = hits[0].chunk.document
    return {"url": document.url, "title": document.title or None, "ranks": [hit.rank for hit in hits]}


def _result(hit: Hit, matcher: Matcher, include: SearchInclude) -> dict[str, object]:
    """A SearchHit."""
    chunk = hit.chunk
    matches = matcher.find(chunk.text)
    spans = merged(matches)
    part = best_part(chunk, matches, matcher)
    result: dict[str, object] = {
        "rank": hit.rank,
        "chunk_id": chunk.id,
        "similarity": hit.similarity,
        "rank_score": hit.rank_score,
    }
    if include.content:
        result["content"] = chunk.text
        result["highlights"] = list(map(list, spans))
    if include.snippet:
        snippet, shown = plain_part(chunk.text, part.start, part.end, spans)
        result["snippet"] = snippet
        result["snippet_highlights"] = list(map(list, shown))
        result["text_fragment"] = text_fragment(chunk.text, part)
    if include.metadata:
        result |= _metadata(chunk, chunk.place_at(part.section))
    if include.vectors:
        result["vector"] = None if hit.vector is None else list(hit.vector)
    return result


def _metadata(chunk: Chunk, place: Place) -> dict[str, object]:
    """The fields of a SearchHit that `metadata` selects."""
    document = chunk.document
    return {
        "url": document.url,
        "section_url": document.link_to(place.anchor),
        "title": document.title or None,
        "section": place.heading,
        "heading_path": list(place.path),
        "anchor": place.anchor,
        "position": chunk.position,
        "source": document.source,
        "source_path": document.source_path,
        "version": document.version,
        "locale": document.locale,
        "start": chunk.start,
        "end": chunk.end,
        "previous_id": chunk.previous_id,
        "next_id": chunk.next_id,
        "content_hash": chunk.content_hash,
        "token_count": chunk.token_count,
        "created_at": None if chunk.created_at is None else utc_timestamp(chunk.created_at),
    }
