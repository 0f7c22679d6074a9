"""The part of a passage that matches a query best: a snippet, the heading above it, and a link to its text."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from assay.contracts.passages.highlights import Match, Matcher, Span
from assay.contracts.passages.plain_text import in_code
from assay.model.documents import Chunk

SNIPPET = 200
"""The most characters of a snippet."""

_SHORT = SNIPPET // 2
"""A snippet at the end of a section that is shorter begins earlier."""

_HEADING = re.compile(r"#{1,6} +")
_SENTENCE_ENDS = (". ", "? ", "! ", ": ", "。")

_WORD = r"[^\W_]+(?:[./-][^\W_]+)*"
_PHRASE = re.compile(rf"{_WORD}(?:,? {_WORD})*")
_REACH = 100
"""Characters before and after a match among which the words of its text fragment are."""
_BEFORE, _AFTER = 3, 6
"""Words of a text fragment around its first match."""
_FEWEST = 4
"""Words of a text fragment: fewer may be in the navigation of the page too."""


class Part(NamedTuple):
    """A part of a chunk's text.

    section: start of the section in it, which is that of its heading's line. start, end: of the snippet.
    first: the first of the query's words in it; None if it has none.
    """

    section: int
    start: int
    end: int
    first: Span | None = None


class _Section(NamedTuple):
    """A section's part of a chunk.

    start: of the line of its heading. body, end: of its text; for a heading without text, that of the next one.
    named, matches: of the query's words in the heading's line and in the text.
    """

    start: int
    body: int
    end: int
    named: Sequence[Match]
    matches: Sequence[Match]


def best_part(chunk: Chunk, matches: Sequence[Match], matcher: Matcher) -> Part:
    """The part of a chunk with the most and longest words of a query; its beginning if there are none.

    Words of a heading count for all text under it. The snippet begins with a line or a sentence if the words fit.
    """
    if not chunk.inner_headings:
        whole = _Section(0, 0, len(chunk.text), (), matches)
        section = _section(chunk.text, (0, whole.end), 0, matches) if chunk.text.startswith("#") else whole
        return _part(chunk.text, section, _densest(section.matches, matcher.weights)[1])
    bounds = [0, *[heading.offset for heading in chunk.inner_headings], len(chunk.text)]
    best: tuple[int, _Section, Sequence[Match]] | None = None
    for number in range(len(bounds) - 1):
        section = _section(chunk.text, bounds, number, matches)
        score, found = _scored(chunk, section, matcher)
        if not section.named and section.body >= bounds[number + 1]:
            score = 0  # the words are those of the next section
        if best is None or score > best[0]:
            best = score, section, found
    assert best is not None
    return _part(chunk.text, *best[1:])


def text_fragment(text: str, part: Part) -> str | None:
    """The end of a URL that leads to the text of a part, such as `:~:text=nodes%20talk`.

    It goes after a `#` and its anchor: https://wicg.github.io/scroll-to-text-fragment/. Only plain words of one line,
    which the page shows as they are in the text; None without enough of them.
    """
    if part.first is None:
        return None
    at = part.first[0]
    low = text.rfind("\n", 0, at) + 1
    if text.startswith(("#", "```"), low) or in_code(text, low):
        return None  # the anchor leads to a heading; lines of code have few plain words
    if at - low > _REACH:
        low = text.find(" ", at - _REACH, at) + 1 or at
    high = at + _REACH
    phrase = next((one for one in _PHRASE.finditer(text, low, high) if one.end() > at), None)
    if phrase is None or phrase.start() > at:
        return None
    at = text.rfind(" ", phrase.start(), at) + 1 or phrase.start()
    before = text[phrase.start() : at].split()[-_BEFORE:]
    after = text[at : phrase.end()].split(" ", _AFTER)
    if len(after) <= _AFTER and phrase.end() == high:
        after.pop()  # it may be part of a word
    words = [*before, *after[:_AFTER]]
    if len(words) < _FEWEST:
        return None
    plain = " ".join(words).rstrip(",")
    if plain.isascii() and plain.replace(" ", "").isalnum():
        return ":~:text=" + plain.replace(" ", "%20")
    return ":~:text=" + quote(plain, safe="").replace("-", "%2D")


def _section(text: str, bounds: Sequence[int], number: int, matches: Sequence[Match]) -> _Section:
    """One of a chunk's sections. bounds: their starts, and the end of the text."""
    start, end = bounds[number], bounds[number + 1]
    body = start
    while text.startswith("#", body) and _HEADING.match(text, body):
        body = text.find("\n", body) + 1 or len(text)
        while text.startswith("\n", body):
            body += 1
    if body >= end:
        end = next((bound for bound in bounds if bound > body), len(text))
    own = bounds[number + 1]
    first, low, high = bisect_left(matches, (start,)), bisect_left(matches, (body,)), bisect_left(matches, (end,))
    named = matches[first : min(low, bisect_left(matches, (own,)))] if first < low else ()
    return _Section(start, body, end, named, matches[low:high])


