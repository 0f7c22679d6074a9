"""Find hits with nearly the same text as a better hit of the same ranking."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assay.model.documents import Chunk
from assay.model.ranking import Hit

ALIKE = 0.8
"""Jaccard coefficient from which two chunks count as nearly equal."""

_WORD = re.compile(r"\w+")
_RUN = 3
"""Words of a shingle."""


class NearDuplicates:
    """Compares chunks by the Jaccard coefficient of their shingles of three words (Broder, 1997).

    Results are cached, because the same chunks are in many rankings.
    """

    def __init__(self) -> None:
        self._shingles: dict[str, frozenset[tuple[str, ...]]] = {}
        self._alike: dict[tuple[str, str], bool] = {}

    def crowding(self, hits: Sequence[Hit]) -> list[tuple[Chunk, Chunk]]:
        """Pairs of a better hit's chunk and the chunk that repeats it."""
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
    """Whether the Jaccard coefficient reaches ALIKE; most pairs are decided by their sizes."""
    few, many = sorted((len(one), len(other)))
    if not few or few < ALIKE * many:
        return False
    common = len(one & other)
    return common >= ALIKE * (few + many - common)


def pairs_by_page(pairs: Iterable[tuple[Chunk, Chunk]]) -> Counter[tuple[str, str]]:
    """Count nearly equal chunks by the sorted URLs of their pages."""
    return Counter(
        (min(one.document.url, other.document.url), max(one.document.url, other.document.url)) for one, other in pairs
    )
