"""Units: the runs of a document's text that a chunk holds whole, and how one that is too long is cut into smaller ones.

A unit is a block of the document until it has to be cut: code at lines, tables at rows, text at paragraphs, list
items, sentences, clauses, words, and at last between visible characters.
"""

import re
from dataclasses import dataclass, replace

from assay.ingest.chunking.splitting import LEAD_INS, fine_borders, sentence_starts
from assay.model.documents import Block, BlockKind, Document

GLUED = 100.0
"""Cost of a border that is taken only when nothing else fits: between a heading and what it stands over."""

LEAD_IN = 2.0
SHORT_LEAD_IN = 0.6
CONTINUED = 0.4
PARAGRAPH = 0.1
ITEM = 0.15
NESTING = 0.1
SENTENCE = 0.5
LINE = 0.7
FINE = 0.9
ROW = 0.5

GRAIN = 32
"""How many of the finest parts there are in a limit; finer ones are joined, which bounds the work."""

Borders = list[tuple[int, float]]
"""Where the parts of a unit begin, ascending and without the first, and what each of these borders costs."""

_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_LINE_START = re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)
_FINENESS = 8  # text without borders is cut into so many parts for each limit, so that even ones can be made of them
_FINEST = 24  # characters; room for the longest emoji that is joined of several, so that none is cut in two
_SHORT = 200  # characters; a paragraph up to this long before code is likely to introduce it


@dataclass(frozen=True, slots=True)
class Unit:
    """A run of a document's text that a chunk holds whole.

    start, end: span in Document.text; begins and ends with something visible, but code and tables keep the
        indentation of their first line.
    border: what it costs to begin a chunk here; 0 costs nothing, and what is costlier is cut later.
    before, after: what a chunk that begins, or ends, with this unit has to repeat.
    opening, closing: what its parts have to repeat if it is cut: the lines of a fence, or a table's header and rule.
    """

    start: int
    end: int
    kind: BlockKind
    border: float = PARAGRAPH
    before: str = ""
    after: str = ""
    opening: str = ""
    closing: str = ""

    @property
    def size(self) -> int:
        """Characters of a chunk that holds nothing else."""
        return len(self.before) + self.end - self.start + len(self.after)


def units_of(document: Document) -> list[Unit]:
    """One unit for each block, and for anything visible between blocks, in order; the blocks' spans without blanks."""
    text = document.text
    units: list[Unit] = []
    previous: Unit | None = None
    position = 0
    for block in (*document.blocks, None):
        start = block.start if block else len(text)
        if position < start and not text[position:start].isspace():
            previous = _unit(text, Block(BlockKind.TEXT, position, start, position, start), previous)
            units.append(previous)
        if block and text[block.start : block.end].strip():
            previous = _unit(text, block, previous)
            units.append(previous)
        position = block.end if block else start
    return units


def _unit(text: str, block: Block, previous: Unit | None) -> Unit:
    """The unit of a block that has something visible; code and tables keep the indentation of their first line."""
    run, kind = text[block.start : block.end], block.kind
    end = block.start + len(run.rstrip())
    start = block.end - len(run.lstrip())
    opening = closing = after = ""
    if kind is BlockKind.CODE or kind is BlockKind.TABLE:
        start = max(block.start, text.rfind("\n", 0, start) + 1)
        opening, closing, is_open = _repeated(text, block, start, end)
        after = closing if is_open else ""
    return Unit(start, end, kind, _border_cost(text, previous, kind, start), "", after, opening, closing)


def _border_cost(text: str, previous: Unit | None, kind: BlockKind, start: int) -> float:
    """What it costs to part a unit of this kind that begins at start from the unit before it."""
    if previous is None or previous.kind is BlockKind.HEADING:
        return GLUED if previous else 0.0
    if kind is BlockKind.HEADING:
        return 0.0
    if previous.kind is BlockKind.TEXT:
        if text.endswith(LEAD_INS, previous.start, previous.end):
            return LEAD_IN
        if kind is not BlockKind.TEXT and previous.end - previous.start <= _SHORT:
            return SHORT_LEAD_IN
    line = text.rfind("\n", 0, start) + 1
    if text[line] in " \t>":
        return CONTINUED
    return ITEM if _LIST_ITEM.match(text, line) else PARAGRAPH


