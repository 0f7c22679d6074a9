"""Which element of a page holds what the page says."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.ingest.html.generators import HtmlGenerator
from assay.ingest.html.nodes import TEXT, descendants, is_element

_USUAL = ("main article", "[role=main] article", "[role=main]", "main", "#main-content", ".markdown-body", "article")
_BESIDE = frozenset(["nav", "aside", "footer", "header", "script", "style", "noscript", "template", "svg", "form", "a"])
_MOST_OF_IT = 0.8
"""Share of the text outside links that an element must hold to be looked into instead of the one around it."""


def content_of(tree: LexborHTMLParser, generator: HtmlGenerator) -> Iterator[LexborNode]:
    """Elements that may hold the content, the best first; the last is the whole body."""
    seen: set[int] = set()
    for selector in generator.content:
        node = tree.css_first(selector)
        if node is not None and node.mem_id not in seen:
            seen.add(node.mem_id)
            yield node
    body = tree.body
    for node in (*_usual(tree), *([_densest(body)] if body is not None else []), body):
        if node is not None and node.mem_id not in seen:
            seen.add(node.mem_id)
            yield node


def _usual(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Elements that are named as the content, where only one is."""
    for selector in _USUAL:
        found = tree.css(selector)
        if len(found) == 1:
            yield found[0]


def _densest(body: LexborNode) -> LexborNode:
    """The innermost element that holds most of the page's text outside links and navigation."""
    weights = _weights(body)
    best = body
    while True:
        child = best.first_child
        whole = weights.get(best.mem_id, 0)
        heaviest: LexborNode | None = None
        while child is not None:
            if is_element(child) and weights.get(child.mem_id, 0) >= _MOST_OF_IT * whole > 0:
                heaviest = child
                break
            child = child.next
        if heaviest is None or heaviest.tag in {"p", "pre", "ul", "ol", "table", "code", "span", "blockquote", "dl"}:
            return best
        best = heaviest


def _weights(body: LexborNode) -> dict[int, int]:
    """Characters of text in each element, without what stands in links and navigation."""
    order: list[tuple[int, int]] = []
    weights: dict[int, int] = {body.mem_id: 0}
    left_out: set[int] = set()
    for node in descendants(body):
        parent = node.parent
        above = parent.mem_id if parent is not None else 0
        if above in left_out or node.tag in _BESIDE:
            left_out.add(node.mem_id)
        elif node.tag == TEXT:
            weights[above] = weights.get(above, 0) + len((node.text_content or "").strip())
        elif is_element(node):
            weights[node.mem_id] = 0
            order.append((node.mem_id, above))
    for inner, above in reversed(order):
        weights[above] = weights.get(above, 0) + weights[inner]
    return weights
