"""The tools of MCP: their arguments and structured answers.

Language models call them, so the arguments are read generously: other names that models invent, and numbers sent as
text, are accepted; an error names what is wrong.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from assay.contracts.facets import SourceFacets
from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Model, Moment, RequestModel, check_fields
from assay.contracts.native_entities import QueryText
from assay.errors import InputError

LIMIT, MOST_RESULTS = 5, 20
"""Results of a search if none are requested, and the highest number."""

MAX_TOKENS, LEAST_TOKENS, MOST_TOKENS = 4_000, 300, 50_000
"""Tokens of an answer if none are requested, the lowest and the highest number."""

MOST_AROUND = 20

_Name = Annotated[str, Field(min_length=1, max_length=500), IS_TEXT, NOT_BLANK]
_Url = Annotated[str, Field(min_length=1, max_length=8_000), IS_TEXT, NOT_BLANK]
_Tokens = Annotated[int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS)]


class SearchDocs(RequestModel):
    """Arguments of search_docs."""

    query: QueryText = Field(description="A question or keywords, in plain words.")
    source: _Name | None = Field(default=None, description="Name of a source from list_sources; omit it for all.")
    version: _Name | None = Field(
        default=None, description="Version from list_sources; omit it for the current version of each source."
    )
    locale: _Name | None = Field(
        default=None, description="Locale from list_sources, such as `en`; omit it for the default locale."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = Field(
        default=LIMIT, description="The maximum number of passages."
    )
    max_tokens: _Tokens = Field(default=MAX_TOKENS, description="The maximum length of the answer's text in tokens.")


class ReadPage(RequestModel):
    """Arguments of read_page."""

    url: _Url | None = Field(
        default=None, description="URL of a page, or of a section with its #anchor, as search_docs returns it."
    )
    chunk_id: _Name | None = Field(default=None, description="Id of a passage from search_docs, instead of a URL.")
    around: Annotated[int, Field(ge=0, le=MOST_AROUND)] | None = Field(
        default=None,
        description="With chunk_id: read only this many passages before and after it; omit it to read on from there.",
    )
    max_tokens: _Tokens = Field(default=MAX_TOKENS, description="The maximum length of the answer's text in tokens.")


class ListSources(RequestModel):
    """Arguments of list_sources: none."""


class FoundPassage(AnswerModel):
    """A passage that answers the query."""

    rank: int = Field(description="From 1.")
    chunk_id: str = Field(description="Id of the passage, for read_page.")
    url: str = Field(description="Link to the section, to cite and for read_page.")
    title: str | None = Field(description="Title of the page; null if it has none.")
    section: str = Field(description="Heading of the section; empty before the first heading.")
    source: str = Field(description="Name of the source.")
    version: str | None = Field(description="Version; null if there is only one.")
    locale: str | None = Field(description="Locale; null if there is only one.")
    similarity: float | None = Field(ge=0, le=1, description="Cosine of query and passage, 0 to 1.")
    text: str = Field(description="The passage as Markdown.")
    truncated: bool = Field(description="Whether the passage was cut to fit max_tokens.")


class FoundPassages(AnswerModel):
    """The answer of search_docs."""

    query: str = Field(description="The query as it was sent.")
    searched: str = Field(description="The query as it was searched, with corrected words.")
    generation: str = Field(description="Id of the index build that answered.")
    results: list[FoundPassage] = Field(description="Best first; empty without a match.")
    omitted: int = Field(description="Further results that did not fit max_tokens.")
    tokens: int = Field(description="Length of the answer's text in tokens, by the index's tokenizer.")
    no_good_answer: bool = Field(description="True if probably nothing in the documentation answers the query.")
    notes: list[str] = Field(description="Limitations of this answer; usually empty.")


class PageSection(AnswerModel):
    """A section of a page."""

    heading: str = Field(description="Its heading.")
    level: int = Field(description="1 to 6.")
    url: str = Field(description="Link to the section, for read_page; the page's link if the heading has no anchor.")


class ReadText(AnswerModel):
    """The answer of read_page."""

    url: str = Field(description="URL of the page.")
    title: str | None = Field(description="Title of the page; null if it has none.")
    source: str = Field(description="Name of the source.")
    version: str | None = Field(description="Version; null if there is only one.")
    locale: str | None = Field(description="Locale; null if there is only one.")
    generation: str = Field(description="Id of the index build that answered.")
    text: str = Field(description="The text as Markdown.")
    start: int = Field(description="Start of the text in the page, in code points.")
    end: int = Field(description="End of the text in the page, exclusive.")
    length: int = Field(description="Length of the whole page, in code points.")
    tokens: int = Field(description="Length of the answer's text in tokens, by the index's tokenizer.")
    previous_chunk_id: str | None = Field(description="Passage before the text, to read back; null at the start.")
    next_chunk_id: str | None = Field(description="Passage after the text, to read on; null at the end.")
    sections: list[PageSection] = Field(description="The page's sections, at most 100.")
    notes: list[str] = Field(description="Limitations of this answer; usually empty.")


class ListedSources(AnswerModel):
    """The answer of list_sources."""

    generation: str = Field(description="Id of the index build that answers.")
    built_at: Moment | None = Field(description="When it was built: ISO 8601, UTC.")
    age_days: float | None = Field(ge=0, description="Days since then.")
    pages: int = Field(description="Number of pages.")
    passages: int = Field(description="Number of passages.")
    sources: list[SourceFacets] = Field(description="By name, each with at most 20 versions and 20 locales.")
    notes: list[str] = Field(description="Limitations of this answer; usually empty.")


_OTHER_NAMES: Mapping[type[RequestModel], Mapping[str, Sequence[str]]] = {
    SearchDocs: {
        "query": ("question", "q", "text", "search", "search_query", "prompt", "topic"),
        "source": ("library", "library_name", "library_id", "package", "sources", "docs", "project"),
        "version": ("versions", "library_version"),
        "locale": ("locales", "language", "lang"),
        "limit": ("top_k", "k", "n", "count", "num_results", "max_results"),
        "max_tokens": ("tokens", "token_limit", "max_length"),
    },
    ReadPage: {
        "url": ("uri", "link", "href", "page", "page_url", "section_url"),
        "chunk_id": ("id", "chunk", "passage", "passage_id"),
        "around": ("context", "window", "neighbours", "neighbors"),
        "max_tokens": ("tokens", "token_limit", "max_length"),
    },
    ListSources: {},
}
_NUMBERS = frozenset({"limit", "max_tokens", "around"})


def parse(model: type[Model], arguments: Mapping[str, object]) -> Model:
    """Parse a tool's arguments. Raises InputError that names each wrong argument, its limit and what was sent.

    Null is an omitted argument; a list of one string is that string; a whole number may be sent as text or as 5.0.
    """
    names = {_plain(other): name for name, others in _OTHER_NAMES[model].items() for other in others}
    fields: dict[str, object] = {}
    for sent, value in arguments.items():
        plain = _plain(sent)
        exact = next((name for name in model.model_fields if _plain(name) == plain), None)
        name = exact or names.get(plain, sent)
        if value is not None and (exact or name not in fields):
            fields[name] = _simple(name, value)
    return check_fields(model, fields)


def parse_read(arguments: Mapping[str, object]) -> ReadPage:
    """Parse the arguments of read_page. Raises InputError as parse does, and without url and chunk_id or with both."""
    wanted = parse(ReadPage, arguments)
    if (wanted.url is None) == (wanted.chunk_id is None):
        given = "both were sent" if wanted.url else "neither was sent"
        raise InputError(
            f"read_page takes either url or chunk_id; {given}.", hint="Pass one as search_docs returns it."
        )
    if wanted.around is not None and wanted.chunk_id is None:
        raise InputError("around: it needs chunk_id.", hint="Pass the chunk_id of a result of search_docs.")
    return wanted


def input_schema(model: type[RequestModel]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments. It permits further names, because parse accepts other names."""
    schema = model.model_json_schema()
    for field in schema.get("properties", {}).values():
        _without_null(field)
    return {key: value for key, value in schema.items() if key not in {"additionalProperties", "title", "description"}}


def _without_null(field: dict[str, Any]) -> None:
    """Show an optional argument as its type alone, which every client understands."""
    options = [option for option in field.pop("anyOf", ()) if option.get("type") != "null"]
    if options:
        field |= options[0]
    if field.get("default", "") is None:
        del field["default"]
    field.pop("title", None)


def _plain(name: str) -> str:
    """A name without case, `_` and `-`, so that maxTokens is max_tokens."""
    return name.replace("_", "").replace("-", "").lower()


def _simple(name: str, value: object) -> object:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if name in _NUMBERS:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            return int(value.strip()[:12])
    return value
