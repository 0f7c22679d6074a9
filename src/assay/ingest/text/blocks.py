"""Normalized text → blocks, so that a stored document can be chunked again without its page. No I/O.

The blocks written by `normalized` are parsed from the text and the stored sections. Text that looks like a list item
or a table row cannot be told from a real one; it may start a block of its own, which moves a chunk border at most.
"""

import re
from collections.abc import Iterator, Sequence

from assay.model.documents import Block, BlockKind, Section

_FENCE = re.compile(r"([ >]*)(`{3,})[^`]*")
_RULE = re.compile(r"[ >]*\|(?: --- \|)+")
_QUOTES = re.compile(r"(?:> ?)*+")
_MARKER = re.compile(r"(?:-|\d+\.)(?: |$)|: |\[\^[^\]]*\]: ")
_NOTE = re.compile(r": |\[\^[^\]]*\]: ")

_Line = tuple[int, int]
"""Start and end of a line in the text, without its newline."""


def blocks_of(text: str, sections: Sequence[Section]) -> tuple[Block, ...]:
    """The blocks of a document's normalized text, in order, as in Document.

    sections: as in Document; only their headings count as headings.
    """
    headings = {section.start for section in sections if section.level}
    blocks: list[Block] = []
    for run in _runs(text, headings):
        for block in _blocks_of_run(text, run, headings):
            if _continues_item(text, block, blocks):
                blocks[-1] = _text_block(BlockKind.TEXT, blocks[-1].start, block.end)
            else:
                blocks.append(block)
    return tuple(blocks)


def _runs(text: str, headings: set[int]) -> Iterator[list[_Line]]:
    """Runs of lines without a blank line between; blank lines in code do not end a run."""
    run: list[_Line] = []
    closing = ""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if closing:
            closing = "" if line == closing else closing
        elif not line.strip():
            if run:
                yield run
            run, start = [], end + 1
            continue
        elif start not in headings and (fence := _FENCE.fullmatch(line)):
            closing = fence[1] + fence[2]
        run.append((start, end))
        start = end + 1
    if run:
        yield run


def _blocks_of_run(text: str, run: Sequence[_Line], headings: set[int]) -> Iterator[Block]:
    """The blocks of a run."""
    place = 0
    while place < len(run):
        start, end = run[place]
        line = text[start:end]
        if start in headings:
            yield _text_block(BlockKind.HEADING, start, end)
            place += 1
        elif fence := _FENCE.fullmatch(line):
            last = _closing(text, run, place, fence[1] + fence[2])
            yield Block(BlockKind.CODE, start, run[last][1], min(end + 1, run[last][0]), run[last][0])
            place = last + 1
        elif place + 1 < len(run) and _is_row(line) and _RULE.fullmatch(text[slice(*run[place + 1])]):
            last = place + 1
            while last + 1 < len(run) and _is_row(text[slice(*run[last + 1])]):
                last += 1
            body = min(run[place + 1][1] + 1, run[last][1])
            yield Block(BlockKind.TABLE, start, run[last][1], body, run[last][1])
            place = last + 1
        else:
            last = _end_of_text(text, run, place, headings)
            yield _text_block(BlockKind.TEXT, start, run[last][1])
            place = last + 1


def _closing(text: str, run: Sequence[_Line], place: int, fence: str) -> int:
    """The line that closes a fence; the last one if none does."""
    return next((later for later in range(place + 1, len(run)) if text[slice(*run[later])] == fence), len(run) - 1)


def _end_of_text(text: str, run: Sequence[_Line], place: int, headings: set[int]) -> int:
    """The last line of a text block: it ends before code, a table, or the next list item."""
    is_list = _begins_item(text, run[place])
    last = place
    while last + 1 < len(run):
        start, end = run[last + 1]
        line = text[start:end]
        if start in headings or _FENCE.fullmatch(line):
            break
        if _begins_item(text, (start, end)) and (is_list or _NOTE.match(line, _quote_width(line))):
            break
        if _is_row(line) and last + 2 < len(run) and _RULE.fullmatch(text[slice(*run[last + 2])]):
            break
        last += 1
    return last


def _continues_item(text: str, block: Block, before: Sequence[Block]) -> bool:
    """Whether indented text belongs to the list item before it."""
    if block.kind is not BlockKind.TEXT or not before or before[-1].kind is not BlockKind.TEXT:
        return False
    line = text[block.start : block.end].split("\n", 1)[0]
    return line[_quote_width(line) :].startswith(" ")


def _begins_item(text: str, line: _Line) -> bool:
    """Whether a line starts a top-level list item, a definition or a footnote."""
    line_text = text[slice(*line)]
    return _MARKER.match(line_text, _quote_width(line_text)) is not None


def _quote_width(line: str) -> int:
    """Width of a line's quotation marks."""
    found = _QUOTES.match(line)
    return found.end() if found else 0


def _is_row(line: str) -> bool:
    return line.lstrip(" >").startswith("| ") and line.endswith(" |")


def _text_block(kind: BlockKind, start: int, end: int) -> Block:
    return Block(kind, start, end, start, end)
