"""Requests and answers of the native shape (contracts/native.py)."""

from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Moment, RequestModel
from assay.model.ranking import Mode

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
        "if it has none. It is plain text with line breaks, without Markdown markup. It is cut between words, and no "
        "dots mark the cut.",
    )
    snippet_highlights: list[tuple[int, int]] = Field(
        default=[], description="Positions of the query's words in `snippet`, as in `highlights`."
    )
    text_fragment: str | None = Field(
        default=None,
        description="Suffix for `section_url` (after a `#` if the URL has none) that makes browsers scroll to the "
        "words of the snippet: `:~:text=` and encoded text. Null if the snippet has too few plain words.",
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
    """A corrected word of the query."""

    typed: str = Field(description="The word as the query has it.")
    used: str = Field(description="The corrected word, or two words, that were searched.")
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
        default=None, description="The pages of the results, in the order of their best result; only with `group_by`."
    )
    query_id: str | None = Field(
        default=None,
        description="Id with which to report clicks; only with `clicks`, and if the server logs queries.",
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
        description="True if probably nothing answers the query: the best results are less similar than relevant ones "
        "usually are, and have few of its words. Always false if no such similarity is known for the embedder "
        "(`[gate] abstain_below`)."
    )
    reranked: bool = Field(description="True if a reranker ordered the best results.")
    rerank_failed: bool = Field(
        description="True if the reranker failed: the results have the order of the search without it, and `warnings` "
        "says so."
    )
    corrections: list[SearchCorrection] = Field(
        description="Corrected words, in the order of the query; usually empty. `correct: false` searches the query as "
        "it is."
    )
    warnings: list[str] = Field(description="Limitations of this response; usually empty.")


class SearchTimings(AnswerModel):
    """The last fields of the response."""

    timings_ms: StageTimings = Field(description="Milliseconds by stage.")


class SearchRanking(SearchTimings, SearchResults):
    """The results of a search, best first."""
