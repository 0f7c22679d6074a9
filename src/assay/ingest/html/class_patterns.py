"""Patterns for classes and ids, written as one text with spaces between them.

`name` is a class, `name*` a class prefix (generators hash class names: `admonition_xJq3`), `#name` an id. A tag in
front limits it: `nav.name`, `div.name*`, `a#name`.
"""

from collections.abc import Iterable


class ClassPatterns:
    """A compiled set of patterns."""

    __slots__ = ("_exact", "_ids", "_prefixes")

    def __init__(self, written: str) -> None:
        name_set = written.split()
        self._ids = frozenset(name for name in name_set if "#" in name)
        classes = [name for name in name_set if "#" not in name]
        self._exact = frozenset(name for name in classes if not name.endswith("*"))
        self._prefixes = tuple(name[:-1] for name in classes if name.endswith("*"))

    def match(self, tag: str, classes: Iterable[str]) -> bool:
        """Whether an element with this tag and these classes matches."""
        for name in classes:
            full = f"{tag}.{name}"
            if name in self._exact or full in self._exact:
                return True
            if self._prefixes and (name.startswith(self._prefixes) or full.startswith(self._prefixes)):
                return True
        return False

    def match_id(self, tag: str, given: str) -> bool:
        """Whether an element with this tag and id matches."""
        return f"#{given}" in self._ids or f"{tag}#{given}" in self._ids


NOTHING = ClassPatterns("")
"""Matches nothing."""
