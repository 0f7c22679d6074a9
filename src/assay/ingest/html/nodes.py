"""Helpers for nodes of a parsed page, each in bounded or linear time."""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborNode

TEXT = "-text"
_MAX_LOOKAHEAD = 200
"""Nodes visited by a lookahead at most."""

_MAX_HEADING_LEVELS = 4
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])

Attributes = Mapping[str, str | None]


def name_set(text: str) -> frozenset[str]:
    """Split a text at blanks into a set."""
    return frozenset(text.split())


def is_element(node: LexborNode) -> bool:
    """Whether a node is an element."""
    return not (node.tag or "-").startswith(("-", "!"))


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The child elements."""
    child = node.first_child
    while child is not None:
        if is_element(child):
            yield child
        child = child.next


def descendants(node: LexborNode) -> Iterator[LexborNode]:
    """All descendants in document order, without recursion."""
    stack: list[LexborNode] = []
    current = node.first_child
    while current is not None or stack:
        if current is None:
            current = stack.pop()
            continue
        yield current
        after = current.next
        if after is not None:
            stack.append(after)
        current = current.first_child


def short_text(node: LexborNode) -> str:
    """The text of the first few hundred descendants with whitespace collapsed: enough for a label."""
    parts: list[str] = []
    for count, inner in enumerate(descendants(node)):
        if count >= _MAX_LOOKAHEAD:
            break
        if inner.tag == TEXT:
            parts.append(inner.text_content or "")
    return " ".join("".join(parts).split())


def class_names(attributes: Attributes) -> list[str]:
    """The classes of an element."""
    return (attributes.get("class") or "").split()


def is_whole_heading(link: LexborNode) -> bool:
    """Whether a link holds all the text of the heading around it, as some themes write self-links."""
    text, outer = short_text(link), link.parent
    for _ in range(_MAX_HEADING_LEVELS):
        if outer is None or (outer.tag or "") in HEADINGS:
            break
        outer = outer.parent
    return outer is not None and any(one.isalnum() for one in text) and short_text(outer) == text


def all_text(node: LexborNode) -> str:
    """All text outside scripts, styles and templates, with whitespace collapsed."""
    texts = (
        inner.text_content or ""
        for inner in descendants(node)
        if inner.tag == TEXT and (inner.parent is None or inner.parent.tag not in {"script", "style", "template"})
    )
    return " ".join(" ".join(texts).split())


def first_text(node: LexborNode) -> str:
    """The first text that is not blank, unchanged; "" if the lookahead finds none."""
    for count, inner in enumerate(descendants(node)):
        if count >= _MAX_LOOKAHEAD:
            break
        if inner.tag == TEXT and (content := inner.text_content or "").strip():
            return content
    return ""


def attribute(attributes: Attributes, *name_set: str) -> str:
    """The value of the first of these attributes that is not blank; "" if there is none."""
    for name in name_set:
        if value := (attributes.get(name) or "").strip():
            return value
    return ""


def number(text: str, default: int, maximum: int) -> int:
    """Parse a whole number, limited to `maximum`; `default` if it is invalid."""
    return min(int(text), maximum) if text.isascii() and text.isdecimal() and len(text) < 10 else default
