"""Positions of a query's words in a passage, without markup: each surface renders the spans itself."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from assay.contracts.passages.stemming import stem

Span = tuple[int, int]
"""Start and exclusive end, in code points."""

Match = tuple[int, int, int]
"""Start and exclusive end in code points, and the number of the query's word."""

_COMMON_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
    its itself they them their theirs themselves what which who whom this that these those am is are was were be been
    being have has had having do does did doing a an the and but if or because as until while of at by for with about
    against between into through during before after above below to from up down in out on off over under again further
    then once here there when where why how all any both each few more most other some such no nor not only own same so
    than too very s t can will just don should now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma
    mightn mustn needn shan shouldn wasn weren won wouldn
"""
_STOP_WORDS = frozenset(_COMMON_WORDS.split())
"""The words that the keyword index leaves out of English."""

_IRREGULAR_STEMS = frozenset({"die", "lie", "sky", "tie"})
"""Stems of words that differ before their endings: died and dying, sky and skies."""

_SHORTEST_OPEN = 2
"""Letters of an unfinished word that is found as the beginning of others."""

_WITHOUT_SPACES = (
    ("\u0e00", "\u0eff", 4),  # Thai, Lao
    ("\u1000", "\u109f", 4),  # Burmese
    ("\u1780", "\u17ff", 4),  # Khmer
    ("\u3040", "\u30ff", 2),  # Hiragana, Katakana
    ("\u3400", "\u9fff", 2),  # Han
    ("\uac00", "\ud7ff", 2),  # Hangul, because of its endings
    ("\uf900", "\ufaff", 2),  # Han, compatibility
    ("\U00020000", "\U0003ffff", 2),  # Han, rare
)
"""First and last character of each script that is matched a few characters at a time, and how many."""

_UNSPACED = "".join(f"{low}-{high}" for low, high, _ in _WITHOUT_SPACES)
_REST = re.compile(rf"[^\W_{_UNSPACED}]*")
_ASCII_REST = re.compile(r"[a-z0-9]*")
"""The rest of a folded word, without marks."""
_ASCII_WORD = re.compile(r"[a-z0-9]+")

_LATIN = [*map(chr, range(0xC0, 0x250)), *map(chr, range(0x1E00, 0x1F00))]
_WITHOUT_ACCENTS = {ord(letter): unicodedata.normalize("NFD", letter)[0] for letter in _LATIN}
_WITHOUT_ACCENTS |= {ord(letter): plain for letter, plain in zip("łøđı", "lodi", strict=True)}
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


class _Forms(dict[str, bool]):
    """Whether a folded word is a form of a query's word; computed once for each.

    open_word: beginning of the words that it may become; "" for a finished word.
    ignored: words that are no form of it, although they have its stem.
    """

    def __init__(self, base: str, open_word: str, ignored: frozenset[str]) -> None:
        self._base, self._open, self._ignored = base, open_word, ignored

    def __missing__(self, word: str) -> bool:
        if stem(word) == self._base:
            is_form = word not in self._ignored
        else:
            is_form = self._open != "" and word.startswith(self._open)
        self[word] = is_form
        return is_form


class Matcher:
    """Finds the words of a query. Safe to use from several threads.

    weights: of each numbered word, more for longer ones.
    """

    def __init__(self, query: str, *, is_open: bool) -> None:
        folded = _folded(query)
        words = _query_words(folded)
        ignored = frozenset[str]() if words and words[0] in _STOP_WORDS else _STOP_WORDS
        self._words: list[tuple[int, str, _Forms]] = []  # number, beginning of all forms, forms
        self._parts: list[tuple[int, str]] = []
        self.weights: list[int] = []
        for word in words:
            if _is_unspaced(word[0]):
                size = min(_match_length(word[0]), len(word))
                parts = dict.fromkeys(word[at : at + size] for at in range(len(word) - size + 1))
                self._parts.extend(enumerate(parts, start=len(self.weights)))
                self.weights.extend(_weight(part) for part in parts)
            else:
                start = word if is_open and folded.endswith(word) and len(word) >= _SHORTEST_OPEN else ""
                prefix, base = _prefix_and_stem(word)
                self._words.append((len(self.weights), prefix, _Forms(base, start, ignored)))
                self.weights.append(_weight(word))

    def find(self, text: str) -> list[Match]:
        """The places of the words in a text, in order. Those of scripts without spaces may overlap."""
        folded = _folded(text)
        matches: list[Match] = []
        if folded.isascii():
            self._find_in_ascii(folded, matches)
        else:
            for number, prefix, forms in self._words:
                _find(prefix, forms, number, folded, matches)
        for number, part in self._parts:
            at = folded.find(part)
            while at >= 0:
                matches.append((at, at + len(part), number))
                at = folded.find(part, at + 1)
        matches.sort()
        return matches

    def _find_in_ascii(self, text: str, matches: list[Match]) -> None:
        """Append the matches of words in a text without marks and accents. A third of a result's time is spent here."""
        rest, find = _ASCII_REST.match, text.find
        for number, prefix, forms in self._words:
            at = find(prefix)
            while at >= 0:
                if at and text[at - 1].isalnum():  # within a word, as most short beginnings are
                    at = find(prefix, at + 1)
                    continue
                end = rest(text, at).end()  # type: ignore[union-attr]  # it matches everywhere
                if forms[text[at:end]]:
                    matches.append((at, end, number))
                at = find(prefix, end)


