"""search_docs: the passages that answer a query, within a number of tokens."""

from dataclasses import dataclass

from assay.app import Assay
from assay.contracts import native
from assay.contracts.mcp_tools import FoundPassage, FoundPassages, SearchDocs
from assay.errors import InputError
from assay.mcp.budget import HEADING_TOKENS, cut
from assay.model.ranking import Hit, Ranking
from assay.ports import TokenCounter

_DEFAULT_VERSIONS = frozenset({"latest", "current", "stable", "default", "newest"})
_LEAST_CUT = 80
"""Tokens of a passage below which its beginning is not worth showing."""

_MOST_NAMED = 20

_NOTHING = "Nothing was found. Try other words, or fewer; list_sources names what is documented."
_WEAK = "Probably nothing in the documentation answers this. The nearest passages:"
_READ_ON = "read_page with a chunk_id or a URL above shows more of a page."


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer as text for a model, and as the structured content."""

    text: str
    structured: dict[str, object]


def search_docs(assay: Assay, wanted: SearchDocs) -> Answer:
    """Search. Raises InputError for an unknown source, version or locale, and what Assay.search raises."""
    version = _version(assay, wanted)
    filters = {"sources": wanted.source, "versions": version, "locales": wanted.locale}
    _require_known(assay, wanted.source, version, wanted.locale)
    body = {
        "query": wanted.query,
        "top_k": wanted.limit,
        "filters": {name: [value] for name, value in filters.items() if value is not None},
    }
    ranking = assay.search(native.parse(body, assay.settings.search).query)
    assay.queries.record(ranking, "mcp")
    return _answer(ranking, wanted, assay.pages.count_tokens)


def _version(assay: Assay, wanted: SearchDocs) -> str | None:
    """The version to search; None for a word such as `latest` that no source has as a version."""
    if wanted.version is None or wanted.version.lower() not in _DEFAULT_VERSIONS:
        return wanted.version
    known = {version for source in assay.pages.sources()[1] for version in source.versions}
    return wanted.version if wanted.version in known else None


def _require_known(assay: Assay, source: str | None, version: str | None, locale: str | None) -> None:
    """Raise InputError that lists the known values, from which a model can choose."""
    if source is version is locale is None or assay.parts.adopted is not None:
        return
    sources = assay.pages.sources()[1]
    if source is not None and source not in {one.name for one in sources}:
        raise InputError(f"source: there is no source {source!r}.", hint=_choose([one.name for one in sources]))
    within = [one for one in sources if source in {None, one.name}]
    for name, value, known in (
        ("version", version, {version for one in within for version in one.versions}),
        ("locale", locale, {locale for one in within for locale in one.locales}),
    ):
        if value is not None and value not in known:
            hint = _choose(sorted(known)) if known else f"Omit {name}: the documentation has only one."
            raise InputError(f"{name}: there is no {name} {value!r}.", hint=hint)


def _choose(known: list[str]) -> str:
    more = f" or {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return f"Choose one of {', '.join(known[:_MOST_NAMED])}{more}, or omit it."


def _answer(ranking: Ranking, wanted: SearchDocs, count: TokenCounter) -> Answer:
    """The hits in their order while they fit; the last one may be cut."""
    searched = ranking.searched_text
    notes = list(ranking.warnings)
    if searched != wanted.query:
        notes.append(f"Searched for {searched!r}: the index does not know every word as it was written.")
    head = [*notes, *([_WEAK] if ranking.no_good_answer else []), *([] if ranking.hits else [_NOTHING])]
    foot = f"{_READ_ON} Generation {ranking.generation}."
    left = wanted.max_tokens - sum(count([f"{line}\n\n" for line in [*head, foot, _omitted(1)]]))
    parts: list[str] = []
    shown: list[FoundPassage] = []
    for hit in ranking.hits:
        title = _heading(hit, count)
        needed = count([f"{title}\n\n{hit.chunk.text}\n\n"])[0]
        text, truncated = hit.chunk.text, needed > left
        if truncated:
            room = left - count([f"{title}\n\n"])[0]
            text = cut(hit.chunk.text, room, count) if room >= _LEAST_CUT else ""
        if not text:
            break
        left -= needed
        parts.append(f"{title}\n\n{text}")
        shown.append(_passage(hit, text, truncated=truncated))
        if truncated:
            break
    omitted = len(ranking.hits) - len(shown)
    text = "\n\n".join([*head, *parts, *([_omitted(omitted)] if omitted else []), *([foot] if shown else [])])
    text = cut(text, wanted.max_tokens, count)
    answer = FoundPassages(
        query=wanted.query,
        searched=searched,
        generation=ranking.generation,
        results=shown,
        omitted=omitted,
        tokens=count([text])[0],
        no_good_answer=ranking.no_good_answer,
        notes=notes,
    )
    return Answer(text, answer.to_dict())


def _omitted(number: int) -> str:
    return f"{number} more did not fit max_tokens."


def _heading(hit: Hit, count: TokenCounter) -> str:
    document = hit.chunk.document
    place = " · ".join(part for part in (document.source, document.version, document.locale) if part)
    trail = cut(hit.trail, HEADING_TOKENS, count) or document.url
    return f"## {hit.rank}. {trail}\n{hit.url}\n({place}; chunk_id {hit.chunk.id})"


def _passage(hit: Hit, text: str, *, truncated: bool) -> FoundPassage:
    document = hit.chunk.document
    return FoundPassage(
        rank=hit.rank,
        chunk_id=hit.chunk.id,
        url=hit.url,
        title=document.title or None,
        section=hit.section,
        source=document.source,
        version=document.version,
        locale=document.locale,
        similarity=hit.similarity,
        text=text,
        truncated=truncated,
    )
