"""Matches tab labels to panels: by id, else by order."""

from dataclasses import dataclass, field

from assay.ingest.html.nodes import Attributes, attribute

_MAX_LABELS = 200
"""Labels examined in one set of tabs; each panel is compared with all that are left."""


@dataclass(slots=True)
class _Label:
    text: str
    panel: str
    id: str
    is_selected: bool


@dataclass(slots=True)
class _Group:
    """Labels without a panel yet. depth: number of open panels around them."""

    depth: int
    labels: list[_Label] = field(default_factory=list)


class Tabs:
    """Tracks the labels and panels of a page in document order."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._depth = 0

    def start_group(self) -> None:
        """Start a list of labels; earlier labels without a panel are dropped."""
        if self._groups and self._groups[-1].depth == self._depth:
            self._groups.pop()

    def label(self, text: str, attributes: Attributes) -> None:
        """Add a label."""
        panel = attribute(attributes, "aria-controls", "data-bs-target", "data-target", "href", "for").lstrip("#")
        selected = attributes.get("aria-selected") == "true"
        if not self._groups or self._groups[-1].depth != self._depth:
            self._groups.append(_Group(self._depth))
        if len(self._groups[-1].labels) < _MAX_LABELS:
            self._groups[-1].labels.append(_Label(text, panel, (attributes.get("id") or ""), selected))

    def open_panel(self, attributes: Attributes) -> str:
        """Open a panel; return its label, or ""."""
        group = self._groups[-1] if self._groups and self._groups[-1].depth == self._depth else None
        self._depth += 1
        if group is None or not group.labels:
            return ""
        found = _label_of_panel(group.labels, attributes)
        group.labels.remove(found)
        return found.text

    def close_panel(self) -> None:
        """Close the innermost panel."""
        while self._groups and self._groups[-1].depth >= self._depth:
            self._groups.pop()
        self._depth -= 1


def _label_of_panel(labels: list[_Label], attributes: Attributes) -> _Label:
    """The label of a panel among the unused ones."""
    own_id, label_id = attributes.get("id"), attributes.get("aria-labelledby")
    for label in labels:
        if (own_id and label.panel == own_id) or (label_id and label.id == label_id):
            return label
    if "hidden" not in attributes:
        return next((label for label in labels if label.is_selected), labels[0])
    return next((label for label in labels if not label.is_selected), labels[0])
