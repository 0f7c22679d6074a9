"""Completion of an unfinished last word, and correction of misspelt words, from a generation's vocabulary.

Three kinds of words are never changed: those that the generation knows, those in quotes, and common words of the
language ("kind" is not a misspelt "king"). Any other word is replaced by the known word from which it differs by one
typing error; a long word may have two. The errors exclude those that often make a real word: another first or last
letter. If several known words are possible, the best one is in a title or heading with the other words of the query.
The next best is in most chunks.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.model.ranking import Correction, corrected
from assay.model.vocabulary import WORD, Name, NameList, Vocabulary, folded
from assay.ports import SparseEncoder

_MOST_WORDS = 32
"""Words of a query that are looked at: a longer text is pasted, not typed."""

_SHORTEST_CORRECTED, _SHORTEST_REPLACED, _SHORTEST_WITH_TWO = 4, 5, 8
"""Letters of a word that may have one error, a wrong letter, and two errors."""

_LONGEST_CORRECTED = 50
"""Letters of a word that may have errors. A longer one is pasted, and the time grows with the square of its letters."""

_SHORTEST_HALF = 4
"""Letters of each of two words that were written as one."""

_SHORTEST_COMPLETED = 2
"""Letters of an unknown last word that is completed although nobody said that it is unfinished."""

_MOST_NAMES = 5
"""Names that an unfinished query may become and that the keyword search adds to it."""

_MOST_TRIED = 40
"""Maximum number of candidates, the most frequent ones, among which the names decide."""

_LAST = "\U0010ffff"

_QUOTED = re.compile('"[^"]*"|`[^`]*`|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
"""Words that are meant as they are written."""

Range = tuple[int, int]
"""Places of some of the sorted words: the first, and the one after the last."""

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A query as it is searched.

    text: with the corrections. names: titles and headings that it may become, the best first.
    """

    text: str
    corrections: tuple[Correction, ...] = ()
    names: tuple[str, ...] = ()


