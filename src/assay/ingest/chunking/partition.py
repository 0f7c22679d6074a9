"""The best division of units into chunks: cheapest borders, even sizes."""

import math
from collections.abc import Sequence
from dataclasses import replace

from assay.ingest.chunking.units import GLUED, GRAIN, LEAD_IN, Unit, cut_unit
from assay.model.documents import BlockKind

_FILL = 0.5
"""Average fill of a chunk when a text does not fit into one.

Whole sections and code are best kept whole up to a high limit; long text is found best in parts of about 900
characters (`python -m benchmarks.chunking`). A limit of 1,800 gives both.
"""

_LAST_HEADING = GLUED / 2
"""Cost of separating a final heading, which has no content, from the text before it.

If there is no room for both, this heading is dropped rather than another heading separated from its text.
"""


def partition(text: str, units: Sequence[Unit], limit: int) -> list[tuple[Unit, ...]]:
    """Divide units into runs whose chunks have at most `limit` characters each.

    Units that cannot fit are cut first. The cheapest partition is chosen: a part costs the square of its relative
    distance from the even size, a border the cost of the unit after it. Dynamic programming over the borders, linear in
    the length of the text. A single final heading without content is dropped if it does not fit.
    """
    if not units:
        return []
    if _length(units[0], units[-1]) <= limit:
        return [tuple(units)]
    pieces = _join_small_pieces(_cut_long_units(text, _bind_headings(units, limit), limit), limit)
    total = pieces[-1].end - pieces[0].start
    starts = _cheapest_starts(pieces, limit, even=total / max(2, round(total / (limit * _FILL))))
    parts = [tuple(pieces[start:end]) for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    ends_bare = len(parts) > 1 and len(parts[-1]) == 1 and parts[-1][0].kind is BlockKind.HEADING
    return parts[:-1] if ends_bare else parts


def _length(first: Unit, last: Unit) -> int:
    """Characters of the chunk from the first to the last unit."""
    return len(first.before) + last.end - first.start + len(last.after)


def _bind_headings(units: Sequence[Unit], limit: int) -> list[Unit]:
    """Bind headings to their content, and final ones to the text before them.

    Of a run of headings longer than half a chunk only the last ones are bound; at least two others may be separated.
    """
    result = list(units)
    index = 0
    while index < len(result):
        end = index
        while end < len(result) and result[end].kind is BlockKind.HEADING:
            end += 1
        if end == len(result) > index > 0:
            result[index] = replace(result[index], border=_LAST_HEADING if end - index == 1 else LEAD_IN)
        bound = _first_bound(result, index, end, limit // 2)
        if bound > index:
            second = min(index + 2, end)
            for loose in range(second, min(max(bound, second), len(result) - 1) + 1):
                result[loose] = replace(result[loose], border=0.0)
        index = end + 1
    return result


def _first_bound(units: Sequence[Unit], start: int, end: int, most: int) -> int:
    """The first heading from which the run has at most `most` characters."""
    first = end
    while first > start and units[end - 1].end - units[first - 1].start <= most:
        first -= 1
    return first


def _cut_long_units(text: str, units: Sequence[Unit], limit: int) -> list[Unit]:
    """The units; those too long for a chunk with the headings above them are cut."""
    result: list[Unit] = []
    run_start: int | None = None
    for unit in units:
        if unit.border < GLUED or run_start is None:
            run_start = unit.start
        room = limit - (unit.start - run_start)
        if unit.size <= room:
            result.append(unit)
        else:
            result.extend(cut_unit(text, unit, max(room, limit // 2)))
        if unit.kind is not BlockKind.HEADING:
            run_start = None
    return result


def _join_small_pieces(units: list[Unit], limit: int) -> list[Unit]:
    """Join small neighbouring pieces of text if many would slow the search."""
    grain = limit // GRAIN
    if len(units) * grain < 2 * (units[-1].end - units[0].start):
        return units
    result = units[:1]
    for unit in units[1:]:
        last = result[-1]
        if last.kind is unit.kind is BlockKind.TEXT and unit.end - last.start <= grain:
            result[-1] = replace(last, end=unit.end)
        else:
            result.append(unit)
    return result


def _cheapest_starts(units: Sequence[Unit], limit: int, even: float) -> list[int]:
    """The first unit of each part in the cheapest partition into parts of about the even size.

    Every single unit fits the limit.
    """
    count = len(units)
    costs = [math.inf] * (count + 1)
    costs[0] = 0.0
    previous = [0] * (count + 1)
    for start, first in enumerate(units):
        base = costs[start] + (first.border if start else 0.0)
        offset = first.start - len(first.before)
        for end in range(start, count):
            last = units[end]
            size = last.end - offset + len(last.after)
            if last.end - offset > limit:
                break
            if size > limit:
                continue
            cost = base + (size / even - 1.0) ** 2
            if cost < costs[end + 1]:
                costs[end + 1] = cost
                previous[end + 1] = start
    assert math.isfinite(costs[count]), "a unit is longer than the limit"
    starts = [previous[count]]
    while starts[-1] > 0:
        starts.append(previous[starts[-1]])
    return starts[::-1]
