"""The elements that are open at a place of a page, and what that means for the text that comes.

Tags do not nest in the parser's tokens, so this is where an opening tag meets its closing one. Markdown's own
containers stand on the same stack: a tag never closes what was opened outside the list or quotation it is in.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.ingest.inlines import Inline, InlineBuffer, code_span, joined
from assay.ingest.labels import admonition_label, tab_label, tab_values
from assay.ingest.links import LinkResolver
from assay.ingest.normalized import NormalizedWriter
from assay.ingest.tags import Role, Tag, TagKind, is_void, role_of

_DEEPEST = 60
_LANGUAGE_CLASS = re.compile(r"\b(?:language|lang|highlight-source)-([\w+#.-]+)")


@dataclass(slots=True)
class _Element:
    """An open element. name: its tag's, a container's marks, or "" for Markdown's own; close: what its end does."""

    name: str
    role: Role | None
    close: Callable[[], None]


@dataclass(slots=True)
class _Table:
    """A table of tags. rows: complete ones; row: the open one; flows: its cells turned out to hold whole blocks."""

    rows: list[list[Inline]] = field(default_factory=list)
    row: list[Inline] | None = None
    flows: bool = False


@dataclass(slots=True)
class _Code:
    """Code between tags: its text so far, as it is written."""

    language: str
    title: str
    parts: list[str] = field(default_factory=list)


