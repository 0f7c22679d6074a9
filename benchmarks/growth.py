"""Time complexity of every reader and pattern for hostile texts of n, 2n and 4n characters.

Run as `python -m benchmarks.growth [--all] [WORD…]`; words choose readers and patterns by parts of their names, and
`--all` tries them with every text. It prints the worst ratio of the times of a text and of one half as long: 2 is
linear, 4 is quadratic. A ratio counts if it persists over two doublings, because the allocator makes single steps. The
time is this process's CPU time, and the minimum of several tries if the first one looks steep.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import log2
from time import process_time

from assay.ingest.workers.limits import OutOfTimeError, limited_time
from benchmarks.growth_readers import readers
from benchmarks.hostile_inputs import Hostile
from benchmarks.pattern_attacks import LONGEST, attacks, patterns

LIMIT = 2.5
"""The maximum ratio."""

_SHORTEST, _LONGEST = 500, 128_000
_MEANINGFUL = 0.003
"""Minimum seconds of the longer of two texts; shorter times do not depend on the length."""
_MATTERS = 0.02
"""Minimum seconds of the longest text; below, growth is noise and harmless."""
_SUSPECT = 2.2
_CLOSELY = 2
"""Number of texts of each reader, the steepest at first, that are always measured closely."""
_MOST_CLOSELY = 12
"""Maximum number of texts of each reader that are measured closely; quadratic time looks steeper than noise."""
_SURE = 0.15
_SHOWN = 3
_TRIES = 3
_TOO_LONG = 4.0
_ENDLESS = 20.0
"""Timeout of a text in seconds, for exponential patterns."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Growth of a reader's time with a text. ratio: 0 if the longest text took almost no time."""

    ratio: float = 0.0
    by: str = ""
    length: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Steepest:
    """The growths of one reader or pattern over the limit, or else the largest one."""

    name: str
    growths: Sequence[Growth]

    @property
    def ratio(self) -> float:
        """The largest growth."""
        return self.growths[0].ratio

    def lines(self) -> Iterator[str]:
        """The rows of the table."""
        for one in self.growths[:_SHOWN]:
            mark = "  TOO STEEP" if one.ratio > LIMIT else ""
            yield (
                f"{self.name[:66]:<66} {one.ratio:5.2f}  {one.by[:44]:<44} {one.length:>9,} {one.seconds:7.3f} s{mark}"
            )


