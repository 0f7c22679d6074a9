"""Check of text that the candidate lost, in pages that are gone or less than half as long.

Lines that any page of the candidate still has are not lost: pages are moved, split and joined.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_MUCH_SHORTER = 0.5
"""A page that keeps this share of its length counts as edited."""

_SHOWN = 3
_WORD = re.compile(r"\w+")

Hashes = NDArray[np.uint32]  # of lines, by CRC-32


def fall_in_text(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of the live generation's text that is lost."""
    total, shrunk = _shrunk_pages(context)
    present = _present(context, shrunk)
    lost = {page: page.lost(present) for page in shrunk}
    worst = sorted((page for page in shrunk if lost[page]), key=lambda page: (-lost[page], page.url))
    share = sum(lost.values()) / max(total, 1)
    pages = [f"{page.url} ({page.before:,} → {page.now:,} characters)" for page in worst]
    yield finding(
        "fall in text",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the live generation's text is lost, in pages that are gone or "
        "less than half as long",
        f"{percent(share)} of the live generation's text is lost (limit {percent(limits.max_page_fall)}), in "
        f"{len(worst)} pages that are gone or less than half as long. Most of it is from {', '.join(pages[:_SHOWN])}. "
        "Check whether the site requires a login, the pages were cut off, or a plugin or include failed, and run "
        "again. If the removal is intended, publish or promote with --allow-removals, or raise gate.max_page_fall",
        pages,
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
        """Number of the page's characters that the candidate lost. present: hashes of the lines it has, ascending."""
        missing = self.sizes[~np.isin(self.lines, present)].sum() / max(self.sizes.sum(), 1)
        return min(self.before - self.now, round(self.before * float(missing)))


def _shrunk_pages(context: CheckContext) -> tuple[int, list[_Shrunk]]:
    """The number of characters of the live generation, and its pages that are gone or much shorter."""
    if context.live is None:
        return 0, []
    remaining = context.remaining_pages
    hashes = {listed.info.url: listed.text_hash for listed in context.catalog.listing(context.generation.id)}
    unchanged = {
        listed.info.url
        for listed in context.catalog.listing(context.live.id)
        if listed.info.url in remaining and hashes.get(remaining[listed.info.url]) == listed.text_hash
    }
    changed = [new for old, new in remaining.items() if old not in unchanged]
    size = {page.info.url: len(page.text) for page in context.catalog.documents_at(context.generation.id, changed)}
    now = {old: size.get(new, 0) for old, new in remaining.items()}
    total, shrunk = 0, []
    for page in context.catalog.documents(context.live.id):
        url, before = page.info.url, len(page.text)
        total += before
        if url not in unchanged and now.get(url, 0) < before * _MUCH_SHORTER:
            lines, sizes = _lines(page.text)
            shrunk.append(_Shrunk(url, before, now.get(url, 0), lines, sizes))
    return total, shrunk


def _present(context: CheckContext, shrunk: Iterable[_Shrunk]) -> Hashes:
    """Hashes of these pages' lines that the candidate has on any page, ascending."""
    wanted = np.unique(np.concatenate([np.empty(0, np.uint32), *(page.lines for page in shrunk)]))
    found = np.zeros(len(wanted), dtype=bool)
    if len(wanted):
        for page in context.catalog.documents(context.generation.id):
            lines = _lines(page.text)[0]
            places = np.minimum(np.searchsorted(wanted, lines), len(wanted) - 1)
            found[places[wanted[places] == lines]] = True
    return wanted[found]


def _lines(text: str) -> tuple[Hashes, NDArray[np.int64]]:
    """The hash and length of each line with words. The hash ignores case, punctuation and spaces."""
    said = [words for line in text.splitlines() if (words := " ".join(_WORD.findall(line.lower())))]
    hashes = np.fromiter((zlib.crc32(line.encode()) for line in said), np.uint32, len(said))
    return hashes, np.fromiter(map(len, said), np.int64, len(said))
