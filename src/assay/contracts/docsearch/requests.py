"""Requests of DocSearch boxes and other clients of Algolia's search API, and their answers.

A site whose search box speaks to Algolia (Docusaurus, `@docsearch/js`, `algoliasearch-helper`) can search Assay with a
changed configuration. Parameters that Assay does not know are ignored; filters that it cannot apply are refused.
"""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import parse_qsl

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from assay.contracts.fields import IS_TEXT, AnswerModel, RequestModel, check_fields, quoted
from assay.contracts.native import Defaults
from assay.contracts.native_entities import QUERY_LIMIT, SearchCorrection
from assay.errors import InputError
from assay.model.ranking import Filters, Query

MOST_HITS = 50
"""Hits that a client can page through."""

_MOST_QUERIES = 50
_MOST_VALUES = 100
_HITS_PER_PAGE = 20
_NAME_LENGTH, _VALUE_LENGTH = 100, 500
_TAG_LENGTH = 100

DEFAULT_PRE_TAG, DEFAULT_POST_TAG = '<span class="algolia-docsearch-suggestion--highlight">', "</span>"
"""Of an index that Algolia's crawler made; the search page of Docusaurus relies on them."""

_OPENING = re.compile(r'<(mark|em|strong|b|i|u|span)(?: class="[\w -]*")?>')
_PLACEHOLDER = re.compile(r"[\w-]+/?[\w-]*|[\w-]*/[\w-]+")

Level = Literal["lvl0", "lvl1", "lvl2", "lvl3", "lvl4", "lvl5", "lvl6"]
LEVELS: tuple[Level, ...] = ("lvl0", "lvl1", "lvl2", "lvl3", "lvl4", "lvl5", "lvl6")


def _listed(value: object) -> object:
    """A list, also of one that is written as JSON or separated by commas."""
    if not isinstance(value, str):
        return value
    if value.startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _clauses(value: object) -> object:
    """A list of lists: all of the outer list, any of each inner one."""
    listed = _listed(value)
    return [[each] if isinstance(each, str) else each for each in listed] if isinstance(listed, list) else listed


_Text = Annotated[str, Field(max_length=_VALUE_LENGTH), IS_TEXT]
_Name = Annotated[str, Field(max_length=_NAME_LENGTH), IS_TEXT]
_Names = Annotated[list[_Name], Field(max_length=_MOST_VALUES), BeforeValidator(_listed)]
_Clauses = Annotated[
    list[Annotated[list[_Text], Field(max_length=_MOST_VALUES)]],
    Field(max_length=_MOST_VALUES),
    BeforeValidator(_clauses),
]
_Tag = Annotated[str, Field(max_length=_TAG_LENGTH), IS_TEXT]


class DocSearchQuery(RequestModel):
    """A search, with the parameters of Algolia's that Assay knows."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=False)

    index_name: Annotated[str, Field(max_length=_VALUE_LENGTH), IS_TEXT] = Field(
        default="", description="Any name; the answer repeats it as `index`."
    )
    query: Annotated[str, Field(max_length=QUERY_LIMIT), IS_TEXT] = Field(
        default="", description="The text so far; nothing is found for an empty one.", examples=["node comm"]
    )
    page: Annotated[int, Field(ge=0, le=10_000)] = Field(default=0, description="Page of the hits, from 0.")
    hits_per_page: Annotated[int, Field(ge=0, le=1_000)] = Field(
        default=_HITS_PER_PAGE, description="The maximum number of hits on a page."
    )
    facet_filters: _Clauses = Field(
        default=[],
        description="`attribute:value`: all of the outer list, any of each inner one; a string or a flat list too. "
        "Attributes: `language`, `lang`, `locale`, `version`, `docusaurus_tag`, `source`.",
        examples=[[["language:en"], ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"]]],
    )
    facets: _Names = Field(
        default=[], description="Attributes whose values `facets` counts; a string too, and `*` for all."
    )
    attributes_to_retrieve: _Names = Field(
        default=["*"], description="Fields of a hit to send, such as `hierarchy.lvl1`; `*` for all."
    )
    attributes_to_snippet: _Names = Field(
        default=["content:10"],
        description="Fields of `_snippetResult` with their number of words, such as `content:10`.",
    )
    snippet_ellipsis_text: Annotated[str, Field(max_length=20), IS_TEXT] = Field(
        default="…", description="Marks where a snippet was cut."
    )
    highlight_pre_tag: _Tag = Field(
        default=DEFAULT_PRE_TAG,
        description="Put before each highlighted word: `<mark>`, `<em>`, `<strong>`, `<b>`, `<i>`, `<u>` or `<span>`, "
        "with a class or without, or a word without markup.",
        examples=["<mark>"],
    )
    highlight_post_tag: _Tag = Field(
        default=DEFAULT_POST_TAG, description="Put after it; closes the same element.", examples=["</mark>"]
    )
    click_analytics: bool = Field(
        default=False,
        description="The box reports clicks to `POST /1/events`; the answer then has a `queryID`, if the server logs "
        "queries.",
    )
    filters: _Names = Field(default=[], description="Must be empty; use `facetFilters`.")
    numeric_filters: _Names = Field(default=[], description="Must be empty.")
    tag_filters: _Names = Field(default=[], description="Must be empty.")

    @model_validator(mode="before")
    @classmethod
    def _spread_params(cls, fields: object) -> object:
        """Put the parameters of `params`, an object or URL-encoded text, next to the other fields."""
        if not isinstance(fields, Mapping):
            return fields
        params = fields.get("params")
        if isinstance(params, str):
            params = dict(parse_qsl(params, keep_blank_values=True))
        spread = {**fields, **params} if isinstance(params, Mapping) else dict(fields)
        return {name: value for name, value in spread.items() if value is not None}


class DocSearchQueries(RequestModel):
    """Several searches in one request."""

    model_config = ConfigDict(extra="ignore")

    requests: Annotated[list[DocSearchQuery], Field(min_length=1, max_length=_MOST_QUERIES)] = Field(
        description="The searches; each counts as one request."
    )


class Marked(AnswerModel):
    """A text, escaped for HTML, with the query's words between the two tags."""

    model_config = ConfigDict(alias_generator=to_camel)

    value: str = Field(description="The text or its snippet.")
    match_level: Literal["none", "full"] = Field(description="`full` if it has a word of the query.")
    matched_words: list[str] = Field(default=[], description="The words, in lower case.")


