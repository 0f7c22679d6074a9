"""The state shared by the renderers of one page: its own source, and every included file."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.ingest.markdown.grammar import Dialect
from assay.ingest.markdown.javascript import unescaped
from assay.ingest.text.inlines import storable
from assay.ingest.text.normalized import NormalizedWriter
from assay.model.documents import USUAL_MKDOCS, MkDocsRules

_MAX_INCLUDED = 5_000_000
"""Limit of all included files together, in characters: one large file may be included many times."""


@dataclass(slots=True)
class PageContext:
    """The state shared by every renderer of one page.

    dialect: the extensions the page is written with.
    is_docusaurus: Docusaurus serves it; decides about level-1 anchors and about comments in code.
    is_github: no generator serves it, so it is read as GitHub shows it.
    includes: files by the path used in the page.
    mkdocs: rules of the MkDocs configuration.
    inclusions, included_characters: number and total length of the files included so far.
    """

    dialect: Dialect
    is_docusaurus: bool
    includes: Mapping[str, str]
    mkdocs: MkDocsRules = USUAL_MKDOCS
    is_github: bool = False
    writer: NormalizedWriter = field(default_factory=NormalizedWriter)
    inclusions: int = 0
    included_characters: int = 0

    def included(self, path: str) -> str | None:
        """An included file; None when it is missing or the limit is reached."""
        for name in (path, unescaped(path), posixpath.normpath(path)):
            if name in self.includes and self.included_characters <= _MAX_INCLUDED:
                self.included_characters += len(self.includes[name])
                return storable(self.includes[name])
        return None
