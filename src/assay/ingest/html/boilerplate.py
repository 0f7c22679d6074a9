"""Sidebars and edit links inside the content, on sites of unknown generators or with customized themes.

Neither classes nor roles mark these; their position and their share of links do.
"""

import re
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import TEXT, children, descendants, is_element, name_set, short_text

_MAX_NODES = 2_000
"""Nodes examined in an aside; a longer one is not a list of links."""
_MIN_LINKS = 2
_MIN_SHARE_AT_EDGE, _MIN_SHARE_INSIDE = 0.5, 0.9
"""An aside is navigation from this share of link text on: at an end of the content, and inside it."""

_MAX_LABEL = 60
_MAX_CHARACTERS_AT_EDGE = 80
"""Characters allowed between a link and the end of the content, such as a date or an author's name."""
_MAX_LEVELS, _MAX_SIBLINGS = 12, 12
_NOT_CONTENT = name_set("nav footer header aside script style noscript template svg hr br button form link meta")
_BLOCK_TAGS = name_set("p div section article header footer nav h1 h2 h3 h4 h5 h6 ul ol dl table pre hr aside figure")
_EDITORS = re.compile(r"/(?:-/)?(?:edit|_edit|ide/project)/|[?&]mode=edit\b", re.IGNORECASE)
_VIEWERS = re.compile(r"/(?:-/)?(?:blob|blame|raw|src)/", re.IGNORECASE)
_FORGES = re.compile(r"(?:^|\.)(?:github|gitlab|bitbucket|gitea|codeberg|gitee|dev\.azure)(?:\.|$)", re.IGNORECASE)
_SOURCES = re.compile(r"\.(?:mdx?|markdown|mdoc|rst|adoc|asciidoc|txt|html?|ipynb|org|md\.erb)$", re.IGNORECASE)


def is_sidebar(aside: LexborNode, root: LexborNode) -> bool:
    """Whether an `aside` is site navigation and not content.

    root: the element that holds the content.
    """
    links, linked, total = _link_counts(aside)
    if links < _MIN_LINKS:
        return False
    share = linked / max(total, 1)
    return share >= _MIN_SHARE_INSIDE or (share >= _MIN_SHARE_AT_EDGE and _is_at_an_edge(aside, root))


def _link_counts(node: LexborNode) -> tuple[int, int, int]:
    """Number of links in an element, characters of link text, and characters of all text; all 0 if it is too long."""
    links = linked = total = 0
    link_end: list[LexborNode] = []
    for count, inner in enumerate(descendants(node)):
        if count >= _MAX_NODES:
            return 0, 0, 0
        tag = inner.tag
        if tag == "a":
            links += 1
            link_end = [inner]
        elif tag == TEXT:
            length = len((inner.text_content or "").strip())
            total += length
            if link_end and _is_within(inner, link_end[0]):
                linked += length
        elif tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            total -= len(short_text(inner))  # the heading of a list of links is not counted
    return links, linked, total


def _is_within(node: LexborNode, outer: LexborNode) -> bool:
    parent, level = node.parent, 0
    while parent is not None and level < _MAX_LEVELS:
        if parent.mem_id == outer.mem_id:
            return True
        parent, level = parent.parent, level + 1
    return False


def may_be_edit_link(href: str) -> bool:
    """Whether an address may lead to a source editor or viewer. Called for every link, so it is fast."""
    return "/" in href and (_EDITORS.search(href) is not None or _VIEWERS.search(href) is not None)


def is_edit_link(link: LexborNode, href: str, root: LexborNode, page_url: str, *, may_view: bool) -> bool:
    """Whether a link leads to the page's own source, in any language.

    It is a separate, short link to an editor on a code forge; or, with may_view, a link at an end of the content to a
    source file with the page's name.
    """
    try:
        parts = urlsplit(href)
        forge = _FORGES.search(parts.hostname or "") is not None or "/-/" in parts.path
    except ValueError:
        return False
    if not forge or _SOURCES.search(parts.path) is None or not _is_separate(link):
        return False
    if _EDITORS.search(href) is not None:
        return True
    return may_view and _name(parts.path) == _name(urlsplit(page_url).path) and _is_at_an_edge(link, root)


def _name(path: str) -> str:
    """The name of a page or its source: the last path part without suffix, or the folder for an index file."""
    parts = [part for part in path.lower().split("/") if part]
    last = parts.pop().partition(".")[0] if parts else ""
    return (parts[-1] if parts else "") if last in {"index", "_index", "readme"} else last


def _is_separate(link: LexborNode) -> bool:
    """Whether a link is short and has no text directly before or after it."""
    text = short_text(link)
    if not text or len(text) > _MAX_LABEL or link.css_first("code") is not None:
        return False
    outer = link
    while (parent := outer.parent) is not None and parent.tag in {"span", "small", "em", "i", "b", "strong"}:
        outer = parent
    if parent is None or parent.tag in {"li", "td", "dd"}:
        return False
    return all(_is_block(_neighbour(outer, forward=forward)) for forward in (True, False))


def _neighbour(node: LexborNode, *, forward: bool) -> LexborNode | None:
    """The next or previous node, ignoring blanks and comments."""
    here = node.next if forward else node.prev
    for _ in range(_MAX_SIBLINGS):
        if here is None or (is_element(here) and here.tag != "br") or (here.text_content or "").strip():
            break
        here = here.next if forward else here.prev
    return here


def _is_block(node: LexborNode | None) -> bool:
    return node is None or node.tag in _BLOCK_TAGS


def _is_at_an_edge(node: LexborNode, root: LexborNode) -> bool:
    """Whether almost nothing precedes or follows an element in the content."""
    return _is_near_end(node, root, forward=True) or _is_near_end(node, root, forward=False)


def _is_near_end(node: LexborNode, root: LexborNode, *, forward: bool) -> bool:
    remaining = _MAX_CHARACTERS_AT_EDGE
    here: LexborNode | None = node
    for _ in range(_MAX_LEVELS):
        if here is None or here.mem_id == root.mem_id:
            return True
        sibling = here.next if forward else here.prev
        looked = 0
        while sibling is not None:
            looked += 1
            remaining -= _length(sibling, is_heading_free=not forward)
            if remaining < 0 or looked > _MAX_SIBLINGS:
                return False
            sibling = sibling.next if forward else sibling.prev
        here = here.parent
    return False


def _length(node: LexborNode, *, is_heading_free: bool) -> int:
    """Visible characters of an element; the page's own heading does not count before it."""
    if node.tag == TEXT:
        return len((node.text_content or "").strip())
    if not is_element(node) or node.tag in _NOT_CONTENT or (is_heading_free and node.tag == "h1"):
        return 0
    text = short_text(node)
    only = next(children(node), None) if is_heading_free else None
    return 0 if only is not None and only.tag == "h1" and short_text(only) == text else len(text)
