"""Check of lines that most pages repeat: a cookie banner, menu or footer read as content."""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.model.counting import counted
from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.structure.collecting import PageCollector
from assay.validation.structure.context import CheckContext, Edition, StructuralLimits, edition_of, finding

_LEAST_PAGES = 5
"""Fewer pages are too few to recognize a template."""

_LEAST_TEXT = 200
"""Average characters of a page under which nothing fails: such short pages are alike without any banner."""

_MOST = 0.5
"""A line on a larger share of the pages is part of their template."""

_SHOWN = 3
_LONGEST_SHOWN = 60
_WORD = re.compile(r"[^\W_]+")

Hashes = NDArray[np.uint32]  # of lines, by CRC-32


def boilerplate(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check the share of a source's text in lines that most of its pages repeat."""
    edition, (share, repeated) = max(
        context.content.result(RepeatedLines, progress).items(),
        key=lambda one: one[1][0],
        default=(("", None, None), (0.0, np.empty(0, np.uint32))),
    )
    failed = share > limits.max_boilerplate
    shown = _shown(context, edition, repeated) if failed else []
    yield finding(
        "boilerplate",
        not failed,
        share,
        f"at most {percent(limits.max_boilerplate)} of a source's text is in lines that most of its pages have",
        f"{percent(share)} of the text of {edition[0]} is in {counted(len(repeated), 'line')} that more than half of "
        f"its pages have (limit {percent(limits.max_boilerplate)}): {', '.join(shown[:_SHOWN])}. If a banner, menu or "
        "footer was read as content, leave it out of the pages, or publish the source folder. If the lines are "
        "intended, raise gate.max_boilerplate",
        shown,
        len(repeated),
    )


@dataclass(slots=True)
class _Lines:
    """The lines of the pages of one edition. pages: unique hashes of each page's lines; sizes: their characters."""

    pages: list[Hashes] = field(default_factory=list)
    sizes: list[NDArray[np.int64]] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Count a page's lines; one that it has twice counts with the characters of both."""
        lines: defaultdict[int, int] = defaultdict(int)
        for line in text.splitlines():
            hashed = _hashed(line)
            if hashed is not None:
                lines[hashed] += len(line)
        self.pages.append(np.fromiter(lines, np.uint32, len(lines)))
        self.sizes.append(np.fromiter(lines.values(), np.int64, len(lines)))

    def repeated(self) -> tuple[float, Hashes]:
        """The share of all characters in lines that most pages have, and those lines, the largest first.

        Nothing for fewer than 5 pages, or pages with fewer than 200 characters on average.
        """
        if len(self.pages) < _LEAST_PAGES:
            return 0.0, np.empty(0, np.uint32)
        hashes, places, counts = np.unique(np.concatenate(self.pages), return_inverse=True, return_counts=True)
        sizes = np.bincount(places, np.concatenate(self.sizes), len(hashes))
        if sizes.sum() < _LEAST_TEXT * len(self.pages):
            return 0.0, np.empty(0, np.uint32)
        most = counts > _MOST * len(self.pages)
        order = np.argsort(-sizes[most], kind="stable")
        return float(sizes[most].sum() / max(sizes.sum(), 1)), hashes[most][order]


class RepeatedLines(PageCollector[dict[Edition, tuple[float, Hashes]]]):
    """Finds the lines that most pages of an edition have, as _Lines.repeated returns them."""

    stage = "repeated lines"

    def __init__(self) -> None:
        self._editions: defaultdict[Edition, _Lines] = defaultdict(_Lines)

    def add(self, info: DocumentInfo, text: str) -> None:
        """Take the next page."""
        self._editions[edition_of(info)].add(text)

    def result(self) -> dict[Edition, tuple[float, Hashes]]:
        """By edition."""
        return {edition: lines.repeated() for edition, lines in self._editions.items()}


def _shown(context: CheckContext, edition: Edition, repeated: Hashes) -> list[str]:
    """An original line for each of these hashes, in their order."""
    wanted = {int(one): number for number, one in enumerate(repeated)}
    found: dict[int, str] = {}
    for page in context.catalog.documents(context.generation.id):
        if edition_of(page.info) == edition:
            for line in page.text.splitlines():
                hashed = _hashed(line)
                if hashed is not None and (number := wanted.get(hashed)) is not None:
                    found.setdefault(number, repr(" ".join(line.split())[:_LONGEST_SHOWN]))
        if len(found) == len(wanted):
            break
    return [found[number] for number in sorted(found)]


@lru_cache(maxsize=20_000)
def _hashed(line: str) -> int | None:
    """The hash of a line's words. None without words, and for a heading: pages of one kind have the same sections.

    Cached, because pages have many lines in common, as in code.
    """
    words = "" if line.startswith("#") else " ".join(_WORD.findall(line.lower()))
    return zlib.crc32(words.encode("utf-8", "surrogatepass")) if words else None
