"""Footnotes: the labels of references, and the notes' texts."""

import re
from collections import deque
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import Attributes, attribute, children, class_names, descendants, short_text

_NUMBERED = re.compile(r"(?:user-content-)?(?:fn|footnote)[:._-]?([^\s\]]+)")
_BACK = frozenset(["↩", "↩︎", "↩\ufe0e", "⤴", "^", "⬆", "↑", "⏎", "&#8617;"])
_CONTAINERS = ".footnotes, [data-footnotes], [role=doc-endnotes], .footnote, .footnote-definition, blockquote[id^=fn_]"


def is_back_link(text: str) -> bool:
    """Whether a link's text is that of a footnote's back-link."""
    return text.rstrip("0123456789 ").strip() in _BACK


class Footnotes:
    """The footnotes of one page. root: the element that holds the page's content."""

    def __init__(self, root: LexborNode) -> None:
        self._root = root
        self._found: dict[str, LexborNode] | None = None
        self._labels: dict[str, str] = {}
        self._pending: deque[str] = deque()
        self._containers: set[int] = set()

    def is_note(self, given: str) -> bool:
        """Whether the element with this id is a footnote."""
        return given in self._labels or given in self._notes()

    def holds_notes(self, container: LexborNode) -> bool:
        """Whether an element named as one with footnotes has any that can be referred to; else it is text."""
        self._notes()
        return container.mem_id in self._containers

    def refer(self, fragment: str, visible_label: str) -> str | None:
        """The label of the footnote that a fragment refers to; None when there is none."""
        found = self._notes()
        if fragment not in found and fragment not in self._labels:
            return None
        if fragment not in self._labels:
            self._labels[fragment] = _label(fragment, visible_label)
            self._pending.append(fragment)
        return self._labels[fragment]

    def take_referenced(self, *, include_unreferenced: bool = False) -> list[tuple[str, LexborNode]]:
        """The footnotes referenced since the last call, with their labels; each once.

        include_unreferenced: also those without a reference.
        """
        found = self._notes() if self._pending or include_unreferenced else {}
        taken: list[tuple[str, LexborNode]] = []
        name_set = list(self._pending) + (list(found) if include_unreferenced else [])
        self._pending.clear()
        for name in name_set:
            node = found.pop(name, None)
            if node is not None:
                label = self._labels.setdefault(name, _label(name, _shown_label(node)))
                taken.append((label, node))
        return taken

    def _notes(self) -> dict[str, LexborNode]:
        """The remaining footnotes by id."""
        if self._found is None:
            self._found = {}
            for container in self._root.css(_CONTAINERS):
                for name, note in _notes_in(container):
                    self._found.setdefault(name, note)
                    self._containers.add(container.mem_id)
        return self._found


def _notes_in(container: LexborNode) -> Iterator[tuple[str, LexborNode]]:
    """The footnotes of a container, by id; it may be one itself."""
    given = attribute(container.attributes, "id")
    if given and _is_note(container.tag or "", container.attributes):
        yield given, container
        return
    for notes in (container, *children(container)):
        for item in children(notes) if notes.tag in {"ol", "ul"} else ():
            if item.tag == "li" and (name := attribute(item.attributes, "id")):
                yield name, item


def _is_note(tag: str, attributes: Attributes) -> bool:
    """Whether an element is a footnote and not a list of them."""
    if tag == "blockquote":
        return True
    if tag not in {"aside", "div", "li"}:
        return False
    classes = class_names(attributes)
    return attributes.get("role") == "doc-footnote" or "footnote-definition" in classes or "footnote" in classes


def _label(name: str, visible_label: str) -> str:
    """The author's label from the id, else the number shown in the page."""
    found = _NUMBERED.fullmatch(name)
    if found:
        return found[1]
    return visible_label.strip("[]() ") or name


def _shown_label(node: LexborNode) -> str:
    for count, inner in enumerate(descendants(node)):
        if count > 10:
            break
        if "label" in (inner.attributes.get("class") or "" if not (inner.tag or "-").startswith("-") else ""):
            return short_text(inner)
    return ""
