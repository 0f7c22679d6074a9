"""A table of HTML, with cells that span columns and rows, laid out as a browser does."""

from assay.ingest.text.inlines import EMPTY, Inline, join_inlines
from assay.ingest.text.text_flow import CellTable, TextFlow

MAX_COLSPAN = 100
MAX_ROWSPAN = 1_000
_MAX_FILLED = 20_000
"""Empty cells that spans and short rows may add to a table, plus ten per real cell."""


class SpanningTable(CellTable):
    """A table being read. A spanning cell has its text once; the others that it covers are empty."""

    __slots__ = ("_cells", "_filled", "_spans")

    def __init__(self, *, flows: bool) -> None:
        super().__init__(flows=flows)
        self._spans: dict[int, int] = {}  # rows still to fill, by column
        self._cells = 0
        self._filled = 0

    def open_row(self) -> None:
        """Start a row."""
        self.row = []

    def open_cell(self) -> list[Inline]:
        """Start a cell, in a row of its own if none is open. Return the row."""
        if self.row is None:
            self.row = []
        self._fill()
        return self.row

    def close_cell(self, row: list[Inline], text: Inline, *, colspan: int, rowspan: int) -> None:
        """Add a cell's text to its row."""
        self._cells += 1
        width = colspan if self._may_fill else 1
        if rowspan > 1:
            self._spans.update(dict.fromkeys(range(len(row), len(row) + width), rowspan - 1))
        self._filled += width - 1
        row.extend([text] + [EMPTY] * (width - 1))

    def end_row(self) -> None:
        """Complete the open row, if it has cells."""
        if self.row:
            self._fill()
            self.rows.append(self.row)
            self.row = None

    def end_group(self) -> None:
        """End a group of rows, as a head or a body: no cell spans beyond it."""
        self._spans.clear()

    def write(self, flow: TextFlow) -> None:
        """Write the table; as paragraphs if its rows would need too many empty cells to be of one width."""
        width = max((len(row) for row in self.rows), default=0)
        if width * len(self.rows) > _MAX_FILLED + 10 * self._cells:
            for row in self.rows:
                flow.paragraph(join_inlines(row, " "))
        elif self.rows:
            flow.table(self.rows)

    @property
    def _may_fill(self) -> bool:
        """Whether more empty cells are still in proportion to the table."""
        return self._filled <= _MAX_FILLED + 10 * self._cells

    def _fill(self) -> None:
        """Add empty cells where cells of earlier rows span into the open row."""
        row = self.row
        while row is not None and self._spans.get(len(row), 0) > 0 and self._may_fill:
            column = len(row)
            self._spans[column] -= 1
            self._filled += 1
            row.append(EMPTY)
