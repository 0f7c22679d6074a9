"""Code blocks with what stands at them: titles, frames, tables of line numbers."""

from selectolax.lexbor import LexborNode

from assay.ingest.html.code import code_of, language_of
from assay.ingest.html.marks import HtmlMark, mark_of
from assay.ingest.html.nodes import TEXT, Attributes, attribute, descendants, short_text
from assay.ingest.html.surroundings import SKIP, Close, Surroundings

_LOOKED_AT = 50
"""Texts before a code block, or elements around one of them, that are looked at for its title."""


def code(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A code block."""
    title = attribute(attributes, "data-title", "title")
    _write_code(page, node, language_of(node, page.generator.unnamed), title)
    return SKIP


def _write_code(page: Surroundings, node: LexborNode, language: str, title: str) -> None:
    title, page.code_title = page.code_title or title, ""
    page.anchor = None
    page.flow.code(code_of(node, language, page.generator.empty_line), language, title)


def code_title(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The title of the code that comes next."""
    text = " ".join(word for word in _own_text(page, node).split() if word != "¶")
    if text:
        page.flow.flush()
        page.spend_code_title()
        page.code_title = text
    return SKIP


def _own_text(page: Surroundings, node: LexborNode) -> str:
    """Its text without that of chrome right in it."""
    parts: list[str] = []
    child = node.first_child
    while child is not None:
        if child.tag == TEXT:
            parts.append(child.text_content or "")
        elif (child.tag or "-")[0] not in "-!" and child.tag not in {"button", "svg", "script", "style"}:
            class_ = child.attributes.get("class") or ""
            if mark_of(page.generator, child.tag or "", class_) is not HtmlMark.CHROME:
                parts.append(short_text(child))
        child = child.next
    return "".join(parts).strip()


def code_frame(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """What holds one code block with its title above it: text that is in no button."""
    blocks = node.css("pre")
    if len(blocks) != 1:
        return None
    before: list[str] = []
    for inner in descendants(node):
        if inner.mem_id == blocks[0].mem_id or len(before) > _LOOKED_AT:
            break
        if inner.tag == TEXT and not _is_in_button(inner, node):
            before.append(inner.text_content or "")
    page.flow.flush()
    page.spend_code_title()
    page.code_title = " ".join("".join(before).split())
    return code(page, blocks[0], blocks[0].attributes)


def _is_in_button(text: LexborNode, frame: LexborNode) -> bool:
    above, looked = text.parent, 0
    while above is not None and above.mem_id != frame.mem_id and looked < _LOOKED_AT:
        if above.tag == "button":
            return True
        above, looked = above.parent, looked + 1
    return False


def numbered_code(page: Surroundings, node: LexborNode, attributes: Attributes) -> Close | None:
    """A table whose columns are the line numbers and the code."""
    if named := node.css_first("th.filename, .filename"):
        page.code_title = short_text(named)
    blocks = node.css("td.code pre, td.rouge-code pre, td:last-child pre")[:1] or node.css("pre")[-1:]
    for block in blocks:
        language = language_of(block, page.generator.unnamed) or language_of(node, page.generator.unnamed)
        _write_code(page, block, language, attribute(attributes, "title"))
    return SKIP
