"""Assay's native shape: GET and POST /v1/search, `assay search --json`, and searches in Python.

It has all options of a search; the seeds' shapes are narrower views of the same ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Annotated, Any, Literal, Protocol, TypedDict

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Moment, RequestModel, check_fields, utc_timestamp
from assay.contracts.passages.highlights import Matcher, matcher_of, merged
from assay.contracts.passages.plain_text import plain_part
from assay.contracts.passages.snippets import best_part, text_fragment
from assay.errors import InputError
from assay.model.arguments import require_type
from assay.model.documents import Chunk
from assay.model.headings import Place
from assay.model.ids import canonical_url
from assay.model.ranking import Filters, Hit, Mode, Query, Ranking, Timings, by_page

QUERY_LIMIT = 2_000
"""The largest limit of the seeds (000)."""

TOP_K_LIMIT = 100
_FILTER_VALUES = 50
_FILTER_LENGTH = 500
_URL_LENGTH = 2_000

QueryText = Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, NOT_BLANK]
_TopK = Annotated[int, Field(ge=1, le=TOP_K_LIMIT)]
_Threshold = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_PassagesPerPage = Annotated[int, Field(ge=1, le=20)]
_UrlPrefix = Annotated[str, Field(min_length=1, max_length=_URL_LENGTH), IS_TEXT]
FilterValue = Annotated[str, Field(min_length=1, max_length=_FILTER_LENGTH), IS_TEXT]
FilterValues = Annotated[list[FilterValue], Field(max_length=_FILTER_VALUES)]


class SearchFilters(RequestModel):
    """Restricts the hits; an omitted field does not."""

    versions: FilterValues = Field(
        default=[], description="Any of these versions; if omitted, the current version of each source."
    )
    locales: FilterValues = Field(
        default=[], description="Any of these locales; if omitted, the default locale of each source."
    )
    url_prefix: _UrlPrefix | None = Field(
        default=None,
        description="Pages at or below this absolute URL.",
        examples=["https://docs.example.org/guide"],
    )
    sections: FilterValues = Field(default=[], description="Passages with a section of any of these exact headings.")
    sources: FilterValues = Field(default=[], description="Any of these source names.", examples=[["handbook"]])
    everything: bool = Field(
        default=False, description="Search every version and locale if `versions` and `locales` are omitted."
    )
    include_unversioned: bool = Field(
        default=False, description="With `versions`: pages without a version too, such as those of a blog."
    )


class SearchInclude(RequestModel):
    """The parts of each result to send."""

    content: bool = Field(default=True, description="`content` and `highlights`.")
    snippet: bool = Field(default=True, description="`snippet`, `snippet_highlights` and `text_fragment`.")
    metadata: bool = Field(default=True, description="Page, section and source of the chunk.")
    vectors: bool = Field(default=False, description="`vector`, the chunk's dense vector.")
    similarity: bool = Field(
        default=False,
        description="Compute `similarity` for a keyword search too, even if the embedder is a remote service. Other "
        "searches always have it.",
    )


PASSAGES_PER_PAGE = 3
"""Results of one page if a grouped search does not say."""


class SearchQuery(RequestModel):
    """A search request."""

    query: QueryText = Field(
        description="The query in plain words; not only white space.", examples=["How do nodes communicate?"]
    )
    top_k: _TopK | None = Field(
        default=None, description="The maximum number of results; by default `[search] top_k`.", examples=[5]
    )
    mode: Mode | None = Field(
        default=None,
        strict=False,
        description="Which vectors to search; by default `[search] mode`.",
        examples=["hybrid"],
    )
    threshold: _Threshold | None = Field(
        default=None,
        description="The minimum similarity of a result; by default `[search] threshold`.",
        examples=[0.0],
    )
    correct: bool | None = Field(
        default=None,
        description="Whether words that the index does not know are completed and corrected; by default `[search] "
        "correct`.",
    )
    typing: bool = Field(
        default=False,
        description="Somebody is still typing: the last word may be unfinished even if the index knows it.",
    )
    group_by: Literal["page"] | None = Field(
        default=None, description="`page`: `top_k` counts pages, and `pages` lists them with their results."
    )
    passages_per_page: _PassagesPerPage = Field(
        default=PASSAGES_PER_PAGE, description="The most results of one page, with `group_by`."
    )
    rerank: bool = Field(
        default=True,
        description="Whether the reranker orders the best results, if `[rerank]` names one; never with `typing`.",
    )
    clicks: bool = Field(
        default=False,
        description="The client reports opened results to `POST /v1/clicks`; the answer then has a `query_id`, if the "
        "server logs queries.",
    )
    filters: SearchFilters = Field(default=SearchFilters(), description="Restricts the results.")
    include: SearchInclude = Field(default=SearchInclude(), description="Selects the parts of each result.")


class SearchParameters(RequestModel):
    """A search by URL: the fields of SearchQuery and its filters, with the query as `q`."""

    q: QueryText = Field(description="The query in plain words; not only white space.")
    top_k: _TopK | None = Field(default=None, description="The maximum number of results; by default `[search] top_k`.")
    mode: Mode | None = Field(default=None, strict=False, description="`hybrid`, `dense` or `sparse`.")
    threshold: _Threshold | None = Field(
        default=None, description="The minimum similarity of a result; by default `[search] threshold`."
    )
    group_by: Literal["page"] | None = Field(default=None, description="As in the body of POST.")
    passages_per_page: _PassagesPerPage = Field(default=PASSAGES_PER_PAGE, description="As in the body of POST.")
    correct: bool | None = Field(default=None, description="As in the body of POST.")
    typing: bool = Field(default=False, description="As in the body of POST.")
    rerank: bool = Field(default=True, description="As in the body of POST.")
    versions: FilterValues = Field(default=[], description="Any of these versions; repeat the parameter for several.")
    locales: FilterValues = Field(default=[], description="Any of these locales; repeat the parameter for several.")
    sections: FilterValues = Field(default=[], description="Passages with a section of any of these exact headings.")
    sources: FilterValues = Field(default=[], description="Any of these source names.")
    url_prefix: _UrlPrefix | None = Field(default=None, description="Pages at or below this absolute URL.")
    everything: bool = Field(default=False, description="Every version and locale that is not named.")
    include_unversioned: bool = Field(default=False, description="With `versions`: pages without a version too.")


class SearchHit(AnswerModel):
    """One chunk that answers the query; `include` selects its fields."""

    rank: int = Field(description="From 1.")
    chunk_id: str = Field(description="Id of the chunk; the same text on the same page keeps it.")
    similarity: float | None = Field(
        ge=0,
        le=1,
        description="Cosine of query and chunk, 0 to 1, in every mode; null if the query was not embedded.",
    )
    rank_score: float = Field(description="Sort key of the ranking; comparable only within one response.")
    content: str | None = Field(default=None, description="The chunk's text.")
    highlights: list[tuple[int, int]] = Field(
        default=[],
        description="Positions of the query's words in `content`: start and exclusive end, in code points.",
    )
    snippet: str | None = Field(
        default=None,
        description="The part of the chunk's text with most of the query's words, at most 200 characters; its start "
        "if it has none. It is plain text: the marks of Markdown are left out, and line breaks kept. It is cut between "
        "words, and has no dots for what is left out.",
    )
    snippet_highlights: list[tuple[int, int]] = Field(
        default=[], description="Positions of the query's words in `snippet`, as in `highlights`."
    )
    text_fragment: str | None = Field(
        default=None,
        description="Append it to `section_url`, after a `#` if that has none, and browsers scroll to the words of the "
        "snippet: `:~:text=` and encoded text. Null if the snippet has too few plain words.",
    )
    url: str | None = Field(default=None, description="URL of the page.")
    section_url: str | None = Field(default=None, description="Deep link to the heading nearest above the snippet.")
    title: str | None = Field(default=None, description="Title of the page; null if it has none.")
    section: str | None = Field(
        default=None, description="Heading nearest above the snippet; empty before the first heading."
    )
    heading_path: list[str] = Field(default=[], description="Headings from the outermost to the section's.")
    anchor: str | None = Field(default=None, description="Id of that heading; null if it has none.")
    position: int | None = Field(default=None, description="Index of the chunk in the page, from 0.")
    source: str | None = Field(default=None, description="Name of the source.")
    source_path: str | None = Field(default=None, description="Path of the page in the source.")
    version: str | None = Field(default=None, description="Version of the documentation; null if there is only one.")
    locale: str | None = Field(default=None, description="Locale of the page; null if there is only one.")
    start: int | None = Field(default=None, description="Start of the chunk in the page's text, in code points.")
    end: int | None = Field(default=None, description="End of the chunk in the page's text, exclusive.")
    previous_id: str | None = Field(default=None, description="Id of the previous chunk of the page.")
    next_id: str | None = Field(default=None, description="Id of the next chunk of the page.")
    content_hash: str | None = Field(default=None, description="SHA-256 of the content as UTF-8, in hex.")
    token_count: int | None = Field(default=None, description="Number of tokens by the embedder's tokenizer.")
    created_at: Moment | None = Field(default=None, description="When the chunk was first stored: ISO 8601, UTC.")
    vector: list[float] | None = Field(default=None, description="The chunk's dense vector.")


class SearchPage(AnswerModel):
    """A page of a grouped search."""

    url: str = Field(description="URL of the page.")
    title: str | None = Field(description="Title of the page; null if it has none.")
    ranks: list[int] = Field(description="`rank` of each of its results.")


class SearchCorrection(AnswerModel):
    """A word of the query that was searched as another one."""

    typed: str = Field(description="The word as the query has it.")
    used: str = Field(description="The word, or two words, that were searched instead.")
    start: int = Field(description="Position of the word in `query`, in code points.")


class StageTimings(AnswerModel):
    """Milliseconds spent in each stage of the search."""

    embed: float = Field(description="Embedding the query.")
    search: float = Field(description="Retrieving candidates from the index.")
    fuse: float = Field(description="Fusing the dense and the sparse ranking.")
    filter: float = Field(description="Applying threshold, deduplication and top_k.")
    rerank: float = Field(description="Waiting for the reranker; 0 without one.")
    format: float = Field(description="Formatting the results as JSON.")
    total: float = Field(description="The sum, from the query's text to JSON.")


class SearchResults(AnswerModel):
    """The response without its timings, which are known last."""

    query: str = Field(description="The query as it was sent.")
    results: list[SearchHit] = Field(description="Best first; empty without a match.")
    pages: list[SearchPage] | None = Field(
        default=None, description="The pages of the results, that of the first one first; only with `group_by`."
    )
    query_id: str | None = Field(
        default=None, description="To report clicks; only with `clicks`, and if the server logs queries."
    )
    generation: str = Field(description="Id of the generation that answered.")
    mode: Mode = Field(description="Which vectors were searched.")
    top_k: int = Field(description="The maximum number of results.")
    threshold: float = Field(ge=0, le=1, description="The minimum similarity.")
    degraded: bool = Field(
        description="True if embedding the query failed and only keyword search answered, without similarities and "
        "threshold. `warnings` then has the reason."
    )
    no_good_answer: bool = Field(
        description="True if the best results are less similar than relevant ones usually are, and have few of the "
        "query's words: probably nothing answers it. Always false if no such similarity is known for the embedder "
        "(`[gate] abstain_below`)."
    )
    reranked: bool = Field(description="True if a reranker ordered the best results.")
    rerank_failed: bool = Field(
        description="True if a reranker should have ordered them and failed, so that they have the order of the search "
        "without it. `warnings` then says so."
    )
    corrections: list[SearchCorrection] = Field(
        description="Words that were searched as other ones, in their order; usually empty. `correct: false` searches "
        "the query as it is."
    )
    warnings: list[str] = Field(description="Limitations of this response; usually empty.")


class SearchTimings(AnswerModel):
    """The last fields of the response."""

    timings_ms: StageTimings = Field(description="Milliseconds by stage.")


class SearchRanking(SearchTimings, SearchResults):
    """The results of a search, best first."""


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