class Completer:
    """Completes and corrects queries to one generation. Safe to use from several threads.

    is_common: whether a word in lower case is a common one of the language, which nobody meant to write otherwise.
    """

    def __init__(self, vocabulary: Vocabulary, encoder: SparseEncoder, is_common: Callable[[str], bool]) -> None:
        self._is_common = is_common
        self._counts = vocabulary.words
        self._words = sorted(vocabulary.words)
        self._frequencies = np.array([vocabulary.words[word] for word in self._words], dtype=np.int64)
        self._terms = np.frombuffer(vocabulary.terms, dtype=np.uint32) if vocabulary.terms else np.empty(0, np.uint32)
        self._letters = "".join(sorted({letter for word in self._words for letter in word if _is_cased(letter)}))
        self._encoder = encoder
        self._names = _NamesIndex(vocabulary.names, self._words)

    def rewrite(self, text: str, *, typing: bool) -> Rewriting:
        """The query with its unknown words corrected and its last word completed.

        typing: whether somebody is still typing, so that the last word may be unfinished even if it is known.
        """
        found = list(WORD.finditer(text))
        if not found or len(found) > _MOST_WORDS:
            return Rewriting(text)
        words = [folded(word[0]) for word in found]
        ends_open = found[-1].end() == len(text)
        last = len(words) - 1
        quoted = [part.span() for part in _QUOTED.finditer(text)]
        unknown = [
            at
            for at, (word, place) in enumerate(zip(words, found, strict=True))
            if not any(start < place.start() < end for start, end in quoted) and not self._is_known(word)
        ]
        is_open = ends_open and (typing or (last in unknown and _may_be_unfinished(words[last])))
        if not unknown and not is_open:
            return Rewriting(text)
        finished = last if is_open else last + 1
        context = [self._id_of(word) for at, word in enumerate(words[:finished]) if at not in unknown]
        used = {}
        for at in unknown:
            if at < finished:
                used[at] = self._corrected(words[at], context)
                context.extend(self._id_of(word) for word in used[at].split())
        names: tuple[str, ...] = ()
        if is_open:
            completed, names = self._completed(words[last], context, typing=typing)
            if last in unknown:
                used[last] = completed or self._corrected(words[last], context)
        corrections = tuple(
            Correction(found[at][0], self._written(word, found[at][0]), found[at].start())
            for at, word in used.items()
            if word
        )
        return Rewriting(corrected(text, corrections), corrections, names)

    def suggest(self, text: str, limit: int) -> list[Name]:
        """Titles and headings that have every word of a text, the last of which may be unfinished; the best first."""
        words = [folded(word) for word in WORD.findall(text)]
        if not words or len(words) > _MOST_WORDS:
            return []
        found = self._suggested(words, limit)
        if not found:
            rewritten = self.rewrite(text, typing=True)
            if rewritten.corrections:
                found = self._suggested([folded(word) for word in WORD.findall(rewritten.text)], limit)
        return found

    def _suggested(self, words: Sequence[str], limit: int) -> list[Name]:
        """Names with exactly the last word come before names in which it begins another word."""
        ranges = [self._range(word) for word in words]
        if any(low == high for low, high in ranges):
            return []
        fitting = self._names_with(ranges)
        whole = np.zeros_like(fitting)
        whole[self._names.having(self._id_of(words[-1]))] = True
        order = [*np.flatnonzero(fitting & whole)[:limit], *np.flatnonzero(fitting & ~whole)[:limit]]
        return [self._names.names[at] for at in order[:limit]]

    def _is_known(self, word: str) -> bool:
        if word in self._counts:
            return True
        terms = self._encoder.term_counts([word])[0].indices
        at = np.searchsorted(self._terms, terms)
        return all(
            place < len(self._terms) and self._terms[place] == term for place, term in zip(at, terms, strict=True)
        )

    def _id_of(self, word: str) -> Range:
        """The place of a word among the sorted ones, as a range; empty if another form of it is known."""
        at = bisect_left(self._words, word)
        return at, at + (at < len(self._words) and self._words[at] == word)

    def _range(self, prefix: str) -> Range:
        """The places of the words with a prefix."""
        return bisect_left(self._words, prefix), bisect_left(self._words, prefix + _LAST)

    def _completed(self, prefix: str, context: Sequence[Range], *, typing: bool) -> tuple[str, tuple[str, ...]]:
        """The word that completes a prefix, "" without one, and the names that the query then may be.

        A common word of a finished query, such as the last one of a question, is completed only to a word of these.
        """
        words = self._range(prefix)
        if words[0] == words[1]:
            return "", ()
        fitting = np.flatnonzero(self._names.restrict(self._names_with(context), words))[:_MOST_NAMES]
        known = sum(low < high for low, high in context)
        names = [self._names.names[at].text for at in fitting if self._names.lengths[at] == known + 1]
        if len(fitting):
            of_best = WORD.findall(folded(self._names.names[fitting[0]].text))
            return next(word for word in of_best if word.startswith(prefix)), tuple(dict.fromkeys(names))
        if not typing and self._is_common(prefix):
            return "", ()
        frequent = self._frequencies[words[0] : words[1]]
        in_names = self._names.is_in_names(words)
        return self._words[words[0] + int(np.argmax(frequent * in_names if in_names.any() else frequent))], ()

    def _corrected(self, word: str, context: Sequence[Range]) -> str:
        """The known word, or two, for a misspelt one; "" without one."""
        if (
            not _SHORTEST_CORRECTED <= len(word) <= _LONGEST_CORRECTED
            or not all(map(_is_cased, word))
            or self._is_common(word)
        ):
            return ""
        near = {other for other in _one_edit(word, self._letters) if other in self._counts}
        if not near and (halves := self._halves(word)):
            return halves
        if not near and len(word) >= _SHORTEST_WITH_TWO:
            near = set(self._two_edits(word))
        if len(near) < 2:
            return next(iter(near), "")
        likeliest = sorted(near, key=lambda other: (other[0] != word[0], -self._counts[other], other))[:_MOST_TRIED]
        fitting = self._names_with(context)
        return min(likeliest, key=lambda other: self._best_rank(other, fitting))

    def _names_with(self, context: Sequence[Range]) -> Mask:
        """The names with a word of every range."""
        names = self._names.all_names()
        for words in context:
            names = self._names.restrict(names, words)
        return names

    def _best_rank(self, word: str, names: Mask) -> int:
        """The rank of the best of some names with a word; one more than the last rank without any."""
        having = self._names.having(self._id_of(word))
        return int(having[names[having]].min(initial=len(names)))

    def _halves(self, word: str) -> str:
        """Two known words that were written as one; "" if there are none."""
        cuts = ((word[:at], word[at:]) for at in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1))
        known = [(self._counts.get(head, 0), self._counts.get(tail, 0), head, tail) for head, tail in cuts]
        best = max(known, key=lambda each: min(each[0], each[1]), default=None)
        return f"{best[2]} {best[3]}" if best and min(best[0], best[1]) > 1 else ""

    def _two_edits(self, word: str) -> Iterator[str]:
        """Words with the same first and last letter that differ by two errors, none of them a wrong letter."""
        mask = _letter_mask(word)
        for at in range(*self._range(word[0])):
            other = self._words[at]
            # An error changes at most two letters of the set.
            is_near = abs(len(other) - len(word)) <= 2 and (_letter_mask(other) ^ mask).bit_count() <= 4
            if is_near and other[-1] == word[-1] and _edit_distance(word, other, 2) <= 2:
                yield other

    def _written(self, word: str, typed: str) -> str:
        """A folded word as the shortest name with it writes it; not capitalized if the typed one is not."""
        having = self._names.having(self._id_of(word))
        if len(having):
            of_name = WORD.findall(self._names.names[having.min()].text)
            word = next((each for each in of_name if folded(each) == word), word)
        is_plain = word[1:] == word[1:].lower()
        return word[:1].lower() + word[1:] if is_plain and typed[:1].islower() else word


