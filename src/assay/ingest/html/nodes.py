"""Small questions to the nodes of a parsed page, each answered in bounded or linear time."""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborNode

TEXT = "-text"
COMMENT = "-comment"
_LOOKED_AT = 200
"""Nodes that a look ahead visits at most."""

Attributes = Mapping[str, str | None]


def names(written: str) -> frozenset[str]:
    """The names that a text has, with blanks between."""
    return frozenset(written.split())


def is_element(node: LexborNode) -> bool:
    """Whether it is an element, not text, a comment or the like."""
    return not (node.tag or "-").startswith(("-", "!"))


def children(node: LexborNode) -> Iterator[LexborNode]:
    """The elements directly in it."""
    child = node.first_child
    while child is not None:
        if is_element(child):
            yield child
        child = child.next


def descendants(node: LexborNode) -> Iterator[LexborNode]:
    """Everything in it, in the order of the page; without recursion, however deep it is."""
    waiting: list[LexborNode] = []
    current = node.first_child
    while current is not None or waiting:
        if current is None:
            current = waiting.pop()
            continue
        yield current
        after = current.next
        if after is not None:
            waiting.append(after)
        current = current.first_child


def short_text(node: LexborNode) -> str:
    """Its text, blanks collapsed, as far as the first few hundred nodes tell: enough for a label."""
    parts: list[str] = []
    for count, inner in enumerate(descendants(node)):
        if count >= _LOOKED_AT:
            break
        if inner.tag == TEXT:
            parts.append(inner.text_content or "")
    return " ".join("".join(parts).split())


def all_text(node: LexborNode) -> str:
    """All text in it that is no program, blanks collapsed."""
    texts = (
        inner.text_content or ""
        for inner in descendants(node)
        if inner.tag == TEXT and (inner.parent is None or inner.parent.tag not in {"script", "style", "template"})
    )
    return " ".join(" ".join(texts).split())


def first_text(node: LexborNode) -> str:
    """The first text in it that is not blank, as it is written; "" when a look ahead finds none."""
    for count, inner in enumerate(descendants(node)):
        if count >= _LOOKED_AT:
            break
        if inner.tag == TEXT and (content := inner.text_content or "").strip():
            return content
    return ""


def attribute(attributes: Attributes, *names: str) -> str:
    """The first of these attributes that is given and not blank, "" when there is none."""
    for name in names:
        if value := (attributes.get(name) or "").strip():
            return value
    return ""


def number(written: str, otherwise: int, most: int) -> int:
    """A whole number as an attribute has it, at most so large."""
    return min(int(written), most) if written.isascii() and written.isdecimal() and len(written) < 10 else otherwise
