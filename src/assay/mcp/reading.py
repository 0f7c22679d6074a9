"""read_page: the text of a page from a place on, within a number of tokens; and list_sources."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from urllib.parse import unquote, urlsplit

from assay.app import Assay
from assay.app.pages import PageText
from assay.contracts.facets import Facet, SourceFacets, source_facets
from assay.contracts.mcp_tools import MAX_TOKENS, ListedSources, PageSection, ReadPage, ReadText
from assay.errors import InputError
from assay.mcp.budget import HEADING_TOKENS, cut, fitting
from assay.mcp.searching import Answer
from assay.model.counting import counted
from assay.ports import ChunkPlace, TokenCounter

_MOST_SECTIONS = 100
_MOST_NAMED = 20
_MOST_CHARACTERS = 1_000
"""Of the versions of a source, and of its locales: long names leave room for other sources."""

_NOTE_TOKENS = 40

_SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class _Window:
    """A span of a page's text."""

    start: int
    end: int


def read_page(assay: Assay, wanted: ReadPage) -> Answer:
    """Read a page. It is whole if it fits; else it begins at the section of the URL, or at the chunk.

    With `around`, the text is the chunk and as many neighbours, nearest first, as fit.

    Raises InputError for an unknown URL, anchor or id, and what Pages.page raises.
    """
    count = assay.pages.count_tokens
    place: ChunkPlace | None = None
    if wanted.chunk_id is not None:
        page, place = assay.pages.page_of_chunk(wanted.chunk_id)
        start = place.start
    else:
        assert wanted.url is not None
        page = assay.pages.page(wanted.url)
        start = _section_start(page, wanted.url)
    head = _head(page, count)
    room = wanted.max_tokens - count([head])[0]
    while True:
        if wanted.around is not None and place is not None:
            window = _neighbours(page, place, wanted.around, room, count)
        elif count([page.text])[0] <= room:
            window = _Window(0, len(page.text))
        else:
            window = _from(page.text, start, room, count)
        text, answer = _answer(page, window, head, count)
        excess = answer.tokens - wanted.max_tokens
        if excess <= 0 or room <= 0:
            return Answer(text, answer.to_dict())
        room -= excess  # the lines after the text need them


def list_sources(assay: Assay) -> Answer:
    """List the sources of the generation that answers, as many as fit MAX_TOKENS.

    Raises NoLiveGeneration, CatalogError.
    """
    generation, sources = assay.pages.sources()
    age = None
    if generation.sealed_at is not None:
        age = max(0.0, (datetime.now(UTC) - generation.sealed_at).total_seconds()) / _SECONDS_PER_DAY
    built = "" if age is None else f", built {age_in_words(age)} ago"
    head = f"{generation.documents} pages, {generation.chunks} passages{built} (generation {generation.id}):"
    listed = source_facets(sources)
    blocks = [_lines_of(source) for source in listed]
    shown = fitting([head, *blocks], MAX_TOKENS - _NOTE_TOKENS, assay.pages.count_tokens) - 1
    left_out = len(listed) - shown
    notes = [f"{counted(left_out, 'more source')} did not fit; search_docs searches them too."] if left_out else []
    answer = ListedSources(
        generation=generation.id,
        built_at=generation.sealed_at,
        age_days=None if age is None else round(age, 2),
        pages=generation.documents,
        passages=generation.chunks,
        sources=[_shortened(source) for source in listed[:shown]],
        notes=notes,
    )
    return Answer("\n".join([head, *blocks[:shown], *notes]), answer.to_dict())


def _lines_of(source: SourceFacets) -> str:
    """A source as Markdown."""
    lines = [f"- {source.name}: {source.pages} pages"]
    lines += [f"  versions: {_names(source.versions)}"] if source.versions else []
    lines += [f"  locales: {_names(source.locales)}"] if source.locales else []
    return "\n".join(lines)


def _shortened(source: SourceFacets) -> SourceFacets:
    """The source with the versions and locales that its Markdown names."""
    return source.model_copy(update={"versions": _first(source.versions), "locales": _first(source.locales)})


def _first(values: Sequence[Facet]) -> list[Facet]:
    """The values that are named: the first, up to both limits."""
    lengths = accumulate(len(one.name) for one in values[:_MOST_NAMED])
    return [one for one, length in zip(values, lengths, strict=False) if length <= _MOST_CHARACTERS]


