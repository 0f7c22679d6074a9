"""What stands beside the content within it, on sites whose generator is not known or whose theme is changed.

Neither a class nor a role tells these; where they stand does, and how much of them is links.
"""

import re
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import TEXT, children, descendants, is_element, names, short_text

_MOST_NODES = 2_000
"""Nodes of an aside that are looked at; a longer one is no list of links."""
_FEWEST_LINKS = 2
_AT_THE_EDGE, _WITHIN = 0.5, 0.9
"""Share of its text that an aside of navigation has in links: at an end of the content, and in its midst."""

_LONGEST_LABEL = 60
_LITTLE = 80
"""Characters that may stand between a link and the end of the content: a date, the name of an author."""
_MOST_LEVELS, _MOST_SIBLINGS = 12, 12
_NO_CONTENT = names("nav footer header aside script style noscript template svg hr br button form link meta")
_STAND_APART = names("p div section article header footer nav h1 h2 h3 h4 h5 h6 ul ol dl table pre hr aside figure")
_EDITORS = re.compile(r"/(?:-/)?(?:edit|_edit|ide/project)/|[?&]mode=edit\b", re.IGNORECASE)
_VIEWERS = re.compile(r"/(?:-/)?(?:blob|blame|raw|src)/", re.IGNORECASE)
_FORGES = re.compile(r"(?:^|\.)(?:github|gitlab|bitbucket|gitea|codeberg|gitee|dev\.azure)(?:\.|$)", re.IGNORECASE)
_SOURCES = re.compile(r"\.(?:mdx?|markdown|mdoc|rst|adoc|asciidoc|txt|html?|ipynb|org|md\.erb)$", re.IGNORECASE)


def is_sidebar(aside: LexborNode, root: LexborNode) -> bool:
    """Whether an `aside` leads through the site rather than says something of the subject.

    root: the element that holds the content.
    """
    links, linked, total = _shares(aside)
    if links < _FEWEST_LINKS:
        return False
    share = linked / max(total, 1)
    return share >= _WITHIN or (share >= _AT_THE_EDGE and _is_at_an_edge(aside, root))


def _shares(node: LexborNode) -> tuple[int, int, int]:
    """Links in an element, and how many characters of text are in links and in all; none where it is too long."""
    links = linked = total = 0
    link_end: list[LexborNode] = []
    for count, inner in enumerate(descendants(node)):
        if count >= _MOST_NODES:
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
            total -= len(short_text(inner))  # what a list of links is called counts for neither
    return links, linked, total


def _is_within(node: LexborNode, outer: LexborNode) -> bool:
    above, level = node.parent, 0
    while above is not None and level < _MOST_LEVELS:
        if above.mem_id == outer.mem_id:
            return True
        above, level = above.parent, level + 1
    return False


def may_be_edit_link(href: str) -> bool:
    """Whether an address looks as if a source could be seen or edited there: asked of every link, so it is quick."""
    return "/" in href and (_EDITORS.search(href) is not None or _VIEWERS.search(href) is not None)


def is_edit_link(link: LexborNode, href: str, root: LexborNode, page_url: str, *, may_view: bool) -> bool:
    """Whether a link leads to where the page itself is edited, whatever the language of its text.

    It stands alone with a short text, and leads to an editor of a forge; or, where that may be, at an end of the
    content, to a source there that is called as the page is.
    """
    try:
        parts = urlsplit(href)
        forge = _FORGES.search(parts.hostname or "") is not None or "/-/" in parts.path
    except ValueError:
        return False
    if not forge or _SOURCES.search(parts.path) is None or not _stands_alone(link):
        return False
    if _EDITORS.search(href) is not None:
        return True
    return may_view and _name(parts.path) == _name(urlsplit(page_url).path) and _is_at_an_edge(link, root)


def _name(path: str) -> str:
    """What a page or its source is called: the last part of its path without a suffix, a folder's for its index."""
    parts = [part for part in path.lower().split("/") if part]
    last = parts.pop().partition(".")[0] if parts else ""
    return (parts[-1] if parts else "") if last in {"index", "_index", "readme"} else last


def _stands_alone(link: LexborNode) -> bool:
    """Whether a link is short, and nothing runs on before or after it."""
    text = short_text(link)
    if not text or len(text) > _LONGEST_LABEL or link.css_first("code") is not None:
        return False
    outer = link
    while (above := outer.parent) is not None and above.tag in {"span", "small", "em", "i", "b", "strong"}:
        outer = above
    if above is None or above.tag in {"li", "td", "dd"}:
        return False
    return all(_is_block(_beside(outer, forward=forward)) for forward in (True, False))


def _beside(node: LexborNode, *, forward: bool) -> LexborNode | None:
    """What is next to a node, blanks and comments passed over."""
    here = node.next if forward else node.prev
    for _ in range(_MOST_SIBLINGS):
        if here is None or (is_element(here) and here.tag != "br") or (here.text_content or "").strip():
            break
        here = here.next if forward else here.prev
    return here


def _is_block(node: LexborNode | None) -> bool:
    return node is None or node.tag in _STAND_APART


def _is_at_an_edge(node: LexborNode, root: LexborNode) -> bool:
    """Whether next to nothing stands before or after an element in the content."""
    return _little_remains(node, root, forward=True) or _little_remains(node, root, forward=False)


def _little_remains(node: LexborNode, root: LexborNode, *, forward: bool) -> bool:
    left = _LITTLE
    here: LexborNode | None = node
    for _ in range(_MOST_LEVELS):
        if here is None or here.mem_id == root.mem_id:
            return True
        beside = here.next if forward else here.prev
        looked = 0
        while beside is not None:
            looked += 1
            left -= _length(beside, is_heading_free=not forward)
            if left < 0 or looked > _MOST_SIBLINGS:
                return False
            beside = beside.next if forward else beside.prev
        here = here.parent
    return False


def _length(node: LexborNode, *, is_heading_free: bool) -> int:
    """Characters that an element shows; the page's own heading does not count before what is beside it."""
    if node.tag == TEXT:
        return len((node.text_content or "").strip())
    if not is_element(node) or node.tag in _NO_CONTENT or (is_heading_free and node.tag == "h1"):
        return 0
    text = short_text(node)
    only = next(children(node), None) if is_heading_free else None
    return 0 if only is not None and only.tag == "h1" and short_text(only) == text else len(text)
