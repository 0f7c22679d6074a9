"""Handlers of block elements: headings, lists, quotations, definitions, admonitions, tabs, footnotes."""

import re

from selectolax.lexbor import LexborNode

from assay.ingest.html.boilerplate import is_sidebar
from assay.ingest.html.default_titles import is_default_title, is_lowercase_word
from assay.ingest.html.element_types import KINDS, QUOTED_TITLE, ElementType, callout_kind, element_type
from assay.ingest.html.generators import UNKNOWN
from assay.ingest.html.nodes import TEXT, Attributes, attribute, children, class_names, first_text, number, short_text
from assay.ingest.html.page_state import SKIP, Close, PageState, TitledBox
from assay.ingest.text.inlines import EMPTY, Inline, code_span
from assay.ingest.text.labels import admonition_label, tab_label

_ALERT = re.compile(r"\s*\[!([A-Za-z]+)\][+-]?")
_LARGEST_NUMBER = 1_000_000
_MAX_LOOKAHEAD = 8
_MAX_TITLE_DEPTH = 3
_TITLE_HEADINGS = frozenset(["h4", "h5", "h6"])
_SOURCE_LINKS = frozenset(["src", "rightside"])
"""Classes of what rustdoc writes before the signature of a member."""
_LIST_FRAMES = frozenset(["ulist", "olist", "colist"])
"""Classes of elements around lists of Asciidoctor."""
_LOWEST_HEADING = 6


# --- headings ---


