"""Find a quote in a text, and distinguish equal words by their context.

In a changed text, a place is the judged one if the words are equal and their context proves it. For words that occurred
once, the context on one side is enough. For words that occurred more often, a moved paragraph can bring the context of
one side to the wrong words, so both sides must match. In all other cases the result is a Doubt, never a guess.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice

from assay.model.evaluation import Quote, Span
from assay.validation.judgments.folding import Folded, fold, folded_words

USUAL_CONTEXT = 32
"""Characters of context stored on each side of a quote, as in other tools for web annotations."""

LONG_CONTEXT = 64
"""A side of this length was stored because the words occur more than once: it needs the other side too."""

MOST_CONTEXT = 4_000
"""A side of this length could not be made unique, and proves nothing."""

LEAST_PROOF = 16
"""A shorter side proves nothing on its own."""

_TO_A_BLANK = 16
_MOST_PLACES = 1_000
"""Words that occur this often are not distinguished."""


class Doubt(StrEnum):
    """The reason why no place was chosen."""

    NOWHERE = "nowhere"
    OTHER_CONTEXT = "other context"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class QuoteLocation:
    """The place of a quote. span: None if no place is certain, for the reason in `doubt`.

    count: number of places with the words.
    is_partly_proven: whether only one side of the context matches.
    """

    span: Span | None
    count: int
    doubt: Doubt | None = None
    is_partly_proven: bool = False


class SearchedText:
    """A text to search quotes in; folded once, on first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> Folded:
        """The folded text."""
        return fold(self.text)

    def places(self, exact: str) -> list[Span]:
        """Every place of the words, overlapping ones included: exact matches or, if there are none, folded ones."""
        spans = [Span(start, start + len(exact)) for start in _starts(self.text, exact)]
        if spans:
            return spans
        return [span for span in self._folded_places(folded_words(exact)) if self._ends_words(span, exact)]

    def says(self, span: Span, exact: str) -> bool:
        """Whether the words are at a place, exactly or folded."""
        there = self.text[span.start : span.end]
        return there == exact or (there != "" and folded_words(there) == folded_words(exact))

    def _ends_words(self, span: Span, exact: str) -> bool:
        """Whether words that began or ended with a space still do."""
        before, after = self.text[span.start - 1 : span.start], self.text[span.end : span.end + 1]
        return not ((exact[:1].isspace() and before.isalnum()) or (exact[-1:].isspace() and after.isalnum()))

    def _folded_places(self, wanted: str) -> Iterator[Span]:
        if not wanted:
            return
        for start in _starts(self.folded.text, wanted):
            span = self.folded.span(start, start + len(wanted))
            if folded_words(self.text[span.start : span.end]) == wanted:  # not a part of one character's folding
                yield span


def locate(searched: SearchedText, quote: Quote, *, changed: bool, within: Span | None = None) -> QuoteLocation:
    """Find the one certain place of a quote.

    changed: whether the text may differ from the quoted one; a single occurrence then proves nothing.
    within: the part of the text that must contain the quote, if known; it decides like a context.
    """
    places = searched.places(quote.exact)
    if within is not None:
        inside = [place for place in places if within.start <= place.start and place.end <= within.end]
        if inside or (changed and places):
            return _chosen(searched, quote, inside, changed=changed)
    return _chosen(searched, quote, places, changed=changed)


