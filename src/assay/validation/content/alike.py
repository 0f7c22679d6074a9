"""Pages whose text is equal or nearly equal, such as a login page under every address. Pure.

Texts are compared by the Jaccard coefficient of their shingles, estimated for long texts from the lowest hashes of both
(Broder, 1997). Only texts that share all MinHash values of a band are compared, so that the time is linear in pages.
"""

import re
import zlib
from collections import defaultdict
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

ALIKE = 0.95
"""Jaccard coefficient from which two texts count as equal; short reference pages that differ in a name stay below."""

FEWEST = 3
"""Smallest group: two equal pages are one page with two addresses."""

_VALUES, _BANDS = 64, 8  # of 10,000 pairs that have 0.95 in common, all but two are compared
_SHORT = 60
"""A text of fewer words is compared by words: one changed word would change a tenth of its shingles."""

_MOST_WORDS = 5_000
_KEPT = 128
_REMEMBERED = 50_000
"""Words whose hashes are kept, in about 10 MB: pages have mostly the same ones."""

_HEADING = re.compile(r"^#{1,6} .*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"(?:\d\D*){3}")
"""Times and request numbers, which differ on otherwise equal pages."""


_IN_ADDRESSES = frozenset("/@\\")

_RANDOM = np.random.default_rng(1997)
_FACTORS = _RANDOM.integers(1, 2**63, _VALUES, dtype=np.uint64) | np.uint64(1)
_ADDENDS = _RANDOM.integers(0, 2**63, _VALUES, dtype=np.uint64)
_PLACES = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HALF = np.uint64(32)

Hashes = NDArray[np.uint64]  # ascending, each once


class AlikePages:
    """Groups the offered pages by equal text."""

    def __init__(self) -> None:
        self._lowest: list[Hashes] = []
        self._urls: list[str] = []
        self._first: dict[int, int] = {}
        self._groups: list[int] = []

    def offer(self, url: str, text: str) -> None:
        """Add a page. One without words equals no other."""
        hashes = _shingles(text)
        if not len(hashes):
            return
        index = len(self._urls)
        self._urls.append(url)
        self._lowest.append(hashes[:_KEPT])
        self._groups.append(index)
        for band in _bands(hashes):
            other = self._first.setdefault(band, index)
            if self._group(other) != self._group(index) and _jaccard(self._lowest[other], hashes[:_KEPT]) >= ALIKE:
                self._groups[self._group(index)] = self._group(other)

    def groups(self) -> list[tuple[str, ...]]:
        """The URLs of each group with at least FEWEST page names, the largest group first.

        Pages of one name in several folders count as copies of one page, of undeclared versions or languages.
        """
        found: defaultdict[int, list[str]] = defaultdict(list)
        for index, url in enumerate(self._urls):
            found[self._group(index)].append(url)
        large = [tuple(urls) for urls in found.values() if len(set(map(page_name, urls))) >= FEWEST]
        return sorted(large, key=lambda urls: (-len(urls), urls))

    def _group(self, index: int) -> int:
        while self._groups[index] != index:
            self._groups[index] = self._groups[self._groups[index]]
            index = self._groups[index]
        return index


def _shingles(text: str) -> Hashes:
    """The hashes of a text's shingles, without headings, addresses and long numbers; empty without words."""
    each = b"".join(map(_hashes.__getitem__, _HEADING.sub("", text).lower().split()))
    hashes = np.frombuffer(each, np.uint32)[:_MOST_WORDS].astype(np.uint64)
    if len(hashes) >= _SHORT:
        hashes = hashes[:-2] * _PLACES[0] + hashes[1:-1] * _PLACES[1] + hashes[2:] * _PLACES[2]
    mixed = hashes * _PLACES[0]
    return _each_once(mixed ^ (mixed >> _HALF))[0]


class _WordHashes(dict[str, bytes]):
    """The 32-bit hashes of the words in a text between two spaces; none in an address or a long number."""

    def __missing__(self, written: str) -> bytes:
        is_left_out = not _IN_ADDRESSES.isdisjoint(written) or _NUMBERED.search(written)
        words = [] if is_left_out else _WORD.findall(written)
        hashes = np.array([zlib.crc32(word.encode()) for word in words], np.uint32).tobytes()
        if len(self) >= _REMEMBERED:
            self.clear()
        self[written] = hashes
        return hashes


_hashes = _WordHashes()


def _each_once(hashes: Hashes) -> tuple[Hashes, Hashes]:
    """The hashes, ascending, each once; and those that repeat one. Much faster than np.unique."""
    hashes.sort()
    is_repeated = np.zeros(len(hashes), dtype=bool)
    np.equal(hashes[1:], hashes[:-1], out=is_repeated[1:])
    return hashes[~is_repeated], hashes[is_repeated]


def _bands(hashes: Hashes) -> list[int]:
    """A key for each band of MinHash values; texts that share a key are compared."""
    each = hashes[:, None] * _FACTORS
    each += _ADDENDS
    values = each.min(axis=0) >> _HALF
    return [hash((band, part.tobytes())) for band, part in enumerate(np.split(values, _BANDS))]


def _jaccard(one: Hashes, other: Hashes) -> float:
    """The Jaccard coefficient estimated from the lowest hashes; exact if these are all."""
    either, common = _each_once(np.concatenate((one, other)))
    lowest = either[:_KEPT]
    return float(np.count_nonzero(common <= lowest[-1])) / len(lowest)


def page_name(url: str) -> str:
    """The last part of a URL's path, with its query."""
    parts = urlsplit(url)
    return f"{parts.path.rstrip('/').rpartition('/')[2]}?{parts.query}"
