"""The grouping of neighbouring sections into chunks."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.ingest.chunking.units import Unit
from assay.model.documents import BlockKind, Section

_SUBTREE = 0.3
"""A section with its subsections is one group up to this share of the limit."""

_SMALL = 0.15
"""A section shorter than this share of the limit is joined with a neighbour ..."""

_JOINED = 0.5
"""... when the two have at most this share of the limit."""

_TINY = 0.06
"""A section shorter than this share of the limit is joined with a neighbour whenever the two fit."""


@dataclass(frozen=True, slots=True)
class Group:
    """Units of neighbouring sections that stay together if they fit.

    level: of the first section.
    """

    level: int
    units: tuple[Unit, ...]

    @property
    def size(self) -> int:
        """Characters from the first unit to the last."""
        return self.units[-1].end - self.units[0].start

    @property
    def is_bare(self) -> bool:
        """Whether it contains only headings."""
        return all(unit.kind is BlockKind.HEADING for unit in self.units)

    def __add__(self, other: "Group") -> "Group":
        return Group(self.level, self.units + other.units)


def group_sections(sections: Sequence[Section], units: Sequence[Unit], limit: int) -> list[Group]:
    """Join small neighbouring sections under one parent, and headings without a body with what follows.

    A short section with its subsections is one group. Otherwise its own text and each direct subsection are groups, and
    very short ones are joined with a neighbour.

    limit: characters of a chunk. A group may be larger.
    """
    return _attach_bare_headings(_pack(_bodies(sections, units), limit))


def _bodies(sections: Sequence[Section], units: Sequence[Unit]) -> list[Group]:
    """The units of each section that is not empty."""
    bodies: list[Group] = []
    index = 0
    for section in sections:
        start = index
        while index < len(units) and units[index].start < section.end:
            index += 1
        if index > start:
            bodies.append(Group(section.level, tuple(units[start:index])))
    return bodies


def _pack(bodies: Sequence[Group], limit: int) -> list[Group]:
    """Group a run of sections, of which the first may be the parent of the others."""
    if not bodies or bodies[-1].units[-1].end - bodies[0].units[0].start <= limit * _SUBTREE:
        return [_sum(bodies)] if bodies else []
    if len(bodies) == 1:
        return list(bodies)
    parts: list[list[Group]] = []
    start = 0
    if all(body.level > bodies[0].level for body in bodies[1:]):
        parts.append([bodies[0]])
        start = 1
    while start < len(bodies):
        end = start + 1
        while end < len(bodies) and bodies[end].level > bodies[start].level:
            end += 1
        parts.append(_pack(bodies[start:end], limit))
        start = end
    return _join_small(parts, limit)


def _sum(groups: Sequence[Group]) -> Group:
    """Join neighbouring groups into one."""
    return Group(groups[0].level, tuple(unit for group in groups for unit in group.units))


def _join_small(parts: Sequence[Sequence[Group]], limit: int) -> list[Group]:
    """Join neighbouring sections if one is very short and both are whole.

    A divided section is only joined with a tiny one before it.
    """
    result: list[Group] = []
    is_whole = False
    for part in parts:
        first, rest = part[0], part[1:]
        if is_whole and _belong_together(result[-1], first, limit, is_parted=bool(rest)):
            result[-1] += first
        else:
            result.append(first)
        result.extend(rest)
        is_whole = not rest
    return result


def _belong_together(group: Group, following: Group, limit: int, *, is_parted: bool) -> bool:
    """Whether two neighbouring groups should be joined. is_parted: the second is only part of its section."""
    join_inlines = following.units[-1].end - group.units[0].start
    if group.size < limit * _TINY or (following.size < limit * _TINY and not is_parted):
        return join_inlines <= limit
    smaller = min(group.size, following.size)
    return not is_parted and smaller < limit * _SMALL and join_inlines <= limit * _JOINED


def _attach_bare_headings(groups: Sequence[Group]) -> list[Group]:
    """Attach headings without a body to the following group if it is below them, else to the previous one."""
    runs: list[list[Group]] = []  # joined at the end: a page of only headings makes very long runs
    waiting: list[Group] = []
    for index, group in enumerate(groups):
        waiting.append(group)
        following = groups[index + 1] if index + 1 < len(groups) else None
        if group.is_bare and following and (following.level > waiting[0].level or not runs):
            continue
        if group.is_bare and runs:
            runs[-1] += waiting
        else:
            runs.append(waiting)
        waiting = []
    return [_sum(run) for run in runs]
