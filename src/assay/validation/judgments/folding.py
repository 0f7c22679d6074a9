"""Normalize text as it is copied by hand: without markup, with plain quotes and single spaces; keep the offsets.

A browser shows no backticks, list marks or table rules, and text in a YAML file is wrapped differently. Texts with the
same words fold to the same text.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from assay.model.evaluation import Span

_SAME = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u2026": "...",
    }
)
_LINE_MARKS = r"""(?:
    [ \t]*(?:`{3,}|~{3,})[^\n]*(?=\n|\Z)           # a fence, with what it says of the code
  | [|:\ \t]*+-{2,}+[-|:\ \t]*+(?=\n|\Z)             # the rule of a table's header
  | [ \t]*(?:>|\#{1,6}(?=\s)|[-*+](?=\s)|\d{1,3}[.)](?=\s))
)*"""
_SPECIAL = re.compile(
    rf"""
    (?P<white>
        \A{_LINE_MARKS}\s*
      | (?:\s*\n{_LINE_MARKS})+[ \t]*
      | (?:[^\S\n]|\\?\|)+
    )
  | (?P<same>[\u2010-\u2015\u2018-\u201f\u2026\u2032\u2212]+)
  | (?P<marked>\w[\u0300-\u036f\u3099\u309a]+)
  | (?P<gone>
        \]\([^()\s]*\)                             # where a link leads
      | [`*\[\]]+
      | ~~
      | (?<![^\W_])_+ | _+(?![^\W_])               # emphasis, and not the underscores of a name
      | \\(?=[!-/:-@\[-`{{-~])
      | [\u00ad\u200b-\u200d\u2060\ufeff]+
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with the offsets of its source.

    starts: offset of each piece in `text`, ascending.
    sources: start and end of each piece in the source.
    """

    text: str
    starts: list[int]
    sources: list[tuple[int, int]]

    def span(self, start: int, end: int) -> Span:
        """The source span of the folded characters from start to end. start < end."""
        return Span(self._source(start)[0], self._source(end - 1)[1])

    def offset(self, place: int) -> int:
        """The folded offset of a place in the source."""
        piece = bisect_left(self.sources, (place, -1)) - 1
        if piece < 0:
            return 0
        start, end = self.sources[piece]
        following = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if end - start == following - self.starts[piece]:
            return self.starts[piece] + min(place, end) - start
        return following if place >= end else self.starts[piece]

    def _source(self, place: int) -> tuple[int, int]:
        piece = bisect_right(self.starts, place) - 1
        start, end = self.sources[piece]
        following = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        if end - start == following - self.starts[piece]:  # unchanged, so offsets map one to one
            start += place - self.starts[piece]
            return start, start + 1
        return start, end


def fold(text: str) -> Folded:
    """Fold a text. Deterministic."""
    parts: list[str] = []
    starts: list[int] = []
    sources: list[tuple[int, int]] = []
    length = 0

    def add(piece: str, start: int, end: int) -> None:
        nonlocal length
        if piece:
            parts.append(piece)
            starts.append(length)
            sources.append((start, end))
            length += len(piece)

    done = 0
    for found in _SPECIAL.finditer(text):
        start, end = found.span()
        add(text[done:start], done, start)
        add(_folded(found, text, parts[-1] if parts else " "), start, end)
        done = end
    add(text[done:], done, len(text))
    return Folded("".join(parts), starts, sources)


def folded_words(text: str) -> str:
    """The folded text, stripped."""
    return fold(text).text.strip()


def _folded(found: re.Match[str], text: str, before: str) -> str:
    """The replacement of a match. before: the piece before it; a space at the beginning."""
    if found["same"] is not None:
        return found["same"].translate(_SAME)
    if found["marked"] is not None:
        return unicodedata.normalize("NFC", found["marked"])
    if found["gone"] is not None:
        return ""
    if before == " ":
        return ""
    start, end = found.span()
    # Scripts without spaces are wrapped anywhere.
    return "" if _is_wide(text[start - 1]) or _is_wide(text[end : end + 1]) else " "


def _is_wide(character: str) -> bool:
    return character != "" and unicodedata.east_asian_width(character) in "WF"