def _chosen(searched: SearchedText, quote: Quote, places: Sequence[Span], *, changed: bool) -> QuoteLocation:
    count = len(places)
    doubt = (Doubt.NOWHERE, Doubt.OTHER_CONTEXT)[count] if count < 2 else Doubt.SEVERAL
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
    """The context directly before or after words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_unique = len(text) < MOST_CONTEXT
        self.is_proof = len(text.strip()) >= LEAST_PROOF and len(text) < LONG_CONTEXT

    @cached_property
    def folded(self) -> str:
        """Its folded words; "" if it has none."""
        return folded_words(self.text)

    def stands_before(self, searched: SearchedText, at: int) -> bool | None:
        """Whether it is directly before a place; None if it has no words."""
        if self.text and searched.text.endswith(self.text, 0, at):
            return True
        if not self.folded:
            return None
        folded = searched.folded
        end = folded.offset(at)
        return folded.text.endswith(self.folded, 0, end - folded.text.endswith(" ", 0, end))

    def stands_after(self, searched: SearchedText, at: int) -> bool | None:
        """Whether it is directly after a place; None if it has no words."""
        if self.text and searched.text.startswith(self.text, at):
            return True
        if not self.folded:
            return None
        folded = searched.folded
        start = folded.offset(at)
        return folded.text.startswith(self.folded, start + folded.text.startswith(" ", start))


@dataclass(frozen=True, slots=True)
class _Agreement:
    """Whether each side of a quote's context matches at a place; None if the quote has no such side.

    proves: whether a matching side proves the place on its own.
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
        """Whether every side of the quote matches."""
        return not self.is_silent and self.before is not False and self.after is not False

    def is_proof(self) -> bool:
        """Whether a matching side proves the place on its own."""
        return self.proves


# --- writing -------------------------------------------------------------------------------------------------------


def quote_at(searched: SearchedText, span: Span) -> Quote:
    """Quote the words at a place, with enough context to distinguish them from equal words of the text.

    Words that occur once get about USUAL_CONTEXT characters on each side, either of which proves them. For words that
    occur more often, each side is long enough to distinguish them, and too long to prove them without the other side.
    If no side within MOST_CONTEXT characters can, none proves anything; on a short repetitive page, any remaining
    occurrence may then match.
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
    # At an end of the text, a short side would prove the words without the other.
    before = before if len(before) >= LONG_CONTEXT else before[1 - LEAST_PROOF :]
    return Quote(exact, before, after if len(after) >= LONG_CONTEXT else after[: LEAST_PROOF - 1])


def _telling_prefix(searched: SearchedText, at: int, others: Sequence[int]) -> str | None:
    """The shortest tried context before a place that is before none of the others; None if it would be too long."""
    shared = max(_shared_before(searched.text, at, other) for other in others)
    sides = (_Side(_before(searched.text, at, length)) for length in _lengths(shared, at))
    telling = (s for s in sides if all(s.stands_before(searched, other) is False for other in others))
    return next((side.text for side in telling), None)


def _telling_suffix(searched: SearchedText, at: int, others: Sequence[int]) -> str | None:
    """The shortest tried context after a place that is after none of the others; None if it would be too long."""
    shared = max(_shared_after(searched.text, at, other) for other in others)
    sides = (_Side(_after(searched.text, at, length)) for length in _lengths(shared, len(searched.text) - at))
    telling = (s for s in sides if all(s.stands_after(searched, other) is False for other in others))
    return next((side.text for side in telling), None)


def _lengths(shared: int, there: int) -> Iterator[int]:
    """Lengths to try; a difference that folding hides needs more than the shared length."""
    longest = min(there, MOST_CONTEXT - _TO_A_BLANK - 1)
    length = max(shared + 1, LONG_CONTEXT)
    while length < longest:
        yield length
        length += _TO_A_BLANK
    if longest > shared:
        yield longest


def _shared_before(text: str, one: int, other: int) -> int:
    """Length of the common text before both places."""
    return _most(min(one, other), lambda n: text[one - n : one] == text[other - n : other])


def _shared_after(text: str, one: int, other: int) -> int:
    """Length of the common text after both places."""
    there = len(text) - max(one, other)
    return _most(there, lambda n: text[one : one + n] == text[other : other + n])


def _most(there: int, holds: Callable[[int], bool]) -> int:
    """The largest n up to `there` and MOST_CONTEXT for which a monotone predicate holds."""
    return bisect_left(range(1, min(there, MOST_CONTEXT) + 1), True, key=lambda n: not holds(n))


def _before(text: str, at: int, length: int) -> str:
    """The text of about this length before a place, extended to the beginning of a word."""
    start = max(0, at - length)
    for blank in range(start, max(start - _TO_A_BLANK, -1), -1):
        if blank == 0 or text[blank - 1].isspace():
            return text[blank:at]
    return text[start:at]


def _after(text: str, at: int, length: int) -> str:
    """The text of about this length after a place, extended to the end of a word."""
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
