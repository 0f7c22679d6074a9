"""The element of a page that holds its content."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.ingest.html.generators import HtmlGenerator
from assay.ingest.html.nodes import TEXT, children, descendants, is_element

_CONTENT_SELECTORS = (
    "main article", "[role=main] article", "[role=main]", "main", "#main-content", ".markdown-body", "article",
)  # fmt: skip
_NOT_CONTENT = frozenset(
    ["nav", "aside", "footer", "header", "script", "style", "noscript", "template", "svg", "form", "a"]
)
_MIN_SHARE = 0.8
"""A child element replaces its parent if it holds this share of the text outside links."""


def content_of(tree: LexborHTMLParser, generator: HtmlGenerator) -> Iterator[LexborNode]:
    """Yield the elements that may hold the content, the best first; the last is the whole body."""
    seen: set[int] = set()
    for selector in generator.content:
        node = tree.css_first(selector)
        if node is not None and node.mem_id not in seen:
            seen.add(node.mem_id)
            yield node
    body = tree.body
    for node in (*_named_elements(tree), *([_densest(body)] if body is not None else []), body):
        if node is not None and node.mem_id not in seen:
            seen.add(node.mem_id)
            yield node


def _named_elements(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Elements that are named as content, if only one matches."""
    for selector in _CONTENT_SELECTORS:
        found = tree.css(selector)
        if len(found) == 1:
            yield found[0]


def _densest(body: LexborNode) -> LexborNode:
    """The innermost element with most of the page's text outside links and navigation."""
    lengths = _text_lengths(body)
    best = body
    while True:
        least = _MIN_SHARE * lengths.get(best.mem_id, 0)
        dominant = next((child for child in children(best) if lengths.get(child.mem_id, 0) >= least > 0), None)
        if dominant is None or dominant.tag in {"p", "pre", "ul", "ol", "table", "code", "span", "blockquote", "dl"}:
            return best
        best = dominant


def _text_lengths(body: LexborNode) -> dict[int, int]:
    """Characters of text in each element, without links and navigation, by node id."""
    order: list[tuple[int, int]] = []
    lengths: dict[int, int] = {body.mem_id: 0}
    excluded: set[int] = set()
    for node in descendants(body):
        parent = node.parent
        above = parent.mem_id if parent is not None else 0
        if above in excluded or node.tag in _NOT_CONTENT:
            excluded.add(node.mem_id)
        elif node.tag == TEXT:
            lengths[above] = lengths.get(above, 0) + len((node.text_content or "").strip())
        elif is_element(node):
            lengths[node.mem_id] = 0
            order.append((node.mem_id, above))
    for inner, above in reversed(order):
        lengths[above] = lengths.get(above, 0) + lengths[inner]
    return lengths
