"""Tables, row by row; those that hold whole blocks are written block by block."""

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import Attributes, attribute, number
from assay.ingest.html.surroundings import Close, Surroundings
from assay.ingest.inlines import EMPTY, joined
from assay.ingest.text_flow import CellTable

_WIDEST = 100
_TALLEST = 1_000
_MOST_FILLED = 20_000
"""Cells that spans and short rows may add to a table, besides ten for each that the page has."""


class SpanningTable(CellTable):
    """A table with the cells that reach down from rows above. spans: rows still to fill, by column."""

    __slots__ = ("cells", "filled", "spans")

    def __init__(self, *, flows: bool) -> None:
        super().__init__(flows=flows)
        self.spans: dict[int, int] = {}
        self.cells = 0
        self.filled = 0

    @property
    def may_fill(self) -> bool:
        """Whether the page has so much of the table that more empty cells are in proportion."""
        return self.filled <= _MOST_FILLED + 10 * self.cells

    def fill(self) -> None:
        """Put empty cells where cells from above reach into the open row."""
        row = self.row
        while row is not None and self.spans.get(len(row), 0) > 0 and self.may_fill:
            column = len(row)
            self.spans[column] -= 1
            self.filled += 1
            row.append(EMPTY)


def table(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A table; one that only arranges its content is passed through."""
    flow = page.flow
    flow.flush()
    page.spend_code_title()
    if flow.tables and not flow.is_run:
        flow.spill()
    is_layout = attributes.get("role") in {"presentation", "none"}
    grid = SpanningTable(flows=is_layout)
    flow.tables.append(grid)

    def close() -> None:
        _end_row(page)
        flow.tables.pop()
        if grid.rows:
            _write(page, grid)

    return close


def _write(page: Surroundings, grid: SpanningTable) -> None:
    width = max(len(row) for row in grid.rows)
    if width * len(grid.rows) > _MOST_FILLED + 10 * grid.cells:  # a few wide rows among many short ones
        for row in grid.rows:
            page.flow.paragraph(joined(row, " "))
    else:
        page.flow.table(grid.rows)


def row(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A row."""
    page.flow.flush()
    if not page.flow.tables:
        return page.flow.flush
    page.flow.tables[-1].row = []
    return lambda: _end_row(page)


def _end_row(page: Surroundings) -> None:
    page.flow.flush()
    grid = page.flow.tables[-1] if page.flow.tables else None
    if isinstance(grid, SpanningTable) and grid.row:
        grid.fill()
        grid.rows.append(grid.row)
        grid.row = None


def cell(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A cell: running text, or blocks, which make blocks of the whole table."""
    flow = page.flow
    flow.flush()
    grid = flow.tables[-1] if flow.tables else None
    if not isinstance(grid, SpanningTable) or grid.flows:
        return flow.flush
    if grid.row is None:
        grid.row = []
    opened = grid.row
    grid.fill()
    captured = flow.capture()
    wide = number(attribute(attributes, "colspan"), 1, _WIDEST) or 1
    tall = number(attribute(attributes, "rowspan"), 1, _TALLEST) or 1

    def close() -> None:
        inline = flow.release(captured)
        if inline is None:
            return
        grid.cells += 1
        width = wide if grid.may_fill else 1
        if tall > 1:
            grid.spans.update(dict.fromkeys(range(len(opened), len(opened) + width), tall - 1))
        grid.filled += width - 1
        opened.extend([inline] + [EMPTY] * (width - 1))

    return close
