"""Random edits of a text that track the origin of every character."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WORDS = ("the", "of", "robot", "and", "valve", "2014", "pressure", "in", "percent", "sales", "was", "to", "topic", "a")
_PARAGRAPH = re.compile(r"[^\n]+\n*")
_NEAR = 150
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class EditedText:
    """A text after edits.

    origin: index of each character in the original text, -1 for a new one; int32 of shape (characters,).
    """

    text: str
    origin: NDArray[np.int32]

    @classmethod
    def of(cls, text: str) -> "EditedText":
        """A text before any edit."""
        return cls(text, np.arange(len(text), dtype=np.int32))

    def descends(self, start: int, end: int, was_start: int, was_end: int) -> bool:
        """Whether the characters from start to end are exactly the original ones from was_start to was_end."""
        if end - start != was_end - was_start:
            return False
        return bool(np.array_equal(self.origin[start:end], np.arange(was_start, was_end, dtype=np.int32)))

    def descendants(self, was_start: int, was_end: int) -> list[int]:
        """Positions of unchanged copies of the original span from was_start to was_end."""
        starts = np.flatnonzero(self.origin == was_start).tolist()
        return [at for at in starts if self.descends(at, at + was_end - was_start, was_start, was_end)]

    def _with(self, start: int, end: int, text: str, origin: NDArray[np.int32]) -> "EditedText":
        return EditedText(
            self.text[:start] + text + self.text[end:],
            np.concatenate([self.origin[:start], origin, self.origin[end:]]),
        )

    def replaced(self, start: int, end: int, text: str) -> "EditedText":
        """Replace the span from start to end."""
        return self._with(start, end, text, np.full(len(text), -1, dtype=np.int32))

    def copied(self, start: int, end: int, to: int) -> "EditedText":
        """Copy the span from start to end."""
        return self._with(to, to, self.text[start:end], self.origin[start:end])

    def moved(self, start: int, end: int, to: int) -> "EditedText":
        """Move the span from start to end; `to` is an index in the text without it."""
        text, origin = self.text[start:end], self.origin[start:end]
        without = self._with(start, end, "", origin[:0])
        return EditedText(
            without.text[:to] + text + without.text[to:],
            np.concatenate([without.origin[:to], origin, without.origin[to:]]),
        )


def edited(text: str, quotes: Sequence[tuple[int, int]], edits: int, seed: int) -> EditedText:
    """Edit a text at random, half of the edits within or near the quotes.

    Edits insert, delete and replace words, and move, duplicate and remove paragraphs.
    """
    chance = random.Random(seed)
    now = EditedText.of(text)
    for _ in range(edits):
        now = _edit(now, _place(now, quotes, chance), chance)
    return now


def _place(now: EditedText, quotes: Sequence[tuple[int, int]], chance: random.Random) -> int:
    if quotes and chance.random() < 0.5:
        start, end = chance.choice(quotes)
        places = np.flatnonzero((now.origin >= start - _NEAR) & (now.origin < end + _NEAR))
        if len(places):
            return int(places[chance.randrange(len(places))])
    return chance.randrange(len(now.text) + 1)


def _edit(now: EditedText, at: int, chance: random.Random) -> EditedText:
    end = min(len(now.text), at + chance.randint(1, _LONGEST))
    kind = chance.choice(("insert", "delete", "replace", "move", "duplicate", "drop"))
    if kind == "insert":
        return now.replaced(at, at, _sentence(chance))
    if kind == "delete":
        return now.replaced(at, end, "")
    if kind == "replace":
        return now.replaced(at, end, _sentence(chance))
    start, end = _paragraph(now.text, at)
    if kind == "drop":
        return now.replaced(start, end, "")
    other, _ = _paragraph(now.text, chance.randrange(len(now.text) + 1))
    if kind == "duplicate":
        return now.copied(start, end, other)
    return now.moved(start, end, other if other <= start else max(start, other - (end - start)))


def _paragraph(text: str, at: int) -> tuple[int, int]:
    """The line at an index with the blank lines after it, at most some thousand characters."""
    start = text.rfind("\n", 0, at) + 1
    found = _PARAGRAPH.match(text, start)
    end = found.end() if found else start
    return (start, end) if end - start <= 5_000 else (at, min(at + 500, end))


def _sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=chance.randint(1, 25))) + chance.choice((" ", ". ", "\n\n"))
