r"""Writes a document's normalized text and records the spans that refer to it.

Both readers write the same form, so that a page gives the same text from its source and from its HTML:

    # Heading                      level by the number of `#`; inline code keeps its backticks
    Running text on one line.      one line per paragraph; a line break of the page is a line break here
    - item                         lists, two or more spaces of indentation per level; `1.` as the page counts
    > quoted                       quotations, `> ` on every line that is not blank
    ```ts title="app.ts"           code, unchanged, in a fence longer than any run of backticks inside
    | a | b |                      tables as GFM rows, one line per row, `|` in a cell as `\|`
    Note: Title                    kind and title of an admonition (`Note:` without a title), directly above its first
                                   line; likewise the label of a tab (`npm:`) and the summary of a `<details>`
                                   (as written, without a colon)
    : definition                   a definition, under the line of its term
    [^1]: note                     footnotes, at the end of the section that first refers to them

Emphasis, link targets, tags and icons are omitted; an image is its alternative text. Text that looks like a heading,
a fence or a heading rule at the start of a line is escaped with a backslash.
"""

import re
from dataclasses import dataclass

from assay.ingest.text.inlines import Inline, InlineLink, join_inlines
from assay.model.bounds import ANCHOR, HEADING, short_path, shortened
from assay.model.documents import Block, BlockKind, Link, Section

_MARKUP_START = re.compile(r"^(?=#{1,6}(?:[ \t]|$)|`{3,}[^`\n]*$|~{3}|(?:=+|-+)[ \t]*$)", re.MULTILINE)
_BACKTICKS = re.compile(r"`{3,}")
_NOT_IN_INFO = re.compile(r"[`\n\r]+")
_TITLE_LEVEL = 1
_MAX_INDENT = 40
"""Spaces of indentation of an item's lines at most: a footnote's label can have any length."""

_FREE_CELLS = 10_000
_MAX_FILL_FACTOR = 4
"""Short rows are filled up unless that makes several times as many cells."""


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """The text with its blocks, sections and links, as in Document.

    cut_headings: number of headings whose names in sections are cut.
    """

    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    links: tuple[Link, ...]
    cut_headings: int = 0


@dataclass(slots=True)
class _Frame:
    """A container: the prefix of its first line, until that is written, and of its other lines."""

    first: str | None
    rest: str
    is_item: bool


@dataclass(slots=True)
class _List:
    """An open list. is_tight: no blank line between items. number: of the next item, None for bullets."""

    is_tight: bool
    number: int | None
    has_items: bool = False


@dataclass(slots=True)
class _Heading:
    """A written heading: the start of its line, and the data of its section."""

    start: int
    level: int
    plain: str
    anchor: str | None


