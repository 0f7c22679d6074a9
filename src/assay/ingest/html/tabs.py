"""Which label belongs to which panel of tabs: by their ids, else by their order."""

from dataclasses import dataclass, field

from assay.ingest.html.nodes import Attributes, attribute

_MOST_LABELS = 200
"""Labels of one set of tabs that are looked at: every panel is held against all that are left."""


@dataclass(slots=True)
class _Label:
    text: str
    panel: str
    id: str
    is_selected: bool


@dataclass(slots=True)
class _Group:
    """Labels whose panels are still to come. depth: how many panels are open around them."""

    depth: int
    labels: list[_Label] = field(default_factory=list)


class Tabs:
    """Follows the labels and panels of a page in its order."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._depth = 0

    def begin(self) -> None:
        """A list of labels begins; labels before it that found no panel find none any more."""
        if self._groups and self._groups[-1].depth == self._depth:
            self._groups.pop()

    def label(self, text: str, attributes: Attributes) -> None:
        """A label."""
        panel = attribute(attributes, "aria-controls", "data-bs-target", "data-target", "href", "for").lstrip("#")
        selected = attributes.get("aria-selected") == "true"
        if not self._groups or self._groups[-1].depth != self._depth:
            self._groups.append(_Group(self._depth))
        if len(self._groups[-1].labels) < _MOST_LABELS:
            self._groups[-1].labels.append(_Label(text, panel, (attributes.get("id") or ""), selected))

    def open_panel(self, attributes: Attributes) -> str:
        """A panel begins. Returns its label, "" when it has none."""
        group = self._groups[-1] if self._groups and self._groups[-1].depth == self._depth else None
        self._depth += 1
        if group is None or not group.labels:
            return ""
        found = _meant(group.labels, attributes)
        group.labels.remove(found)
        return found.text

    def close_panel(self) -> None:
        """The innermost panel ends."""
        while self._groups and self._groups[-1].depth >= self._depth:
            self._groups.pop()
        self._depth -= 1


def _meant(labels: list[_Label], attributes: Attributes) -> _Label:
    """The label of a panel, among those that have none yet."""
    given, labelled = attributes.get("id"), attributes.get("aria-labelledby")
    for label in labels:
        if (given and label.panel == given) or (labelled and label.id == labelled):
            return label
    if "hidden" not in attributes:
        return next((label for label in labels if label.is_selected), labels[0])
    return next((label for label in labels if not label.is_selected), labels[0])
