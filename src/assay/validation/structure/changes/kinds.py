"""Check of code, tables, headings and lists that the candidate lost.

A failing plugin or a wrong indent removes one kind of content from every page and leaves the rest: no page is gone and
few are much shorter. Lines that the candidate has as often, on any page, are not lost.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.content.fences import split_code
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_CODE, _PROSE = "characters of code", "characters outside of code"
_LINES: Mapping[str, re.Pattern[str]] = {
    "table rows": re.compile(r"^[ \t>]*\|.*\|[ \t]*"),
    "headings": re.compile(r"#{1,6} .*"),
    "list items": re.compile(r"^[ \t>]*(?:[-*+]|\d{1,9}[.)]) .*"),
}
_KINDS = (_CODE, _PROSE, *_LINES)

_LEAST = {_CODE: 300, _PROSE: 300}
_LEAST_LINES = 10
"""With less of a kind in the live generation, a few edits would be a large share."""

_LEAST_PAGES = 3
"""Fewer pages are edits."""

_SHOWN = 2

Counts = dict[str, int]


def fall_in_kinds_of_content(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of code, tables, headings and lists that pages lost, and of prose that became code."""
    had, falls = _falls(context) if context.live else ({}, [])
    _keep_what_is_elsewhere(context, falls)
    losses = [loss for kind in _KINDS if (loss := _Loss.of(kind, had.get(kind, 0), falls)).counts]
    over = [loss for loss in losses if loss.share > limits.max_page_fall]
    yield finding(
        "fall in kinds of content",
        not over,
        max((loss.share for loss in losses), default=0.0),
        f"at most {percent(limits.max_page_fall)} of the code, table rows, headings or list items of the live "
        "generation's pages is lost, and no more of their text became code",
        f"Remaining pages lost {'; '.join(loss.description for loss in over)} (limit {percent(limits.max_page_fall)}). "
        "Compare one of these pages with its source: a plugin or extension of the generator may have failed, or text "
        "is indented like code. Fix this, and run again. If the change is intended, publish or promote with "
        "--allow-removals, or raise gate.max_page_fall",
        [f"{loss.kind}: {page}" for loss in over for page in loss.pages],
    )


@dataclass(slots=True)
class _Fall:
    """A page with less of a kind than in the live generation.

    earlier: its URL in the live generation.
    lost: the amount that is on no page of the candidate.
    """

    url: str
    earlier: str
    kind: str
    before: int
    now: int
    lost: int
    lines: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Loss:
    """The loss of a kind over all pages. had: the live generation's amount on remaining pages."""

    kind: str
    had: int
    lost: int
    pages: list[str]

    @classmethod
    def of(cls, kind: str, had: int, falls: list[_Fall]) -> "_Loss":
        of_kind = sorted((f for f in falls if f.kind == kind and f.lost), key=lambda fall: (-fall.lost, fall.url))
        pages = [f"{fall.url} ({fall.before:,} → {fall.now:,})" for fall in of_kind]
        return cls(kind, had, sum(fall.lost for fall in of_kind), pages)

    @property
    def counts(self) -> bool:
        """Whether the amount and the number of pages are too large for edits."""
        return self.had >= _LEAST.get(self.kind, _LEAST_LINES) and len(self.pages) >= _LEAST_PAGES

    @property
    def share(self) -> float:
        return self.lost / max(self.had, 1)

    @property
    def description(self) -> str:
        amount = f"{self.lost:,} of {self.had:,} {self.kind}"
        became = " to code" if self.kind == _PROSE else ""
        return (
            f"{amount}{became} ({percent(self.share)}), on {len(self.pages)} pages, such as "
            f"{', '.join(self.pages[:_SHOWN])}"
        )


def _falls(context: CheckContext) -> tuple[Counts, list[_Fall]]:
    """The live amount of each kind on remaining pages, and the pages with less of a kind."""
    assert context.live is not None
    live = {page.info.url: (page.text_hash, _counts(page.text)) for page in context.catalog.documents(context.live.id)}
    earlier = {new: old for old, new in context.remaining_pages.items()}
    had: defaultdict[str, int] = defaultdict(int)
    falls: list[_Fall] = []
    changed: dict[str, Counts] = {}
    for listed in context.catalog.listing(context.generation.id):
        text_hash, before = live.get(earlier.get(listed.info.url, ""), ("", {}))
        for kind, count in before.items():
            had[kind] += count
        if before and listed.text_hash != text_hash:
            changed[listed.info.url] = before
    for page in context.catalog.documents_at(context.generation.id, list(changed)):
        url = page.info.url
        falls += _falls_of(url, earlier[url], changed[url], _counts(page.text))
    return had, falls


def _falls_of(url: str, earlier: str, before: Counts, now: Counts) -> Iterator[_Fall]:
    became_code = max(now[_CODE] - before[_CODE], 0)
    for kind in _KINDS:
        lost = before[kind] - now[kind]
        if kind == _PROSE:  # only prose that became code counts here
            lost = min(lost, became_code)
        if lost > 0:
            yield _Fall(url, earlier, kind, before[kind], now[kind], lost)


def _keep_what_is_elsewhere(context: CheckContext, falls: list[_Fall]) -> None:
    """Reduce the losses by lines that the candidate has as often on other pages, because pages are split and joined."""
    if not falls or context.live is None:
        return
    by_page: defaultdict[str, list[_Fall]] = defaultdict(list)
    for fall in falls:
        by_page[fall.earlier].append(fall)
    in_falls: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}
    for page in context.catalog.documents_at(context.live.id, sorted(by_page)):
        lines = _by_kind(page.text)
        for fall in by_page[page.info.url]:
            fall.lines.update(lines[fall.kind])
            in_falls[fall.kind].update(lines[fall.kind])
    fewer = {kind: Counter[str]() for kind in _KINDS}
    for generation, sign in ((context.live, 1), (context.generation, -1)):
        for page in context.catalog.documents(generation.id):
            for kind, lines_of_kind in _by_kind(page.text).items():
                for line in lines_of_kind:
                    if line in in_falls[kind]:
                        fewer[kind][line] += sign
    for fall in falls:
        kind = fall.kind
        missing = sum(
            _size(kind, line) * count * min(max(fewer[kind][line], 0) / in_falls[kind][line], 1.0)
            for line, count in fall.lines.items()
        )
        fall.lost = min(fall.lost, round(missing))


def _counts(text: str) -> Counts:
    return {kind: sum(_size(kind, line) for line in lines) for kind, lines in _by_kind(text).items()}


def _size(kind: str, line: str) -> int:
    return 1 if kind in _LINES else len(line)


def _by_kind(text: str) -> dict[str, list[str]]:
    """The stripped lines of each kind; a line outside of code may have several kinds."""
    prose, code = split_code(text)
    said = [line.strip() for line in prose if line.strip()]
    of_lines = {kind: [line for line in said if pattern.fullmatch(line)] for kind, pattern in _LINES.items()}
    return {_CODE: [line.strip() for line in code if line.strip()], _PROSE: said, **of_lines}