class Elements:
    """Follows tags and containers, and passes what is shown to the writer."""

    def __init__(self, writer: NormalizedWriter, links: LinkResolver) -> None:
        self.buffer = InlineBuffer()
        self._writer = writer
        self._links = links
        self._stack: list[_Element] = []
        self._open_names: dict[str, int] = {}
        self._captures: list[list[Inline]] = []
        self._tables: list[_Table] = []
        self._tabs: list[dict[str, str]] = []
        self._code: _Code | None = None
        self._hidden = 0
        self._runs = 0
        self._flushes = 0
        self._component_end = -1
        self._openers: dict[Role, Callable[[Tag], None]] = {
            Role.BLOCK: lambda _: self.flush(),
            Role.HIDDEN: self._open_hidden,
            Role.LINK: self._open_link,
            Role.CODE_SPAN: self._open_code_span,
            Role.HEADING: self._open_heading,
            Role.LIST: self._open_list,
            Role.ITEM: self._open_item,
            Role.QUOTE: self._open_quote,
            Role.DEFINITIONS: self._open_definitions,
            Role.TERM: self._open_term,
            Role.DEFINITION: self._open_definition,
            Role.CODE: self._open_code,
            Role.TABLE: self._open_table,
            Role.ROW: self._open_row,
            Role.CELL: self._open_cell,
            Role.DETAILS: self._open_details,
            Role.SUMMARY: self._open_summary,
            Role.TABS: self._open_tabs,
            Role.TAB: self._open_tab,
            Role.ADMONITION: self._open_admonition,
            Role.COMPONENT: self._open_component,
        }

    # --- what a page shows ---

    @property
    def is_hidden(self) -> bool:
        """Whether what comes is not shown."""
        return self._hidden > 0

    @property
    def collects_code(self) -> bool:
        """Whether what comes is code between tags."""
        return self._code is not None

    def text(self, content: str) -> None:
        """Running text."""
        if self._code is not None:
            self._code.parts.append(content)
        elif not self._hidden:
            self.buffer.text(content)

    def verbatim(self, content: str) -> None:
        """Running text whose blanks stay as they are."""
        if self._code is not None:
            self._code.parts.append(content)
        elif not self._hidden:
            self.buffer.verbatim(content)

    def line_break(self) -> None:
        """The line ends, its paragraph goes on."""
        if self._code is not None:
            self._code.parts.append("\n")
        elif not self._hidden:
            self.buffer.line_break()

    def open_link(self, address: str) -> None:
        """A link to an address, as it is written, begins."""
        self.buffer.open_link(self._links.target(address) if address else None)

    def captured(self, produce: Callable[[], object]) -> Inline:
        """What produce passes on, in one run, also blocks; elements that it leaves open are closed."""
        captured: list[Inline] = []
        self.open_container()
        self._captures.append(captured)
        self._runs += 1
        produce()
        self.close_container()
        self._runs -= 1
        self._captures.pop()
        return joined(captured, " ")

    def flush(self) -> None:
        """The running text ends here."""
        self._flushes += 1
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
            self._captures[-1].append(inline)
        else:
            self._writer.paragraph(inline)

    def label(self, label: Inline) -> None:
        """What the text to come is called."""
        if self._hidden:
            return
        if self._captures:
            self._captures[-1].append(label)
        else:
            self._writer.label(label)

    def code(self, content: str, language: str, title: str) -> None:
        """A code block."""
        self.flush()
        if self._runs:
            self.paragraph(Inline(code_span(" ".join(content.split()))))
        elif not self._hidden:
            self._spill()
            self._writer.code(content, language, title)

    def table(self, rows: list[list[Inline]]) -> None:
        """A whole table."""
        if self._runs:
            for row in rows:
                self.paragraph(joined(row, " "))
        elif not self._hidden:
            self._spill()
            self._writer.table(rows)

    def heading(self, level: int, inline: Inline, anchor: str | None) -> None:
        """A heading. What was hidden by a tag that is never closed is shown again from here."""
        if self._runs:
            self.paragraph(inline)
        elif not self._hidden:
            self._spill()
            self._writer.heading(level, inline, inline.text.replace("`", ""), anchor)

    def lines(self, content: str) -> None:
        """Lines kept as they are written."""
        self.flush()
        if not self._hidden:
            self._spill()
            self._writer.lines(content)

    # --- tags ---

    def tag(self, tag: Tag) -> None:
        """A tag; also one that closes nothing."""
        role = role_of(tag)
        if role is Role.INLINE:
            return
        if tag.kind is TagKind.CLOSE:
            self._close_tag(tag, role)
        elif is_void(tag):
            self._void(tag, role)
        else:
            self._openers[role](tag)

    def _void(self, tag: Tag, role: Role) -> None:
        if role is Role.LINE_BREAK:
            self.line_break()
        elif role is Role.IMAGE or (role is Role.COMPONENT and "alt" in tag.attributes):
            self.text(tag.text("alt"))
        elif role in {Role.BLOCK, Role.CELL}:
            self._openers[role](tag)
            self._close_tag(tag, role)

    def _close_tag(self, tag: Tag, role: Role) -> None:
        if role is Role.LINK:
            self.buffer.close_link()
        elif role is Role.BLOCK:
            self.flush()
        elif self._open_names.get(tag.name):
            self._close_named(lambda name: name == tag.name)
        elif role is Role.COMPONENT:
            self._component_end = self.buffer.length

    def _push(self, name: str, role: Role | None, close: Callable[[], None]) -> None:
        self._stack.append(_Element(name, role, close))
        self._open_names[name] = self._open_names.get(name, 0) + 1

    def _pop(self) -> _Element:
        element = self._stack.pop()
        self._open_names[element.name] -= 1
        element.close()
        return element

    def _close_named(self, is_meant: Callable[[str], bool]) -> None:
        """Close the innermost element that is meant, and all inside it, unless a Markdown container stands between."""
        for index in range(len(self._stack) - 1, -1, -1):
            name = self._stack[index].name
            if not name:
                return
            if is_meant(name):
                while len(self._stack) > index:
                    self._pop()
                return

    def _innermost(self, *roles: Role) -> Role | None:
        """The innermost open element of these roles in the same Markdown container."""
        for element in reversed(self._stack):
            if not element.name:
                return None
            if element.role in roles:
                return element.role
        return None

    def _close_open(self, role: Role, within: Role) -> None:
        """Close an element of this role that the next of its kind ends, e.g. a list item."""
        while self._innermost(role, within) is role:
            if self._pop().role is role:
                return

    # --- Markdown's own containers ---

    def open_container(self, close: Callable[[], None] | None = None) -> None:
        """A list, item, quotation or the like of Markdown's begins; `close` is called at its end."""
        self.flush()
        self._push("", None, close or (lambda: None))

    def close_container(self) -> None:
        """It ends, and with it every tag that was opened inside."""
        self.flush()
        while self._stack and self._pop().name:
            self.flush()

    def open_marked(self, marks: str, label: Inline) -> None:
        """A container between marks such as `:::` begins."""
        self.flush()
        self._open_labelled(marks, None, label)

    def close_marked(self, marks: str) -> None:
        """Marks such as `:::` close the innermost container that they can close."""
        self.flush()
        if marks.startswith(":"):
            self._close_named(lambda name: name.startswith(":::") and len(name) <= len(marks))
        else:
            self._close_named(lambda name: name == marks)

    def open_labelled_container(self, label: Inline) -> None:
        """A container of Markdown's with a label begins."""
        self.flush()
        self._open_labelled("", None, label)

    def close_all(self) -> None:
        """The source ends, and with it everything that is still open."""
        self.flush()
        while self._stack:
            self._pop()
            self.flush()

    def show_again(self) -> None:
        """End what hides text or collects code; used where a heading tells that the author forgot to."""
        self._hidden = 0
        self._close_code()

    # --- openers ---

    def _open_labelled(self, name: str, role: Role | None, label: Inline, *, keep: bool = True) -> None:
        if label.text:
            self.label(label)
        self._push(name, role, lambda: self._settle(label, keep))

    def _settle(self, label: Inline, keep: bool) -> None:
        self.flush()
        if label.text:
            self._writer.settle_label(label, keep=keep)

    def _open_hidden(self, tag: Tag) -> None:
        self._hidden += 1
        self._push(tag.name, Role.HIDDEN, self._close_hidden)

    def _close_hidden(self) -> None:
        self._hidden = max(0, self._hidden - 1)

    def _open_link(self, tag: Tag) -> None:
        self.open_link(tag.text("href", "to"))

    def _open_code_span(self, tag: Tag) -> None:
        if self._code is not None:
            self._code.language = self._code.language or _language_class(tag)
            return
        start, flushes = self.buffer.length, self._flushes

        def close() -> None:
            if flushes == self._flushes:
                self.buffer.wrap_code(start)

        self._push(tag.name, Role.CODE_SPAN, close)

    def _open_heading(self, tag: Tag) -> None:
        self.flush()
        level = int(tag.name[1])
        captured: list[Inline] = []
        self._captures.append(captured)

        def close() -> None:
            if inline := self._captured(captured):
                self.heading(level, inline, tag.text("id") or None)

        self._push(tag.name, Role.HEADING, close)

    def _captured(self, captured: list[Inline]) -> Inline | None:
        """End a capture. Returns its text in one run; None when it was written already."""
        self.flush()
        if not any(open_one is captured for open_one in self._captures):
            return None
        self._captures.pop()
        return joined(captured, " ")

    @property
    def _may_nest(self) -> bool:
        """Whether a list or quotation can begin: not where only running text has room, nor too deep."""
        return not self._captures and not self._hidden and self._writer.depth < _DEEPEST

    def _open_list(self, tag: Tag) -> None:
        self.flush()
        if not self._may_nest:
            return
        start = tag.text("start")
        number = (int(start) if start.isdecimal() else 1) if tag.name == "ol" else None
        self._writer.open_list(is_tight=True, number=number)
        self._push(tag.name, Role.LIST, self._close_list)

    def _close_list(self) -> None:
        self.flush()
        self._writer.close_list()

    def _open_item(self, tag: Tag) -> None:
        self.flush()
        self._close_open(Role.ITEM, Role.LIST)
        if not self._captures and self._innermost(Role.LIST, Role.ITEM) is Role.LIST:
            self._writer.open_item()
            self._push(tag.name, Role.ITEM, self._close_frame)

    def _close_frame(self) -> None:
        self.flush()
        self._writer.close_frame()

    def _open_quote(self, tag: Tag) -> None:
        self.flush()
        if self._may_nest:
            self._writer.open_quote()
            self._push(tag.name, Role.QUOTE, self._close_frame)

    def _open_definitions(self, tag: Tag) -> None:
        self.flush()
        if self._may_nest:
            self._writer.open_list(is_tight=True)
            self._push(tag.name, Role.DEFINITIONS, self._close_list)

    def _open_term(self, _: Tag) -> None:
        self.flush()
        self._close_open(Role.DEFINITION, Role.DEFINITIONS)
        if not self._captures:
            self._writer.part()

    def _open_definition(self, tag: Tag) -> None:
        self.flush()
        self._close_open(Role.DEFINITION, Role.DEFINITIONS)
        if not self._captures and self._innermost(Role.DEFINITIONS, Role.DEFINITION):
            self._writer.open_note(": ", is_next=True)
            self._push(tag.name, Role.DEFINITION, self._close_note)

    def _close_note(self) -> None:
        self.flush()
        self._writer.close_note()

    def _open_code(self, tag: Tag) -> None:
        self.flush()
        if self._code is None:
            self._code = _Code(tag.text("language", "lang") or _language_class(tag), tag.text("title"))
            self._push(tag.name, Role.CODE, self._close_code)

    def _close_code(self) -> None:
        code, self._code = self._code, None
        if code:
            self.code("".join(code.parts).strip("\n"), code.language, code.title)

    def _open_details(self, tag: Tag) -> None:
        self.flush()
        self._push(tag.name, Role.DETAILS, self.flush)

    def _open_summary(self, tag: Tag) -> None:
        self.flush()
        captured: list[Inline] = []
        self._captures.append(captured)

        def close() -> None:
            if summary := self._captured(captured):
                self.label(summary)
                self._on_details_end(summary)

        self._push(tag.name, Role.SUMMARY, close)

    def _on_details_end(self, summary: Inline) -> None:
        """Let the summary be written at the end of its element when nothing else is."""
        for element in reversed(self._stack):
            if element.role is Role.DETAILS:
                element.close = lambda: self._settle(summary, keep=True)
                return

    def _open_tabs(self, tag: Tag) -> None:
        self.flush()
        self._tabs.append(tab_values(tag.attributes.get("values", "")))
        self._push(tag.name, Role.TABS, self._close_tabs)

    def _close_tabs(self) -> None:
        self.flush()
        self._tabs.pop()

    def _open_tab(self, tag: Tag) -> None:
        self.flush()
        value = tag.text("value")
        named = self._tabs[-1].get(value, "") if self._tabs else ""
        label = tab_label(tag.text("label", "title", "name") or named or value)
        self._open_labelled(tag.name, Role.TAB, Inline(label), keep=False)

    def _open_admonition(self, tag: Tag) -> None:
        self.flush()
        kind = tag.text("type", "variant") or (
            tag.name if tag.name not in {"Admonition", "Aside", "Callout"} else "note"
        )
        self._open_labelled(tag.name, Role.ADMONITION, admonition_label(kind, Inline(tag.text("title"))))

    def _open_component(self, tag: Tag) -> None:
        title = tag.text("title", "label", "summary", "header")
        if title:
            self.flush()
            self._open_labelled(tag.name, Role.COMPONENT, Inline(title))
        elif self._component_end == self.buffer.length:
            self.buffer.text(" ")

    # --- tables ---

    def _open_table(self, tag: Tag) -> None:
        self.flush()
        if self._tables and not self._runs:
            self._spill()
        self._tables.append(_Table())
        self._push(tag.name, Role.TABLE, self._close_table)

    def _close_table(self) -> None:
        self._end_row()
        table = self._tables.pop()
        if table.rows:
            self.table(table.rows)

    def _open_row(self, tag: Tag) -> None:
        self.flush()
        if self._tables:
            self._close_open(Role.ROW, Role.TABLE)
            self._tables[-1].row = []
            self._push(tag.name, Role.ROW, self._end_row)

    def _end_row(self) -> None:
        self.flush()
        if self._tables and (table := self._tables[-1]).row is not None:
            row, table.row = table.row or [], None
            if row:
                table.rows.append(row)

    def _open_cell(self, tag: Tag) -> None:
        self.flush()
        if not self._tables or self._tables[-1].flows:
            return
        self._close_open(Role.CELL, Role.ROW)
        if (row := self._tables[-1].row) is None:
            row = self._tables[-1].row = []
        captured: list[Inline] = []
        self._captures.append(captured)
        span = tag.text("colSpan", "colspan")
        width = min(int(span), 100) if span.isdecimal() else 1

        def close() -> None:
            if (inline := self._captured(captured)) is not None:
                row.append(inline)
                row.extend([Inline("")] * (width - 1))

        self._push(tag.name, Role.CELL, close)

    def _spill(self) -> None:
        """Write what was captured: a whole block has come where only running text has room."""
        if not self._captures and not any(table.rows or table.row for table in self._tables):
            return
        captures, self._captures = self._captures, []
        for table in self._tables:
            table.flows = True
            rows, table.rows = table.rows, []
            if rows:
                self._writer.table(rows)
            cells, table.row = table.row or [], None
            for cell in cells:
                self._writer.paragraph(cell)
        for inline in (inline for captured in captures for inline in captured):
            self._writer.paragraph(inline)


def _language_class(tag: Tag) -> str:
    found = _LANGUAGE_CLASS.search(tag.text("className", "class"))
    return found[1] if found else ""
