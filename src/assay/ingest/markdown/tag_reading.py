"""The effect of opening and closing tags on the text."""

import re
from collections.abc import Callable

from assay.ingest.markdown import openapi
from assay.ingest.markdown.elements import Elements
from assay.ingest.markdown.tags import Role, Tag, TagKind, is_void, role_of
from assay.ingest.text.inlines import EMPTY, Inline
from assay.ingest.text.labels import admonition_label, tab_label, tab_values
from assay.ingest.text.spanning_table import MAX_COLSPAN, MAX_ROWSPAN, SpanningTable

_LANGUAGE_CLASS = re.compile(r"\b(?:language|lang|highlight-source)-([\w+#.-]+)")
_NAMED_BY_TYPE = {"Admonition", "Aside", "Callout"}
_HEADING_NAME = re.compile(r"[hH]([1-6])")
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_MAX_DIGITS = 9


class TagReader:
    """Tracks the tags of one source.

    anchor: gives a heading without an id its anchor, by its text and level.
    """

    def __init__(self, elements: Elements, anchor: Callable[[str, int], str | None] = lambda *_: None) -> None:
        self._elements = elements
        self._anchor = anchor
        self._tabs: list[dict[str, str]] = []
        self._component_end = -1
        self._openers: dict[Role, Callable[[Tag], None]] = {
            Role.BLOCK: self._open_group,
            Role.HIDDEN: self._open_hidden,
            Role.LINK: lambda tag: elements.open_link(tag.text("href", "to")),
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

    def read(self, tag: Tag) -> None:
        """Read a tag, including one that closes nothing."""
        role = role_of(tag)
        if role is Role.INLINE:
            return
        if role is Role.COMPONENT and tag.name in openapi.COMPONENTS:
            self._read_openapi(tag)
        elif tag.kind is TagKind.CLOSE:
            self._close(tag, role)
        elif is_void(tag) or role is Role.IMAGE:
            self._void(tag, role)
        else:
            self._openers[role](tag)

    def _void(self, tag: Tag, role: Role) -> None:
        elements = self._elements
        if role is Role.LINE_BREAK:
            elements.line_break()
        elif role is Role.IMAGE or (role is Role.COMPONENT and "alt" in tag.attributes):
            elements.text(tag.text("alt"))
        elif role is Role.HEADING and tag.text("children"):
            self._open_heading(tag)
        elif role in {Role.BLOCK, Role.CELL}:
            self._openers[role](tag)
            self._close(tag, role)

    def _close(self, tag: Tag, role: Role) -> None:
        elements = self._elements
        if role is Role.LINK:
            elements.buffer.close_link()
        elif role is Role.BLOCK:
            elements.flush()
        elif elements.is_open(tag.name):
            elements.close_named(lambda name: name == tag.name)
        elif role is Role.COMPONENT:
            self._component_end = elements.buffer.length

    def _read_openapi(self, tag: Tag) -> None:
        """Write what a component of the OpenAPI plugin shows."""
        elements = self._elements
        elements.flush()
        if tag.kind is TagKind.CLOSE:
            return
        if tag.name == "MethodEndpoint" and (shown := openapi.endpoint(tag)):
            elements.paragraph(Inline(shown))
        found = openapi.lines(tag)
        if not (found and elements.can_nest):
            return
        label = Inline(f"{title}:") if (title := openapi.title(tag)) else EMPTY
        if label.text:
            elements.label(label)
        elements.writer.open_list(is_tight=True, number=None)
        for line in found:
            elements.writer.open_item()
            elements.paragraph(Inline(line))
            elements.writer.close_frame()
        elements.writer.close_list()
        elements.close_label(label, keep=True)

    # --- running text ---

    def _open_hidden(self, tag: Tag) -> None:
        self._elements.hide()
        self._elements.push(tag.name, Role.HIDDEN, self._elements.show)

    def _open_code_span(self, tag: Tag) -> None:
        elements = self._elements
        if elements.collects_code:
            elements.name_language(_language_class(tag))
            return
        start, flushes = elements.buffer.length, elements.flushes

        def close() -> None:
            if flushes == elements.flushes:
                elements.buffer.wrap_code(start)

        elements.push(tag.name, Role.CODE_SPAN, close)

    def _open_component(self, tag: Tag) -> None:
        elements = self._elements
        if title := tag.text("title", "label", "summary", "header"):
            elements.flush()
            elements.open_labelled(tag.name, Role.COMPONENT, Inline(title))
        elif self._component_end == elements.buffer.length:
            elements.text(" ")

    # --- blocks ---

    def _open_heading(self, tag: Tag) -> None:
        elements = self._elements
        named = _HEADING_NAME.fullmatch(tag.text("as") if tag.name == "Heading" else tag.name)
        level = int(named[1]) if named else 2
        elements.flush()
        if shown := tag.text("children"):
            elements.heading(level, Inline(shown), tag.text("id") or None)
            return
        captured = elements.capture()

        def close() -> None:
            if inline := elements.release(captured):
                elements.heading(level, inline, tag.text("id") or self._anchor(inline.text.replace("`", ""), level))

        elements.push(tag.name, Role.HEADING, close)

    def _open_list(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        if elements.can_nest:
            number = _number(tag.text("start"), 1) if tag.name == "ol" else None
            elements.writer.open_list(is_tight=True, number=number)
            self._push(tag, Role.LIST, elements.writer.close_list)

    def _push(self, tag: Tag, role: Role, close: Callable[[], object]) -> None:
        """Open an element; `close` is called at its end, with all its text written."""

        def flush_and_close() -> None:
            self._elements.flush()
            close()

        self._elements.push(tag.name, role, flush_and_close)

    def _open_item(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        elements.close_open(Role.ITEM, Role.LIST)
        if not elements.is_captured and elements.innermost(Role.LIST, Role.ITEM) is Role.LIST:
            elements.writer.open_item()
            self._push(tag, Role.ITEM, elements.writer.close_frame)

    def _open_quote(self, tag: Tag) -> None:
        self._elements.flush()
        if self._elements.can_nest:
            self._elements.writer.open_quote()
            self._push(tag, Role.QUOTE, self._elements.writer.close_frame)

    def _open_definitions(self, tag: Tag) -> None:
        self._elements.flush()
        if self._elements.can_nest:
            self._elements.writer.open_list(is_tight=True)
            self._push(tag, Role.DEFINITIONS, self._elements.writer.close_list)

    def _open_term(self, _: Tag) -> None:
        elements = self._elements
        elements.flush()
        elements.close_open(Role.DEFINITION, Role.DEFINITIONS)
        if not elements.is_captured:
            elements.writer.part()

    def _open_definition(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        elements.close_open(Role.DEFINITION, Role.DEFINITIONS)
        if not elements.is_captured and elements.innermost(Role.DEFINITIONS, Role.DEFINITION):
            elements.writer.open_note(": ", is_next=True)
            self._push(tag, Role.DEFINITION, elements.writer.close_note)

    def _open_code(self, tag: Tag) -> None:
        self._elements.flush()
        if self._elements.begin_code(tag.text("language", "lang") or _language_class(tag), tag.text("title")):
            self._elements.push(tag.name, Role.CODE, self._elements.end_code)

    # --- what has a label ---

    def _open_details(self, tag: Tag) -> None:
        self._elements.flush()
        self._elements.push(tag.name, Role.DETAILS, self._elements.flush)

    def _open_summary(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        captured = elements.capture()

        def close() -> None:
            if summary := elements.release(captured):
                elements.label(summary)
                elements.replace_close(Role.DETAILS, lambda: elements.close_label(summary, keep=True))

        elements.push(tag.name, Role.SUMMARY, close)

    def _open_tabs(self, tag: Tag) -> None:
        self._elements.flush()
        self._tabs.append(tab_values(tag.attributes.get("values", "")))
        self._push(tag, Role.TABS, self._tabs.pop)

    def _open_tab(self, tag: Tag) -> None:
        self._elements.flush()
        value = tag.text("value")
        named = self._tabs[-1].get(value, "") if self._tabs else ""
        label = tab_label(tag.text("label", "title", "name") or named or value)
        self._elements.open_labelled(tag.name, Role.TAB, Inline(label), keep=False)

    def _open_admonition(self, tag: Tag) -> None:
        self._elements.flush()
        kind = tag.text("type", "variant") or ("note" if tag.name in _NAMED_BY_TYPE else tag.name)
        label = admonition_label(kind, Inline(tag.text("title")))
        self._elements.open_labelled(tag.name, Role.ADMONITION, label)

    # --- tables ---

    def _open_table(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        if elements.tables and not elements.is_run:
            elements.spill()
        elements.tables.append(SpanningTable(flows=False))
        elements.push(tag.name, Role.TABLE, self._close_table)

    def _close_table(self) -> None:
        self._end_row()
        if isinstance(table := self._elements.tables.pop(), SpanningTable):
            table.write(self._elements)

    def _open_group(self, tag: Tag) -> None:
        self._elements.flush()
        if tag.name.lower() in _ROW_GROUPS and (table := self._table()):
            self._elements.close_open(Role.ROW, Role.TABLE)
            table.end_group()

    def _table(self) -> SpanningTable | None:
        table = self._elements.tables[-1] if self._elements.tables else None
        return table if isinstance(table, SpanningTable) else None

    def _open_row(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        if table := self._table():
            elements.close_open(Role.ROW, Role.TABLE)
            table.open_row()
            elements.push(tag.name, Role.ROW, self._end_row)

    def _end_row(self) -> None:
        self._elements.flush()
        if table := self._table():
            table.end_row()

    def _open_cell(self, tag: Tag) -> None:
        elements = self._elements
        elements.flush()
        table = self._table()
        if table is None or table.flows:
            return
        elements.close_open(Role.CELL, Role.ROW)
        row = table.open_cell()
        captured = elements.capture()
        colspan = min(_span(tag, "colSpan", "colspan"), MAX_COLSPAN)
        rowspan = min(_span(tag, "rowSpan", "rowspan"), MAX_ROWSPAN)

        def close() -> None:
            if (inline := elements.release(captured)) is not None:
                table.close_cell(row, inline, colspan=colspan, rowspan=rowspan)

        elements.push(tag.name, Role.CELL, close)


def _span(tag: Tag, *names: str) -> int:
    """How many columns or rows a cell spans, written as a string or as a JSX number: `"2"`, `{2}`."""
    written = next((tag.attributes[name] for name in names if name in tag.attributes), "")
    return _number(written.strip("{} \"'"), 1) or 1


def _number(written: str, otherwise: int) -> int:
    return int(written) if written.isdecimal() and len(written) <= _MAX_DIGITS else otherwise


def _language_class(tag: Tag) -> str:
    found = _LANGUAGE_CLASS.search(tag.text("className", "class"))
    return found[1] if found else ""
