"""Finds a quote in a text, and tells equal words apart by what stands around them.

The rule for a text that has changed: a place is the one that was judged when the words are the same and what stands
around them proves it. One side does for words that stood there once; for words that stood there more often a paragraph
that moves can bring one side to the wrong ones, so that both have to stand there. Everything else is said, and nothing
is guessed.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from assay.model.evaluation import Quote, Span
from assay.validation.judgments.folding import Folded, fold, folded_words

USUAL_CONTEXT = 32
"""Characters of context that are written on each side of a quote, as in other tools for web annotations."""

LONG_CONTEXT = 64
"""A side of so many characters was written because the words stand more than once: it needs the other side too."""

MOST_CONTEXT = 4_000
"""A side of so many characters could not be made unique, and proves nothing."""

LEAST_PROOF = 16
"""A side of fewer characters proves nothing by itself."""

_TO_A_BLANK = 16
_MOST_PLACES = 1_000
"""Words that stand as often are not told apart."""


class Doubt(StrEnum):
    """Why no place was chosen."""

    NOWHERE = "nowhere"
    OTHERWISE_SURROUNDED = "otherwise surrounded"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class QuoteLocation:
    """Where a quote is. span: None where no place is certain, and `doubt` says why.

    count: how often the words stand in the text.
    is_partly_proven: whether only one side of what is given stands there.
    """

    span: Span | None
    count: int
    doubt: Doubt | None = None
    is_partly_proven: bool = False


class SearchedText:
    """A text in which quotes are looked for; folded once, and only when that is needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: Folded | None = None

    @property
    def folded(self) -> Folded:
        """The text as a person copies it."""
        if self._folded is None:
            self._folded = fold(self.text)
        return self._folded

    def places(self, exact: str) -> list[Span]:
        """Every place of the words, also those that overlap: as they are written or, if nowhere, as they fold."""
        spans = [Span(start, start + len(exact)) for start in _starts(self.text, exact)]
        if spans:
            return spans
        return [span for span in self._folded_places(folded_words(exact)) if self._ends_words(span, exact)]

    def says(self, span: Span, exact: str) -> bool:
        """Whether the words stand at a place, as they are written or folded."""
        there = self.text[span.start : span.end]
        return there == exact or (there != "" and folded_words(there) == folded_words(exact))

    def _ends_words(self, span: Span, exact: str) -> bool:
        """Whether words that ended with a blank still end there, and began with one begin there."""
        before, after = self.text[span.start - 1 : span.start], self.text[span.end : span.end + 1]
        return not ((exact[:1].isspace() and before.isalnum()) or (exact[-1:].isspace() and after.isalnum()))

    def _folded_places(self, wanted: str) -> Iterator[Span]:
        if not wanted:
            return
        for start in _starts(self.folded.text, wanted):
            span = self.folded.span(start, start + len(wanted))
            if folded_words(self.text[span.start : span.end]) == wanted:  # not half of what one character stands for
                yield span


def locate(searched: SearchedText, quote: Quote, *, changed: bool, within: Span | None = None) -> QuoteLocation:
    """The one place of a quote, if it is certain.

    changed: whether the text may be another than the one that was quoted, so that words that stand there once are not
        therefore the ones that were meant.
    within: the part of the text that was meant, where that is known; it decides as a context does.
    """
    places = searched.places(quote.exact)
    if within is not None:
        inside = [place for place in places if within.start <= place.start and place.end <= within.end]
        if inside or (changed and places):
            return _chosen(searched, quote, inside, changed=changed)
    return _chosen(searched, quote, places, changed=changed)


def _chosen(searched: SearchedText, quote: Quote, places: Sequence[Span], *, changed: bool) -> QuoteLocation:
    count = len(places)
    doubt = (Doubt.NOWHERE, Doubt.OTHERWISE_SURROUNDED)[count] if count < 2 else Doubt.SEVERAL
    if count == 1 and not changed:
        return QuoteLocation(places[0], 1)
    prefix, suffix = _Side(quote.prefix), _Side(quote.suffix)
    agreements = [_Agreement.of(searched, prefix, suffix, place) for place in places]
    if changed and not (prefix.is_unique and suffix.is_unique):
        agreements = []
    elif count == 1 and agreements[0].is_silent:
        return QuoteLocation(places[0], 1)
    for convincing in (_Agreement.is_full, _Agreement.is_proof):
        convinced = [place for place, agreement in zip(places, agreements, strict=False) if convincing(agreement)]
        if len(convinced) == 1:
            return QuoteLocation(convinced[0], count, is_partly_proven=convincing is _Agreement.is_proof)
        if convinced:
            return QuoteLocation(None, count, Doubt.SEVERAL)
    return QuoteLocation(None, count, doubt)


