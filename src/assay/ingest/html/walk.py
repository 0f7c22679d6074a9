"""The walk through a page's content: text goes to the text flow, chrome is skipped.

It is not recursive, so deep nesting is safe. Elements are interpreted by `element_types` (by class) and by the handlers
in `blocks`, `code_blocks`, `inline_elements` and `tables` (by tag).
"""

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from assay.ingest.html import blocks, code_blocks, inline_elements, tables
from assay.ingest.html.class_patterns import ClassPatterns
from assay.ingest.html.element_types import ElementType, element_type, is_chrome_id
from assay.ingest.html.nodes import TEXT, Attributes, is_whole_heading, name_set
from assay.ingest.html.page_state import SKIP, Close, PageState

_HIDDEN_TAGS = name_set(
    "style template noscript noframes iframe object embed canvas audio video svg head map select textarea datalist "
    "dialog nav track source param meta link base title area applet frameset frame"
)
_ROLES = name_set(
    "navigation search complementary contentinfo menu menubar toolbar dialog alertdialog tooltip tree progressbar"
)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_JOINER = "\u200d"
"""Doxygen begins quotations with it. It joins nothing there."""
_NOT_DISPLAYED = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_NOTE_MARKS = ClassPatterns("span.label span.backrefs sup.footnote-definition-label fn-bracket")
_BLOCKS = name_set(
    "address article body caption center col colgroup div fieldset figcaption figure form header hgroup hr "
    "html legend main p section optgroup option picture search menuitem dir"
)

Handler = Callable[[PageState, LexborNode, Attributes], Close | None]

_BY_MARK: dict[ElementType, Handler] = {
    ElementType.CODE_TITLE: code_blocks.code_title,
    ElementType.NUMBERED_CODE: code_blocks.numbered_code,
    ElementType.TAB_LIST: blocks.tab_list,
    ElementType.TAB: blocks.tab,
    ElementType.PANEL: blocks.panel,
    ElementType.CODE_PANELS: blocks.code_panels,
    ElementType.CODE_FRAME: code_blocks.code_frame,
    ElementType.SEPARATE: blocks.separate,
    ElementType.ADMONITION: blocks.admonition,
    ElementType.FORMULA: inline_elements.formula,
    ElementType.FOOTNOTES: blocks.footnotes,
    ElementType.FOOTNOTE_REFERENCE: inline_elements.footnote_reference,
    ElementType.ICON: inline_elements.icon,
    ElementType.DEFINITIONS: blocks.definitions,
    ElementType.TERM: blocks.term,
    ElementType.DEFINITION: blocks.definition,
    ElementType.CALLOUTS: blocks.callouts,
    ElementType.SIGNATURE: blocks.signature,
    ElementType.CODE_LINES: code_blocks.code_lines,
    ElementType.TABLE: tables.table,
    ElementType.ROW_START: tables.first_cell,
    ElementType.CELL: tables.cell,
}
_BY_TAG: dict[str, Handler] = {
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], blocks.heading),
    **dict.fromkeys(["ul", "ol", "menu"], blocks.list_element),
    **dict.fromkeys(["code", "samp", "tt"], inline_elements.inline_code),
    **dict.fromkeys(["td", "th"], tables.cell),
    **dict.fromkeys(["tbody", "tfoot", "thead"], tables.group),
    "a": inline_elements.link,
    "aside": blocks.aside,
    "sup": inline_elements.superscript,
    "blockquote": blocks.quote,
    "br": inline_elements.line_break,
    "button": inline_elements.button,
    "dd": blocks.definition,
    "details": blocks.details,
    "dl": blocks.definitions,
    "dt": blocks.term,
    "footer": blocks.footer,
    "img": inline_elements.image,
    "input": inline_elements.checkbox,
    "label": blocks.label,
    "li": blocks.item,
    "math": inline_elements.formula,
    "mjx-container": inline_elements.formula,
    "pre": code_blocks.code,
    "script": inline_elements.script,
    "summary": blocks.separate,
    "table": tables.table,
    "tr": tables.row,
}