def heading(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A heading and its anchor: its own id, one inside it, its section's, or one directly before it."""
    flow = page.flow
    flow.flush()
    page.flush_code_title()
    level = int((node.tag or "h2")[1])
    page.level = level
    if not flow.writer.depth and not flow.is_captured:
        write_footnotes(page)
    preceding_anchor, page.anchor = page.anchor, None
    return _open_heading(page, level, attribute(attributes, "id") or None, section_id(node) or preceding_anchor)


def _open_heading(page: PageState, level: int, own_anchor: str | None, fallback_anchor: str | None) -> Close:
    flow = page.flow
    outer = page.in_heading, page.heading_anchor
    page.in_heading, page.heading_anchor = True, own_anchor
    captured = flow.capture()

    def close() -> None:
        inline = flow.release(captured)
        anchor = page.heading_anchor or fallback_anchor
        page.in_heading, page.heading_anchor = outer
        if inline:
            flow.heading(level, inline, anchor)

    return close


def section_id(heading: LexborNode) -> str | None:
    """The id of the section that a heading starts, as in Sphinx."""
    preceding_anchor, looked = heading.prev, 0
    while preceding_anchor is not None and looked < _MAX_LOOKAHEAD:
        blank = preceding_anchor.tag == "-comment" or (
            preceding_anchor.tag == TEXT and not (preceding_anchor.text_content or "").strip()
        )
        if not blank and not (preceding_anchor.tag in {"span", "a"} and _is_self_link(preceding_anchor)):
            return None
        preceding_anchor, looked = preceding_anchor.prev, looked + 1
    parent = heading.parent
    if parent is None or preceding_anchor is not None:
        return None
    is_section = parent.tag == "section" or "section" in class_names(parent.attributes)
    return attribute(parent.attributes, "id") or None if is_section else None


def _is_self_link(node: LexborNode) -> bool:
    """Whether an element before a heading is an anchor or a mark: empty, a sign, or rustdoc's link to the source."""
    classes = class_names(node.attributes)
    return node.first_child is None or node.text().strip() == "§" or not _SOURCE_LINKS.isdisjoint(classes)


# --- lists, quotations, definitions ---


def _start_block(page: PageState) -> None:
    page.flow.flush()
    page.flush_code_title()


def list_element(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A list."""
    _start_block(page)
    flow = page.flow
    if not flow.can_nest or _is_layout(node):
        return flow.flush
    is_numbered = node.tag in {"ol", "div"}
    start = number(attribute(attributes, "start"), 1, _LARGEST_NUMBER) if is_numbered else None
    flow.writer.open_list(is_tight=_is_tight(node, attributes), number=start)
    return _open_nest(page, "list", flow.writer.close_list)


def _is_layout(node: LexborNode) -> bool:
    """Whether the items of a list are sections of the page."""
    item = next(children(node), None)
    first = next(children(item), None) if item is not None else None
    return first is not None and first.tag == "section"


def callouts(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A list of callouts; a table of numbers and texts is written as a list."""
    first = next(children(node), None)
    return list_element(page, node, attributes) if first is not None and first.tag == "table" else page.flow.flush


def _is_tight(node: LexborNode, attributes: Attributes) -> bool:
    """Whether list items are lines and not paragraphs; the first item with text decides."""
    outer = node.parent.attributes if node.parent is not None else {}
    if "simple" in class_names(attributes) or not _LIST_FRAMES.isdisjoint(
        class_names(outer)
    ):  # docutils and Asciidoctor write paragraphs in both
        return True
    for count, child in enumerate(children(node)):
        inner = child.first_child
        while inner is not None and inner.tag == TEXT and not (inner.text_content or "").strip():
            inner = inner.next
        if inner is not None:
            return inner.tag != "p"
        if count > _MAX_LOOKAHEAD:
            break
    return True


def item(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """An item of a list, or a tab label in a list of them."""
    page.flow.flush()
    if page.label_parents and (attributes.get("class") or "") == "tab" and _is_in_label_list(page, node):
        return tab(page, node, attributes)
    if page.flow.is_captured or page.nest[-1:] != ["list"]:
        return page.flow.flush
    page.flow.writer.open_item()
    return _closing_frame(page, "item")


def _is_in_label_list(page: PageState, item: LexborNode) -> bool:
    outer = item.parent.parent if item.parent is not None else None
    return outer is not None and outer.mem_id in page.label_parents


def _open_nest(page: PageState, name: str, end: Close) -> Close:
    """Add a container to PageState.nest. end: called at its end, with all its text written."""
    page.nest.append(name)

    def close() -> None:
        page.flow.flush()
        page.nest.pop()
        end()

    return close


def _closing_frame(page: PageState, name: str) -> Close:
    def end() -> None:
        page.flow.mark("")
        page.flow.writer.close_frame()

    return _open_nest(page, name, end)


def quote(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A quotation, or an admonition written as one with `[!NOTE]`."""
    _start_block(page)
    if (given := attribute(attributes, "id")).startswith("fn_") and page.footnotes.is_note(given):
        return SKIP
    if found := _ALERT.match(first_text(node)):
        page.alert_mark = found[0].strip()
        return page.open_label(admonition_label(found[1], EMPTY), keep=True)
    if not page.flow.can_nest:
        return page.flow.flush
    page.flow.writer.open_quote()
    return _closing_frame(page, "quote")


def footer(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The footer of a quotation (its source); other footers are not shown."""
    page.flow.flush()
    return page.flow.flush if "quote" in page.nest else SKIP


def aside(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """An aside; on unknown sites, sidebars with links are not shown."""
    page.flow.flush()
    is_boilerplate = page.generator is UNKNOWN and page.may_inspect() and is_sidebar(node, page.root)
    return SKIP if is_boilerplate else page.flow.flush


def definitions(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A definition list, or the members of a programming interface."""
    _start_block(page)
    flow = page.flow
    if not flow.can_nest:
        return flow.flush
    if not flow.writer.depth and _has_signatures(node):
        return _open_nest(page, "interface", lambda: None)
    flow.writer.open_list(is_tight=True)
    return _open_nest(page, "definitions", flow.writer.close_list)


def _has_signatures(node: LexborNode) -> bool:
    first = next(children(node), None)
    return first is not None and first.tag == "dt" and "sig" in class_names(first.attributes)


def term(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A term, or the signature of an interface member, which becomes a heading."""
    flow = page.flow
    flow.flush()
    if page.nest[-1:] == ["interface"] and not flow.is_captured:
        depth = page.nest.count("interface")
        start = flow.buffer.length
        close_heading = _open_heading(
            page, min(_LOWEST_HEADING, page.level + depth), attribute(attributes, "id") or None, None
        )

        def close() -> None:
            flow.buffer.wrap_code(start)
            close_heading()

        return close
    if not flow.is_captured:
        flow.writer.part()
    return flow.flush


def signature(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The signature of a member: its heading, or a line of code below one."""
    flow = page.flow
    flow.flush()
    outer = node.parent.attributes if node.parent is not None else {}
    start = flow.buffer.length
    given = attribute(outer, "id")
    if not given:
        if text := short_text(node):
            flow.verbatim(code_span(text))
            flow.flush()
        return SKIP
    close_heading = _open_heading(page, 3 if "classattr" in (outer.get("class") or "") else 2, None, given)

    def close() -> None:
        flow.buffer.wrap_code(start)
        close_heading()

    return close


def definition(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A definition."""
    flow = page.flow
    flow.flush()
    if flow.is_captured or page.nest[-1:] != ["definitions"]:
        return flow.flush
    flow.writer.open_note(": ", is_next=True)
    return _open_nest(page, "definition", flow.writer.close_note)


# --- labelled blocks ---


def admonition(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """An admonition with its title, if any."""
    _start_block(page)
    if node.tag == "details" and _is_section(page, node):
        return page.flow.flush
    class_ = attributes.get("class") or ""
    kind, classes = callout_kind(page.generator, node.tag or "", class_), class_.split()
    if (title := _title_of(page, node, classes)) is None:
        return page.open_label(admonition_label(kind, EMPTY), keep=True)
    return _open_box(page, title, kind, is_coloured="alert" in classes and "theme-admonition" not in classes)


def _title_of(page: PageState, node: LexborNode, classes: list[str]) -> LexborNode | None:
    if "admonitionblock" in classes:
        return _title_in_cell(node)
    if node.tag == "blockquote" and any(name.endswith(QUOTED_TITLE) for name in classes):
        return next(children(node), None)
    return _title_in(page, node)


def _title_in(page: PageState, node: LexborNode, depth: int = 0) -> LexborNode | None:
    """The title among the first elements of an admonition."""
    for count, child in enumerate(children(node)):
        if (child.tag == "summary" and node.tag == "details") or (child.tag == "dt" and node.tag == "dl"):
            return child
        if count == 0 and child.tag in _TITLE_HEADINGS and not attribute(child.attributes, "id"):
            return child
        if (
            element_type(page.generator, child.tag or "", child.attributes.get("class") or "")
            is ElementType.ADMONITION_TITLE
        ):
            return child
        if count == 0 and depth < _MAX_TITLE_DEPTH and (found := _title_in(page, child, depth + 1)) is not None:
            return found
        if count > 1:
            break
    return None


def _title_in_cell(node: LexborNode) -> LexborNode | None:
    """The title of an admonition of Asciidoctor, which starts its second cell."""
    cell = node.css_first("td.content")
    first = next(children(cell), None) if cell is not None else None
    return first if first is not None and first.attributes.get("class") == "title" else None


def details(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A collapsible section with its summary."""
    _start_block(page)
    title = next((child for child in children(node) if child.tag == "summary"), None)
    if title is None or _is_section(page, node):
        return page.flow.flush
    mark = element_type(page.generator, "summary", title.attributes.get("class") or "")
    return page.flow.flush if mark is ElementType.CHROME else _open_box(page, title, "")


def _is_section(page: PageState, node: LexborNode) -> bool:
    """Whether a collapsible section is one of the page's, with its heading in the summary."""
    first = next(children(node), None) if page.generator.folds_sections else None
    return first is not None and first.tag == "summary" and first.css_first("h1, h2, h3, h4, h5, h6") is not None


def _open_box(page: PageState, title: LexborNode, kind: str, *, is_coloured: bool = False) -> Close:
    box = TitledBox(kind, is_coloured)
    page.titles[title.mem_id] = box

    def close() -> None:
        page.flow.close_label(box.label, keep=True)

    return close


def title_of_box(page: PageState, box: TitledBox) -> Close:
    """The title of an admonition or collapsible section, written as inline text."""
    flow = page.flow
    flow.flush()
    captured = flow.begin_run()

    def close() -> None:
        title = flow.end_run(captured)
        if box.is_coloured and title.text.lower() in KINDS:
            box.kind, title = title.text.lower(), EMPTY
        elif _is_default(page, box.kind, title.text):
            title = EMPTY
        box.label = admonition_label(box.kind, title) if box.kind else title
        flow.label(box.label)

    return close


def _is_default(page: PageState, kind: str, title: str) -> bool:
    """Whether a title is the generator's default for the kind, in the page's language."""
    if is_default_title(page.language, kind.lower(), title):
        return True
    return page.generator.lowercase_titles and page.language not in {"", "en"} and is_lowercase_word(title)


def separate(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """An inline element shown as a block, or a summary outside `details`."""
    page.flow.flush()
    return page.flow.flush


# --- tabs ---


def tab_list(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The container of tab labels."""
    _start_block(page)
    page.tabs.start_group()
    page.label_parents.add(node.mem_id)
    return page.flow.flush


def tab(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A tab label; it is written above its panel."""
    if text := short_text(node):
        page.flow.flush()
        page.tabs.label(text, attributes)
    return SKIP


def label(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A `label` element: a tab label inside a tab list, else text."""
    is_tab = node.parent is not None and node.parent.mem_id in page.label_parents
    return tab(page, node, attributes) if is_tab else None


def panel(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A tab panel, even if hidden."""
    _start_block(page)
    settle = page.open_label(Inline(tab_label(page.tabs.open_panel(attributes))), keep=False)

    def close() -> None:
        settle()
        page.tabs.close_panel()

    return close


def code_panels(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The container of a code group's panels."""
    page.flow.flush()
    page.panel_parents.add(node.mem_id)
    return page.flow.flush


def code_panel(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A code block in a group; its label is its title."""
    _start_block(page)
    page.code_title = page.tabs.open_panel(attributes)
    return page.tabs.close_panel


# --- footnotes ---


def footnotes(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The container of footnotes; each note is written at the end of the section that first refers to it."""
    page.flow.flush()
    if page.in_footnote or not page.footnotes.holds_notes(node):
        return page.flow.flush
    page.has_footnotes = True
    return SKIP


def write_footnotes(page: PageState, *, include_unreferenced: bool = False) -> None:
    """Write the footnotes referenced since the last heading."""
    if page.in_footnote:
        return
    page.in_footnote = True
    writer = page.flow.writer
    for count, (label, node) in enumerate(
        page.footnotes.take_referenced(include_unreferenced=include_unreferenced and page.has_footnotes)
    ):
        writer.open_note(f"[^{label}]: ", is_next=count > 0)
        page.nest.append("definition")
        page.walk(page, node)
        page.nest.pop()
        writer.close_note()
    page.in_footnote = False
