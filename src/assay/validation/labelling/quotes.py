"""Select the quote that a label is stored with, so that it outlives the chunk."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.model.evaluation import Passage, Span
from assay.model.labelling import ToLabel
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Corpus, Page
from assay.validation.judgments.coverage import chunks_on
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.resolving import Resolver

MOST = 240
"""Largest length of a quote in characters: two or three sentences, readable in the test set."""

MOST_SELECTED = 4_000
"""Largest length of a quote that somebody selects, in characters."""

_ENOUGH = 40
"""Smallest preferred length of a quote."""

Words = Callable[[str, str], Sequence[tuple[int, int]]]
"""The places of a query's words in a text, as start and end, ascending."""

_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])")
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_TABLE = re.compile(r"\s*\|")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class _Part:
    """A span of a chunk's own text.

    paragraph: number of its paragraph, table or block of code.
    is_prose: whether that is a paragraph.
    """

    start: int
    end: int
    paragraph: int
    is_prose: bool


def add_quotes(corpus: Corpus, items: Sequence[ToLabel], words: Words) -> tuple[list[ToLabel], list[str]]:
    """Add to each hit the passage to store a label with. Return the hits, and why others cannot be labelled.

    The passage quotes the most relevant part of the hit's chunk, and resolves to that chunk; without a known page, it
    is the hash of the chunk's text. Each page is read once.

    Raises CatalogError or VectorStoreError.
    """
    by_url: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        by_url.setdefault(item.chunk.document.url, []).append(place)
    passages = [Passage(url=item.chunk.document.url or None, content_hash=item.chunk.content_hash) for item in items]
    for page in corpus.pages(list(by_url)):
        chunks = {chunk.chunk_id: chunk for chunk in page.chunks}
        searched = SearchedText(page.text)
        for place in by_url[page.url]:
            chunk = chunks.get(items[place].chunk.id)
            if chunk is not None and page.text[chunk.start : chunk.end].strip():
                span = best_quote(page, chunk, items[place].topic.text, words)
                passages[place] = _passage_at(page, searched, span)
    found = Resolver(corpus).find(list(dict.fromkeys(passages)))
    kept: list[ToLabel] = []
    problems: list[str] = []
    for item, passage in zip(items, passages, strict=True):
        if any(chunk.content_hash == item.chunk.content_hash for chunk in found[passage].chunks):
            kept.append(replace(item, passage=passage))
        else:
            reason = found[passage].resolution.reason or "Its quote resolves to another chunk."
            problems.append(
                f"{item.topic.id}: a label of chunk {item.chunk.id} of {item.chunk.document.url} could not be resolved "
                f"again. {reason}"
            )
    return kept, problems


def passage_at(page: Page, start: int, end: int) -> Passage:
    """The passage of a selection, without the white space around it.

    start, end: positions in the page's text, in code points.

    Raises InputError for a selection outside the text, of white space only, or of more than MOST_SELECTED characters.
    """
    if not 0 <= start < end <= len(page.text):
        raise InputError(f"The selection {start} to {end} is not in the page's text, which has {len(page.text):,}.")
    selected = page.text[start:end]
    span = Span(start + len(selected) - len(selected.lstrip()), end - (len(selected) - len(selected.rstrip())))
    if span.start >= span.end:
        raise InputError("The selection has only white space.")
    if span.end - span.start > MOST_SELECTED:
        raise InputError(
            f"The selection has {span.end - span.start:,} characters, and a quote may have {MOST_SELECTED:,}.",
            hint="Select the sentences that answer.",
        )
    return _passage_at(page, SearchedText(page.text), span)


def best_quote(page: Page, chunk: ChunkPlace, query: str, words: Words) -> Span:
    """The sentences of a chunk with the most words of the query: first by distinct words, then by all.

    Ties prefer prose to code and tables, then the longer part. The part has at most MOST characters of one paragraph,
    and is on no other, overlapping chunk if possible.
    """
    text = page.text[chunk.start : chunk.end]
    marks = words(text, query)
    ranked = sorted(_runs(text), key=lambda run: _worth(text, run, marks), reverse=True)
    spans = [Span(chunk.start + run.start, chunk.start + run.end) for run in ranked]
    of_it = [span for span in spans if _falls_on(page, span, chunk)]
    return next((span for span in of_it if len(chunks_on(page, span)) == 1), (of_it or [_beginning(chunk, text)])[0])


def _passage_at(page: Page, searched: SearchedText, span: Span) -> Passage:
    """The passage at a span, with enough context to find it again on a changed page."""
    return Passage(url=page.url, quote=quote_at(searched, span), position=span, text_hash=page.text_hash)


def _falls_on(page: Page, span: Span, chunk: ChunkPlace) -> bool:
    return any(place.chunk_id == chunk.chunk_id for place in chunks_on(page, span))


def _beginning(chunk: ChunkPlace, text: str) -> Span:
    """The beginning of a chunk that has only headings and punctuation."""
    start, end = _stripped(text)
    return Span(chunk.start + start, chunk.start + min(end, start + MOST))


def _worth(text: str, run: _Part, marks: Sequence[tuple[int, int]]) -> tuple[bool, int, int, bool, int, int]:
    start, end = run.start, run.end
    first = bisect_left(marks, start, key=lambda mark: mark[0])
    inside = [mark for mark in marks[first : bisect_left(marks, end, key=lambda mark: mark[0])] if mark[1] <= end]
    different = {text[a:b].casefold()[:5] for a, b in inside}
    return end - start >= _ENOUGH, len(different), len(inside), run.is_prose, end - start, -start


def _runs(text: str) -> Iterator[_Part]:
    """Every run of adjacent parts of one paragraph with at most MOST characters."""
    parts = list(_parts(text))
    for place, first in enumerate(parts):
        for last in parts[place:]:
            if last.paragraph != first.paragraph or last.end - first.start > MOST:
                break
            yield replace(first, end=last.end)


def _parts(text: str) -> Iterator[_Part]:
    """Split a text into sentences and lines of code, without headings and fences; long ones in pieces."""
    paragraph = before = 0
    fenced = False
    for line in _LINE.finditer(text):
        if line.start() - before > 1:
            paragraph += 1
        before = line.end()
        is_fence = _FENCE.match(line[0]) is not None
        fenced ^= is_fence
        if is_fence or not _WORD.search(line[0]) or (_HEADING.match(line[0]) and not fenced):
            paragraph += 1
            continue
        is_prose = not fenced and not _TABLE.match(line[0])
        for start, end in _sentences(line[0]) if is_prose else [_stripped(line[0])]:
            for piece in _pieces(line[0], start, end):
                yield _Part(line.start() + piece[0], line.start() + piece[1], paragraph, is_prose)


def _stripped(line: str) -> tuple[int, int]:
    return len(line) - len(line.lstrip()), len(line.rstrip())


def _sentences(line: str) -> Iterator[tuple[int, int]]:
    start, end = _stripped(line)
    for border in _SENTENCE_END.finditer(line, start, end):
        if border.start() > start:
            yield start, border.start()
        start = border.end()
    if start < end:
        yield start, end


def _pieces(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a sentence into pieces of at most MOST characters, between words if possible."""
    while end - start > MOST:
        blank = line.rfind(" ", start + MOST // 2, start + MOST)
        cut = blank if blank > 0 else start + MOST
        yield start, cut
        start = cut + (blank > 0)
    if start < end:
        yield start, end
