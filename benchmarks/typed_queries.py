"""Unique page titles as people type them: whole, with an unfinished last word, and with one wrong letter.

Seeded: the same titles give the same queries.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_LONG_WORD = re.compile(r"[^\W\d_]{6,}")
_LAST_WORD = re.compile(r"\w+$")


@dataclass(frozen=True, slots=True)
class TypedQuery:
    """A query, the URL of the page whose title was typed, and the number of titles that it may become."""

    text: str
    url: str
    fitting: int


def typed_queries(titles: Mapping[str, str], most: int = 150, seed: int = 13) -> dict[str, list[TypedQuery]]:
    """Queries for at most that many unique titles, by kind.

    titles: of each page, by URL. A title without the needed word (a last word of three letters, a word of six) is left
    out of a kind.
    """
    dice = random.Random(seed)
    shared = Counter(_folded(title) for title in titles.values())
    unique = sorted((title, url) for url, title in titles.items() if shared[_folded(title)] == 1 and title.strip())
    chosen = dice.sample(unique, min(most, len(unique)))
    kinds: dict[str, Callable[[str, random.Random], str | None]] = {
        "whole": lambda title, _: title,
        "last word 80%": lambda title, _: _unfinished(title, 0.8),
        "last word 40%": lambda title, _: _unfinished(title, 0.4),
        "two swapped": lambda title, dice: _misspelt(title, dice, _swapped),
        "one missing": lambda title, dice: _misspelt(title, dice, _missing),
        "one doubled": lambda title, dice: _misspelt(title, dice, _doubled),
    }
    folded = [_folded(title) for title in titles.values()]
    return {
        kind: [
            TypedQuery(text, url, sum(each.startswith(_folded(text)) for each in folded) if "last" in kind else 1)
            for title, url in chosen
            if (text := change(title, dice)) is not None
        ]
        for kind, change in kinds.items()
    }


def ceiling(queries: Sequence[TypedQuery], places: int) -> float:
    """The expected share of queries whose page is in the first places if all fitting titles are ranked at random."""
    return sum(min(places / query.fitting, 1.0) for query in queries) / len(queries) if queries else 0.0


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())


def _unfinished(title: str, share: float) -> str | None:
    """The title with a share of its last word; None if that word has fewer than three letters."""
    last = _LAST_WORD.search(title)
    if last is None or len(last[0]) < 3:
        return None
    return title[: last.start() + max(1, min(round(len(last[0]) * share), len(last[0]) - 1))]


def _misspelt(title: str, dice: random.Random, change: Callable[[str, int], str | None]) -> str | None:
    """The title with one error in a word of six letters or more, after its first letter; None without such a word."""
    words = list(_LONG_WORD.finditer(title))
    if not words:
        return None
    word = dice.choice(words)
    wrong = [text for at in range(1, len(word[0])) if (text := change(word[0], at)) and text != word[0]]
    return title[: word.start()] + dice.choice(wrong) + title[word.end() :] if wrong else None


def _swapped(word: str, at: int) -> str | None:
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if at + 1 < len(word) else None


def _missing(word: str, at: int) -> str:
    return word[:at] + word[at + 1 :]


def _doubled(word: str, at: int) -> str:
    return word[:at] + word[at] + word[at:]


def look_alikes(words: Mapping[str, int], most: int = 200) -> Iterator[tuple[str, str]]:
    """Pairs of a word and a more frequent one that differs by one letter, both of the corpus, rarest first.

    words: number of chunks with each word. A search for the first must never become one for the second.
    """
    by_hole: dict[str, list[str]] = {}
    for word in sorted(words):
        for at in range(len(word)):
            by_hole.setdefault(f"{word[:at]}*{word[at + 1 :]}", []).append(word)
    pairs = {
        (rare, frequent)
        for alike in by_hole.values()
        for rare in alike
        for frequent in alike
        if words[rare] < words[frequent] and len(rare) > 3
    }
    yield from sorted(pairs, key=lambda pair: (words[pair[0]], pair))[:most]
