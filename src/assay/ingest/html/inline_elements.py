"""Handlers of inline elements: links, code, images, formulas, checkboxes."""

import re

from selectolax.lexbor import LexborNode

from assay.ingest.html.boilerplate import is_edit_link, may_be_edit_link
from assay.ingest.html.footnotes import is_back_link
from assay.ingest.html.formulas import formula_of
from assay.ingest.html.generators import UNKNOWN
from assay.ingest.html.nodes import Attributes, children, short_text
from assay.ingest.html.page_state import SKIP, Close, PageState
from assay.ingest.text.inlines import code_span

_SELF_LINK = frozenset(["", "#", "¶", "§", "🔗", "⚓", "⚓︎", "\u200b", "∞", "¤"])
_SURE_SELF_LINK = frozenset(["¶", "⚓", "⚓︎"])
_PAGE_LINK_TEXT = re.compile(
    r"(?:edit|improve|suggest (?:an )?edits?(?: to)?|fix)(?: this)?(?: page)?(?: on (?:github|gitlab|bitbucket))?"
    r"|(?:view|show|page)(?: page)? source|view (?:this page|source) on (?:github|gitlab)|back to top|skip to .{0,30}"
    r"|copy page|report (?:an )?issue(?: with this page)?|was this (?:page )?helpful\??",
    re.IGNORECASE,
)
_STYLING_TAGS = frozenset(["span", "em", "b", "i", "strong", "wbr", "mark", "ins", "del", "u"])


def link(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A link. Heading self-links, footnote back-links and edit links are not shown."""
    href = (attributes.get("href") or "").strip()
    own = page.links.own_fragment(href) if "#" in href else None
    if own is not None:
        return _fragment_link(page, node, attributes, own)
    if not href:
        return None
    if _is_page_link(node, href, attributes):
        return SKIP
    if may_be_edit_link(href) and page.may_inspect():
        is_unknown = page.generator is UNKNOWN  # other generators mark edit links with a class
        if is_edit_link(node, href, page.root, page.links.page_url, may_view=is_unknown):
            return SKIP
    return _open_link(page, node, href)


def _open_link(page: PageState, node: LexborNode, href: str) -> Close:
    buffer = page.flow.buffer
    page.flow.open_link(href)
    last = node.last_child
    if last is None or last.tag != "svg":
        return buffer.close_link

    def close() -> None:
        buffer.drop_blank()  # the blank before an icon
        buffer.close_link()

    return close


def _fragment_link(page: PageState, node: LexborNode, attributes: Attributes, fragment: str) -> Close | None:
    """A link to an anchor in the same page."""
    text = short_text(node)
    has_image = any(child.tag == "img" for child in children(node))
    if text in _SURE_SELF_LINK or (page.in_heading and text in _SELF_LINK and not has_image) or is_back_link(text):
        return SKIP
    if page.in_footnote and page.flow.buffer.is_empty and fragment == f"_footnoteref_{text}":
        page.alert_mark = "."  # Asciidoctor begins a note with its number
        return SKIP
    if (label := _reference(page, fragment, attributes, text)) is not None:
        page.flow.text(f"[^{label}]")
        return SKIP
    return None if page.in_heading else _open_link(page, node, (attributes.get("href") or "").strip())


def _is_page_link(node: LexborNode, href: str, attributes: Attributes) -> bool:
    if attributes.get("rel") == "edit":
        return True
    if "edit" in href or "github" in href or "gitlab" in href or "blob" in href or "issues" in href:
        return _PAGE_LINK_TEXT.fullmatch(short_text(node)) is not None
    return False


def _reference(page: PageState, fragment: str, attributes: Attributes, text: str) -> str | None:
    """The label of the footnote that a link refers to; None for other links."""
    is_one = (
        "data-footnote-ref" in attributes
        or attributes.get("role") == "doc-noteref"
        or "footnote" in (attributes.get("class") or "")
        or fragment.startswith(("fn", "user-content-fn", "footnote"))
    )
    return page.footnotes.refer(fragment, text) if is_one and not page.in_footnote else None


def footnote_reference(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A footnote reference, or the element around it."""
    if node.tag == "a":
        return link(page, node, attributes)
    inner = node.css_first("a[href]")
    if inner is None or short_text(node) != f"[{short_text(inner)}]":
        return None
    if link(page, inner, inner.attributes) is not SKIP:  # in brackets, as Asciidoctor writes it
        page.flow.buffer.close_link()
    return SKIP


def inline_code(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Inline code, with its blanks unchanged."""
    flow = page.flow
    if page.in_code:
        return None
    if any(child.tag not in _STYLING_TAGS for child in children(node)):  # more than styled text
        page.in_code = True
        start, flushes = flow.buffer.length, flow.flushes

        def close() -> None:
            page.in_code = False
            if flushes == flow.flushes:
                flow.buffer.wrap_code(start)

        return close
    content = node.text().replace("\n", " ")
    if content.strip():
        page.anchor = None
        flow.verbatim(code_span(content.strip()))
    else:
        flow.text(content)
    return SKIP


def line_break(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A line break inside a paragraph."""
    page.flow.line_break()
    return SKIP


def image(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """An image's alternative text; once for a light and a dark variant."""
    alternative = (attributes.get("alt") or "").strip()
    before = node.prev
    if before is not None and before.tag == "img" and before.attributes.get("alt") == attributes.get("alt"):
        return SKIP
    if alternative and attributes.get("role") not in {"presentation", "none"}:
        page.anchor = None
        page.flow.text(alternative)
    return SKIP


def button(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A button; not shown unless it is the text of a heading, a list item, or a collapsible section's toggle."""
    parent = node.parent
    if (
        page.in_heading
        or (parent is not None and parent.tag == "li")
        or ("aria-expanded" in attributes and "aria-controls" in attributes)
    ):
        return None
    return SKIP


def icon(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """An icon of Asciidoctor: the checkbox of a task, or the mark between the names of a menu."""
    if "caret" in (attributes.get("class") or ""):
        outer = node.parent.attributes if node.parent is not None else {}
        if outer.get("class") == "menuseq":
            page.flow.text("›")
    elif "item" in page.nest[-1:]:
        page.flow.mark("[x] " if "check" in (attributes.get("class") or "") else "[ ] ")
    return SKIP


def checkbox(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The checkbox of a task."""
    if attributes.get("type") == "checkbox" and "item" in page.nest[-1:]:
        page.flow.mark("[x] " if "checked" in attributes else "[ ] ")
    return SKIP


def script(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A script; only MathJax's formulas are shown."""
    if "math/tex" in (attributes.get("type") or ""):
        _write_formula(page, node.text().strip(), is_display="mode=display" in (attributes.get("type") or ""))
    return SKIP


def formula(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A formula in any notation."""
    tex, is_display = formula_of(node)
    _write_formula(page, tex, is_display=is_display)
    return SKIP


def _write_formula(page: PageState, tex: str, *, is_display: bool) -> None:
    flow = page.flow
    if not tex:
        return
    page.anchor = None
    if is_display and not flow.is_captured:
        flow.lines(f"$$\n{tex}\n$$")
    else:
        flow.verbatim(f"${' '.join(tex.split())}$")


def superscript(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Superscript; a footnote's own number is omitted, because its label is written anyway."""
    after = node.next
    if page.in_footnote and page.flow.buffer.is_empty and node.text().strip().isdecimal() and after is not None:
        page.alert_mark = "."
        return SKIP
    return None