def _scored(chunk: Chunk, section: _Section, matcher: Matcher) -> tuple[int, Sequence[Match]]:
    """The weight of the query's words in a section, and its densest matches."""
    weights, named = matcher.weights, section.named
    heading = chunk.text[section.start : section.body].partition("\n")[0].strip("# ")
    if section.body == 0 and chunk.section:  # its heading is in an earlier chunk
        heading, named = chunk.section, matcher.find(chunk.section)
    if not named:
        return _densest(section.matches, weights)
    numbers = {number for _, _, number in named}
    weight = sum(weights[number] for number in numbers)
    covered = sum(end - start for start, end, _ in named) / len(heading)
    lower = [each // 4 if number in numbers else each for number, each in enumerate(weights)]
    score, found = _densest(section.matches, lower)
    return score + weight + int(weight * (0.5 + covered / 4)), found


def _densest(matches: Sequence[Match], weights: Sequence[int]) -> tuple[int, Sequence[Match]]:
    """The weight of the distinct words in the best stretch of a text that fits a snippet, and its matches."""
    numbers = {number for _, _, number in matches}
    most = sum([weights[number] for number in numbers])
    if len(numbers) < 2:
        return most, matches[:1]
    counts = [0] * len(weights)
    weight = low = best = 0
    found = (0, 1)
    for high, (_, end, number) in enumerate(matches):
        if not counts[number]:
            weight += weights[number]
        counts[number] += 1
        start, _, left = matches[low]
        while low < high and (counts[left] > 1 or end - start > SNIPPET):
            counts[left] -= 1
            if not counts[left]:
                weight -= weights[left]
            low += 1
            start, _, left = matches[low]
        if weight > best:
            best, found = weight, (low, high + 1)
            if weight == most:
                break
    return best, matches[slice(*found)]


def _part(text: str, section: _Section, found: Sequence[Match]) -> Part:
    begin, end = section.body, section.end
    if begin == end:  # only a heading
        mark = _HEADING.match(text, section.start)
        begin = mark.end() if mark else section.start
    if not found:
        return Part(section.start, begin, _end_of(text, begin, end, begin))
    first, last = found[0][0], found[-1][1]
    start = _start_of(text, first, last, begin)
    stop = _end_of(text, start, end, last)
    while stop - start < _SHORT and start > begin:
        earlier = text.rfind("\n", begin, start - 1) + 1 or begin
        if stop - earlier > SNIPPET:
            break
        start = earlier
    while text[start] == "\n":
        start += 1
    return Part(section.start, start, stop, found[0][:2])


def _start_of(text: str, first: int, last: int, begin: int) -> int:
    """The start of a snippet with the text from first to last: of the line, else of the sentence, else of a word."""
    line = text.rfind("\n", begin, first) + 1 or begin
    if last - line <= SNIPPET:
        return line
    lowest = max(line, last - SNIPPET)
    for mark in _SENTENCE_ENDS:
        sentence = text.rfind(mark, lowest, first)
        if sentence >= 0:
            return sentence + len(mark)
    return text.find(" ", max(lowest, first - SNIPPET // 4), first) + 1 or first


def _end_of(text: str, start: int, end: int, last: int) -> int:
    """The end of a snippet: of the section, else of a paragraph if the snippet is not short, else of a word.

    last: end of the last word of the query.
    """
    if end - start > SNIPPET:
        limit = start + SNIPPET
        end = text.find("\n\n", max(last, start + _SHORT), limit)
        if end < 0:
            end = max(text.rfind(" ", start, limit + 1), text.rfind("\n", start, limit + 1), min(last, limit))
        if end <= start:
            end = limit
    while end > start and text[end - 1] in " \n":
        end -= 1
    return end
