"""Whether a passage is another one in other words, or another text in its place. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from assay.validation.deriving.phrases import gist, words_of

REWORDED = 0.4
"""Share of a passage's words that a new wording keeps. Two sections of one page share fewer: 0.29 at most in a handbook
of 25 pages, 0.45 in 95 of 100 pairs of the pages of two open-source projects."""

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")

WITHIN = 2
"""The kept words lie within this many times the words of the passage: a long page on the subject has them somewhere."""

FEW = 8
"""A passage of fewer words is compared with the rest of its sentence."""

_BOUNDARY = re.compile(r"[.!?]\s+|[\u3002\uff01\uff1f]|\n+")

Sentence = tuple[str, ...]
"""The casefolded words of a sentence or line."""

WithSpans = tuple[str, Sequence[tuple[int, int]]]
"""A text, and the first character and the one after the last of parts of it."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Passages of earlier texts, and the sentences around them.

    passages: the text of each; a short one with its whole sentence.
    others: the sentences outside the passages. In a later text, they are not new.
    """

    passages: tuple[str, ...]
    others: frozenset[Sentence]

    @classmethod
    def of(cls, texts: Iterable[WithSpans], pages: Iterable[WithSpans] = ()) -> Self:
        """Collect the passages of texts, each given by the first character and the one after the last.

        pages: whole pages with their passages, which add only the sentences around them.
        """
        passages: list[str] = []
        own: set[Sentence] = set()
        every: set[Sentence] = set()
        for text, spans in pages:
            parts = _sentences(text)
            every.update(words for words, _, _ in parts)
            own.update(words for words, a, b in parts if any(a < end and start < b for start, end in spans))
        for text, spans in texts:
            parts = _sentences(text)
            every.update(words for words, _, _ in parts)
            for start, end in spans:
                within = [part for part in parts if part[1] < end and start < part[2]]
                own.update(words for words, _, _ in within)
                short = within and len(_words(text[start:end])) < FEW
                passages.append(text[within[0][1] : within[-1][2]] if short else text[start:end])
        return cls(tuple(passages), frozenset(every - own))

    def is_said_by(self, text: str) -> bool:
        """Whether the new sentences of a text reword one of the passages."""
        new = " ".join(text[start:end] for words, start, end in _sentences(text) if words not in self.others)
        return any(is_reworded(passage, new) for passage in self.passages)


def is_reworded(before: str, after: str) -> bool:
    """Whether a part of a text keeps at least REWORDED of the words of another; stop words do not count."""
    passage = _words(before)
    words = set(passage)
    if not words:
        return False
    text, width = _words(after), WITHIN * len(passage)
    within: Counter[str] = Counter()
    for place, word in enumerate(text):
        within[word] += 1
        if place >= width:
            within[text[place - width]] -= 1
        if sum(within[one] > 0 for one in words) >= REWORDED * len(words):
            return True
    return False


def _sentences(text: str) -> list[tuple[Sentence, int, int]]:
    """The sentences and lines of a text with their first character and the one after the last."""
    ends = [one.end() for one in _BOUNDARY.finditer(text)]
    return [
        (tuple(words_of(text[start:end])), start, end)
        for start, end in zip([0, *ends], [*ends, len(text)], strict=True)
    ]


def _words(text: str) -> list[str]:
    """The words in their order; pairs of characters in scripts without blanks between words."""
    found: list[str] = []
    for word in gist(text, lambda _: False):
        if len(word) > 2 and _UNSPACED.search(word):
            found.extend(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found.append(word)
    return found
