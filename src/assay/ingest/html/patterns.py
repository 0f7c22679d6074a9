"""Names of classes and ids, written as one text with blanks between: the form in which generators' marks are kept.

`name` is a class, `name*` a class that begins so (generators hash their class names: `admonition_xJq3`), `#name` an
id, and a tag in front narrows each of them: `nav.name`, `div.name*`, `a#name`.
"""

from collections.abc import Iterable


class Patterns:
    """A set of such names, compiled once."""

    __slots__ = ("_beginnings", "_exact", "_ids")

    def __init__(self, written: str) -> None:
        names = written.split()
        self._ids = frozenset(name for name in names if "#" in name)
        classes = [name for name in names if "#" not in name]
        self._exact = frozenset(name for name in classes if not name.endswith("*"))
        self._beginnings = tuple(name[:-1] for name in classes if name.endswith("*"))

    def match(self, tag: str, classes: Iterable[str]) -> bool:
        """Whether an element of this tag with these classes is meant."""
        for name in classes:
            full = f"{tag}.{name}"
            if name in self._exact or full in self._exact:
                return True
            if self._beginnings and (name.startswith(self._beginnings) or full.startswith(self._beginnings)):
                return True
        return False

    def match_id(self, tag: str, given: str) -> bool:
        """Whether an element of this tag with this id is meant."""
        return f"#{given}" in self._ids or f"{tag}#{given}" in self._ids


NOTHING = Patterns("")
"""Means no element."""
