"""Text of the live generation that the candidate lost, in pages that are gone or less than half as long.

Lines that any page of the candidate still has are not lost: a page may move, be split, or join another one.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_MUCH_SHORTER = 0.5
"""A page that keeps this share of its length is edited, not lost."""

_SHOWN = 3
_WORD = re.compile(r"\w+")

Hashes = NDArray[np.uint32]  # of lines, by CRC-32


def fall_in_text(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the share of the live generation's text that is lost against the limit for its pages."""
    total, shrunk = _shrunk_pages(judged)
    present = _present(judged, shrunk)
    lost = {page: page.lost(present) for page in shrunk}
    worst = sorted((page for page in shrunk if lost[page]), key=lambda page: (-lost[page], page.url))
    share = sum(lost.values()) / max(total, 1)
    told = [f"{page.url} ({page.before:,} → {page.now:,} characters)" for page in worst]
    yield finding(
        "fall in text",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the live generation's text is lost, in pages that are gone or "
        "less than half as long",
        f"{percent(share)} of the live generation's text is lost ({percent(limits.max_page_fall)} are allowed), in "
        f"{len(worst)} pages that are gone or less than half as long. Most of it is from {', '.join(told[:_SHOWN])}. "
        "Does the site want a login, were the pages cut off, or did a plugin or an include that fills them fail? Run "
        "it again when that is mended. If it is meant, run it with --allow-removals, or raise gate.max_page_fall",
        told,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Shrunk:
    """A page of the live generation that is gone or much shorter.

    before, now: its characters; now is 0 for a page that is gone.
    lines: the hash of each of its lines that has words. sizes: their characters.
    """

    url: str
    before: int
    now: int
    lines: Hashes
    sizes: NDArray[np.int64]

    def lost(self, present: Hashes) -> int:
        """Characters of the page that the candidate has nowhere. present: the lines that it has, ascending."""
        missing = self.sizes[~np.isin(self.lines, present)].sum() / max(self.sizes.sum(), 1)
        return min(self.before - self.now, round(self.before * float(missing)))


def _shrunk_pages(judged: Judged) -> tuple[int, list[_Shrunk]]:
    """The characters of the live generation, and its pages that are gone or much shorter in the candidate."""
    if judged.live is None:
        return 0, []
    hashes, before_hashes = (
        {listed.info.url: listed.text_hash for listed in judged.catalog.listing(generation.id)}
        for generation in (judged.generation, judged.live)
    )
    unchanged = {url for url, text_hash in hashes.items() if before_hashes.get(url) == text_hash}
    changed = judged.catalog.documents_at(judged.generation.id, list(hashes.keys() - unchanged))
    now = {page.info.url: len(page.text) for page in changed}
    total, shrunk = 0, []
    for page in judged.catalog.documents(judged.live.id):
        url, before = page.info.url, len(page.text)
        total += before
        if url not in unchanged and now.get(url, 0) < before * _MUCH_SHORTER:
            lines, sizes = _lines(page.text)
            shrunk.append(_Shrunk(url, before, now.get(url, 0), lines, sizes))
    return total, shrunk


def _present(judged: Judged, shrunk: Iterable[_Shrunk]) -> Hashes:
    """The lines of these pages that some page of the candidate has, ascending."""
    wanted = np.unique(np.concatenate([np.empty(0, np.uint32), *(page.lines for page in shrunk)]))
    found = np.zeros(len(wanted), dtype=bool)
    if len(wanted):
        for page in judged.catalog.documents(judged.generation.id):
            lines = _lines(page.text)[0]
            places = np.minimum(np.searchsorted(wanted, lines), len(wanted) - 1)
            found[places[wanted[places] == lines]] = True
    return wanted[found]


def _lines(text: str) -> tuple[Hashes, NDArray[np.int64]]:
    """The hash and the characters of each line that has words; case, marks and spaces make no difference."""
    said = [words for line in text.splitlines() if (words := " ".join(_WORD.findall(line.lower())))]
    hashes = np.fromiter((zlib.crc32(line.encode()) for line in said), np.uint32, len(said))
    return hashes, np.fromiter(map(len, said), np.int64, len(said))
