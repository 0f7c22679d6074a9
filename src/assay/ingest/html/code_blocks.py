"""Handlers of code blocks with titles, frames and line-number tables."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from assay.ingest.html.code import code_of, language_of
from assay.ingest.html.element_types import ElementType, element_type
from assay.ingest.html.nodes import TEXT, Attributes, attribute, class_names, descendants, short_text
from assay.ingest.html.page_state import SKIP, Close, PageState

_NOT_NAMED = frozenset(["highlight", "plaintext", "plain", "text"])
"""Classes of a figure with code that are not the language named by its author."""
_MAX_LOOKAHEAD = 50
"""Texts before a code block, or elements around one of them, examined for its title."""


def code(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A code block."""
    title = attribute(attributes, "data-title", "title")
    _write_code(page, node, language_of(node, page.generator.default_languages), title)
    return SKIP


def _write_code(page: PageState, node: LexborNode, language: str, title: str) -> None:
    title, page.code_title = page.code_title or title, ""
    page.anchor = None
    page.flow.code(code_of(node, language, page.generator.empty_line), language, title)


def code_lines(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A code block that is an element for each line, as Doxygen writes it."""
    page.anchor = None
    lines = [code_of(line) for line in _lines(node)]
    if node.css_first("span.lineno") is not None:
        lines = [line.removeprefix(" ") for line in lines]  # the blank after a number
    page.flow.code("\n".join(line.rstrip("\n") for line in lines).strip("\n"), "", "")
    return SKIP


def _lines(node: LexborNode) -> Iterator[LexborNode]:
    """The lines of a code block; a line inside another is a part of it."""
    stack: list[LexborNode | None] = []
    current = node.first_child
    while current is not None or stack:
        if current is None:
            current = stack.pop()
        elif current.tag == "div" and "line" in class_names(current.attributes):
            yield current
            current = current.next
        else:
            stack.append(current.next)
            current = current.first_child


def code_title(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The title of the next code block."""
    text = " ".join(word for word in _text_without_chrome(page, node).split() if word != "¶")
    if text:
        page.flow.flush()
        page.flush_code_title()
        page.code_title = text
    return SKIP


def _text_without_chrome(page: PageState, node: LexborNode) -> str:
    """The text without that of chrome elements in it."""
    parts: list[str] = []
    child = node.first_child
    while child is not None:
        if child.tag == TEXT:
            parts.append(child.text_content or "")
        elif (child.tag or "-")[0] not in "-!" and child.tag not in {"button", "svg", "script", "style"}:
            class_ = child.attributes.get("class") or ""
            if element_type(page.generator, child.tag or "", class_) is not ElementType.CHROME:
                parts.append(short_text(child))
        child = child.next
    return "".join(parts).strip()


def code_frame(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """The container of one code block with its title above: the text outside buttons."""
    blocks = node.css("pre")
    if len(blocks) != 1:
        return None
    before: list[str] = []
    for inner in descendants(node):
        if inner.mem_id == blocks[0].mem_id or len(before) > _MAX_LOOKAHEAD:
            break
        if inner.tag == TEXT and not _is_in_button(inner, node):
            before.append(inner.text_content or "")
    page.flow.flush()
    page.flush_code_title()
    page.code_title = " ".join("".join(before).split())
    return code(page, blocks[0], blocks[0].attributes)


def _is_in_button(text: LexborNode, frame: LexborNode) -> bool:
    above, looked = text.parent, 0
    while above is not None and above.mem_id != frame.mem_id and looked < _MAX_LOOKAHEAD:
        if above.tag == "button":
            return True
        above, looked = above.parent, looked + 1
    return False


def numbered_code(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A table with line numbers and code as its columns, alone or in the figure in which Hexo puts it."""
    is_figure = node.tag == "figure"
    if is_figure and node.css_first("td.code") is None:
        page.flow.flush()
        return page.flow.flush
    if named := node.css_first("th.filename, .filename, figcaption span"):
        page.code_title = short_text(named)
    blocks = node.css("td.code pre, td.rouge-code pre, td:last-child pre")[:1] or node.css("pre")[-1:]
    for block in blocks:
        language = language_of(block, page.generator.default_languages) or language_of(
            node, page.generator.default_languages
        )
        if is_figure and not language:
            language = next((name for name in class_names(attributes) if name not in _NOT_NAMED), "")
        _write_code(page, block, language, attribute(attributes, "title"))
    return SKIP