class Measuring:
    """The times of one reader or pattern. longest: maximum characters of its input."""

    def __init__(self, work: Callable[[str], object], longest: int) -> None:
        self._work = work
        self._longest = longest
        self._seconds("")  # exclude the imports of the first call
        self._fixed = min(self._seconds("") for _ in range(_TRIES))

    def at_a_glance(self, hostile: Hostile) -> Growth:
        """Compare a short text with one four times as long; lengthen both if they take almost no time."""
        length = min(_SHORTEST, self._longest // 4)
        first, last = 0.0, self._of(hostile, length)
        while length < self._longest and (not first or last < _MEANINGFUL):
            length = min(length * 4, self._longest)
            first, last = last, self._of(hostile, length)
        if last < _MEANINGFUL:
            return Growth(0.0, hostile.name, length, last)
        for _ in range(_TRIES):
            if _ratio(first, last, 4) <= _SUSPECT or last > _TOO_LONG:
                break
            first = min(first, self._of(hostile, length // 4))
            last = min(last, self._of(hostile, length))
        return Growth(_ratio(first, last, 4), hostile.name, length, last)

    def closely(self, hostile: Hostile, length: int, longest: int) -> Growth:
        """Double a text until its time is reliable: quadratic growth persists, noise does not."""
        quarter, half, whole = (self._of(hostile, length // part) for part in (4, 2, 1))
        while whole < _SURE and (length * 2 <= longest or (whole > _SUSPECT * half and length < 4 * longest)):
            length *= 2
            quarter, half, whole = half, whole, self._of(hostile, length)
        for _ in range(_TRIES):
            if (half <= LIMIT * quarter and whole <= LIMIT * half) or whole > _TOO_LONG:
                break
            quarter = min(quarter, self._of(hostile, length // 4))
            half = min(half, self._of(hostile, length // 2))
            whole = min(whole, self._of(hostile, length))
        while _is_steep(quarter, half, whole) and whole < _TOO_LONG and length < 4 * longest:
            length *= 2  # a limit of the reader may end it: markdown-it fills up at most 65,536 cells
            quarter, half, whole = half, whole, self._of(hostile, length)
        if whole < _MATTERS:
            return Growth(0.0, hostile.name, length, whole)
        return Growth(min(_ratio(quarter, half, 2), _ratio(half, whole, 2)), hostile.name, length, whole)

    def _of(self, hostile: Hostile, length: int) -> float:
        return max(self._seconds(hostile.text(length)) - self._fixed, 1e-6)

    def _seconds(self, text: str) -> float:
        started = process_time()
        with suppress(OutOfTimeError), limited_time(_ENDLESS):
            self._work(text)
        return process_time() - started


def _is_steep(quarter: float, half: float, whole: float) -> bool:
    return half > LIMIT * quarter and whole > LIMIT * half


def _ratio(first: float, last: float, times: int) -> float:
    """The growth per doubling, from the times of two texts and the ratio of their lengths."""
    return float((last / max(first, 1e-6)) ** (1 / log2(times)))


def steepest(
    name: str, work: Callable[[str], object], texts: Iterable[Hostile], longest: int = _LONGEST, every: bool = False
) -> Steepest:
    """Measure one reader: all its texts once, the steep ones closely."""
    measuring = Measuring(work, min(longest, longest if every else _LONGEST))
    glances = []
    for text in texts:
        if every or not text.is_extra:
            glances.append((measuring.at_a_glance(text), text))
            gc.collect(1)
    glances.sort(key=lambda one: -one[0].ratio)
    found = []
    for place, (glance, text) in enumerate(glances[:_MOST_CLOSELY]):
        if glance.ratio > _SUSPECT or (place < _CLOSELY and glance.ratio):
            found.append(measuring.closely(text, glance.length, longest))
            gc.collect()
        if sum(one.ratio > LIMIT for one in found) == _SHOWN:
            break
    found.sort(key=lambda one: -one.ratio)
    slowest = max((glance for glance, _ in glances), key=lambda one: one.seconds, default=Growth())
    return Steepest(name, [one for one in found if one.ratio > LIMIT] or found[:1] or [slowest])


@contextmanager
def _collecting_between_texts() -> Iterator[None]:
    """Disable automatic garbage collection, which could fall on only one of two texts."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _measured(words: Sequence[str], *, every: bool) -> Iterator[tuple[str, Steepest]]:
    """Kind and growth of every reader and pattern whose name contains one of the words; of all without words."""
    for reader in readers():
        if not words or any(word in reader.name for word in words):
            yield "readers", steepest(reader.name, reader.work, reader.texts(), reader.longest, every)
    for pattern in patterns():
        if not words or any(word in pattern.name for word in words):
            yield "patterns", steepest(pattern.name, pattern.work, attacks(pattern), every=every, longest=LONGEST)


def main(arguments: Sequence[str] = ()) -> int:
    """Print the growth of each, and the worst reader and pattern; return 1 if one is over the limit."""
    words = [word for word in arguments if word != "--all"]
    print(f"{'reader or pattern':<66} ratio  {'by':<44} {'characters':>9}")
    found: dict[str, list[Steepest]] = {}
    started = process_time()
    with _collecting_between_texts():
        for kind, one in _measured(words, every="--all" in arguments):
            found.setdefault(kind, []).append(one)
            for line in one.lines():
                print(line, flush=True)
    print(f"\n{process_time() - started:.0f} s of CPU time")
    for kind, all_of_it in found.items():
        worst = max(all_of_it, key=lambda one: one.ratio)
        print(f"worst of {len(all_of_it)} {kind}: {worst.ratio:.2f} ({worst.name}, {worst.growths[0].by})")
    return int(any(one.ratio > LIMIT for all_of_it in found.values() for one in all_of_it))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
