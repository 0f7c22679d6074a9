"""Footnotes: what a reference is called, and where the note's text is."""

import re
from collections import deque

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import Attributes, attribute, children, descendants, short_text

_NUMBERED = re.compile(r"(?:user-content-)?(?:fn|footnote)[:._-]?([^\s\]]+)")
_BACK = frozenset(["↩", "↩︎", "↩\ufe0e", "⤴", "^", "⬆", "↑", "⏎", "&#8617;"])
_CONTAINERS = ".footnotes, [data-footnotes], [role=doc-endnotes], .footnote, .footnote-definition, blockquote[id^=fn_]"


def is_back_link(text: str) -> bool:
    """Whether a link leads from a note back to where it is referred to, as its text tells."""
    return text.rstrip("0123456789 ").strip() in _BACK


class Footnotes:
    """The footnotes of one page. root: the element that holds the page's content."""

    def __init__(self, root: LexborNode) -> None:
        self._root = root
        self._found: dict[str, LexborNode] | None = None
        self._labels: dict[str, str] = {}
        self._waiting: deque[str] = deque()

    def is_note(self, given: str) -> bool:
        """Whether an element with this id is a note."""
        return given in self._labels or given in self._notes()

    def refer(self, fragment: str, shown: str) -> str | None:
        """The label of the note that a link with this fragment refers to; None when there is no such note."""
        found = self._notes()
        if fragment not in found and fragment not in self._labels:
            return None
        if fragment not in self._labels:
            self._labels[fragment] = _label(fragment, shown)
            self._waiting.append(fragment)
        return self._labels[fragment]

    def take(self, *, everything: bool = False) -> list[tuple[str, LexborNode]]:
        """The notes that were referred to since the last time, with their labels; each note once.

        everything: also those that nothing refers to.
        """
        found = self._notes() if self._waiting or everything else {}
        taken: list[tuple[str, LexborNode]] = []
        names = list(self._waiting) + (list(found) if everything else [])
        self._waiting.clear()
        for name in names:
            node = found.pop(name, None)
            if node is not None:
                label = self._labels.setdefault(name, _label(name, _shown_label(node)))
                taken.append((label, node))
        return taken

    def _notes(self) -> dict[str, LexborNode]:
        """The notes by their ids, without those that were taken."""
        if self._found is None:
            self._found = {}
            for container in self._root.css(_CONTAINERS):
                self._collect(container)
        return self._found

    def _collect(self, container: LexborNode) -> None:
        found = self._found if self._found is not None else {}
        attributes = container.attributes
        given = attribute(attributes, "id")
        if given and _is_note(container.tag or "", attributes):
            found.setdefault(given, container)
            return
        lists = [container] if container.tag in {"ol", "ul"} else []
        lists += [inner for inner in children(container) if inner.tag in {"ol", "ul"}]
        for notes in lists:
            for item in children(notes):
                if item.tag == "li" and (name := attribute(item.attributes, "id")):
                    found.setdefault(name, item)


def _is_note(tag: str, attributes: Attributes) -> bool:
    """Whether an element is a note itself, not a list of notes."""
    if tag == "blockquote":
        return True
    if tag not in {"aside", "div", "li"}:
        return False
    classes = (attributes.get("class") or "").split()
    return attributes.get("role") == "doc-footnote" or "footnote-definition" in classes or "footnote" in classes


def _label(name: str, shown: str) -> str:
    """The author's own label where the id has it, else the number that the page shows."""
    found = _NUMBERED.fullmatch(name)
    if found:
        return found[1]
    return shown.strip("[]() ") or name


def _shown_label(node: LexborNode) -> str:
    for count, inner in enumerate(descendants(node)):
        if count > 10:
            break
        if "label" in (inner.attributes.get("class") or "" if not (inner.tag or "-").startswith("-") else ""):
            return short_text(inner)
    return ""
