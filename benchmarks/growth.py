"""How time grows with a hostile text: every reader and every pattern, at n, 2n and 4n characters.

Run as `python -m benchmarks.growth [WORD…]`; words choose readers and patterns by parts of their names. For each of
them the worst ratio of the times of a text and of one half as long is printed: 2 is linear, 4 is quadratic.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from time import process_time

from benchmarks.growth_readers import readers
from benchmarks.hostile_inputs import Hostile
from benchmarks.pattern_attacks import attacks, patterns

LIMIT = 2.5
"""The worst ratio that is allowed."""

_SHORTEST, _LONGEST = 8_000, 512_000
_MEANINGFUL = 0.01
"""Seconds that the longest of three texts has to take, or the time says nothing of its length."""
_SURE = 0.4
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
    """CPU time of this process: what else the machine does counts little."""
    started = process_time()
    work(text)
    return process_time() - started


def growth(name: str, work: Callable[[str], object], hostile: Hostile, longest: int = _LONGEST) -> Growth:
    """How a reader's time grows with one hostile text.

    A short text and one four times as long tell whether it is worth a closer look, and where they take no time a very
    long one does. What looks steep is made longer until it takes long enough to be sure: what is quadratic stays so,
    and what was noise does not.
    """
    length = min(_SHORTEST * 4, longest)
    first, last = (_seconds(work, hostile.text(part)) for part in (length // 4, length))
    if last < _MEANINGFUL and length < longest:
        first, last = last, _seconds(work, hostile.text(longest))
        times, length = longest / length, longest
    else:
        times = 4.0
    if last < _MEANINGFUL:
        return Growth(name)
    ratio = (last / max(first, last / times / 4)) ** (1 / log2(times))
    if ratio <= LIMIT:
        return Growth(name, ratio, hostile.name, length, last)
    return _closely(name, work, hostile, min(_SHORTEST, longest // 4), longest)


def _closely(name: str, work: Callable[[str], object], hostile: Hostile, length: int, longest: int) -> Growth:
    half, whole = 0.0, _seconds(work, hostile.text(length))
    while length * 2 <= longest and whole < _SURE:
        length *= 2
        half, whole = whole, _seconds(work, hostile.text(length))
    gc.collect()
    gc.disable()
    try:
        for _ in range(_TRIES):
            if whole <= LIMIT * half or whole > _TOO_LONG:
                break
            half = min(half, _seconds(work, hostile.text(length // 2)))
            whole = min(whole, _seconds(work, hostile.text(length)))
    finally:
        gc.enable()
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
