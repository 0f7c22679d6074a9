"""Tables of GitHub Flavored Markdown: markdown-it-py's rule with the tokens that the renderer reads, and no others.

https://github.github.com/gfm/#tables-extension-
"""

import re
from typing import Any

from markdown_it.rules_block import StateBlock

from assay.ingest.markdown.scanning import charge

_DELIMITER_ROW = re.compile(r"(?!-[ \t])[|:-][|:\- \t]+")
_DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(\\?\|)")
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u202f\u205f\u3000\u2028\u2029" + "".join(map(chr, range(0x2000, 0x200B)))
"""Around a cell; as markdown-it-py, which follows JavaScript's `trim`."""

_MOST_EMPTY_CELLS = 0x10000
"""Cells by which short rows of one table are filled up."""

_TOKENS = 6
_TOKENS_OF_BODY = 2
_TOKENS_OF_ROW = 2
_TOKENS_OF_CELL = 3
"""Tokens that markdown-it-py makes."""

_CELL_COST = 20
"""Budget charged for each of these tokens beyond the table's characters."""


def may_be_table(state: StateBlock, line: int) -> bool:
    """Whether the next line may be the delimiter row of a table."""
    position = state.bMarks[line + 1] + state.tShift[line + 1]
    return line + 1 < state.lineMax and position < state.eMarks[line + 1] and state.src[position] in "|-:"


def table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A GFM table; most other lines are excluded by a look at the line below."""
    if not (may_be_table(state, start) and charge(state.env, 0)):
        return False
    header = _header(state, start, end)
    if header and not silent:
        rows = _write(state, header, start, end)
        tokens = _TOKENS + (_TOKENS_OF_BODY if rows else 0) + rows * _TOKENS_OF_ROW
        tokens += (rows + 1) * len(header) * _TOKENS_OF_CELL
        characters = state.eMarks[state.line - 1] - state.bMarks[start]
        charge(state.env, _CELL_COST * max(0, tokens - characters))
    return bool(header)


def _header(state: StateBlock, start: int, end: int) -> list[str]:
    """The cells of the header of a table that starts here; empty if there is none."""
    below = start + 1
    if below >= end or state.sCount[below] < state.blkIndent or _is_code(state, below) or _is_code(state, start):
        return []
    delimiters = _line(state, below)
    if not _DELIMITER_ROW.fullmatch(delimiters):
        return []
    columns = [column.strip(" \t") for column in delimiters.split("|")]
    inner = columns[not columns[0] : len(columns) - (not columns[-1])]
    if not all(map(_DELIMITER.fullmatch, inner)):
        return []
    line = _line(state, start).strip(_BLANKS)
    cells = _cells(line) if "|" in line else []
    return cells if len(cells) == len(inner) else []


def _write(state: StateBlock, header: list[str], start: int, end: int) -> int:
    """Add the tokens of a table. Returns its number of rows below the header."""
    outer, state.parentType = state.parentType, "table"
    state.push("table_open", "table", 1)
    _write_row(state, header)
    width, empty, line = len(header), 0, start + 2
    while line < end and state.sCount[line] >= state.blkIndent:
        first = state.bMarks[line] + state.tShift[line]
        parser: Any = state.md.block  # of `grammar`
        if any(rule(state, line, end, True) for rule in parser.ending("blockquote", state.src[first : first + 1])):
            break
        text = _line(state, line).strip(_BLANKS)
        if not text or _is_code(state, line):
            break
        cells = _cells(text)
        empty += width - len(cells)
        if empty > _MOST_EMPTY_CELLS:
            break
        _write_row(state, [*cells[:width], *[""] * (width - len(cells))])
        line += 1
    state.push("table_close", "table", -1)
    state.parentType, state.line = outer, line
    return line - start - 2


def _write_row(state: StateBlock, cells: list[str]) -> None:
    state.push("tr_open", "tr", 0)
    for cell in cells:
        state.push("inline", "", 0).content = cell.strip(_BLANKS)


def _cells(line: str) -> list[str]:
    """The cells of a row, without the pipes around it. Escaped pipes lose their backslash."""
    if "\\" not in line:
        cells = line.split("|")
    else:
        cells = [""]
        for part in _PIPE.split(line):
            if part == "|":
                cells.append("")
            else:
                cells[-1] += "|" if part == "\\|" else part
    first, last = int(not cells[0]), len(cells)
    if last > first and not cells[-1]:
        last -= 1
    return cells[first:last]


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _is_code(state: StateBlock, line: int) -> bool:
    return bool(state.is_code_block(line))
