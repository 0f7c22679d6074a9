"""Normalized text → its blocks, so that a stored document can be cut again without its page. Pure.

`normalized` writes blocks in a form that can be told apart; here they are found again from the text and the sections
that are kept with it. What cannot be told is whether a line of running text that looks like a list item, or like the
row of a table, is one: then a block begins where the page had none, which moves the border of a chunk at most.
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
"""Where a line begins and ends in the text, without its newline."""


def blocks_of(text: str, sections: Sequence[Section]) -> tuple[Block, ...]:
    """The blocks of a document's normalized text, in order, as Document has them.

    sections: as in Document; their headings are the only lines that are taken for headings.
    """
    headings = {section.start for section in sections if section.level}
    blocks: list[Block] = []
    for run in _runs(text, headings):
        for block in _blocks_of_run(text, run, headings):
            if _continues(text, block, blocks):
                blocks[-1] = _plain(BlockKind.TEXT, blocks[-1].start, block.end)
            else:
                blocks.append(block)
    return tuple(blocks)


def _runs(text: str, headings: set[int]) -> Iterator[list[_Line]]:
    """Lines that follow one another without a blank one between; blank lines of code part nothing."""
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
    """The blocks of lines that no blank line parts."""
    place = 0
    while place < len(run):
        start, end = run[place]
        line = text[start:end]
        if start in headings:
            yield _plain(BlockKind.HEADING, start, end)
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
            yield _plain(BlockKind.TEXT, start, run[last][1])
            place = last + 1


def _closing(text: str, run: Sequence[_Line], place: int, fence: str) -> int:
    """The line that closes a fence; the last one where nothing does."""
    return next((later for later in range(place + 1, len(run)) if text[slice(*run[later])] == fence), len(run) - 1)


def _end_of_text(text: str, run: Sequence[_Line], place: int, headings: set[int]) -> int:
    """The last line of running text that begins at a line: it ends before code, tables, and the next item of a list."""
    is_list = _begins_item(text, run[place])
    last = place
    while last + 1 < len(run):
        start, end = run[last + 1]
        line = text[start:end]
        if start in headings or _FENCE.fullmatch(line):
            break
        if _begins_item(text, (start, end)) and (is_list or _NOTE.match(line, _quoted(line))):
            break
        if _is_row(line) and last + 2 < len(run) and _RULE.fullmatch(text[slice(*run[last + 2])]):
            break
        last += 1
    return last


def _continues(text: str, block: Block, before: Sequence[Block]) -> bool:
    """Whether running text belongs to the list item that the text before it began: it is indented as that is."""
    if block.kind is not BlockKind.TEXT or not before or before[-1].kind is not BlockKind.TEXT:
        return False
    line = text[block.start : block.end].split("\n", 1)[0]
    return line[_quoted(line) :].startswith(" ")


def _begins_item(text: str, line: _Line) -> bool:
    """Whether a line begins an item of an outermost list, a definition or a footnote."""
    whole = text[slice(*line)]
    return _MARKER.match(whole, _quoted(whole)) is not None


def _quoted(line: str) -> int:
    """Where what is quoted begins in a line."""
    found = _QUOTES.match(line)
    return found.end() if found else 0


def _is_row(line: str) -> bool:
    return line.lstrip(" >").startswith("| ") and line.endswith(" |")


def _plain(kind: BlockKind, start: int, end: int) -> Block:
    return Block(kind, start, end, start, end)
