"""Rankings as the answers that DocSearch clients read. See docsearch."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from assay.contracts.docsearch.filters import ATTRIBUTES, LOCALE, SOURCE, VERSION
from assay.contracts.docsearch.requests import (
    LEVELS,
    MOST_HITS,
    DocSearchHit,
    DocSearchQuery,
    DocSearchResult,
    Level,
    Marked,
    MarkedParts,
)
from assay.contracts.native import matcher_for
from assay.contracts.native_entities import SearchCorrection
from assay.contracts.passages.highlights import Match, Matcher, Span
from assay.contracts.passages.marking import Marker, escape
from assay.contracts.passages.plain_text import plain_text
from assay.contracts.passages.snippets import best_part
from assay.model.documents import Chunk
from assay.model.ranking import Ranking

_MOST_HEADINGS = len(LEVELS) - 1
_HEADING_LINE = re.compile(r"\s*#{1,6} .*(?:\n|$)")
_WEB = ("https://", "http://")
_ENCODED = {ord(character): quote(character) for character in "<>\"'`\\ \t\r\n"}
_SNIPPET = re.compile(r"([\w.*]+)(?::(\d{1,4}))?")
_SNIPPET_WORDS = 10


FacetCounts = Mapping[str, Mapping[str, int]]
"""Number of hits or pages by LOCALE, VERSION and SOURCE, and by value."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A hit's parts, not escaped.

    levels: title and headings, as in DocSearchHit.hierarchy.
    text: of the section. above_headings: it is before the first heading, so that the second level repeats the title.
    """

    chunk: Chunk
    url: str
    anchor: str | None
    levels: tuple[str, ...]
    text: str
    above_headings: bool


def to_result(
    sent: DocSearchQuery,
    ranking: Ranking | None,
    milliseconds: float,
    relevant_from: float | None = None,
    counts: FacetCounts | None = None,
    query_id: str | None = None,
) -> dict[str, Any]:
    """The answer to one search as JSON values, a DocSearchResult.

    Probably wrong answers are left out, so that a box reports no results, and its list ends.

    ranking: None if no page can match.
    relevant_from: the lowest similarity of a relevant hit; None if it is unknown. Hits below need a word of the query.
    counts: for facets, instead of those of the hits.
    query_id: to report clicks; None if they are not wanted.
    """
    shown: list[_Shown] = []
    hits = []
    if ranking is not None and not ranking.no_good_answer:
        matcher = matcher_for(ranking)
        shown = _shown(ranking, matcher, relevant_from)
        marker = Marker(matcher, sent.highlight_pre_tag, sent.highlight_post_tag, sent.snippet_ellipsis_text)
        first = sent.page * sent.hits_per_page
        hits = [_hit(each, marker, sent) for each in shown[first : first + sent.hits_per_page]]
    result = DocSearchResult(
        hits=[],
        nbHits=len(shown),
        page=sent.page,
        nbPages=math.ceil(len(shown) / sent.hits_per_page) if sent.hits_per_page else 0,
        hitsPerPage=sent.hits_per_page,
        exhaustiveNbHits=ranking is None or len(ranking.hits) < MOST_HITS,
        processingTimeMS=max(round(milliseconds), 1),
        query=sent.query,
        params=_params(sent),
        index=sent.index_name,
        corrections=[] if ranking is None else [SearchCorrection.of(one) for one in ranking.corrections],
        **({} if query_id is None else {"queryID": query_id}),
        **({"facets": _facets(sent.facets, _counted(shown) if counts is None else counts)} if sent.facets else {}),
    )
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True) | {"hits": hits}


def _shown(ranking: Ranking, matcher: Matcher, relevant_from: float | None) -> list[_Shown]:
    """The hits with a web address, the best one of each section."""
    found: dict[str, _Shown] = {}
    for hit in ranking.hits:
        matches = matcher.find(hit.chunk.text)
        each = _shown_hit(hit.chunk, matches, matcher)
        is_far = relevant_from is not None and hit.similarity is not None and hit.similarity < relevant_from
        if is_far and not matches and not any(map(matcher.find, each.levels)):
            continue
        if each.url.startswith(_WEB):
            found.setdefault(each.url, each)
    return _with_distinct_titles(list(found.values()))


def _shown_hit(chunk: Chunk, matches: Sequence[Match], matcher: Matcher) -> _Shown:
    """The section of a chunk that matches best."""
    document, start, end = chunk.document, 0, len(chunk.text)
    if chunk.inner_headings:
        part = best_part(chunk, matches, matcher)
        start = part.section
        end = max(part.end, next((one.offset for one in chunk.inner_headings if one.offset > start), end))
    place = chunk.place_at(start)
    headings = place.path[:_MOST_HEADINGS]
    title = document.title or (headings[0] if headings else urlsplit(document.url).path.strip("/") or document.url)
    levels = (title, *(headings or (title,)))
    link = _url(document.link_to(place.anchor))
    return _Shown(chunk, link, place.anchor, levels, chunk.text[start:end], above_headings=not headings)


def _with_distinct_titles(shown: Sequence[_Shown]) -> list[_Shown]:
    """Add the path to a title that several pages have: clients group hits by it."""
    pages: defaultdict[str, set[str]] = defaultdict(set)
    for each in shown:
        pages[each.levels[0]].add(each.chunk.document.url)
    return [_with_path(each) if len(pages[each.levels[0]]) > 1 else each for each in shown]


def _with_path(shown: _Shown) -> _Shown:
    path = urlsplit(shown.chunk.document.url).path.strip("/")
    title, *others = shown.levels
    return replace(shown, levels=(f"{title} ({path})", *others))


def _hit(shown: _Shown, marker: Marker, sent: DocSearchQuery) -> dict[str, Any]:
    document = shown.chunk.document
    spans = [marker.spans(text) for text in shown.levels]
    content = plain_text(_HEADING_LINE.sub("", shown.text, count=1) if shown.text.startswith("#") else shown.text)
    deepest = len(shown.levels) - 1
    levels: dict[Level, str | None] = dict.fromkeys(LEVELS)
    hit = DocSearchHit(
        objectID=shown.chunk.id,
        url=shown.url,
        url_without_anchor=_url(document.link),
        anchor=None if shown.anchor is None else _url(shown.anchor),
        type=LEVELS[deepest] if spans[deepest] else "content",
        hierarchy=levels | dict(zip(LEVELS, map(escape, shown.levels), strict=False)),
        content=escape(content),
        language=None if document.locale is None else escape(document.locale),
        version=None if document.version is None else escape(document.version),
        _snippetResult=_snippets([*zip(LEVELS, shown.levels, spans, strict=False)], content, marker, sent),
        _highlightResult=_highlights(shown, spans, marker),
    )
    return _retrieved(hit.model_dump(mode="json", by_alias=True, exclude_unset=True), sent.attributes_to_retrieve)


def _highlights(shown: _Shown, spans: Sequence[list[Span]], marker: Marker) -> MarkedParts:
    """Title and headings; without lvl1 if it only repeats the title.

    The search page of Docusaurus shows all of them as the path to the hit.
    """
    kept = 1 if shown.above_headings else len(shown.levels)
    marked = {
        level: _marked(marker.mark(text, found), text, found)
        for level, text, found in zip(LEVELS[:kept], shown.levels, spans, strict=False)
    }
    return MarkedParts(hierarchy=marked)


def _snippets(
    levels: Sequence[tuple[Level, str, list[Span]]], content: str, marker: Marker, sent: DocSearchQuery
) -> MarkedParts:
    lengths = _snippet_lengths(sent.attributes_to_snippet)
    marked = {
        level: _marked(marker.snippet(text, found, lengths[level]), text, found)
        for level, text, found in levels
        if level in lengths
    }
    if "content" not in lengths:
        return MarkedParts(hierarchy=marked)
    found = marker.spans(content)
    snippet = marker.snippet(content, found, lengths["content"])
    return MarkedParts(hierarchy=marked, content=_marked(snippet, content, found))


def _snippet_lengths(wanted: Iterable[str]) -> dict[str, int]:
    """The number of words of each level and of `content`: `content:10`, `hierarchy.lvl1:10`, `hierarchy:10`, `*:10`."""
    lengths: dict[str, int] = {}
    for each in wanted:
        written = _SNIPPET.fullmatch(each)
        if written is None:
            continue
        name = written[1].removeprefix("hierarchy.")
        several: dict[str, list[str]] = {"*": [*LEVELS, "content"], "hierarchy": [*LEVELS]}
        names = several.get(name, [name])
        lengths |= dict.fromkeys(names, int(written[2] or _SNIPPET_WORDS))
    return lengths


def _marked(value: str, text: str, spans: Sequence[Span]) -> Marked:
    words = sorted({escape(text[start:end].lower()) for start, end in spans})
    return Marked(value=value, matchLevel="full" if spans else "none", matchedWords=words)


def _retrieved(hit: dict[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    """The fields that a client asked for; id, snippets and highlights always."""
    if "*" in wanted:
        return hit
    levels = {name.partition(".")[2] for name in wanted if name.startswith("hierarchy.")}
    kept = {name: value for name, value in hit.items() if name in wanted or name == "objectID" or name.startswith("_")}
    if levels and "hierarchy" not in wanted:
        kept["hierarchy"] = {level: value for level, value in hit["hierarchy"].items() if level in levels}
    return kept


def _facets(wanted: Sequence[str], counts: FacetCounts) -> dict[str, dict[str, int]]:
    """The counts of the known attributes, under the names that were sent."""
    names = ATTRIBUTES if "*" in wanted else [name for name in wanted if name in ATTRIBUTES]
    return {name: dict(counts.get(ATTRIBUTES[name], {})) for name in names}


def _counted(shown: Sequence[_Shown]) -> FacetCounts:
    documents = [each.chunk.document for each in shown]
    return {
        LOCALE: Counter(each.locale for each in documents if each.locale is not None),
        VERSION: Counter(each.version for each in documents if each.version is not None),
        SOURCE: Counter(each.source for each in documents),
    }


def _url(text: str) -> str:
    """An address or anchor without the characters that could end an attribute or begin a tag."""
    return text.translate(_ENCODED)


def _params(sent: DocSearchQuery) -> str:
    fields = sent.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"index_name"})
    return urlencode(
        {name: value if isinstance(value, str | int) else json.dumps(value) for name, value in fields.items()}
    )
