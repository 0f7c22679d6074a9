"""What a build found in its sources: the bookkeeping of pages read, kept, failed, left out and gone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.model.documents import PageExcluded, PageFailed, PageGone, UnreadFiles


@dataclass(slots=True)
class PageTally:
    """Counts and lists of the pages of one build, while it reads.

    added, changed, kept: page keys by what became of them against the generation before.
    carried: pages that failed this time and keep the document that they had.
    removed: URLs of pages that the generation before has and the sources no longer do.
    moved: URL before and now of pages that are there under another address; they are neither changed nor removed.
    gone: what a source says of pages that are no more.
    unread: what each source counted of its files that are no pages.
    empty: URLs of documents in which there is nothing to search for.
    claimed: which page has taken each URL.
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
        """Take a URL for a page; false, and noted as left out, when another page has it."""
        owner = self.claimed.setdefault(url, f"{source}: {key}")
        if owner == f"{source}: {key}":
            return True
        self.excluded.append(PageExcluded(key, f"its URL {url} is taken by {owner}"))
        return False

    def note_removed(self, earlier: Iterable[str]) -> None:
        """Find which of the URLs that the generation before has are taken by no page any more."""
        self.removed = sorted(set(earlier) - self.claimed.keys() - {before for before, _ in self.moved})

    @property
    def unread_files(self) -> UnreadFiles:
        """The files of all sources that are no pages."""
        files: Counter[str] = Counter()
        documents: Counter[str] = Counter()
        for counted in self.unread:
            files.update(counted.files)
            documents.update(counted.documents)
        folders = tuple(folder for counted in self.unread for folder in counted.folders)
        return UnreadFiles(dict(sorted(files.items())), dict(sorted(documents.items())), folders)

    @property
    def differs(self) -> bool:
        """Whether anything is not as it was in the generation before."""
        return bool(self.added or self.changed or self.moved or self.removed or self.failed)