def age_in_words(days: float) -> str:
    """An age in whole hours, and from two days on in whole days."""
    hours = int(days * 24)
    if hours < 1:
        return "less than an hour"
    return counted(hours, "hour") if hours < 48 else counted(hours // 24, "day")


def _section_start(page: PageText, url: str) -> int:
    """Start of the section that a URL's fragment names; 0 without one. Raises InputError for an unknown anchor."""
    anchor = unquote(urlsplit(url.strip()).fragment)
    if not anchor or anchor.startswith(":~:"):
        return 0
    found = next((section.start for section in page.sections if section.anchor == anchor), None)
    if found is None and page.sections:
        known = [section.anchor for section in page.sections if section.anchor]
        more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
        raise InputError(
            f"{page.document.link} has no section #{anchor}.",
            hint=f"It has {', '.join(known[:_MOST_NAMED])}{more}; without an anchor the page is read from its start.",
        )
    return found or 0


def _from(text: str, start: int, room: int, count: TokenCounter) -> _Window:
    return _Window(start, start + len(cut(text[start:], room, count)))


def _neighbours(page: PageText, place: ChunkPlace, around: int, room: int, count: TokenCounter) -> _Window:
    """The chunk, with up to `around` chunks before and after it; the nearest are added first."""
    at = page.chunks.index(place)
    first = last = at
    best = _Window(place.start, place.end)
    if count([page.text[best.start : best.end]])[0] > room:
        return _from(page.text[: place.end], place.start, room, count)
    for distance in range(1, around + 1):
        for candidate in (at + distance, at - distance):
            if not 0 <= candidate < len(page.chunks):
                continue
            wider = (min(first, candidate), max(last, candidate))
            span = page.chunks[wider[0] : wider[1] + 1]
            window = _Window(min(one.start for one in span), max(one.end for one in span))
            if count([page.text[window.start : window.end]])[0] > room:
                return best
            (first, last), best = wider, window
    return best


def _answer(page: PageText, window: _Window, head: str, count: TokenCounter) -> tuple[str, ReadText]:
    document = page.document
    previous = max((one for one in page.chunks if one.start < window.start), key=lambda one: one.start, default=None)
    following = next((one for one in page.chunks if one.end > window.end and one.start > window.start), None)
    notes = []
    until = following.start if following is not None else max(one.end for one in page.chunks)
    if page.text[window.end : until].strip():
        notes.append("The text ends within a passage that is longer than max_tokens: pass a higher max_tokens.")
    foot = []
    if previous is not None or following is not None or notes:
        foot.append(f"(Characters {window.start} to {window.end} of {len(page.text)}.)")
    if following is not None:
        foot.append(f"Read on: chunk_id {following.chunk_id}")
    text = "\n\n".join(part for part in (head, page.text[window.start : window.end], *foot, *notes) if part)
    answer = ReadText.of(
        document,
        url=document.link,
        title=document.title or None,
        generation=page.generation,
        text=page.text[window.start : window.end],
        start=window.start,
        end=window.end,
        length=len(page.text),
        tokens=count([text])[0],
        previous_chunk_id=previous.chunk_id if previous else None,
        next_chunk_id=following.chunk_id if following else None,
        sections=_sections(page),
        notes=notes,
    )
    return text, answer


def _head(page: PageText, count: TokenCounter) -> str:
    document = page.document
    place = " · ".join(part for part in (document.source, document.version, document.locale) if part)
    title = cut(document.title, HEADING_TOKENS, count)
    return f"{title}\n{document.link}\n({place}; generation {page.generation})".lstrip()


def _sections(page: PageText) -> list[PageSection]:
    link = page.document.link
    headed = [section for section in page.sections if section.level]
    return [
        PageSection(
            heading=section.heading,
            level=section.level,
            url=f"{link}#{section.anchor}" if section.anchor else link,
        )
        for section in headed[:_MOST_SECTIONS]
    ]


def _names(values: Sequence[Facet]) -> str:
    named = [f"{one.name} ({one.pages} pages{', default' if one.default else ''})" for one in _first(values)]
    return ", ".join(named + [f"and {len(values) - len(named)} more"] * (len(values) > len(named)))