class MarkedParts(AnswerModel):
    """Parts of a hit with the query's words marked."""

    hierarchy: dict[Level, Marked] = Field(description="The levels that are not null.")
    content: Marked | None = Field(default=None, description="The passage; only in snippets.")


class DocSearchHit(AnswerModel):
    """A passage; `attributesToRetrieve` selects its fields."""

    object_id: str = Field(alias="objectID", description="Id of the chunk.")
    url: str | None = Field(default=None, description="Absolute link to the heading nearest above the match.")
    url_without_anchor: str | None = Field(default=None, description="Absolute link to the page.")
    anchor: str | None = Field(default=None, description="Id of that heading; null if it has none.")
    type: Literal[Level, "content"] | None = Field(
        default=None, description="The level of that heading if it has a word of the query, else `content`."
    )
    hierarchy: dict[Level, str | None] | None = Field(
        default=None,
        description="`lvl0`: title of the page, with its path if another page of the answer has the same one. `lvl1` "
        "to `lvl6`: the headings that lead to the hit, outermost first; the title as `lvl1` if it is above all "
        "headings. Escaped for HTML.",
    )
    content: str | None = Field(default=None, description="The passage as plain text, escaped for HTML.")
    language: str | None = Field(default=None, description="Locale of the page; null if there is only one.")
    version: str | None = Field(default=None, description="Version of the documentation; null if there is only one.")
    snippet_result: MarkedParts = Field(alias="_snippetResult", description="What `attributesToSnippet` selects.")
    highlight_result: MarkedParts = Field(alias="_highlightResult", description="Title and headings.")


class DocSearchResult(AnswerModel):
    """The answer to one search."""

    model_config = ConfigDict(alias_generator=to_camel)

    hits: list[DocSearchHit] = Field(description="The hits of this page, best first; at most one of each section.")
    nb_hits: int = Field(description=f"Number of hits on all pages, at most {MOST_HITS}.")
    page: int = Field(description="As sent.")
    nb_pages: int = Field(description="Number of pages.")
    hits_per_page: int = Field(description="As sent.")
    exhaustive_nb_hits: bool = Field(description="Whether there are no more hits than `nbHits`.")
    facets: dict[str, dict[str, int]] | None = Field(
        default=None,
        description="Number of hits with each value, for each attribute in `facets`, or of all pages for an empty "
        "query; only if `facets` was sent.",
    )
    processing_time_ms: int = Field(alias="processingTimeMS", description="Milliseconds of this search.")
    query: str = Field(description="As sent.")
    query_id: str | None = Field(
        default=None,
        alias="queryID",
        description="To report clicks; only with `clickAnalytics`, and if the server logs queries.",
    )
    params: str = Field(description="The parameters, URL-encoded.")
    index: str = Field(description="`indexName`, as sent.")
    corrections: list[SearchCorrection] = Field(description="Words that were searched as other ones.")


class DocSearchAnswer(AnswerModel):
    """The answers, in the order of the searches."""

    results: list[DocSearchResult] = Field(description="One for each search.")


class DocSearchError(AnswerModel):
    """The body of an error of these routes."""

    message: str = Field(description="What happened and what to do.")
    status: int = Field(description="The status code again.")


def parse_queries(fields: Mapping[str, object]) -> list[DocSearchQuery]:
    """Parse the body of several searches. Raises InputError that names the field, its limit and what was sent."""
    return [_checked(sent) for sent in check_fields(DocSearchQueries, fields).requests]


def parse_query(fields: Mapping[str, object], index: str) -> DocSearchQuery:
    """Parse the body of one search of the index in the URL. Raises InputError, as parse_queries does."""
    return _checked(check_fields(DocSearchQuery, {**fields, "indexName": index}))


def _checked(sent: DocSearchQuery) -> DocSearchQuery:
    """Refuse filters that cannot be applied, and tags that could do more in a page than mark a word."""
    for name in ("filters", "numeric_filters", "tag_filters"):
        if any(getattr(sent, name)):
            raise InputError(f"{to_camel(name)}: it must be empty, because only facetFilters can be applied.")
    pre, post = sent.highlight_pre_tag, sent.highlight_post_tag
    opening = _OPENING.fullmatch(pre)
    if post == f"</{opening[1]}>" if opening else _PLACEHOLDER.fullmatch(pre) and _PLACEHOLDER.fullmatch(post):
        return sent
    raise InputError(
        "highlightPreTag, highlightPostTag: they must be the tags of a mark, em, strong, b, i, u or span, such as "
        f"<mark> and </mark>; {quoted(pre)} and {quoted(post)} were sent."
    )


def to_query(sent: DocSearchQuery, filters: Filters, defaults: Defaults) -> Query:
    """The search of somebody who is typing."""
    return Query(
        text=sent.query,
        top_k=MOST_HITS,
        mode=defaults.mode,
        threshold=defaults.threshold,
        filters=filters,
        typing=True,
    )
