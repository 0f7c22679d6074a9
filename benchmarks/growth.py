"""How time grows with a hostile text: every reader and every pattern, at n, 2n and 4n characters.

Run as `python -m benchmarks.growth [WORD…]`; words choose readers and patterns by parts of their names. For each of
them the worst ratio of the times of a text and of one half as long is printed: 2 is linear, 4 is quadratic.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time

from benchmarks.growth_readers import readers
from benchmarks.hostile_inputs import Hostile
from benchmarks.pattern_attacks import attacks, patterns

LIMIT = 2.5
"""The worst ratio that is allowed."""

_SHORTEST, _LONGEST = 4_000, 1_024_000
_MEANINGFUL = 0.03
"""Seconds that the longest of three texts has to take, or the time says nothing of its length."""
_TRIES = 3
_TOO_LONG = 5.0


@dataclass(frozen=True, slots=True)
class Growth:
    """The worst growth that one reader or pattern showed. ratio: 0 where every text took no time to speak of."""

    name: str
    ratio: float = 0.0
    by: str = ""
    length: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        mark = "  TOO STEEP" if self.ratio > LIMIT else ""
        return f"{self.name:<58} {self.ratio:5.2f}  {self.by[:44]:<44} {self.length:>9,} {self.seconds:7.2f} s{mark}"


def _seconds(work: Callable[[str], object], text: str) -> float:
    """CPU time of this process: what else the machine does counts little. Garbage is collected before, not meanwhile."""
    gc.collect()
    gc.disable()
    try:
        started = process_time()
        work(text)
        return process_time() - started
    finally:
        gc.enable()


def growth(name: str, work: Callable[[str], object], hostile: Hostile, longest: int = _LONGEST) -> Growth:
    """How a reader's time grows with one hostile text, at the longest lengths that were tried.

    A text whose time seems to grow too fast is made longer and tried again: what is quadratic stays so, and what was
    noise does not.
    """
    length = min(_SHORTEST, longest // 4)
    half, whole = 0.0, _seconds(work, hostile.text(length))
    enough = _MEANINGFUL
    while length * 2 <= longest and whole < _TOO_LONG:
        if half and whole > enough:
            if whole <= LIMIT * half:
                break
            enough = whole * 3
        length *= 2
        half, whole = whole, _seconds(work, hostile.text(length))
    if whole < _MEANINGFUL:
        return Growth(name)
    for _ in range(_TRIES):
        if whole <= LIMIT * half or whole > _TOO_LONG:
            break
        half = min(half, _seconds(work, hostile.text(length // 2)))
        whole = min(whole, _seconds(work, hostile.text(length)))
    return Growth(name, whole / max(half, 1e-9), hostile.name, length, whole)


def worst(name: str, work: Callable[[str], object], texts: Iterable[Hostile], longest: int = _LONGEST) -> list[Growth]:
    """The steepest growths of one reader, the worst first: all that are over the limit, or the one that is nearest."""
    found = sorted((growth(name, work, text, longest) for text in texts), key=lambda one: -one.ratio)
    steep = [one for one in found if one.ratio > LIMIT]
    return steep or found[:1]


def measured(words: Sequence[str]) -> Iterator[list[Growth]]:
    """The growth of every reader and pattern whose name has one of the words in it; of all without words."""
    for reader in readers():
        if not words or any(word in reader.name for word in words):
            yield worst(reader.name, reader.work, reader.texts(), reader.longest)
    for pattern in patterns():
        if not words or any(word in pattern.name for word in words):
            yield worst(pattern.name, pattern.work, attacks(pattern), pattern.longest)


def main(words: Sequence[str] = ()) -> int:
    """Print the growth of each, and the worst. Returns the exit code."""
    print(f"{'reader or pattern':<58} ratio  {'by':<44} {'characters':>9}")
    everything: list[Growth] = []
    for found in measured(words):
        everything += found
        for one in found:
            if one.ratio > 0 or words:
                print(one, flush=True)
    if not everything:
        return 0
    steepest = max(everything, key=lambda one: one.ratio)
    print(f"\nworst of {len({one.name for one in everything})}: {steepest.ratio:.2f} ({steepest.name}, {steepest.by})")
    return 1 if steepest.ratio > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
