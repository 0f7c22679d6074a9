"""Texts for a page's HTML: escaped, cut to a snippet, with the query's words between two tags."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from assay.contracts.passages.highlights import Matcher, Span, clipped, merged

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts without spaces, as a character class."""

_WORD = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]+")
"""A word, or two characters of a script without spaces."""

_REFERENCE = re.compile(r"&(?=[#A-Za-z]|$)")

_WORDS_BEFORE = 4
"""The most words of a snippet before its first match, if more would fit after it."""


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks words of a query.

    matcher: finds them.
    pre, post: tags around each word, which have to be harmless.
    ellipsis: shown where a snippet was cut; escaped.
    """

    matcher: Matcher
    pre: str
    post: str
    ellipsis: str

    def spans(self, text: str) -> list[Span]:
        """Positions of the query's words."""
        return merged(self.matcher.find(text))

    def mark(self, text: str, spans: Sequence[Span]) -> str:
        """The text escaped, with tags around these spans."""
        parts, at = [], 0
        for start, end in spans:
            parts += [escape(text[at:start]), self.pre, escape(text[start:end]), self.post]
            at = end
        return "".join([*parts, escape(text[at:])])

    def snippet(self, text: str, spans: Sequence[Span], words: int) -> str:
        """The part of about this many words that has the most spans, marked; an ellipsis at each cut."""
        start, end = _window(text, spans, words)
        cut = escape(self.ellipsis)
        marked = self.mark(text[start:end], clipped(spans, start, end))
        return (cut if start else "") + marked + (cut if end < len(text) else "")


def escape(text: str) -> str:
    """A text for a page's HTML, or for an attribute in double quotes.

    An apostrophe stays, and an ampersand that begins no character reference: some clients show titles as text.
    """
    return _REFERENCE.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def _window(text: str, spans: Sequence[Span], words: int) -> Span:
    """Start and end of the words to show."""
    places = [match.span() for match in _WORD.finditer(text)]
    if len(places) <= words:
        return 0, len(text)
    if words <= 0:
        return 0, 0
    starts = [start for start, _ in places]
    marked = sorted({max(bisect_right(starts, start) - 1, 0) for start, _ in spans})
    first = max(marked, key=lambda at: (sum(at <= other < at + words for other in marked), -at), default=0)
    last_marked = max((at for at in marked if at < first + words), default=first)
    before = min(_WORDS_BEFORE, words - 1 - (last_marked - first))
    begin = min(max(first - before, 0), len(places) - words)
    start = places[begin][0] if begin else 0
    end = places[begin + words - 1][1] if begin + words < len(places) else len(text)
    # A match in a script without spaces may have an odd number of characters, or begin at any of them.
    start -= any(begins < start < ends for begins, ends in spans)
    return start, end + any(begins < end < ends for begins, ends in spans)
