"""Where a page's running text, labels, code and tables go: to the writer, or to whatever keeps them for itself.

A heading, a cell or a summary has room for running text only, so what stands in it is captured, and given to it at its
end. When a whole block comes there after all (code, a table, a heading), what was captured is written as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from assay.ingest.text.inlines import Inline, InlineBuffer, code_span, joined
from assay.ingest.text.normalized import NormalizedWriter

_DEEPEST = 60


@dataclass(slots=True)
class CellTable:
    """A table that is being read.

    rows: complete ones; row: the open one; flows: its cells turned out to hold whole blocks.
    """

    rows: list[list[Inline]] = field(default_factory=list)
    row: list[Inline] | None = None
    flows: bool = False


@dataclass(slots=True)
class Capture:
    """Text that is kept from the writer. is_spilled: whether it had to be written after all."""

    parts: list[Inline] = field(default_factory=list)
    is_spilled: bool = False


class TextFlow:
    """Passes what a page shows to the writer.

    buffer: the running text since the last block.
    writer: takes what is complete.
    tables: the open tables, outermost first.
    flushes: how often the running text ended.
    """

    def __init__(self, writer: NormalizedWriter, target: Callable[[str], str | None]) -> None:
        self.buffer = InlineBuffer()
        self.writer = writer
        self.tables: list[CellTable] = []
        self.flushes = 0
        self._target = target
        self._captures: list[Capture] = []
        self._hidden = 0
        self._runs = 0
        self._mark = ""

    # --- what a page shows ---

    @property
    def is_hidden(self) -> bool:
        """Whether what comes is not shown."""
        return self._hidden > 0

    def text(self, content: str) -> None:
        """Running text."""
        if not self._hidden:
            if self._mark and not content.isspace():
                self._write_mark()
            self.buffer.text(content)

    def mark(self, mark: str) -> None:
        """What the next text begins with, wherever it comes; "" for nothing after all."""
        self._mark = mark

    def _write_mark(self) -> None:
        mark, self._mark = self._mark, ""
        self.buffer.text(mark)

    def verbatim(self, content: str) -> None:
        """Running text whose blanks stay as they are."""
        if not self._hidden:
            if self._mark:
                self._write_mark()
            self.buffer.verbatim(content)

    def line_break(self) -> None:
        """The line ends, its paragraph goes on."""
        if not self._hidden:
            self.buffer.line_break()

    def open_link(self, address: str) -> None:
        """A link to an address, as it is written, begins."""
        self.buffer.open_link(self._target(address) if address else None)

    @property
    def is_run(self) -> bool:
        """Whether everything, also a whole table, has to become one run of text."""
        return self._runs > 0

    def captured(self, produce: Callable[[], object]) -> Inline:
        """What produce passes on, in one run, also blocks."""
        self.flush()
        captured = self.begin_run()
        produce()
        return self.end_run(captured)

    def begin_run(self) -> Capture:
        """Keep what comes from the writer; also whole blocks become running text."""
        captured = self.capture()
        self._runs += 1
        return captured

    def end_run(self, captured: Capture) -> Inline:
        """End such a run. Returns its text."""
        self.flush()
        self._runs -= 1
        self._captures.pop()
        return joined(captured.parts, " ")

    def flush(self) -> None:
        """The running text ends here."""
        self.flushes += 1
        if self.buffer.is_empty:
            return
        inline = self.buffer.take()
        if inline.text:
            self.paragraph(inline)

    def paragraph(self, inline: Inline) -> None:
        """A run of text that stands apart."""
        if self._hidden:
            return
        if self._captures:
            self._captures[-1].parts.append(inline)
        else:
            self.writer.paragraph(inline)

    def label(self, label: Inline) -> None:
        """What the text to come is called."""
        if self._hidden:
            return
        if self._captures:
            self._captures[-1].parts.append(label)
        else:
            self.writer.label(label)

    def code(self, content: str, language: str, title: str) -> None:
        """A code block."""
        self.flush()
        if self._runs:
            self.paragraph(Inline(code_span(" ".join(content.split()))))
        elif not self._hidden:
            self.spill()
            self.writer.code(content, language, title)

    def table(self, rows: list[list[Inline]]) -> None:
        """A whole table."""
        if self._runs:
            for row in rows:
                self.paragraph(joined(row, " "))
        elif not self._hidden:
            self.spill()
            self.writer.table(rows)

    def heading(self, level: int, inline: Inline, anchor: str | None) -> None:
        """A heading."""
        if self._runs:
            self.paragraph(inline)
        elif not self._hidden:
            self.spill()
            self.writer.heading(level, inline, inline.text.replace("`", "").replace("\n", " "), anchor)

    def lines(self, content: str) -> None:
        """Lines kept as they are written."""
        self.flush()
        if not self._hidden:
            self.spill()
            self.writer.lines(content)

    # --- captures ---

    @property
    def may_nest(self) -> bool:
        """Whether a list or quotation can begin: not where only running text has room, nor too deep."""
        return not self._captures and not self._hidden and self.writer.depth < _DEEPEST

    @property
    def is_captured(self) -> bool:
        """Whether text goes to a heading, a cell or the like instead of the writer."""
        return bool(self._captures)

    def capture(self) -> Capture:
        """Keep the text to come from the writer, until released."""
        captured = Capture()
        self._captures.append(captured)
        return captured

    def release(self, captured: Capture) -> Inline | None:
        """End a capture. Returns its text in one run; None when it had to be written already."""
        self.flush()
        if captured.is_spilled:
            return None
        self._captures.pop()
        return joined(captured.parts, " ")

    def settle(self, label: Inline, *, keep: bool) -> None:
        """What a label stands over has ended."""
        self.flush()
        if label.text:
            self.writer.settle_label(label, keep=keep)

    def spill(self) -> None:
        """Write what was captured: a whole block has come where only running text has room."""
        captures, self._captures = self._captures, []
        for table in self._grids():
            table.flows = True
            rows, table.rows = table.rows, []
            if rows:
                self.writer.table(rows)
            cells, table.row = table.row or [], None
            for cell in cells:
                self.writer.paragraph(cell)
        for captured in captures:
            captured.is_spilled = True
            for inline in captured.parts:
                self.writer.paragraph(inline)

    def _grids(self) -> list[CellTable]:
        """The open tables that are not written block by block yet; all outside one that is are so too."""
        inner = list(takewhile(lambda table: not table.flows, reversed(self.tables)))
        return inner[::-1]