@lru_cache(maxsize=64)
def matcher_of(query: str, *, is_open: bool = False) -> Matcher:
    """The matcher of a query; cached, because each hit of a ranking needs it.

    is_open: the query may end within a word, which then is found as the beginning of others.
    """
    return Matcher(query, is_open=is_open)


def highlights(text: str, query: str) -> list[Span]:
    """The spans of a text that contain words of the query, in order and merged where they touch.

    Words are compared by their stem, as in the keyword index of English (nodes, running, communicated), without case
    and accents. Stop words are ignored, unless the query has no other words. Scripts without spaces are matched a few
    characters at a time.
    """
    return merged(matcher_of(query).find(text))


def merged(matches: Sequence[Match]) -> list[Span]:
    """The spans of matches, which are in order, merged where they touch."""
    spans: list[Span] = []
    last = -1
    for start, end, _ in matches:
        if start <= last:
            if end > last:
                spans[-1], last = (spans[-1][0], end), end
        else:
            spans.append((start, end))
            last = end
    return spans


def clipped(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    """The parts of spans within a span, counted from its start."""
    return [(max(low, start) - start, min(high, end) - start) for low, high in spans if high > start and low < end]


def _prefix_and_stem(word: str) -> tuple[str, str]:
    """The beginning of all words with a word's stem, and the stem."""
    base = stem(word)
    if base in _IRREGULAR_STEMS:
        return base[0], base
    is_changed = len(base) > 2 and base[-1] in ("ei" if len(base) == 3 else "eil")  # hope, hoping; query, queries
    prefix = base[:-1] if is_changed else base
    return (prefix if word.startswith(prefix) else word), base


def _weight(word: str) -> int:
    return 4 * (4 + min(len(word), 12))


def _query_words(folded: str) -> list[str]:
    """The distinct words of a folded query; stop words only if it has no others."""
    if folded.isascii():
        words = dict.fromkeys(_ASCII_WORD.findall(folded))
    else:
        words = dict.fromkeys(folded[start:end] for start, end in _words(folded))
    return [word for word in words if word not in _STOP_WORDS] or list(words)


def _folded(text: str) -> str:
    """Lower case without accents, of the same length, so that spans stay valid."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    return lower if lower.isascii() or not _ACCENTED.search(lower) else lower.translate(_WITHOUT_ACCENTS)


def _words(text: str) -> Iterator[Span]:
    """Runs of letters, marks and digits, split between scripts with and without spaces."""
    start = 0
    for at in range(1, len(text) + 1):
        inside = at < len(text) and _in_word(text[at]) and _is_unspaced(text[at]) == _is_unspaced(text[start])
        if not (inside and _in_word(text[start])):
            if _in_word(text[start]):
                yield start, at
            start = at


def _find(prefix: str, forms: _Forms, number: int, text: str, matches: list[Match]) -> None:
    """Append the matches of a word in any text."""
    at = text.find(prefix)
    while at >= 0:
        end = _REST.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere
        while end < len(text) and text[end] > "\x7f" and _in_spaced_word(text[end]):  # a mark
            end = _REST.match(text, end + 1).end()  # type: ignore[union-attr]
        if not (at and _in_spaced_word(text[at - 1])) and forms[text[at:end]]:
            matches.append((at, end, number))
        at = text.find(prefix, max(end, at + 1))


@lru_cache(maxsize=4096)
def _in_spaced_word(character: str) -> bool:
    """Whether it is part of words of a script with spaces; cached, because each hit has hundreds."""
    return _in_word(character) and not _is_unspaced(character)


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _is_unspaced(character: str) -> bool:
    return character >= _WITHOUT_SPACES[0][0] and _match_length(character) > 0


def _match_length(character: str) -> int:
    """Length of a match in the script of this character; 0 for a script with spaces."""
    return next((length for low, high, length in _WITHOUT_SPACES if low <= character <= high), 0)
