r"""Passages as plain text: without the marks of Markdown, and with everything else unchanged.

Passages are normalized text (headings, lists, quotations, rows of tables, code) or, in an adopted collection, any
Markdown, with links and emphasis. Code blocks keep their text. Only marks are left out, so that each character of the
plain text is one of the passage, and spans can be moved.
"""

import re
from collections.abc import Iterator, Sequence

from assay.contracts.passages.highlights import Span, clipped

_MARKED = re.compile(r"[`|#*\\\[>~]|]\(|^[-+:= \t]", re.MULTILINE)
_FENCE = re.compile(r"^([ \t>]*(?:(?:[-*+:]|\d+\.) +)*)(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
_RULE = re.compile(r"[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?")
_START = re.compile(r"[ \t]*(?:>[ \t]?|#{1,6} +|[-*+:] +)*(?:\\(?=[#`~=-]))?")
_ROW_MARKS = re.compile(r"\\(?=\|)|(?<!\\)(?:(?<!\S)\||\|(?!\S))")
_INLINE_START = re.compile(r"[`\[*]")
_CJK = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
"""Characters of Chinese, Japanese and Korean, between which emphasis has no spaces."""

_INLINE = re.compile(
    r"(?<![`\\])(?P<run>`+)(?P<code>(?!`).+?(?<!`))(?P=run)(?!`)"
    r"|\[(?P<label>[^\[\]\n]*(?:\[[^\[\]\n]*\]\([^()\s]*\)[^\[\]\n]*)*)\]"  # with images in it
    r"\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: \"[^\"\n]*\")?\)"
    rf"|(?:(?<![\w*])|(?<=[{_CJK}]))(?P<stars>\*{{1,3}})(?=[\w`“«{_CJK}])(?P<strong>(?:`[^`\n]*`|[^*`\n])+)"
    rf"(?<=[\w.!?:)`%+#”»{_CJK}])(?P=stars)(?:(?![\w*])|(?=[{_CJK}]))"
)
_SPACE = re.compile(r"\s+")


def plain_text(markdown: str) -> str:
    """A passage as one line of plain text."""
    return _SPACE.sub(" ", plain_part(markdown, 0, len(markdown), ())[0]).strip()


def plain_part(text: str, start: int, end: int, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """The part of a passage from start to end as plain text, and the spans of the passage that are in it.

    Line breaks are kept. Marks are recognised that begin before the part or end after it.
    """
    if not _MARKED.search(text, start, end):
        return text[start:end], clipped(spans, start, end)
    kept = [(max(low, start), min(high, end)) for low, high in _kept(text, start, end) if high > start and low < end]
    plain = "".join([text[low:high] for low, high in kept])
    shown = plain.strip()
    return shown, list(_moved(spans, kept, -plain.find(shown)))


def in_code(text: str, at: int) -> bool:
    """Whether a line of a passage that begins here is in a block of code."""
    return _open_fence(text, at) is not None


def _moved(spans: Sequence[Span], kept: Sequence[Span], offset: int) -> Iterator[Span]:
    """The kept spans of the text, merged where they touch. offset: of that text."""
    last: Span | None = None
    number = 0
    for low, high in kept:
        while number < len(spans) and spans[number][0] < high:
            first, end = max(spans[number][0], low), min(spans[number][1], high)
            if first < end:
                begin, stop = first - low + offset, end - low + offset
                if last is not None and last[1] == begin:
                    last = last[0], stop
                else:
                    if last is not None:
                        yield last
                    last = begin, stop
            if spans[number][1] > high:
                break
            number += 1
        offset += high - low
    if last is not None:
        yield last


def _open_fence(text: str, at: int) -> re.Match[str] | None:
    """The line that opens the block of code in which this line begins."""
    if text.find("```", 0, at) < 0 and text.find("~~~", 0, at) < 0:
        return None
    opened = None
    for fence in _FENCE.finditer(text, 0, at):
        if opened is None:
            opened = fence
        elif _closes(fence, opened):
            opened = None
    return opened


def _closes(fence: re.Match[str], opened: re.Match[str]) -> bool:
    rest = fence.string[fence.end() :].partition("\n")[0]
    return fence[2].startswith(opened[2]) and not rest.strip()


def _kept(text: str, start: int, end: int) -> list[Span]:
    """The text of a part without its marks."""
    kept: list[Span] = []
    low = text.rfind("\n", 0, start) + 1
    opened = _open_fence(text, low)
    while low < end:
        high = text.find("\n", low)
        high = len(text) if high < 0 else high
        fence = _FENCE.match(text, low, high)
        if opened is not None:
            if fence is not None and _closes(fence, opened):
                opened = None
            else:
                kept.append((_without_indent(text, low, high, len(opened[1])), high + 1))
        elif fence is not None:
            opened = fence
        elif not _MARKED.search(text, low, high):
            kept.append((low, high + 1))
        elif not _RULE.fullmatch(text, low, high):
            _keep_line(text, low, high, kept)
            kept.append((high, high + 1))
        low = high + 1
    return kept


def _without_indent(text: str, low: int, high: int, indent: int) -> int:
    """The start of a line of code that is in a list or a quotation."""
    at = low
    while at < min(high, low + indent) and text[at] in " \t>":
        at += 1
    return at


def _keep_line(text: str, low: int, high: int, kept: list[Span]) -> None:
    """Append a line outside code without its marks."""
    start = _START.match(text, low, high)
    low = start.end() if start else low
    if not text.startswith(("| ", "|\t"), low):
        _keep(text, low, high, kept)
        return
    low += 2
    cells = text[low:high].rstrip()
    while cells.endswith((" |", "\t|")):
        cells = cells[:-1].rstrip()
    found: list[Span] = []
    _keep(text, low, low + len(cells), found)
    for at, last in found:
        for mark in _ROW_MARKS.finditer(text, at, last):
            kept.append((at, mark.start()))
            at = mark.end()  # noqa: PLW2901 - the rest of the span
        kept.append((at, last))


def _keep(text: str, low: int, high: int, kept: list[Span]) -> None:
    """Append a stretch of running text without its marks."""
    candidate = _INLINE_START.search(text, low, high)
    while candidate is not None:
        start = candidate.start()
        found = _INLINE.match(text, start, high)
        if found is not None:
            is_image = found["label"] is not None and start > low and text[start - 1] == "!"
            kept.append((low, start - is_image))
            low = found.end()
            _keep_inline(text, found, kept)
        candidate = _INLINE_START.search(text, found.end() if found else start + 1, high)
    kept.append((low, high))


def _keep_inline(text: str, found: re.Match[str], kept: list[Span]) -> None:
    """Append code, a link or emphasis without its marks."""
    if found["run"]:
        first, last = found.span("code")
        padded = last - first > 2 and text[first] == text[last - 1] == " "
        kept.append((first + 1, last - 1) if padded else (first, last))
    else:
        _keep(text, *found.span("strong" if found["stars"] else "label"), kept)
