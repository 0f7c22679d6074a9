"""What the renderers of one page share: the page's own source, and every file that it puts in place."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.ingest.markdown.grammar import Dialect
from assay.ingest.markdown.javascript import unescaped
from assay.ingest.text.inlines import storable
from assay.ingest.text.normalized import NormalizedWriter

_MOST_INCLUDED = 5_000_000
"""Characters of all files that a page puts in place: one that names a large file often is no longer than it."""


@dataclass(slots=True)
class PageContext:
    """What every renderer of one page shares.

    dialect: which extensions the page is written with.
    is_docusaurus: whether Docusaurus serves it; decides about level-1 anchors and about comments in code.
    includes: files by the path that the page names them with.
    inclusions, included_characters: how many files were put in place so far, and how long they are together.
    """

    dialect: Dialect
    is_docusaurus: bool
    includes: Mapping[str, str]
    writer: NormalizedWriter = field(default_factory=NormalizedWriter)
    inclusions: int = 0
    included_characters: int = 0

    def included(self, path: str) -> str | None:
        """A file that the page names; None when it is not there, or too much was put in place already."""
        for name in (path, unescaped(path), posixpath.normpath(path)):
            if name in self.includes and self.included_characters <= _MOST_INCLUDED:
                self.included_characters += len(self.includes[name])
                return storable(self.includes[name])
        return None