class _Side:
    """What stands, or stood, directly before or after words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_unique = len(text) < MOST_CONTEXT
        self.is_proof = len(text.strip()) >= LEAST_PROOF and len(text) < LONG_CONTEXT
        self._folded: str | None = None

    @property
    def folded(self) -> str:
        """Its words; "" where it says nothing."""
        if self._folded is None:
            self._folded = folded_words(self.text)
        return self._folded

    def stands_before(self, searched: SearchedText, at: int) -> bool | None:
        """Whether it stands before a place; None where it says nothing."""
        if self.text and searched.text.endswith(self.text, 0, at):
            return True
        if not self.folded:
            return None
        folded = searched.folded
        end = folded.offset(at)
        return folded.text.endswith(self.folded, 0, end - folded.text.endswith(" ", 0, end))

    def stands_after(self, searched: SearchedText, at: int) -> bool | None:
        """Whether it stands after a place; None where it says nothing."""
        if self.text and searched.text.startswith(self.text, at):
            return True
        if not self.folded:
            return None
        folded = searched.folded
        start = folded.offset(at)
        return folded.text.startswith(self.folded, start + folded.text.startswith(" ", start))


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Whether each side of a quote stands beside a place; None where the quote says nothing of that side.

    proves: whether a side stands there that proves the place by itself.
    """

    before: bool | None
    after: bool | None
    proves: bool

    @classmethod
    def of(cls, searched: SearchedText, prefix: _Side, suffix: _Side, place: Span) -> "_Agreement":
        before = prefix.stands_before(searched, place.start)
        after = suffix.stands_after(searched, place.end)
        return cls(before, after, (before is True and prefix.is_proof) or (after is True and suffix.is_proof))

    @property
    def is_silent(self) -> bool:
        return self.before is None and self.after is None

    def is_full(self) -> bool:
        """Whether every side that is given stands there."""
        return not self.is_silent and self.before is not False and self.after is not False

    def is_proof(self) -> bool:
        """Whether a side stands there that proves the place by itself."""
        return self.proves


# --- writing -------------------------------------------------------------------------------------------------------


def quote_at(searched: SearchedText, span: Span) -> Quote:
    """The words at a place, with so much around them that equal words of the same text are told apart.

    Words that stand there once get some USUAL_CONTEXT characters on each side, of which either proves them. Of words
    that stand there more than once each side is as long as it takes to tell them apart by it, and too long to prove
    them without the other. Where no side can within MOST_CONTEXT characters, none proves anything; on a short page that
    says the same over and over, whatever is left of it may be taken for them.
    """
    text = searched.text
    exact = text[span.start : span.end]
    others = [start for start in islice(_starts(text, exact), _MOST_PLACES) if start != span.start]
    if not others:
        return Quote(exact, _before(text, span.start, USUAL_CONTEXT), _after(text, span.end, USUAL_CONTEXT))
    prefix = suffix = None
    if len(others) < _MOST_PLACES - 1:
        prefix = _telling_prefix(searched, span.start, others)
        suffix = _telling_suffix(searched, span.end, [other + len(exact) for other in others])
    if prefix is None and suffix is None:
        before, after = _before(text, span.start, MOST_CONTEXT), _after(text, span.end, MOST_CONTEXT)
    else:
        before = _before(text, span.start, LONG_CONTEXT) if prefix is None else prefix
        after = _after(text, span.end, LONG_CONTEXT) if suffix is None else suffix
    # At an end of the text a side may be so short that it would prove the words without the other.
    before = before if len(before) >= LONG_CONTEXT else before[1 - LEAST_PROOF :]
    return Quote(exact, before, after if len(after) >= LONG_CONTEXT else after[: LEAST_PROOF - 1])


def _telling_prefix(searched: SearchedText, at: int, others: Sequence[int]) -> str | None:
    """What stands before a place and before none of the others; None where that would be too long."""
    shared = max(_shared_before(searched.text, at, other) for other in others)
    for length in _lengths(shared, at):
        side = _Side(_before(searched.text, at, length))
        if all(side.stands_before(searched, other) is False for other in others):
            return side.text
    return None


def _telling_suffix(searched: SearchedText, at: int, others: Sequence[int]) -> str | None:
    """What stands after a place and after none of the others; None where that would be too long."""
    shared = max(_shared_after(searched.text, at, other) for other in others)
    for length in _lengths(shared, len(searched.text) - at):
        side = _Side(_after(searched.text, at, length))
        if all(side.stands_after(searched, other) is False for other in others):
            return side.text
    return None


def _lengths(shared: int, there: int) -> Iterator[int]:
    """Lengths to try. A little more than what is shared is needed where the difference is one that folding hides."""
    longest = min(there, MOST_CONTEXT - _TO_A_BLANK - 1)
    length = max(shared + 1, LONG_CONTEXT)
    while length < longest:
        yield length
        length += _TO_A_BLANK
    if longest > shared:
        yield longest


def _shared_before(text: str, one: int, other: int) -> int:
    """Characters that stand before both places, counted from there."""
    return _most(min(one, other), lambda n: text[one - n : one] == text[other - n : other])


def _shared_after(text: str, one: int, other: int) -> int:
    """Characters that stand after both places, counted from there."""
    there = len(text) - max(one, other)
    return _most(there, lambda n: text[one : one + n] == text[other : other + n])


def _most(there: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `there`, and to MOST_CONTEXT, for which something holds that holds for all below it."""
    return bisect_left(range(1, min(there, MOST_CONTEXT) + 1), True, key=lambda n: not holds(n))


def _before(text: str, at: int, length: int) -> str:
    """So much of the text before a place, or a little more, to where a word begins; as far as there is text."""
    start = max(0, at - length)
    for blank in range(start, max(start - _TO_A_BLANK, -1), -1):
        if blank == 0 or text[blank - 1].isspace():
            return text[blank:at]
    return text[start:at]


def _after(text: str, at: int, length: int) -> str:
    """So much of the text after a place, or a little more, to where a word ends; as far as there is text."""
    end = min(len(text), at + length)
    for blank in range(end, min(end + _TO_A_BLANK, len(text) + 1)):
        if blank == len(text) or text[blank].isspace():
            return text[at:blank]
    return text[at:end]


def _starts(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)
