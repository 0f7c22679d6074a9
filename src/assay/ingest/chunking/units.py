"""Units: the pieces of a document that a chunk holds whole, and the cutting of units that are too long.

A unit is a block of the document until it has to be cut: code at lines, tables at rows, text at paragraphs, list
items, sentences, clauses, words, and finally between visible characters.
"""

import re
from dataclasses import dataclass, replace

from assay.ingest.chunking.splitting import LEAD_INS, fine_borders, sentence_starts
from assay.model.documents import Block, BlockKind, Document

GLUED = 100.0
"""Cost of a border that is used only if nothing else fits: between a heading and its content."""

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
"""Number of finest parts per limit; finer ones are joined, to bound the work."""

Borders = list[tuple[int, float]]
"""The starts of a unit's parts, ascending and without the first, and the cost of each border."""

_LIST_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,9}[.)])[ \t]")
_FENCE = re.compile(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]*)*(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_LINE_START = re.compile(r"^[^\S\n]*(?=\S)", re.MULTILINE)
_PARTS_PER_LIMIT = 8  # parts per limit in text without borders, so that even chunks are possible
_MIN_PART = 24  # characters; longer than the longest joined emoji
_SHORT_PARAGRAPH = 200  # characters; a paragraph up to this length before code probably introduces it


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a document's text that a chunk holds whole.

    start, end: span in Document.text; starts and ends with a visible character, but code and tables keep the
        indentation of their first line.
    border: cost of starting a chunk here; 0 is free, and a higher cost is used later.
    before, after: text that a chunk starting, or ending, with this unit repeats.
    opening, closing: text that its parts repeat if it is cut: the fence lines, or a table's header and rule.
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
        """Characters of a chunk with only this unit."""
        return len(self.before) + self.end - self.start + len(self.after)


def units_of(document: Document) -> list[Unit]:
    """One unit for each block and for visible text between blocks, in order, without surrounding blanks."""
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
    """The unit of a block with visible text; code and tables keep the indentation of their first line."""
    run, kind = text[block.start : block.end], block.kind
    end = block.start + len(run.rstrip())
    start = block.end - len(run.lstrip())
    opening = closing = after = ""
    if kind is BlockKind.CODE or kind is BlockKind.TABLE:
        start = max(block.start, text.rfind("\n", 0, start) + 1)
        opening, closing, is_open = _repeated_lines(text, block, start, end)
        after = closing if is_open else ""
    return Unit(start, end, kind, _border_cost(text, previous, kind, start), "", after, opening, closing)


def _border_cost(text: str, previous: Unit | None, kind: BlockKind, start: int) -> float:
    """Cost of the border before a unit of this kind that starts at `start`."""
    if previous is None or previous.kind is BlockKind.HEADING:
        return GLUED if previous else 0.0
    if kind is BlockKind.HEADING:
        return 0.0
    if previous.kind is BlockKind.TEXT:
        if text.endswith(LEAD_INS, previous.start, previous.end):
            return LEAD_IN
        if kind is not BlockKind.TEXT and previous.end - previous.start <= _SHORT_PARAGRAPH:
            return SHORT_LEAD_IN
    line = text.rfind("\n", 0, start) + 1
    if text[line] in " \t>":
        return CONTINUED
    return ITEM if _LIST_ITEM.match(text, line) else PARAGRAPH


def _repeated_lines(text: str, block: Block, start: int, end: int) -> tuple[str, str, bool]:
    """The text that parts of a code block or table repeat before and after themselves.

    The third value: the page leaves the fence open, so that the whole block has to be closed too.
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
    """Cut a unit into smaller ones, each at most `limit` characters long with its repeated text.

    The parts are finer than needed, so that `partition` can choose the best borders.
    """
    opening, closing = _shortened_repeat(unit, limit // 2)
    room = max(1, limit - len(opening) - len(closing))
    if unit.kind is BlockKind.CODE:
        borders = _code_borders(text, unit)
    elif unit.kind is BlockKind.TABLE:
        borders = [(start, ROW) for start in _line_starts(text, unit)]
    else:
        borders = _text_borders(text, unit, room)
    borders = _thin_out(borders, unit.start, max(1, room // GRAIN))
    borders = _add_fine_borders(text, unit, borders, (opening, closing), limit)
    return _parts(text, unit, borders, opening, closing)


def _shortened_repeat(unit: Unit, most: int) -> tuple[str, str]:
    """The repeated text, shortened to `most` characters: a fence without its title, or nothing."""
    opening, closing = unit.opening, unit.closing
    if len(opening) + len(closing) <= most:
        return opening, closing
    fence = _FENCE.match(opening)
    if unit.kind is BlockKind.CODE and fence and len(fence.group()) + 1 + len(closing) <= most:
        return fence.group() + "\n", closing
    return "", ""


def _parts(text: str, unit: Unit, borders: Borders, opening: str, closing: str) -> list[Unit]:
    """Cut the unit at the borders."""
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
    """The start of each visible line of the unit's body with its indentation, without the first."""
    first = unit.start if unit.before else unit.start + len(unit.opening)
    last = unit.end if unit.after else unit.end - len(unit.closing)
    starts = [match.start() for match in _LINE_START.finditer(text, first, last)]
    return [start for start in starts if start > first]


def _code_borders(text: str, unit: Unit) -> Borders:
    """Line borders of code: cheapest after a blank line, then at the outermost indentation; costly before a bracket."""
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
    """Borders of text: paragraphs and list items, and in pieces longer than `room` also sentences and lines."""
    borders: Borders = []
    outline = [*_outline_borders(text, unit), (unit.end, 0.0)]
    position = unit.start
    for offset, cost in outline:
        if offset - position > room:
            borders.extend((start, SENTENCE) for start in sentence_starts(text, position, offset))
        if offset < unit.end:
            borders.append((offset, cost))
        position = offset
    return _add_line_borders(text, unit, borders, room)


def _outline_borders(text: str, unit: Unit) -> Borders:
    """The starts of list items and, after a blank line, of paragraphs, without the first."""
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


def _add_line_borders(text: str, unit: Unit, borders: Borders, room: int) -> Borders:
    """The borders, and the lines between borders further apart than `room`."""
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


def _thin_out(borders: Borders, start: int, grain: int) -> Borders:
    """Thin out borders to about `grain` characters apart; of close neighbours keep the cheapest."""
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


def _add_fine_borders(text: str, unit: Unit, borders: Borders, repeated: tuple[str, str], limit: int) -> Borders:
    """The borders, and cuts at clauses, words or characters in parts over the limit."""
    before, after = len(repeated[0]), len(repeated[1])
    room = max(1, limit - before - after)
    size = min(room, max(_MIN_PART, room // _PARTS_PER_LIMIT))
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
    """The span in which a unit may be cut: without its repeated text, unless that is longer than `most`."""
    if len(unit.opening) + len(unit.closing) > most:
        return unit.start, unit.end
    first = unit.start if unit.before else unit.start + len(unit.opening)
    last = unit.end if unit.after else unit.end - len(unit.closing)
    return first, last
