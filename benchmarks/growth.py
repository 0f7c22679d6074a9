"""How time grows with a hostile text: every reader and every pattern, at n, 2n and 4n characters.

Run as `python -m benchmarks.growth [--all] [WORD…]`; words choose readers and patterns by parts of their names, and
`--all` tries them with every text. For each the worst ratio of the times of a text and of one half as long is printed:
2 is linear, 4 is quadratic. A ratio counts when it lasts for two doublings: the allocator makes single steps. CPU time
of this process is measured, and the least of several tries counts where a first one looks steep.
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
"""The worst ratio that is allowed."""

_SHORTEST, _LONGEST = 500, 128_000
_MEANINGFUL = 0.003
"""Seconds that the longer of two texts takes at least, or the time says nothing of its length."""
_MATTERS = 0.02
"""Seconds that the longest of all texts takes at least, or its growth is noise and would do no harm."""
_SUSPECT = 2.2
_CLOSELY = 2
"""Texts of each reader that are measured closely whatever a first look says: those that looked steepest."""
_SURE = 0.15
_SHOWN = 3
_TRIES = 3
_TOO_LONG = 4.0
_ENDLESS = 20.0
"""Seconds after which a text is given up: exponential time never ends."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How the time of a reader grows with a text. ratio: 0 where the longest text took no time to speak of."""

    ratio: float = 0.0
    by: str = ""
    length: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Steepest:
    """The growths of one reader or pattern that are over the limit, or the one that is nearest to it."""

    name: str
    growths: Sequence[Growth]

    @property
    def ratio(self) -> float:
        """The worst."""
        return self.growths[0].ratio

    def lines(self) -> Iterator[str]:
        """The table's rows."""
        for one in self.growths[:_SHOWN]:
            mark = "  TOO STEEP" if one.ratio > LIMIT else ""
            yield (
                f"{self.name[:66]:<66} {one.ratio:5.2f}  {one.by[:44]:<44} {one.length:>9,} {one.seconds:7.3f} s{mark}"
            )


class Measuring:
    """The times of one reader or pattern. longest: text, in characters, that it can meet."""

    def __init__(self, work: Callable[[str], object], longest: int) -> None:
        self._work = work
        self._longest = longest
        self._seconds("")  # what is loaded at the first call is no part of any text's time
        self._fixed = min(self._seconds("") for _ in range(_TRIES))

    def at_a_glance(self, hostile: Hostile) -> Growth:
        """Compare a short text with one four times as long, both longer where that takes no time to speak of."""
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
        """Double a text until it takes long enough to be sure: what is quadratic stays so, what was noise does not."""
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


def _ratio(first: float, last: float, times: int) -> float:
    """The growth for a doubling, of times of texts of which one is so many times as long."""
    return float((last / max(first, 1e-6)) ** (1 / log2(times)))


def steepest(
    name: str, work: Callable[[str], object], texts: Iterable[Hostile], longest: int = _LONGEST, every: bool = False
) -> Steepest:
    """Measure one reader: all its texts at a glance, those that look steep closely."""
    measuring = Measuring(work, min(longest, longest if every else _LONGEST))
    glances = []
    for text in texts:
        if every or not text.is_extra:
            glances.append((measuring.at_a_glance(text), text))
            gc.collect(1)
    glances.sort(key=lambda one: -one[0].ratio)
    found = []
    for place, (glance, text) in enumerate(glances):
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
    """Collect garbage only where it is asked for: elsewhere it would fall on one text and not on the other."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _measured(words: Sequence[str], *, every: bool) -> Iterator[tuple[str, Steepest]]:
    """The kind and growth of every reader and pattern whose name has one of the words in it; of all without words."""
    for reader in readers():
        if not words or any(word in reader.name for word in words):
            yield "readers", steepest(reader.name, reader.work, reader.texts(), reader.longest, every)
    for pattern in patterns():
        if not words or any(word in pattern.name for word in words):
            yield "patterns", steepest(pattern.name, pattern.work, attacks(pattern), every=every, longest=LONGEST)


def main(arguments: Sequence[str] = ()) -> int:
    """Print the growth of each, and the worst reader and pattern. Returns the exit code: 1 when one is too steep."""
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
