"""Elements that stand apart: headings, lists, quotations, definitions, code, and what has a label."""

import re

from selectolax.lexbor import LexborNode

from assay.ingest.html.beside import is_sidebar
from assay.ingest.html.default_titles import is_default_title, is_small_word
from assay.ingest.html.generators import UNKNOWN
from assay.ingest.html.marks import KINDS, HtmlMark, callout_kind, mark_of
from assay.ingest.html.nodes import TEXT, Attributes, attribute, children, first_text, number, short_text
from assay.ingest.html.surroundings import SKIP, Box, Close, Surroundings
from assay.ingest.inlines import EMPTY, Inline
from assay.ingest.labels import admonition_label, tab_label

_ALERT = re.compile(r"\s*\[!([A-Za-z]+)\][+-]?")
_LARGEST_NUMBER = 1_000_000
_LOOKED_AT = 8
_DEEPEST_TITLE = 3
_LOWEST = 6


# --- headings ---


def heading(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A heading with the id that leads to it: its own, one in it, its section's, or one right before it."""
    flow = page.flow
    flow.flush()
    page.spend_code_title()
    level = int((node.tag or "h2")[1])
    page.level = level
    if not flow.writer.depth and not flow.is_captured:
        write_footnotes(page)
    before, page.anchor = page.anchor, None
    return _open_heading(page, level, attribute(attributes, "id") or None, section_id(node) or before)


def _open_heading(page: Surroundings, level: int, own: str | None, otherwise: str | None) -> Close:
    flow = page.flow
    outer = page.in_heading, page.heading_anchor
    page.in_heading, page.heading_anchor = True, own
    captured = flow.capture()

    def close() -> None:
        inline = flow.release(captured)
        anchor = page.heading_anchor or otherwise
        page.in_heading, page.heading_anchor = outer
        if inline:
            flow.heading(level, inline, anchor)

    return close


def section_id(heading: LexborNode) -> str | None:
    """Id of the section that a heading is the first thing in, as Sphinx gives it."""
    before, looked = heading.prev, 0
    while before is not None and looked < _LOOKED_AT:
        blank = before.tag == "-comment" or (before.tag == TEXT and not (before.text_content or "").strip())
        if not blank and not (before.tag in {"span", "a"} and before.first_child is None):
            return None
        before, looked = before.prev, looked + 1
    parent = heading.parent
    if parent is None or before is not None:
        return None
    is_section = parent.tag == "section" or "section" in (parent.attributes.get("class") or "").split()
    return attribute(parent.attributes, "id") or None if is_section else None


# --- lists, quotations, definitions ---


def _begin(page: Surroundings) -> None:
    page.flow.flush()
    page.spend_code_title()


def listed(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A list."""
    _begin(page)
    flow = page.flow
    if not flow.may_nest:
        return flow.flush
    start = number(attribute(attributes, "start"), 1, _LARGEST_NUMBER) if node.tag == "ol" else None
    flow.writer.open_list(is_tight=_is_tight(node, attributes), number=start)
    page.nest.append("list")

    def close() -> None:
        flow.flush()
        page.nest.pop()
        flow.writer.close_list()

    return close


def _is_tight(node: LexborNode, attributes: Attributes) -> bool:
    """Whether the items of a list are lines rather than paragraphs, as its first item with text tells."""
    if "simple" in (attributes.get("class") or "").split():  # docutils makes paragraphs of both
        return True
    for count, child in enumerate(children(node)):
        inner = child.first_child
        while inner is not None and inner.tag == TEXT and not (inner.text_content or "").strip():
            inner = inner.next
        if inner is not None:
            return inner.tag != "p"
        if count > _LOOKED_AT:
            break
    return True


def item(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """An item of a list."""
    page.flow.flush()
    if page.flow.is_captured or page.nest[-1:] != ["list"]:
        return page.flow.flush
    page.flow.writer.open_item()
    return _closing_frame(page, "item")


def _closing_frame(page: Surroundings, name: str) -> Close:
    page.nest.append(name)

    def close() -> None:
        page.flow.flush()
        page.flow.mark("")
        page.nest.pop()
        page.flow.writer.close_frame()

    return close


def quote(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A quotation, or an admonition that is written as one with `[!NOTE]`."""
    _begin(page)
    if (given := attribute(attributes, "id")).startswith("fn_") and page.footnotes.is_note(given):
        return SKIP
    if found := _ALERT.match(first_text(node)):
        page.alert_mark = found[0].strip()
        return page.labelled(admonition_label(found[1], EMPTY), keep=True)
    if not page.flow.may_nest:
        return page.flow.flush
    page.flow.writer.open_quote()
    return _closing_frame(page, "quote")


def footer(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The footer of a quotation names its source; any other says nothing of the subject."""
    page.flow.flush()
    return page.flow.flush if "quote" in page.nest else SKIP


def aside(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Something said beside the text; links through the site are not shown where no class could tell them."""
    page.flow.flush()
    is_beside = page.generator is UNKNOWN and page.may_look() and is_sidebar(node, page.root)
    return SKIP if is_beside else page.flow.flush


def definitions(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A list of terms and definitions, or of the members of a programming interface."""
    _begin(page)
    flow = page.flow
    if not flow.may_nest:
        return flow.flush
    if not flow.writer.depth and _has_signatures(node):
        page.nest.append("interface")
        return lambda: _end_nest(page)
    flow.writer.open_list(is_tight=True)
    page.nest.append("definitions")

    def close() -> None:
        _end_nest(page)
        flow.writer.close_list()

    return close


def _end_nest(page: Surroundings) -> None:
    page.flow.flush()
    page.nest.pop()


def _has_signatures(node: LexborNode) -> bool:
    first = next(children(node), None)
    return first is not None and first.tag == "dt" and "sig" in (first.attributes.get("class") or "").split()


def term(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A term, or the signature of a member of an interface, which is a heading of its own."""
    flow = page.flow
    flow.flush()
    if page.nest[-1:] == ["interface"] and not flow.is_captured:
        depth = page.nest.count("interface")
        start = flow.buffer.length
        close_heading = _open_heading(page, min(_LOWEST, page.level + depth), attribute(attributes, "id") or None, None)

        def close() -> None:
            flow.buffer.wrap_code(start)
            close_heading()

        return close
    if not flow.is_captured:
        flow.writer.part()
    del node
    return flow.flush


def definition(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A definition."""
    flow = page.flow
    flow.flush()
    if flow.is_captured or page.nest[-1:] != ["definitions"]:
        return flow.flush
    flow.writer.open_note(": ", is_next=True)
    page.nest.append("definition")

    def close() -> None:
        _end_nest(page)
        flow.writer.close_note()

    return close


# --- what has a label ---


def admonition(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """An admonition, with its title where it has one."""
    _begin(page)
    class_ = attributes.get("class") or ""
    kind, classes = callout_kind(page.generator, node.tag or "", class_), class_.split()
    if (title := _title_in(page, node)) is None:
        return page.labelled(admonition_label(kind, EMPTY), keep=True)
    return _boxed(page, title, kind, is_coloured="alert" in classes and "theme-admonition" not in classes)


def _title_in(page: Surroundings, node: LexborNode, depth: int = 0) -> LexborNode | None:
    """The element among the first ones in an admonition that is its title."""
    for count, child in enumerate(children(node)):
        if child.tag == "summary" and node.tag == "details":
            return child
        if mark_of(page.generator, child.tag or "", child.attributes.get("class") or "") is HtmlMark.ADMONITION_TITLE:
            return child
        if count == 0 and depth < _DEEPEST_TITLE and (found := _title_in(page, child, depth + 1)) is not None:
            return found
        if count > 1:
            break
    return None


def details(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Something that unfolds, with its summary."""
    _begin(page)
    title = next((child for child in children(node) if child.tag == "summary"), None)
    return _boxed(page, title, "") if title is not None else page.flow.flush


def _boxed(page: Surroundings, title: LexborNode, kind: str, *, is_coloured: bool = False) -> Close:
    box = Box(kind, is_coloured)
    page.titles[title.mem_id] = box

    def close() -> None:
        page.flow.settle(box.label, keep=True)

    return close


def title_of_box(page: Surroundings, box: Box) -> Close:
    """The title of an admonition or fold: running text, whatever stands in it."""
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


def _is_default(page: Surroundings, kind: str, title: str) -> bool:
    """Whether a title is the generator's own word for the kind, in the page's language."""
    if is_default_title(page.language, kind.lower(), title):
        return True
    return page.generator.lower_titles and page.language not in {"", "en"} and is_small_word(title)


def summary(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A summary that is no title of anything."""
    page.flow.flush()
    return page.flow.flush


def apart(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """What stands apart from what is beside it."""
    page.flow.flush()
    return page.flow.flush


# --- tabs ---


def tab_list(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """What holds the labels of tabs."""
    _begin(page)
    page.tabs.begin()
    page.label_parents.add(node.mem_id)
    return page.flow.flush


def tab(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """The label of a tab: it stands above its panel."""
    if text := short_text(node):
        page.flow.flush()
        page.tabs.label(text, attributes)
    return SKIP


def label(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A label: of a tab in a list of tabs, else text like any other."""
    is_tab = node.parent is not None and node.parent.mem_id in page.label_parents
    return tab(page, node, attributes) if is_tab else None


def panel(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The panel of a tab, also one that is hidden until its tab is chosen."""
    _begin(page)
    settle = page.labelled(Inline(tab_label(page.tabs.open_panel(attributes))), keep=False)

    def close() -> None:
        settle()
        page.tabs.close_panel()

    return close


def code_panels(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """What holds the panels of a code group."""
    page.flow.flush()
    page.panel_parents.add(node.mem_id)
    return page.flow.flush


def code_panel(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """One code block of a group: its label is its title."""
    _begin(page)
    page.code_title = page.tabs.open_panel(attributes)
    return page.tabs.close_panel


# --- footnotes ---


def footnotes(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The notes of the page: each is written at the end of the section that refers to it first."""
    page.flow.flush()
    page.has_notes = True
    return None if page.writes_notes else SKIP


def write_footnotes(page: Surroundings, *, everything: bool = False) -> None:
    """Write the notes that were referred to since the last heading."""
    if page.writes_notes:
        return
    page.writes_notes = True
    writer = page.flow.writer
    for count, (label, node) in enumerate(page.footnotes.take(everything=everything and page.has_notes)):
        writer.open_note(f"[^{label}]: ", is_next=count > 0)
        page.nest.append("definition")
        page.walk(page, node)
        page.nest.pop()
        writer.close_note()
    page.writes_notes = False
