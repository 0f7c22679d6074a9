"""Hits that say nearly what a better hit of the same ranking says already, and take a place from something else."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assay.model.documents import Chunk
from assay.model.ranking import Hit

ALIKE = 0.8
"""Share of words in common from which two chunks say the same."""

_WORD = re.compile(r"\w+")
_RUN = 3
"""Words of a shingle."""


class NearDuplicates:
    """Compares chunks by the Jaccard coefficient of their shingles of three words (Broder, 1997).

    What was found out of a chunk or a pair is kept, for the same chunks meet in many rankings.
    """

    def __init__(self) -> None:
        self._shingles: dict[str, frozenset[tuple[str, ...]]] = {}
        self._alike: dict[tuple[str, str], bool] = {}

    def crowding(self, hits: Sequence[Hit]) -> list[tuple[Chunk, Chunk]]:
        """Each hit that repeats a better one, as the better one and the hit."""
        found = []
        kept: list[Chunk] = []
        for hit in hits:
            before = next((chunk for chunk in kept if self._are_alike(chunk, hit.chunk)), None)
            if before is None:
                kept.append(hit.chunk)
            else:
                found.append((before, hit.chunk))
        return found

    def _are_alike(self, one: Chunk, other: Chunk) -> bool:
        pair = (min(one.id, other.id), max(one.id, other.id))
        if pair not in self._alike:
            self._alike[pair] = _jaccard_reaches(self._of(one), self._of(other))
        return self._alike[pair]

    def _of(self, chunk: Chunk) -> frozenset[tuple[str, ...]]:
        if chunk.id not in self._shingles:
            self._shingles[chunk.id] = frozenset(_shingles(_WORD.findall(chunk.text.lower())))
        return self._shingles[chunk.id]


def _shingles(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield from zip(*(words[start:] for start in range(min(_RUN, max(len(words), 1)))), strict=False)


def _jaccard_reaches(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    """Whether they have ALIKE in common; most pairs differ too much in size to be looked at."""
    few, many = sorted((len(one), len(other)))
    if not few or few < ALIKE * many:
        return False
    common = len(one & other)
    return common >= ALIKE * (few + many - common)


def pairs_by_page(pairs: Iterable[tuple[Chunk, Chunk]]) -> Counter[tuple[str, str]]:
    """How often the chunks of two pages were alike, by the pages' URLs in their order."""
    return Counter(
        (min(one.document.url, other.document.url), max(one.document.url, other.document.url)) for one, other in pairs
    )
