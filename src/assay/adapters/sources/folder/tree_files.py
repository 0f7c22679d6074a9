"""The files of each tree of a documentation, and the Markdown files outside all trees."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.sources.folder.files import Findings, FoundFile, ProjectDetector, find_files
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import Layout, Tree, related
from assay.model.documents import UnreadFiles


@dataclass
class TreeFiles:
    """The files of one folder, each found once.

    only_file: the single file to read; None for all. detect_project, data_dir: as in find_files.
    """

    layout: Layout
    only_file: str | None
    detect_project: ProjectDetector | None
    data_dir: Path | None
    _findings: dict[str, Findings] = field(default_factory=dict)  # by start folder

    def in_tree(self, tree: Tree) -> Findings:
        """Find the files of a tree. Raises SourceError when its folder cannot be listed."""
        if self.only_file is not None:
            return Findings([FoundFile(self.only_file, str(self.layout.root / self.only_file))])
        others = {other.folder for other in self.layout.trees} - {tree.folder}
        return self._walk(max(tree.folder, self.layout.within, key=len), others)

    def outside_trees(self) -> Iterator[tuple[str, str]]:
        """The key of each Markdown file outside the trees, and the reason. Call it after `in_tree` for every tree."""
        start = self.layout.within
        if self.only_file is not None or start in self._findings:
            return
        findings = self._walk(start, self._findings.keys())
        yield from ((file.key, _outside_reason(self.layout, file.key)) for file in findings.files)
        yield from (*findings.excluded, *findings.failed)

    def unread_files(self) -> UnreadFiles:
        """The files that are not pages. Only files in the documentation's own folders count as documents."""
        files: Counter[str] = Counter()
        documents: Counter[str] = Counter()
        folders: list[str] = []
        for start, findings in self._findings.items():
            files += findings.others
            folders += findings.folders
            if any(related(start, tree.folder) and len(start) >= len(tree.folder) for tree in self.layout.trees):
                documents += findings.documents
        return UnreadFiles(dict(sorted(files.items())), dict(sorted(documents.items())), tuple(sorted(folders)))

    def _walk(self, start: str, skipped_folders: Collection[str]) -> Findings:
        """Find every file under a folder; locales by suffix share one walk."""
        if start not in self._findings:
            self._findings[start] = find_files(
                self.layout.root,
                start,
                skipped_folders=skipped_folders,
                detect_project=self.detect_project,
                data_dir=self.data_dir,
            )
        return self._findings[start]


def _outside_reason(layout: Layout, key: str) -> str:
    """Why a Markdown file outside the documentation's folders is not a page."""
    if layout.convention is Convention.DOCUSAURUS:
        path = key.removeprefix(f"{layout.site}/") if layout.site else key
        if path.startswith("blog/") or "/docusaurus-plugin-content-blog" in path:
            return "a post of the site's blog; only its docs are read"
        if path.startswith("src/pages/") or "/docusaurus-plugin-content-pages" in path:
            return "a page of the site outside its docs; only its docs are read"
    return "outside the site's docs folders"
