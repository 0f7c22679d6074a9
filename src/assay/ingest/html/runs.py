"""Elements within running text: links, code, images, formulas, boxes to tick."""

import re

from selectolax.lexbor import LexborNode

from assay.ingest.html.beside import is_edit_link, may_be_edit_link
from assay.ingest.html.footnotes import is_back_link
from assay.ingest.html.formulas import formula_of
from assay.ingest.html.generators import UNKNOWN
from assay.ingest.html.nodes import Attributes, children, short_text
from assay.ingest.html.surroundings import SKIP, Close, Surroundings
from assay.ingest.inlines import code_span

_SELF_LINK = frozenset(["", "#", "¶", "§", "🔗", "⚓", "⚓︎", "\u200b", "∞", "¤"])
_SURE_SELF_LINK = frozenset(["¶", "⚓", "⚓︎"])
_ABOUT_THE_PAGE = re.compile(
    r"(?:edit|improve|suggest (?:an )?edits?(?: to)?|fix)(?: this)?(?: page)?(?: on (?:github|gitlab|bitbucket))?"
    r"|(?:view|show|page)(?: page)? source|view (?:this page|source) on (?:github|gitlab)|back to top|skip to .{0,30}"
    r"|copy page|report (?:an )?issue(?: with this page)?|was this (?:page )?helpful\??",
    re.IGNORECASE,
)
_COLOURED = frozenset(["span", "em", "b", "i", "strong", "wbr", "mark", "ins", "del", "u"])


def link(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A link; those of headings to themselves, back from footnotes, and to edit the page are not shown."""
    href = (attributes.get("href") or "").strip()
    own = page.links.own_fragment(href) if "#" in href else None
    if own is not None:
        return _own_link(page, node, attributes, own)
    if not href:
        return None
    if _is_about_the_page(node, href, attributes):
        return SKIP
    if may_be_edit_link(href) and page.may_look() and _is_edit_link(page, node, href):
        return SKIP
    return _open(page, node, href)


def _is_edit_link(page: Surroundings, node: LexborNode, href: str) -> bool:
    is_unknown = page.generator is UNKNOWN  # the others say with a class what leads to the source
    return is_edit_link(node, href, page.root, page.links.page_url, may_view=is_unknown)


def _open(page: Surroundings, node: LexborNode, href: str) -> Close:
    buffer = page.flow.buffer
    page.flow.open_link(href)
    last = node.last_child
    if last is None or last.tag != "svg":
        return buffer.close_link

    def close() -> None:
        buffer.drop_blank()  # it parts the link from an icon
        buffer.close_link()

    return close


def _own_link(page: Surroundings, node: LexborNode, attributes: Attributes, fragment: str) -> Close | None:
    """A link to a place in the page itself."""
    text = short_text(node)
    if text in _SURE_SELF_LINK or (page.in_heading and text in _SELF_LINK and not _has_image(node)):
        return SKIP
    if is_back_link(text):
        return SKIP
    if (label := _reference(page, fragment, attributes, text)) is not None:
        page.flow.text(f"[^{label}]")
        return SKIP
    return None if page.in_heading else _open(page, node, (attributes.get("href") or "").strip())


def _has_image(node: LexborNode) -> bool:
    return any(child.tag == "img" for child in children(node))


def _is_about_the_page(node: LexborNode, href: str, attributes: Attributes) -> bool:
    if attributes.get("rel") == "edit":
        return True
    if "edit" in href or "github" in href or "gitlab" in href or "blob" in href or "issues" in href:
        return _ABOUT_THE_PAGE.fullmatch(short_text(node)) is not None
    return False


def _reference(page: Surroundings, fragment: str, attributes: Attributes, text: str) -> str | None:
    """Label of the footnote that a link refers to; None when it is another kind of link."""
    is_one = (
        "data-footnote-ref" in attributes
        or attributes.get("role") == "doc-noteref"
        or "footnote" in (attributes.get("class") or "")
        or fragment.startswith(("fn", "user-content-fn", "footnote"))
    )
    return page.footnotes.refer(fragment, text) if is_one and not page.writes_notes else None


def footnote_reference(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """What holds the reference to a footnote, or is one."""
    if node.tag == "a":
        return link(page, node, attributes)
    return None


def inline_code(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Inline code, its blanks as they are written."""
    flow = page.flow
    if page.in_code:
        return None
    if _has_markup(node):
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


def _has_markup(node: LexborNode) -> bool:
    """Whether something stands in inline code that is more than coloured text."""
    return any(child.tag not in _COLOURED for child in children(node))


def line_break(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The line ends, its paragraph goes on."""
    page.flow.line_break()
    return SKIP


def image(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """An image's alternative text, once where the page has it for light and dark."""
    alternative = (attributes.get("alt") or "").strip()
    before = node.prev
    if before is not None and before.tag == "img" and before.attributes.get("alt") == attributes.get("alt"):
        return SKIP
    if alternative and attributes.get("role") not in {"presentation", "none"}:
        page.anchor = None
        page.flow.text(alternative)
    return SKIP


def button(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A button says nothing, but for one that is the text of a heading, a fold, or an item."""
    parent = node.parent
    if (
        page.in_heading
        or (parent is not None and parent.tag == "li")
        or ("aria-expanded" in attributes and "aria-controls" in attributes)
    ):
        return None
    return SKIP


def checkbox(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The box of a task."""
    if attributes.get("type") == "checkbox" and "item" in page.nest[-1:]:
        page.flow.mark("[x] " if "checked" in attributes else "[ ] ")
    return SKIP


def script(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A script shows nothing, but for MathJax's formulas."""
    if "math/tex" in (attributes.get("type") or ""):
        _write_formula(page, node.text().strip(), is_display="mode=display" in (attributes.get("type") or ""))
    return SKIP


def formula(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A formula in any of the ways to write one."""
    tex, is_display = formula_of(node)
    _write_formula(page, tex, is_display=is_display)
    return SKIP


def _write_formula(page: Surroundings, tex: str, *, is_display: bool) -> None:
    flow = page.flow
    if not tex:
        return
    page.anchor = None
    if is_display and not flow.is_captured:
        flow.lines(f"$$\n{tex}\n$$")
    else:
        flow.verbatim(f"${' '.join(tex.split())}$")


def raised(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """Raised text; the number that a note begins with is its label already."""
    after = node.next
    if page.writes_notes and page.flow.buffer.is_empty and node.text().strip().isdecimal() and after is not None:
        page.alert_mark = "."
        return SKIP
    return None
