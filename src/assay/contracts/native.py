"""Assay's own shape: POST /v1/search, `assay search --json`, and whatever else speaks to the core directly.

It has everything that a search can do; the seeds' shapes are narrower views of the same ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Any, Literal, Protocol, TypedDict

from pydantic import Field

from assay.contracts.fields import IS_ASKING, IS_TEXT, AnswerModel, Moment, RequestModel, check_fields
from assay.contracts.highlights import highlights
from assay.errors import InputError
from assay.model.ids import canonical_url
from assay.model.ranking import Filters, Hit, Mode, Query, Ranking, Timings

QUERY_LIMIT = 2_000
"""The longest query that any of the seeds has (000)."""

TOP_K_LIMIT = 100
_FILTER_VALUES = 50
_FILTER_LENGTH = 500
_URL_LENGTH = 2_000

FilterValue = Annotated[str, Field(min_length=1, max_length=_FILTER_LENGTH), IS_TEXT]
FilterValues = Annotated[list[FilterValue], Field(max_length=_FILTER_VALUES)]


class SearchFilters(RequestModel):
    """What a hit has to be from; a field left out does not narrow."""

    versions: FilterValues = Field(
        default=[], description="Any of these versions; left out, the current version of each source."
    )
    locales: FilterValues = Field(
        default=[], description="Any of these locales; left out, the default locale of each source."
    )
    url_prefix: Annotated[str, Field(min_length=1, max_length=_URL_LENGTH), IS_TEXT] | None = Field(
        default=None,
        description="Pages at or below this absolute URL.",
        examples=["https://docs.example.org/guide"],
    )
    sections: FilterValues = Field(default=[], description="Passages with a section of any of these headings, in full.")
    sources: FilterValues = Field(default=[], description="Any of these source names.", examples=[["handbook"]])
    everything: bool = Field(
        default=False, description="Search every version and locale where versions and locales are left out."
    )


class SearchInclude(RequestModel):
    """What is sent of each result."""

    content: bool = Field(default=True, description="`content` and `highlights`.")
    metadata: bool = Field(default=True, description="Where the chunk is from and what it is part of.")
    vectors: bool = Field(default=False, description="`vector`, the chunk's dense vector.")
    similarity: bool = Field(
        default=False,
        description="`similarity` of a keyword search too, where the embedder is asked over the network; other "
        "searches have it anyway.",
    )


class SearchQuery(RequestModel):
    """What to search for, and how."""

    query: Annotated[str, Field(min_length=1, max_length=QUERY_LIMIT), IS_TEXT, IS_ASKING] = Field(
        description="What to look for, in plain words; not white space only.", examples=["How do nodes communicate?"]
    )
    top_k: Annotated[int, Field(ge=1, le=TOP_K_LIMIT)] | None = Field(
        default=None, description="The most results; left out or null, `[search] top_k`.", examples=[5]
    )
    mode: Mode | None = Field(
        default=None,
        strict=False,
        description="Which vectors to look at; left out or null, `[search] mode`.",
        examples=["hybrid"],
    )
    threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="The least similarity of a result; left out or null, `[search] threshold`.",
        examples=[0.0],
    )
    filters: SearchFilters = Field(default=SearchFilters(), description="What a result has to be from.")
    include: SearchInclude = Field(default=SearchInclude(), description="Which parts of each result to send.")


class SearchHit(AnswerModel):
    """One chunk that answers the query. Which fields are there is decided by `include`."""

    rank: int = Field(description="From 1.")
    chunk_id: str = Field(description="Id of the chunk; the same text on the same page keeps it.")
    similarity: float | None = Field(
        ge=0,
        le=1,
        description="Cosine of query and chunk, 0 to 1, in every mode; null where the query was not embedded.",
    )
    rank_score: float = Field(description="What the ranking is ordered by; comparable within one answer only.")
    content: str | None = Field(default=None, description="The chunk's text.")
    highlights: list[tuple[int, int]] = Field(
        default=[],
        description="Where words of the query stand in `content`: first code point, and the one after the last.",
    )
    url: str | None = Field(default=None, description="The page.")
    section_url: str | None = Field(default=None, description="Deep link to where the passage begins.")
    title: str | None = Field(default=None, description="Title of the page; null where it has none.")
    section: str | None = Field(
        default=None, description="Heading of the section in which the passage begins; empty before the first."
    )
    heading_path: list[str] = Field(default=[], description="Headings from the outermost to the section's.")
    anchor: str | None = Field(default=None, description="Id of the section's heading; null where it has none.")
    position: int | None = Field(default=None, description="0, 1, 2, … within the page.")
    source: str | None = Field(default=None, description="Name of the source.")
    source_path: str | None = Field(default=None, description="Path of the page in the source.")
    version: str | None = Field(default=None, description="Version of the documentation; null where there is one.")
    locale: str | None = Field(default=None, description="Locale of the page; null where there is one.")
    start: int | None = Field(default=None, description="Where the chunk begins in the page's text, in code points.")
    end: int | None = Field(default=None, description="Where it ends.")
    previous_id: str | None = Field(default=None, description="The chunk before it on the page.")
    next_id: str | None = Field(default=None, description="The chunk after it on the page.")
    content_hash: str | None = Field(default=None, description="SHA-256 of the content as UTF-8, in hex.")
    token_count: int | None = Field(default=None, description="Tokens, as the embedder counts them.")
    created_at: Moment | None = Field(default=None, description="When it was first stored: ISO 8601, UTC.")
    vector: list[float] | None = Field(default=None, description="The chunk's dense vector.")


class StageTimings(AnswerModel):
    """Milliseconds spent in each stage of the search."""

    embed: float = Field(description="Making a vector of the query.")
    search: float = Field(description="Looking for candidates in the index.")
    fuse: float = Field(description="Making one ranking of two.")
    filter: float = Field(description="Threshold, equal passages and top_k.")
    format: float = Field(description="Making JSON of the results.")
    total: float = Field(description="All of it, from the query's text to JSON.")


class SearchResults(AnswerModel):
    """The answer without its timings, which are known last."""

    query: str = Field(description="The query as it was sent.")
    results: list[SearchHit] = Field(description="Best first; empty when nothing matches.")
    generation: str = Field(description="Id of the generation that answered, all of it.")
    mode: Mode = Field(description="Which vectors were looked at.")
    top_k: int = Field(description="The most results that were asked for.")
    threshold: float = Field(ge=0, le=1, description="The least similarity that was asked for.")
    degraded: bool = Field(
        description="Whether the query could not be embedded, so that keyword search alone answered, without "
        "similarities and without a threshold; a warning says so."
    )
    warnings: list[str] = Field(description="What the answer lacks, or what to know about it; usually empty.")


class SearchTimings(AnswerModel):
    """What closes the answer."""

    timings_ms: StageTimings = Field(description="Milliseconds by stage.")


class SearchRanking(SearchTimings, SearchResults):
    """The results of a search, best first."""


@dataclass(frozen=True, slots=True)
class Include:
    """Which parts of each result to project. See SearchInclude."""

    content: bool = True
    metadata: bool = True
    vectors: bool = False


class Defaults(Protocol):
    """What a request that does not say gets; the `[search]` settings have it."""

    @property
    def top_k(self) -> int:
        """The most results."""

    @property
    def mode(self) -> Mode:
        """Which vectors to look at."""

    @property
    def threshold(self) -> float:
        """The least similarity of a result."""


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """What a request body asks, and how the answer is to be projected."""

    query: Query
    include: Include


class SearchOptions(TypedDict, total=False):
    """What a search in Python may say besides its text and top_k; what is left out is as `[search]` has it.

    mode: `hybrid`, `dense` or `sparse`.
    threshold: the least similarity of a hit, 0 to 1.
    versions, locales, url_prefix, sections, sources, everything: see Filters.
    """

    mode: Mode | Literal["hybrid", "dense", "sparse"]
    threshold: float
    versions: Sequence[str]
    locales: Sequence[str]
    url_prefix: str
    sections: Sequence[str]
    sources: Sequence[str]
    everything: bool


def search_request(text: str, top_k: int | None, options: SearchOptions) -> dict[str, Any]:
    """The body of a search in Python. Raises TypeError for an option that there is not."""
    unknown = set(options) - SearchOptions.__optional_keys__
    if unknown:
        raise TypeError(f"search() has no option {min(unknown)!r}; it has {', '.join(SearchOptions.__annotations__)}")
    said: dict[str, Any] = {
        name: list(value) if isinstance(value, list | tuple) else value for name, value in options.items()
    }
    own: dict[str, Any] = {name: said.pop(name) for name in ("mode", "threshold") if name in said}
    body: dict[str, Any] = {"query": text, **own, "filters": said}
    return body if top_k is None else body | {"top_k": top_k}


def parse(fields: Mapping[str, object], defaults: Defaults) -> NativeRequest:
    """Read a request body. Raises InputError that names the field, its limit and what was sent."""
    asked = check_fields(SearchQuery, fields)
    query = Query(
        text=asked.query,
        top_k=defaults.top_k if asked.top_k is None else asked.top_k,
        mode=defaults.mode if asked.mode is None else asked.mode,
        threshold=defaults.threshold if asked.threshold is None else asked.threshold,
        filters=to_filters(asked.filters),
        with_vectors=asked.include.vectors,
        with_similarity=asked.include.similarity,
    )
    include = asked.include
    return NativeRequest(query, Include(content=include.content, metadata=include.metadata, vectors=include.vectors))


def to_body(ranking: Ranking, include: Include) -> dict[str, object]:
    """The ranking as JSON has it, with the fields of SearchRanking; its format time is that of making this."""
    started = perf_counter()
    body = to_results(ranking, include)
    return body | to_timings(ranking.timings, (perf_counter() - started) * 1000.0)


def to_results(ranking: Ranking, include: Include) -> dict[str, object]:
    """The ranking without its timings, as SearchResults."""
    return SearchResults(
        query=ranking.query.text,
        results=[_result(hit, ranking.query.text, include) for hit in ranking.hits],
        generation=ranking.generation,
        mode=ranking.query.mode,
        top_k=ranking.query.top_k,
        threshold=ranking.query.threshold,
        degraded=ranking.degraded,
        warnings=list(ranking.warnings),
    ).to_dict()


def to_timings(timings: Timings, format_ms: float) -> dict[str, object]:
    """What closes the answer: `timings_ms`. format_ms: milliseconds that the rest of it took to format."""
    stages = StageTimings(
        embed=round(timings.embed_ms, 3),
        search=round(timings.search_ms, 3),
        fuse=round(timings.fuse_ms, 3),
        filter=round(timings.filter_ms, 3),
        format=round(format_ms, 3),
        total=round(timings.total_ms + format_ms, 3),
    )
    return SearchTimings(timings_ms=stages).to_dict()


def to_filters(asked: SearchFilters) -> Filters:
    """The filters as the core has them. Raises InputError for a url_prefix that is no absolute URL."""
    said: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in asked}
    return Filters(**said | {"url_prefix": None if asked.url_prefix is None else _url_prefix(asked.url_prefix)})


def _url_prefix(url: str) -> str:
    try:
        return canonical_url(url)
    except InputError as error:
        raise InputError(f"filters.url_prefix: {error.message}", hint=error.hint) from None


def _result(hit: Hit, query: str, include: Include) -> SearchHit:
    parts: dict[str, Any] = {}
    if include.content:
        parts |= {"content": hit.chunk.text, "highlights": highlights(hit.chunk.text, query)}
    if include.metadata:
        parts |= _metadata(hit)
    if include.vectors:
        parts["vector"] = hit.vector
    return SearchHit(
        rank=hit.rank, chunk_id=hit.chunk.id, similarity=hit.similarity, rank_score=hit.rank_score, **parts
    )


def _metadata(hit: Hit) -> dict[str, object]:
    chunk = hit.chunk
    document = chunk.document
    return {
        "url": document.url,
        "section_url": chunk.section_url,
        "title": document.title or None,
        "section": chunk.section,
        "heading_path": chunk.heading_path,
        "anchor": chunk.anchor,
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
        "created_at": chunk.created_at,
    }
