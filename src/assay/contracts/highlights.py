"""Positions of a query's words in a passage, without markup: each surface renders the spans itself."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

Span = tuple[int, int]
"""Start and exclusive end, in code points."""

_COMMON_WORDS = """
    a an and are as at be by can do does for from how i in is it my of on or that the this to was what when where which
    who why will with you
"""
_STOP_WORDS = frozenset(_COMMON_WORDS.split())
_ENDINGS = ("ations", "ation", "ating", "ated", "ates", "ate", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es")
_SHORTEST_STEM = 3
_WITHOUT_SPACES = (
    ("\u0e00", "\u0eff", 4),  # Thai, Lao
    ("\u1000", "\u109f", 4),  # Burmese
    ("\u1780", "\u17ff", 4),  # Khmer
    ("\u3040", "\u30ff", 2),  # Hiragana, Katakana
    ("\u3400", "\u9fff", 2),  # Han
    ("\uf900", "\ufaff", 2),  # Han, compatibility
    ("\U00020000", "\U0003ffff", 2),  # Han, rare
)
"""First and last character of each script without spaces, and the length of a match in it."""


def highlights(text: str, query: str) -> list[Span]:
    """The spans of a text that contain words of the query, in order and merged where they touch.

    Case and common English endings (nodes, running, communicated) are ignored. So are stop words, unless the query has
    no other words. Scripts without spaces are matched a few characters at a time.
    """
    folded = _folded(text)
    spans: list[Span] = []
    for word in _query_words(query):
        if _is_unspaced(word[0]):
            spans.extend(_run_spans(word, folded))
        else:
            spans.extend(_word_spans(stem(word), folded))
    return _merged(spans)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A lower-case word without its English ending: `nodes`, `node` → `nod`; `running` → `run`."""
    base = word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            base = word.removesuffix(ending)
            break
    else:
        if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST_STEM:
            base = word[:-1]
    if base != word and len(base) > _SHORTEST_STEM and base[-1] == base[-2] and base[-1] not in "aeiouls":
        base = base[:-1]
    return base[:-1] if len(base) > _SHORTEST_STEM and base[-1] in "ey" else base


@lru_cache(maxsize=64)
def _query_words(query: str) -> tuple[str, ...]:
    """The distinct words of a query; cached, because each hit of a ranking needs them."""
    folded = _folded(query)
    words = tuple(dict.fromkeys(folded[start:end] for start, end in _words(folded)))
    return tuple(word for word in words if word not in _STOP_WORDS) or words


def _folded(text: str) -> str:
    """Lower case of the same length, so that spans stay valid."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


def _words(text: str) -> Iterator[Span]:
    """Runs of letters, marks and digits, split between scripts with and without spaces."""
    start = 0
    for at in range(1, len(text) + 1):
        inside = at < len(text) and _in_word(text[at]) and _is_unspaced(text[at]) == _is_unspaced(text[start])
        if not (inside and _in_word(text[start])):
            if _in_word(text[start]):
                yield start, at
            start = at


def _word_spans(base: str, text: str) -> Iterator[Span]:
    """Spans of words whose stem is the base."""
    at = text.find(base)
    while at >= 0:
        if at and _in_spaced_word(text[at - 1]):
            at = text.find(base, at + 1)
            continue
        end = at + len(base)
        while end < len(text) and _in_spaced_word(text[end]):
            end += 1
        if stem(text[at:end]) == base:
            yield at, end
        at = text.find(base, end)


def _run_spans(run: str, text: str) -> Iterator[Span]:
    """Spans of the run's n-grams; a run shorter than n is matched as a whole."""
    size = min(_match_length(run[0]), len(run))
    for part in {run[at : at + size] for at in range(len(run) - size + 1)}:
        at = text.find(part)
        while at >= 0:
            yield at, at + size
            at = text.find(part, at + 1)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


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
