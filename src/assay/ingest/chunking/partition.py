"""Where a run of units is best parted into chunks: the borders that cost least, and parts of even size."""

import math
from collections.abc import Sequence
from dataclasses import replace

from assay.ingest.chunking.units import GLUED, GRAIN, LEAD_IN, Unit, cut_unit
from assay.model.documents import BlockKind

_FILL = 0.5
"""How full a chunk of a text that does not fit into one should be, on average.

Whole sections and code are best kept whole up to a high limit; running text that has to be cut is found best in
parts of about 900 characters (`python -m benchmarks.chunking`). A limit of 1,800 gives both.
"""

_LAST_HEADING = GLUED / 2
"""Cost of parting the last heading, which stands over nothing, from what stands before it.

When there is no room for both, the heading is left out rather than another heading parted from its text.
"""


def partition(text: str, units: Sequence[Unit], limit: int) -> list[tuple[Unit, ...]]:
    """Part a run of units into runs whose chunks have at most `limit` characters each.

    A single heading at the end that stands over nothing is left out when it does not fit into the last run.
    Units that cannot fit are cut first. Of all partitions the cheapest is taken: a part costs the square of its
    relative distance from the even size, a border what the unit after it says. Dynamic programming over the borders,
    linear in the length of the text, for only so many units fit in a part.
    """
    if not units:
        return []
    if _length(units[0], units[-1]) <= limit:
        return [tuple(units)]
    pieces = _with_grains_joined(_fitting(text, _with_headings_bound(units, limit), limit), limit)
    starts = _cheapest_starts(pieces, limit, _even_size(pieces, limit))
    parts = [tuple(pieces[start:end]) for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True)]
    ends_bare = len(parts) > 1 and len(parts[-1]) == 1 and parts[-1][0].kind is BlockKind.HEADING
    return parts[:-1] if ends_bare else parts


def _length(first: Unit, last: Unit) -> int:
    """Characters of the chunk from the first unit to the last."""
    return len(first.before) + last.end - first.start + len(last.after)


def _with_headings_bound(units: Sequence[Unit], limit: int) -> list[Unit]:
    """Bind headings to what they stand over, and those at the very end to what stands before them.

    Of a run of headings that takes more than half a chunk only the last ones stay bound; the others, at least two,
    may be parted from them.
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
    """The first of the headings from start to end from which on the run has at most so many characters."""
    first = end
    while first > start and units[end - 1].end - units[first - 1].start <= most:
        first -= 1
    return first


def _fitting(text: str, units: Sequence[Unit], limit: int) -> list[Unit]:
    """The units, those cut that are too long for a chunk, or too long to share one with the headings over them."""
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


def _with_grains_joined(units: list[Unit], limit: int) -> list[Unit]:
    """Join neighbouring bits of running text where there are so many that weighing every border would take long."""
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
    """Index of the first unit of each part in the cheapest partition into parts of about an even size.

    Every unit alone fits the limit.
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


def _even_size(units: Sequence[Unit], limit: int) -> float:
    """The size that each part would have if all were alike."""
    total = units[-1].end - units[0].start
    return total / max(2, round(total / (limit * _FILL)))
