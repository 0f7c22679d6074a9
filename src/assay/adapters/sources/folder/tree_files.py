"""The walks through a folder: one for each tree of its documentation, and one for all that is outside of them."""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from assay.adapters.sources.folder.files import Findings, FoundFile, Recogniser, find_files
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import Layout, Tree, related
from assay.model.documents import UnreadFiles


class Walks:
    """The files of one folder, each found once.

    only: the one file that is meant; None for all. recognise, data_dir: as in find_files.
    """

    def __init__(
        self, layout: Layout, only: str | None, recognise: Recogniser | None, data_dir: Path | None = None
    ) -> None:
        self._data_dir = data_dir
        self._layout = layout
        self._only = only
        self._recognise = recognise
        self._findings: dict[str, Findings] = {}  # by the folder that a walk starts at

    def of(self, tree: Tree) -> Findings:
        """The files of a tree. Raises SourceError when its folder cannot be listed."""
        if self._only is not None:
            return Findings([FoundFile(self._only, str(self._layout.root / self._only))])
        others = {other.folder for other in self._layout.trees} - {tree.folder}
        return self._walk(max(tree.folder, self._layout.within, key=len), others)

    def outside(self) -> Iterator[tuple[str, str]]:
        """The key of each Markdown file in none of the trees, and the reason; to be asked after every tree."""
        start = self._layout.within
        if self._only is not None or start in self._findings:
            return
        findings = self._walk(start, self._findings.keys())
        yield from ((file.key, _why_outside(self._layout, file.key)) for file in findings.files)
        yield from (*findings.refused, *findings.failed)

    def unread(self) -> UnreadFiles:
        """The files that are no pages. Only formats within the documentation's own folders count as documents."""
        files: Counter[str] = Counter()
        documents: Counter[str] = Counter()
        folders: list[str] = []
        for start, findings in self._findings.items():
            files += findings.others
            folders += findings.folders
            if any(related(start, tree.folder) and len(start) >= len(tree.folder) for tree in self._layout.trees):
                documents += findings.documents
        return UnreadFiles(dict(sorted(files.items())), dict(sorted(documents.items())), tuple(sorted(folders)))

    def _walk(self, start: str, leave_out: Collection[str]) -> Findings:
        """Every file under a folder; locales that are told by suffix share one walk."""
        if start not in self._findings:
            self._findings[start] = find_files(
                self._layout.root, start, leave_out=leave_out, recognise=self._recognise, data_dir=self._data_dir
            )
        return self._findings[start]


def _why_outside(layout: Layout, key: str) -> str:
    """Why a Markdown file outside the folders of the documentation makes no page."""
    if layout.convention is Convention.DOCUSAURUS:
        path = key.removeprefix(f"{layout.site}/") if layout.site else key
        if path.startswith("blog/") or "/docusaurus-plugin-content-blog" in path:
            return "a post of the site's blog; only its docs are read"
        if path.startswith("src/pages/") or "/docusaurus-plugin-content-pages" in path:
            return "a page of the site outside its docs; only its docs are read"
    return "outside the folders that the site takes its docs from"
