"""Passes a page's text, labels, code and tables to the writer, or captures them.

A heading, a cell or a summary can hold inline text only, so its content is captured until its end. If a block (code, a
table, a heading) comes inside it, the captured text is written as paragraphs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

from assay.ingest.text.inlines import Inline, InlineBuffer, code_span, join_inlines
from assay.ingest.text.normalized import NormalizedWriter

_MAX_DEPTH = 60


@dataclass(slots=True)
class CellTable:
    """A table being read.

    rows: complete ones. row: the open one. flows: its cells contain blocks, so it is written block by block.
    """

    rows: list[list[Inline]] = field(default_factory=list)
    row: list[Inline] | None = None
    flows: bool = False


@dataclass(slots=True)
class Capture:
    """Captured text. is_spilled: it was written after all."""

    parts: list[Inline] = field(default_factory=list)
    is_spilled: bool = False


class TextFlow:
    """Passes a page's content to the writer.

    buffer: inline text since the last block.
    writer: receives complete blocks.
    tables: open tables, outermost first.
    flushes: number of flushes.
    """

    def __init__(self, writer: NormalizedWriter, target: Callable[[str], str | None]) -> None:
        self.buffer = InlineBuffer()
        self.writer = writer
        self.tables: list[CellTable] = []
        self.flushes = 0
        self._target = target
        self._captures: list[Capture] = []
        self._hidden = 0
        self._run_depth = 0
        self._mark = ""

    # --- content ---

    @property
    def is_hidden(self) -> bool:
        """Whether content is currently hidden."""
        return self._hidden > 0

    def text(self, content: str) -> None:
        """Add inline text."""
        if not self._hidden:
            if self._mark and not content.isspace():
                self._write_mark()
            self.buffer.text(content)

    def mark(self, mark: str) -> None:
        """Set the prefix of the next text; "" for none."""
        self._mark = mark

    def _write_mark(self) -> None:
        mark, self._mark = self._mark, ""
        self.buffer.text(mark)

    def verbatim(self, content: str) -> None:
        """Add inline text with unchanged whitespace."""
        if not self._hidden:
            if self._mark:
                self._write_mark()
            self.buffer.verbatim(content)

    def line_break(self) -> None:
        """Break the line inside a paragraph."""
        if not self._hidden:
            self.buffer.line_break()

    def open_link(self, address: str) -> None:
        """Open a link. address: as written."""
        self.buffer.open_link(self._target(address) if address else None)

    @property
    def is_run(self) -> bool:
        """Whether all content, also a table, must become inline text."""
        return self._run_depth > 0

    def captured(self, produce: Callable[[], object]) -> Inline:
        """Call `produce` and return its output as inline text, blocks included."""
        self.flush()
        captured = self.begin_run()
        produce()
        return self.end_run(captured)

    def begin_run(self) -> Capture:
        """Start to capture everything as inline text, blocks included."""
        captured = self.capture()
        self._run_depth += 1
        return captured

    def end_run(self, captured: Capture) -> Inline:
        """End such a capture and return its text."""
        self.flush()
        self._run_depth -= 1
        self._captures.pop()
        return join_inlines(captured.parts, " ")

    def flush(self) -> None:
        """End the current inline text."""
        self.flushes += 1
        if self.buffer.is_empty:
            return
        inline = self.buffer.take()
        if inline.text:
            self.paragraph(inline)

    def paragraph(self, inline: Inline) -> None:
        """Write a paragraph."""
        self._write_inline(inline, self.writer.paragraph)

    def label(self, label: Inline) -> None:
        """Set the label of the next text."""
        self._write_inline(label, self.writer.label)

    def _write_inline(self, inline: Inline, write: Callable[[Inline], None]) -> None:
        if self._hidden:
            return
        if self._captures:
            self._captures[-1].parts.append(inline)
        else:
            write(inline)

    def code(self, content: str, language: str, title: str) -> None:
        """Write a code block."""
        self.flush()
        if self._run_depth:
            self.paragraph(Inline(code_span(" ".join(content.split()))))
        elif not self._hidden:
            self.spill()
            self.writer.code(content, language, title)

    def table(self, rows: list[list[Inline]]) -> None:
        """Write a table."""
        if self._run_depth:
            for row in rows:
                self.paragraph(join_inlines(row, " "))
        elif not self._hidden:
            self.spill()
            self.writer.table(rows)

    def heading(self, level: int, inline: Inline, anchor: str | None) -> None:
        """Write a heading."""
        if self._run_depth:
            self.paragraph(inline)
        elif not self._hidden:
            self.spill()
            self.writer.heading(level, inline, inline.text.replace("`", "").replace("\n", " "), anchor)

    def lines(self, content: str) -> None:
        """Write lines unchanged."""
        self.flush()
        if not self._hidden:
            self.spill()
            self.writer.lines(content)

    # --- captures ---

    @property
    def can_nest(self) -> bool:
        """Whether a list or quotation can start here: not inside a capture, and not too deep."""
        return not self._captures and not self._hidden and self.writer.depth < _MAX_DEPTH

    @property
    def is_captured(self) -> bool:
        """Whether text is being captured."""
        return bool(self._captures)

    def capture(self) -> Capture:
        """Capture the following text until `release`."""
        captured = Capture()
        self._captures.append(captured)
        return captured

    def release(self, captured: Capture) -> Inline | None:
        """End a capture and return its text; None if it was already written."""
        self.flush()
        if captured.is_spilled:
            return None
        self._captures.pop()
        return join_inlines(captured.parts, " ")

    def close_label(self, label: Inline, *, keep: bool) -> None:
        """End a label's block."""
        self.flush()
        if label.text:
            self.writer.close_label(label, keep=keep)

    def spill(self) -> None:
        """Write all captured text, because a block came where only inline text is possible."""
        captures, self._captures = self._captures, []
        unspilled = list(takewhile(lambda table: not table.flows, reversed(self.tables)))
        for table in reversed(unspilled):
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
