"""Which neighbouring sections of a document share a chunk."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.ingest.chunking.units import Unit
from assay.model.documents import BlockKind, Section

_SUBTREE = 0.3
"""A section with all that is under it stays one group up to this share of the limit."""

_SMALL = 0.15
"""A section shorter than this share of the limit is joined with a neighbour ..."""

_JOINED = 0.5
"""... when the two have at most this share of the limit."""

_TINY = 0.06
"""A section shorter than this share of the limit is joined with a neighbour whenever the two fit."""


@dataclass(frozen=True, slots=True)
class Group:
    """A run of units of neighbouring sections that stays together if it fits.

    level: of the section in which it begins.
    """

    level: int
    units: tuple[Unit, ...]

    @property
    def size(self) -> int:
        """Characters from the first unit to the last."""
        return self.units[-1].end - self.units[0].start

    @property
    def is_bare(self) -> bool:
        """Whether nothing but headings is in it."""
        return all(unit.kind is BlockKind.HEADING for unit in self.units)

    def __add__(self, other: "Group") -> "Group":
        return Group(self.level, self.units + other.units)


def group_sections(sections: Sequence[Section], units: Sequence[Unit], limit: int) -> list[Group]:
    """Join small neighbouring sections under one parent, and headings without a body with what they stand over.

    A section with everything under it is one group when it is short. Otherwise its own text and each section right
    under it are groups, and those that are very short are joined with a neighbour.

    limit: the most characters of a chunk. A group may be larger.
    """
    return _without_bare(_pack(_bodies(sections, units), limit))


def _bodies(sections: Sequence[Section], units: Sequence[Unit]) -> list[Group]:
    """The units of each section that has any."""
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
    """Groups of a run of sections, of which the first may be the parent of the others."""
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
    """Neighbouring groups as one."""
    return Group(groups[0].level, tuple(unit for group in groups for unit in group.units))


def _join_small(parts: Sequence[Sequence[Group]], limit: int) -> list[Group]:
    """Join neighbouring sections of which one is very short, as long as both are whole.

    A section that was parted further can only take what stands before it, and only when that is tiny.
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
    """Whether two neighbouring groups are better joined. is_parted: the second is not all of its section."""
    joined = following.units[-1].end - group.units[0].start
    if group.size < limit * _TINY or (following.size < limit * _TINY and not is_parted):
        return joined <= limit
    smaller = min(group.size, following.size)
    return not is_parted and smaller < limit * _SMALL and joined <= limit * _JOINED


def _without_bare(groups: Sequence[Group]) -> list[Group]:
    """Give headings that have no body to what follows if it is under them, and otherwise to what stands before."""
    runs: list[list[Group]] = []  # summed at the end: a page of nothing but headings makes very long ones
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