_BY_ROLE: dict[str | None, Handler] = {
    "tab": blocks.tab,
    "tabpanel": blocks.panel,
    "table": tables.table,
    "row": tables.row,
    **dict.fromkeys(["cell", "columnheader", "rowheader"], tables.cell),
}


def walk(page: PageState, root: LexborNode) -> None:
    """Write the content of an element."""
    stack: list[tuple[LexborNode | None, Close | None]] = []
    flow = page.flow
    node = root.first_child
    while True:
        if node is None:
            if not stack:
                break
            node, close = stack.pop()
            if close is not None:
                close()
            continue
        tag = node.tag or "-"
        if tag == TEXT:
            if (content := node.text_content) is not None:
                _add_text(page, content)
            node = node.next
        elif tag[0] in "-!" or tag in _HIDDEN_TAGS:
            node = node.next
        else:
            close = _enter(page, node, tag)
            if close is SKIP:
                node = node.next
            else:
                stack.append((node.next, close))
                node = node.first_child
    flow.flush()


def _add_text(page: PageState, content: str) -> None:
    if not content.isascii():
        content = _INVISIBLE.sub("", content).lstrip(_JOINER)
    if page.anchor is not None and content.strip():
        page.anchor = None
    if page.alert_mark and content.strip():
        content, page.alert_mark = content.replace(page.alert_mark, "", 1), ""
    page.flow.text(content)


def _enter(page: PageState, node: LexborNode, tag: str) -> Close | None:
    """Start an element. Return the function that ends it, or SKIP if it is not shown."""
    attributes: Attributes = node.attributes
    handler = _BY_TAG.get(tag)
    if page.titles and (box := page.titles.pop(node.mem_id, None)) is not None:
        return blocks.title_of_box(page, box)
    if attributes:
        if page.panel_parents and node.parent is not None and node.parent.mem_id in page.panel_parents:
            handler = blocks.code_panel
        else:
            handler = _handler_by_attributes(page, node, tag, attributes) or handler
        if handler is not hide and (given := attributes.get("id") or attributes.get("name")):
            page.record_anchor(given, node)
    if handler is not None:
        return handler(page, node, attributes)
    if tag in _BLOCKS:
        page.flow.flush()
        return page.flow.flush
    return None


def _handler_by_attributes(page: PageState, node: LexborNode, tag: str, attributes: Attributes) -> Handler | None:
    """The handler chosen by an element's attributes; `hide` if it is not shown."""
    role = attributes.get("role")
    if role in _ROLES:
        return hide
    if role == "tablist":
        page.tabs.start_group()
    class_ = attributes.get("class")
    mark = element_type(page.generator, tag, class_) if class_ else None
    given = attributes.get("id")
    if mark is ElementType.CHROME or (given and is_chrome_id(page.generator, tag, given)):
        is_text = page.in_heading and tag == "a" and is_whole_heading(node)
        return None if is_text else hide
    if page.in_footnote and class_ and _NOTE_MARKS.match(tag, class_.split()):
        return hide
    handler = _BY_ROLE.get(role) or (_BY_MARK.get(mark) if mark is not None else None)
    if handler is not inline_elements.formula and handler is not blocks.panel and _is_hidden(page, attributes):
        return hide
    if "data-footnotes" in attributes or role == "doc-endnotes":
        return blocks.footnotes
    return handler


def hide(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Hide the element."""
    return SKIP


def _is_hidden(page: PageState, attributes: Attributes) -> bool:
    """Whether an element is never visible to readers."""
    if attributes.get("aria-hidden") == "true":
        return True
    is_hidden = "hidden" in attributes and attributes.get("hidden") != "until-found"
    if not is_hidden:
        style = attributes.get("style")
        is_hidden = bool(style) and _NOT_DISPLAYED.search(style or "") is not None
    return is_hidden and (attributes.get("id") or "") not in page.controlled
