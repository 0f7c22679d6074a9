"""The counts of pages that a build read, kept, failed, excluded and lost."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from assay.model.documents import PageExcluded, PageFailed, PageGone, UnreadFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChanges:
    """The pages of a build or preview, compared with the previous generation.

    added, changed, moved, kept, removed: as in PageTally; kept is their number.
    carried: keys of pages that failed and keep their stored document.
    gone: pages that sources report as deleted.
    unread: files of the sources that are not pages.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    kept: int
    removed: tuple[str, ...]
    carried: tuple[str, ...]
    failed: tuple[PageFailed, ...]
    excluded: tuple[PageExcluded, ...]
    empty: tuple[str, ...]
    gone: tuple[PageGone, ...]
    unread: UnreadFiles

    @property
    def differs(self) -> bool:
        """Whether anything differs from the previous generation."""
        return bool(self.added or self.changed or self.moved or self.removed or self.failed)


@dataclass(slots=True)
class PageTally:
    """Counts and lists of the pages of one build.

    added, changed, kept: page keys, compared with the previous generation.
    carried: keys of pages that failed and keep their stored document.
    removed: URLs in the previous generation that no source has any more.
    moved: old and new URL of pages with a new address; they are neither changed nor removed.
    gone: pages that a source reports as deleted.
    unread: each source's counts of files that are not pages.
    empty: URLs of documents without searchable text.
    claimed: the page that owns each URL.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    failed: list[PageFailed] = field(default_factory=list)
    excluded: list[PageExcluded] = field(default_factory=list)
    gone: list[PageGone] = field(default_factory=list)
    unread: list[UnreadFiles] = field(default_factory=list)
    claimed: dict[str, str] = field(default_factory=dict)

    def claim(self, url: str, source: str, key: str) -> bool:
        """Claim a URL for a page; if another page has it, exclude the page and return false."""
        owner = self.claimed.setdefault(url, f"{source}: {key}")
        if owner == f"{source}: {key}":
            return True
        self.excluded.append(PageExcluded(key, f"its URL {url} is taken by {owner}"))
        return False

    def note_removed(self, earlier: Iterable[str]) -> None:
        """Set `removed` to the URLs of the previous generation that no page has any more."""
        self.removed = sorted(set(earlier) - self.claimed.keys() - {before for before, _ in self.moved})

    @property
    def unread_files(self) -> UnreadFiles:
        """The files of all sources that are not pages."""
        files: Counter[str] = Counter()
        documents: Counter[str] = Counter()
        for counted in self.unread:
            files.update(counted.files)
            documents.update(counted.documents)
        folders = tuple(folder for counted in self.unread for folder in counted.folders)
        return UnreadFiles(dict(sorted(files.items())), dict(sorted(documents.items())), folders)

    @property
    def differs(self) -> bool:
        """Whether anything differs from the previous generation."""
        return bool(self.added or self.changed or self.moved or self.removed or self.failed)

    def changes(self) -> dict[str, Any]:
        """The values of PageChanges, by field."""
        lists = ("added", "changed", "moved", "removed", "carried", "failed", "excluded", "empty", "gone")
        found: dict[str, Any] = {name: tuple(getattr(self, name)) for name in lists}
        return found | {"kept": len(self.kept), "unread": self.unread_files}