class _NamesIndex:
    """Finds names by their words. names: titles and headings; words: sorted.

    Their order is kept: the best are the first.
    """

    def __init__(self, names: NameList, words: Sequence[str]) -> None:
        places = {word: at for at, word in enumerate(words)}
        self.names = names
        self.lengths = array("I")
        word_of = array("I")
        for line in folded(names.texts).split("\n") if len(names) else ():
            known = {places[word] for word in WORD.findall(line) if word in places}
            self.lengths.append(len(known))
            word_of.extend(known)
        name_of = np.repeat(np.arange(len(names), dtype=np.int32), self.lengths)
        by_word = np.argsort(np.array(word_of), kind="stable")
        self._name_of: Ids = name_of[by_word]
        # The names with word w are those from _starts[w] to _starts[w + 1].
        self._starts = np.searchsorted(np.array(word_of)[by_word], np.arange(len(words) + 1)).astype(np.int32)

    def all_names(self) -> Mask:
        """Every name."""
        return np.ones(len(self.names), dtype=np.bool_)

    def having(self, words: Range) -> Ids:
        """The numbers of the names with a word of a range, perhaps repeated."""
        low, high = words
        return self._name_of[self._starts[low] : self._starts[high]]

    def restrict(self, names: Mask, words: Range) -> Mask:
        """The names that have a word of a range. An empty range restricts nothing: no name has its word."""
        if words[0] == words[1]:
            return names
        having = np.zeros_like(names)
        having[self.having(words)] = True
        return names & having

    def is_in_names(self, words: Range) -> Mask:
        """True for each word of a range that any name has."""
        found: Mask = np.diff(self._starts[words[0] : words[1] + 1]) > 0
        return found


def _may_be_unfinished(word: str) -> bool:
    """Whether an unknown last word is completed although nobody said that it is unfinished; a number is not."""
    return len(word) >= _SHORTEST_COMPLETED and not word.isdecimal()


def _is_cased(letter: str) -> bool:
    """Whether it is a letter of a script with spaces between words, in which errors of one letter are typical."""
    return letter.lower() != letter.upper()


def _one_edit(word: str, letters: str) -> Iterator[str]:
    """Every text of which one typing error makes a word: letters swapped, doubled, missing, wrong, or too many."""
    last = len(word) - 1
    for at in range(last + 1):
        head, letter, tail = word[:at], word[at], word[at + 1 :]
        is_inside = 0 < at < last
        if is_inside or letter in (word[at - 1 : at] + tail[:1]):
            yield head + tail
        if tail:
            yield head + tail[0] + letter + tail[1:]
        for other in letters:
            yield word[: at + 1] + other + tail
            if is_inside and last + 1 >= _SHORTEST_REPLACED:
                yield head + other + tail


def _letter_mask(word: str) -> int:
    mask = 0
    for letter in word:
        mask |= 1 << (ord(letter) & 63)
    return mask


def _edit_distance(word: str, other: str, most: int) -> int:
    """Letters inserted, deleted, or swapped with the next one; a wrong letter counts as two (optimal string alignment).

    Ends early with a number above `most`. Source: Damerau, CACM 1964.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, start=1):
        two_before, before, row = before, row, [at]
        for place, against in enumerate(other, start=1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + 2 * (letter != against))
            if at > 1 and place > 1 and letter == other[place - 2] and word[at - 2] == against:
                cost = min(cost, two_before[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