def _repeated(text: str, block: Block, start: int, end: int) -> tuple[str, str, bool]:
    """What parts of a code block or table say again before and after themselves.

    The third value says whether the page leaves the fence open, so that the whole block has to be closed as well.
    """
    opening = text[start : block.body_start].rstrip("\n")
    if not opening:
        return "", "", False
    closing = text[block.body_end : end].strip("\n")
    fence = _FENCE.match(opening)
    if block.kind is BlockKind.CODE and fence and not closing:
        return opening + "\n", "\n" + fence.group(1), True
    return opening + "\n", "\n" + closing if closing else "", False


# --- cutting -------------------------------------------------------------------------------------------------------


def cut_unit(text: str, unit: Unit, limit: int) -> list[Unit]:
    """Cut a unit into smaller ones, each with what it has to repeat at most `limit` characters long.

    The parts are finer than they need be, so that whoever joins them can choose the best borders.
    """
    opening, closing = _affordable(unit, limit // 2)
    room = max(1, limit - len(opening) - len(closing))
    if unit.kind is BlockKind.CODE:
        borders = _code_borders(text, unit)
    elif unit.kind is BlockKind.TABLE:
        borders = [(start, ROW) for start in _line_starts(text, unit)]
    else:
        borders = _text_borders(text, unit, room)
    borders = _coarser(borders, unit.start, max(1, room // GRAIN))
    borders = _finer(text, unit, borders, (opening, closing), limit)
    return _parts(text, unit, borders, opening, closing)


def _affordable(unit: Unit, most: int) -> tuple[str, str]:
    """What is repeated around a part, shortened to `most` characters: a fence without its title, or nothing."""
    opening, closing = unit.opening, unit.closing
    if len(opening) + len(closing) <= most:
        return opening, closing
    fence = _FENCE.match(opening)
    if unit.kind is BlockKind.CODE and fence and len(fence.group()) + 1 + len(closing) <= most:
        return fence.group() + "\n", closing
    return "", ""


def _parts(text: str, unit: Unit, borders: Borders, opening: str, closing: str) -> list[Unit]:
    """The unit cut at the borders."""
    parts: list[Unit] = []
    starts = [unit.start, *(offset for offset, _ in borders)]
    ends = [*(offset for offset, _ in borders), unit.end]
    costs = [unit.border, *(cost for _, cost in borders)]
    for start, end, cost in zip(starts, ends, costs, strict=True):
        parts.append(
            replace(
                unit,
                start=start,
                end=start + len(text[start:end].rstrip()),
                border=cost,
                before=opening if start > unit.start or unit.before else "",
                after=closing if end < unit.end or unit.after else "",
                opening=opening,
                closing=closing,
            )
        )
    return parts


def _line_starts(text: str, unit: Unit) -> list[int]:
    """Where each visible line of the unit's body begins, indentation included, the first left out."""
    first = unit.start if unit.before else unit.start + len(unit.opening)
    last = unit.end if unit.after else unit.end - len(unit.closing)
    starts = [match.start() for match in _LINE_START.finditer(text, first, last)]
    return [start for start in starts if start > first]


def _code_borders(text: str, unit: Unit) -> Borders:
    """Line borders of code: cheapest after a blank line, then at the outermost indentation, costly before a bracket."""
    starts = _line_starts(text, unit)
    depths = [len(match.group()) for match in (_LINE_START.match(text, start) for start in starts) if match]
    outermost = min(depths, default=0)
    borders: Borders = []
    for start, depth in zip(starts, depths, strict=True):
        cost = SENTENCE + min(0.3, 0.05 * (depth - outermost))
        if text[start + depth] in ")}]":
            cost += 0.4
        elif not text.endswith("\n\n", 0, start):
            cost += 0.15
        borders.append((start, cost))
    return borders


def _text_borders(text: str, unit: Unit, room: int) -> Borders:
    """Borders of running text: paragraphs and list items, and sentences and lines in what is over `room`."""
    borders: Borders = []
    outline = [*_outline_borders(text, unit), (unit.end, 0.0)]
    position = unit.start
    for offset, cost in outline:
        if offset - position > room:
            borders.extend((start, SENTENCE) for start in sentence_starts(text, position, offset))
        if offset < unit.end:
            borders.append((offset, cost))
        position = offset
    return _with_lines(text, unit, borders, room)


def _outline_borders(text: str, unit: Unit) -> Borders:
    """Where the list items and, after a blank line, the paragraphs of a unit begin, the first left out."""
    borders: Borders = []
    levels: list[int] = []
    for match in _LINE_START.finditer(text, unit.start, unit.end):
        start, indent = match.end(), match.end() - match.start()
        is_item = _LIST_ITEM.match(text, start) is not None
        if is_item:
            levels = [level for level in levels if level < indent] + [indent]
        if start == unit.start:
            continue
        if is_item:
            borders.append((start, ITEM + NESTING * (len(levels) - 1)))
        elif text.endswith("\n\n", 0, match.start()):
            borders.append((start, CONTINUED if indent else PARAGRAPH))
    return borders


def _with_lines(text: str, unit: Unit, borders: Borders, room: int) -> Borders:
    """The borders, and where they are further apart than `room`, the lines between them."""
    lines = [match.end() for match in _LINE_START.finditer(text, unit.start, unit.end)]
    result: Borders = []
    position, index = unit.start, 0
    for offset, cost in [*borders, (unit.end, 0.0)]:
        while index < len(lines) and lines[index] < offset:
            if offset - position > room and lines[index] > position:
                result.append((lines[index], LINE))
            index += 1
        if offset < unit.end:
            result.append((offset, cost))
        position = offset
    return result


def _coarser(borders: Borders, start: int, grain: int) -> Borders:
    """Thin borders out until they are about `grain` characters apart, keeping the cheapest of close neighbours."""
    kept: Borders = []
    position = start
    for offset, cost in borders:
        if offset - position >= grain or not kept:
            kept.append((offset, cost))
        elif cost < kept[-1][1]:
            kept[-1] = (offset, cost)
        else:
            continue
        position = kept[-1][0]
    return kept


def _finer(text: str, unit: Unit, borders: Borders, repeated: tuple[str, str], limit: int) -> Borders:
    """The borders, and where a part would be over the limit, cuts at clauses, words or characters within it."""
    before, after = len(repeated[0]), len(repeated[1])
    room = max(1, limit - before - after)
    size = min(room, max(_FINEST, room // _FINENESS))
    first, last = _body(unit, limit - size)
    result: Borders = []
    position = unit.start
    for offset, cost in [*borders, (unit.end, 0.0)]:
        length = offset - position
        length += before if position > unit.start or unit.before else 0
        length += after if offset < unit.end or unit.after else 0
        if length > limit:
            start, end = max(position, first), min(offset, last)
            fine = fine_borders(text, start, end, size, code=unit.kind is BlockKind.CODE)
            result.extend((border, FINE) for border in fine)
        if offset < unit.end:
            result.append((offset, cost))
        position = offset
    return result


def _body(unit: Unit, most: int) -> tuple[int, int]:
    """The span of a unit in which it may be cut: not in what its parts repeat, unless that is longer than `most`."""
    if len(unit.opening) + len(unit.closing) > most:
        return unit.start, unit.end
    first = unit.start if unit.before else unit.start + len(unit.opening)
    last = unit.end if unit.after else unit.end - len(unit.closing)
    return first, last
