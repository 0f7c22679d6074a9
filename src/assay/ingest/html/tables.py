"""Tables, row by row; those that contain blocks are written block by block."""

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import Attributes, attribute, number
from assay.ingest.html.page_state import Close, PageState
from assay.ingest.text.inlines import EMPTY, join_inlines
from assay.ingest.text.text_flow import CellTable

_MAX_COLSPAN = 100
_MAX_ROWSPAN = 1_000
_MAX_FILLED = 20_000
"""Empty cells that spans and short rows may add to a table, plus ten per real cell."""


class SpanningTable(CellTable):
    """A table, with cells that span rows. spans: rows still to fill, by column."""

    __slots__ = ("cells", "filled", "spans")

    def __init__(self, *, flows: bool) -> None:
        super().__init__(flows=flows)
        self.spans: dict[int, int] = {}
        self.cells = 0
        self.filled = 0

    @property
    def may_fill(self) -> bool:
        """Whether more empty cells are still in proportion to the table."""
        return self.filled <= _MAX_FILLED + 10 * self.cells

    def fill(self) -> None:
        """Add empty cells where cells of earlier rows span into the open row."""
        row = self.row
        while row is not None and self.spans.get(len(row), 0) > 0 and self.may_fill:
            column = len(row)
            self.spans[column] -= 1
            self.filled += 1
            row.append(EMPTY)


def table(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A table; a layout table is written as its content."""
    flow = page.flow
    flow.flush()
    page.flush_code_title()
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


def _write(page: PageState, grid: SpanningTable) -> None:
    width = max(len(row) for row in grid.rows)
    if (
        width * len(grid.rows) > _MAX_FILLED + 10 * grid.cells
    ):  # padding many short rows to a few wide ones would be too much
        for row in grid.rows:
            page.flow.paragraph(join_inlines(row, " "))
    else:
        page.flow.table(grid.rows)


def row(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A table row."""
    page.flow.flush()
    if not page.flow.tables:
        return page.flow.flush
    page.flow.tables[-1].row = []
    return lambda: _end_row(page)


def _end_row(page: PageState) -> None:
    page.flow.flush()
    grid = page.flow.tables[-1] if page.flow.tables else None
    if isinstance(grid, SpanningTable) and grid.row:
        grid.fill()
        grid.rows.append(grid.row)
        grid.row = None


def cell(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A table cell: inline text; blocks turn the whole table into blocks."""
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
    colspan = number(attribute(attributes, "colspan"), 1, _MAX_COLSPAN) or 1
    rowspan = number(attribute(attributes, "rowspan"), 1, _MAX_ROWSPAN) or 1

    def close() -> None:
        inline = flow.release(captured)
        if inline is None:
            return
        grid.cells += 1
        width = colspan if grid.may_fill else 1
        if rowspan > 1:
            grid.spans.update(dict.fromkeys(range(len(opened), len(opened) + width), rowspan - 1))
        grid.filled += width - 1
        opened.extend([inline] + [EMPTY] * (width - 1))

    return close
