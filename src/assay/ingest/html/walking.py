"""The elements of a page's content, one after another: what is shown goes to the text flow, chrome is passed over.

The walk has no recursion, so that no page is nested too deep for it. What an element means is in the modules that the
walk asks: `marks` by its class, the handlers of `blocks`, `code_blocks` and `tables` by its tag.
"""

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from assay.ingest.html import blocks, code_blocks, runs, tables
from assay.ingest.html.marks import HtmlMark, is_chrome_id, mark_of
from assay.ingest.html.nodes import TEXT, Attributes, names
from assay.ingest.html.patterns import Patterns
from assay.ingest.html.surroundings import SKIP, Close, Surroundings

_UNSEEN = names(
    "style template noscript noframes iframe object embed canvas audio video svg head map select textarea datalist "
    "dialog nav track source param meta link base title area applet frameset frame"
)
_ROLES = names(
    "navigation search complementary contentinfo menu menubar toolbar dialog alertdialog tooltip tree progressbar"
)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_NOT_DISPLAYED = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_NOTE_MARKS = Patterns("span.label span.backrefs sup.footnote-definition-label fn-bracket")
_BLOCKS = names(
    "address article body caption center col colgroup div fieldset figcaption figure form header hgroup hr "
    "html legend main p section tbody tfoot thead optgroup option picture search menuitem dir"
)

Handler = Callable[[Surroundings, LexborNode, Attributes], Close | None]

_BY_MARK: dict[HtmlMark, Handler] = {
    HtmlMark.CODE_TITLE: code_blocks.code_title,
    HtmlMark.NUMBERED_CODE: code_blocks.numbered_code,
    HtmlMark.TAB_LIST: blocks.tab_list,
    HtmlMark.TAB: blocks.tab,
    HtmlMark.PANEL: blocks.panel,
    HtmlMark.CODE_PANELS: blocks.code_panels,
    HtmlMark.CODE_FRAME: code_blocks.code_frame,
    HtmlMark.APART: blocks.apart,
    HtmlMark.ADMONITION: blocks.admonition,
    HtmlMark.FORMULA: runs.formula,
    HtmlMark.FOOTNOTES: blocks.footnotes,
    HtmlMark.FOOTNOTE_REFERENCE: runs.footnote_reference,
}
_BY_TAG: dict[str, Handler] = {
    **dict.fromkeys(["h1", "h2", "h3", "h4", "h5", "h6"], blocks.heading),
    **dict.fromkeys(["ul", "ol", "menu"], blocks.listed),
    **dict.fromkeys(["code", "samp", "tt"], runs.inline_code),
    **dict.fromkeys(["td", "th"], tables.cell),
    "a": runs.link,
    "aside": blocks.aside,
    "sup": runs.raised,
    "blockquote": blocks.quote,
    "br": runs.line_break,
    "button": runs.button,
    "dd": blocks.definition,
    "details": blocks.details,
    "dl": blocks.definitions,
    "dt": blocks.term,
    "footer": blocks.footer,
    "img": runs.image,
    "input": runs.checkbox,
    "label": blocks.label,
    "li": blocks.item,
    "math": runs.formula,
    "mjx-container": runs.formula,
    "pre": code_blocks.code,
    "script": runs.script,
    "summary": blocks.summary,
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


def walk(page: Surroundings, root: LexborNode) -> None:
    """Show everything in an element."""
    waiting: list[tuple[LexborNode | None, Close | None]] = []
    flow = page.flow
    node = root.first_child
    while True:
        if node is None:
            if not waiting:
                break
            node, close = waiting.pop()
            if close is not None:
                close()
            continue
        tag = node.tag or "-"
        if tag == TEXT:
            if (content := node.text_content) is not None:
                _show(page, content)
            node = node.next
        elif tag[0] in "-!" or tag in _UNSEEN:
            node = node.next
        else:
            close = _enter(page, node, tag)
            if close is SKIP:
                node = node.next
            else:
                waiting.append((node.next, close))
                node = node.first_child
    flow.flush()


def _show(page: Surroundings, content: str) -> None:
    if not content.isascii():
        content = _INVISIBLE.sub("", content)
    if page.anchor is not None and content.strip():
        page.anchor = None
    if page.alert_mark and content.strip():
        content, page.alert_mark = content.replace(page.alert_mark, "", 1), ""
    page.flow.text(content)


def _enter(page: Surroundings, node: LexborNode, tag: str) -> Close | None:
    """An element begins. Returns what its end does; SKIP when nothing in it is shown."""
    attributes: Attributes = node.attributes
    handler = _BY_TAG.get(tag)
    if page.titles and (box := page.titles.pop(node.mem_id, None)) is not None:
        return blocks.title_of_box(page, box)
    if attributes:
        if page.panel_parents and node.parent is not None and node.parent.mem_id in page.panel_parents:
            handler = blocks.code_panel
        else:
            handler = _marked(page, tag, attributes) or handler
        if given := attributes.get("id") or attributes.get("name"):
            page.notice_anchor(given, node)
    if handler is not None:
        return handler(page, node, attributes)
    if tag in _BLOCKS:
        page.flow.flush()
        return page.flow.flush
    return None


def _marked(page: Surroundings, tag: str, attributes: Attributes) -> Handler | None:
    """What the attributes of an element say of it; `hide` when it is not shown."""
    role = attributes.get("role")
    if role in _ROLES:
        return hide
    if role == "tablist":
        page.tabs.begin()
    class_ = attributes.get("class")
    mark = mark_of(page.generator, tag, class_) if class_ else None
    given = attributes.get("id")
    if mark is HtmlMark.CHROME or (given and is_chrome_id(page.generator, tag, given)):
        return hide
    if page.writes_notes and class_ and _NOTE_MARKS.match(tag, class_.split()):
        return hide
    handler = _handler_of(role, mark)
    if handler is not runs.formula and handler is not blocks.panel and _is_hidden(page, attributes):
        return hide
    if "data-footnotes" in attributes or role == "doc-endnotes":
        return blocks.footnotes
    return handler


def _handler_of(role: str | None, mark: HtmlMark | None) -> Handler | None:
    if role in _BY_ROLE:
        return _BY_ROLE[role]
    return _BY_MARK.get(mark) if mark is not None else None


def hide(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Nothing of the element is shown."""
    return SKIP


def _is_hidden(page: Surroundings, attributes: Attributes) -> bool:
    """Whether no reader can reach it: hidden for good, or there for the eye only."""
    if attributes.get("aria-hidden") == "true":
        return True
    is_hidden = "hidden" in attributes and attributes.get("hidden") != "until-found"
    if not is_hidden:
        style = attributes.get("style")
        is_hidden = bool(style) and _NOT_DISPLAYED.search(style or "") is not None
    return is_hidden and (attributes.get("id") or "") not in page.controlled