class NormalizedWriter:
    """Writes a page's blocks in order. Use one writer per document."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._prefix = ""
        self._frames: list[_Frame] = []
        self._lists: list[_List] = []
        self._labels: list[Inline] = []
        self._extends_block = False
        self._blocks: list[Block] = []
        self._headings: list[_Heading] = []
        self._anchors: set[str | None] = set()
        self._links: list[InlineLink] = []
        self._cut_headings = 0

    # --- containers ---

    def open_list(self, *, is_tight: bool, number: int | None = None) -> None:
        """Open a list. number: of its first item; None for bullets."""
        self._flush_labels()
        if self._lists and self._lists[-1].is_tight and self._follows_text and not self._has_bare_marker:
            self._gap = "\n"
        self._lists.append(_List(is_tight, number))

    def close_list(self) -> None:
        """Close the innermost list."""
        self._lists.pop()
        if not self._lists:
            self.part()

    def part(self) -> None:
        """Separate what follows into its own block."""
        self._extends_block = False
        if self._gap:
            self._gap = "\n\n"

    def open_item(self) -> None:
        """Open an item of the innermost list."""
        current = self._lists[-1]
        if current.number is None:
            marker = "- "
        else:
            marker = f"{current.number}. "
            current.number += 1
        self._open_frame(marker)

    def open_note(self, marker: str, *, is_next: bool) -> None:
        """Open a definition or footnote: an item with its own marker.

        is_next: it follows its term, or another note, without a blank line.
        """
        self._flush_labels()
        self._lists.append(_List(is_tight=True, number=None, has_items=is_next))
        self._open_frame(marker)

    def close_note(self) -> None:
        """Close the definition or footnote."""
        self.close_frame()
        self.close_list()

    def open_quote(self) -> None:
        """Open a quotation."""
        self._flush_labels()
        self._frames.append(_Frame(None, "> ", is_item=False))
        self._set_prefix()

    def close_frame(self) -> None:
        """Close the innermost item or quotation."""
        self._flush_labels()
        frame = self._frames.pop()
        self._set_prefix()
        if frame.is_item:
            self._lists[-1].has_items = True
        elif not self._lists:
            self.part()

    # --- blocks ---

    def label(self, label: Inline) -> None:
        """Set the label of the next block: an admonition's kind and title, a tab, a summary."""
        if label.text:
            self._labels.append(label)

    def close_label(self, label: Inline, *, keep: bool) -> None:
        """End a label's block. keep: write the label even if the block was empty."""
        if self._labels and self._labels[-1] is label:
            if keep:
                self._flush_labels()
            else:
                self._labels.pop()

    def paragraph(self, inline: Inline) -> None:
        """Write a paragraph."""
        if not inline.text:
            return
        labels, self._labels = self._labels, []
        self._text(join_inlines([*labels, inline], "\n") if labels else inline)

    def heading(self, level: int, inline: Inline, plain: str, anchor: str | None) -> None:
        """Write a heading. inline: its line. plain: its text without backticks.

        An anchor that was used before, or that has over 500 characters, is omitted: no link leads there. A section's
        name has at most 500 characters.
        """
        if not plain:
            return
        self._flush_labels()
        shown = Inline(inline.text.replace("\n", " "), inline.links)
        start = self._begin_block()
        is_reachable = anchor is not None and len(anchor) <= ANCHOR and anchor not in self._anchors
        self._headings.append(_Heading(start, level, shortened(plain, HEADING), anchor if is_reachable else None))
        self._anchors.add(anchor)
        self._cut_headings += len(plain) > HEADING
        mark = "#" * level + " "
        self._parts.append(mark)
        self._length += len(mark)
        self._write(shown)
        self._close_block(BlockKind.HEADING, start)

    def code(self, content: str, language: str, title: str) -> None:
        """Write a code block, unless it is blank. content: with or without a final newline."""
        if not content.strip():
            return
        self._flush_labels()
        self._write_bare_markers()
        info = _NOT_IN_INFO.sub(" ", f'{language} title="{title}"' if title else language).rstrip()
        longest = max((len(run) for run in _BACKTICKS.findall(content)), default=2)
        fence = "`" * (longest + 1)
        lines = content.removesuffix("\n").split("\n")
        start = self._begin_block()
        prefix, bare = self._prefix, self._prefix.rstrip()
        body = "".join(f"{prefix}{line}\n" if line else f"{bare}\n" for line in lines)
        opening = f"{fence}{info}\n"
        closing = f"{prefix}{fence}"
        body_start = self._length + len(opening)
        self._parts += (opening, body, closing)
        self._length = body_start + len(body) + len(closing)
        self._close_block(BlockKind.CODE, start, body_start, body_start + len(body))

    def table(self, rows: list[list[Inline]]) -> None:
        """Write a table with the first row as header; short rows are filled up unless that is far too much."""
        if not any(cell.text for row in rows for cell in row):
            return
        self._flush_labels()
        self._write_bare_markers()
        width = max(len(row) for row in rows)
        cells = sum(map(len, rows))
        filled = width if width * len(rows) <= _MAX_FILL_FACTOR * cells + _FREE_CELLS else 0
        start = self._begin_block()
        self._row(rows[0], width)
        self._write_raw("\n" + self._prefix + "| " + " | ".join(["---"] * width) + " |")
        body_start = self._length + 1
        for row in rows[1:]:
            self._write_raw("\n" + self._prefix)
            self._row(row, max(filled, len(row)))
        body_start = min(body_start, self._length)
        self._close_block(BlockKind.TABLE, start, body_start, self._length)

    def lines(self, content: str) -> None:
        """Write lines unchanged, e.g. a formula; blank lines are removed."""
        self._flush_labels()
        kept = "\n".join(line.rstrip() for line in content.split("\n") if line.strip())
        if kept:
            self._text(Inline(kept))

    def finish(self, title: str) -> NormalizedText:
        """Return the text. title: the document's, which is omitted from the sections' paths."""
        self._flush_labels()
        text = "".join(self._parts)
        links = tuple(Link(text[link.start : link.end], link.target, link.start, link.end) for link in self._links)
        return NormalizedText(text, tuple(self._blocks), tuple(self._sections(title)), links, self._cut_headings)

    @property
    def depth(self) -> int:
        """Number of open lists, items, quotations and notes."""
        return len(self._lists) + len(self._frames)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written yet."""
        return not self._blocks and not self._labels

    @property
    def first_title(self) -> str | None:
        """The text of the first level-1 heading so far."""
        return next((heading.plain for heading in self._headings if heading.level == _TITLE_LEVEL), None)

    # --- internals ---

    @property
    def _follows_text(self) -> bool:
        return bool(self._blocks) and self._blocks[-1].kind is BlockKind.TEXT

    @property
    def _has_bare_marker(self) -> bool:
        """Whether an open item's marker is not written yet."""
        return any(frame.first for frame in self._frames)

    def _open_frame(self, marker: str) -> None:
        if len(self._lists) == 1:
            self._extends_block = False
        if self._lists[-1].is_tight and self._lists[-1].has_items and self._follows_text:
            self._gap = "\n"
        self._frames.append(_Frame(marker, " " * min(len(marker), _MAX_INDENT), is_item=True))
        self._set_prefix()

    def _set_prefix(self) -> None:
        self._prefix = "".join(frame.rest for frame in self._frames)

    def _flush_labels(self) -> None:
        if self._labels:
            labels, self._labels = self._labels, []
            self._text(join_inlines(labels, "\n"))

    def _write_bare_markers(self) -> None:
        """Write the marker of an item that starts with code or a table on its own line."""
        if self._has_bare_marker:
            start = self._begin_block()
            self._parts[-1] = self._parts[-1].rstrip()
            self._length = start + len(self._parts[-1])
            self._close_block(BlockKind.TEXT, start)
            self._gap = "\n"

    def _begin_block(self) -> int:
        """Write the gap and the first line's prefix; return where the line starts."""
        gap = self._gap
        if self._has_bare_marker:
            prefix = "".join(frame.first or frame.rest for frame in self._frames)
            for frame in self._frames:
                frame.first = None
        else:
            prefix = self._prefix
        start = self._length + len(gap)
        self._parts += (gap, prefix)
        self._length = start + len(prefix)
        return start

    def _close_block(self, kind: BlockKind, start: int, body_start: int = -1, body_end: int = -1) -> None:
        end = self._length
        if kind is BlockKind.CODE or kind is BlockKind.TABLE:
            self._blocks.append(Block(kind, start, end, body_start, body_end))
        else:
            self._blocks.append(Block(kind, start, end, start, end))
        self._extends_block = False
        self._gap = "\n\n"

    def _text(self, inline: Inline) -> None:
        """Write text; all text of one top-level list item is one block."""
        extended = self._blocks.pop() if self._extends_block and self._gap else None
        start = self._begin_block()
        self._write(_without_markup(inline))
        self._close_block(BlockKind.TEXT, extended.start if extended else start)
        self._extends_block = bool(self._lists)

    def _write(self, inline: Inline) -> None:
        """Write text with its links, and the prefix on each line after the first."""
        text, base, prefix = inline.text, self._length, self._prefix
        for link in inline.links:
            start, end = base + link.start, base + link.end
            if prefix and "\n" in text:
                start += text.count("\n", 0, link.start) * len(prefix)
                end += text.count("\n", 0, link.end) * len(prefix)
            self._links.append(InlineLink(start, end, link.target))
        self._write_raw(text.replace("\n", "\n" + prefix) if prefix else text)

    def _write_raw(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _row(self, row: list[Inline], width: int) -> None:
        self._write_raw("| ")
        for index in range(width):
            if index:
                self._write_raw(" | ")
            if index < len(row):
                self._write_cell(row[index])
        self._write_raw(" |")

    def _write_cell(self, cell: Inline) -> None:
        base, text = self._length, cell.text
        escaped = text.replace("\n", " ").replace("|", "\\|")
        for link in cell.links:
            start = base + link.start + text.count("|", 0, link.start)
            end = base + link.end + text.count("|", 0, link.end)
            self._links.append(InlineLink(start, end, link.target))
        self._write_raw(escaped)

    def _sections(self, title: str) -> list[Section]:
        sections: list[Section] = []
        first = self._headings[0].start if self._headings else self._length
        if first > 0:
            sections.append(Section(0, "", None, (), 0, first))
        ends = [*(heading.start for heading in self._headings[1:]), self._length]
        path: list[tuple[int, str]] = []
        for heading, end in zip(self._headings, ends, strict=False):
            while path and path[-1][0] >= heading.level:
                path.pop()
            path.append((heading.level, heading.plain))
            names = tuple(name for level, name in path if not (level == _TITLE_LEVEL and name == title))
            bounded = short_path(names)
            sections.append(Section(heading.level, heading.plain, heading.anchor, bounded, heading.start, end))
        return sections


def _without_markup(inline: Inline) -> Inline:
    """Escape line starts that look like a heading, a fence or a rule."""
    text = inline.text
    starts = [match.start() for match in _MARKUP_START.finditer(text)]
    if not starts:
        return inline
    escaped = _MARKUP_START.sub(r"\\", text)

    def moved(offset: int) -> int:
        return offset + sum(start <= offset for start in starts)

    links = tuple(InlineLink(moved(link.start), moved(link.end - 1) + 1, link.target) for link in inline.links)
    return Inline(escaped, links)
