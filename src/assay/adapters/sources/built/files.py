"""The files of a built site: a folder that is walked once."""

import hashlib
import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.adapters.sources.folder.files import NEVER_DOCUMENTATION, inside, read_bytes
from assay.errors import InputError, SourceError

PAGE_SUFFIXES = (".html", ".htm", ".xhtml")
_LISTING_SUFFIXES = (".xml", ".txt", ".json", ".gz", ".md", ".markdown")
"""Suffixes of sitemaps, llms.txt, version lists, and of Markdown files that llms.txt lists."""


@dataclass(slots=True)
class SiteFiles:
    """The files of a built site.

    paths: for opening, by posix path relative to the site's root: pages, sitemaps and lists.
    sizes: of files that are too large to be kept, by the same path.
    others: number of other files by suffix.
    excluded: paths that are not read on purpose, and why. failed: paths that cannot be read, and why; a folder's path
        ends with a slash.
    """

    paths: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    excluded: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The paths of the HTML files, in ascending order."""
        return sorted(path for path in self.paths if path.lower().endswith(PAGE_SUFFIXES))

    def bytes_of_pages(self) -> int:
        """Bytes of all HTML files; 0 for one that cannot be read."""
        total = 0
        for path in self.pages:
            with suppress(OSError):
                total += os.stat(self.paths[path]).st_size  # noqa: PTH116 - called for every page
        return total

    def read(self, path: str, limit: int) -> bytes:
        """The content of a file. Raises InputError with the reason."""
        if (size := self.sizes.get(path)) is not None:
            raise InputError(f"{size:,} bytes, over the limit of {limit:,} (max_page_bytes)")
        return read_bytes(self.paths[path], limit)

    def add(self, path: str, opened: str) -> None:
        """Add a file, or count it if it is of another kind. opened: its path for opening."""
        if is_wanted(path):
            self.paths[path] = opened
        else:
            self.others[_suffix(path)[1:]] += 1


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122 - called for every file


def is_wanted(path: str) -> bool:
    """Whether a file may be a page or a list of pages."""
    suffix = _suffix(path)
    return suffix in PAGE_SUFFIXES or suffix in _LISTING_SUFFIXES or not suffix


def hash_of(content: bytes) -> str:
    """A hash of a file's content, used as its ETag."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def walk(root: Path, data_dir: Path | None = None) -> SiteFiles:
    """The files under a folder. root: resolved. data_dir: Assay's own folder, skipped.

    Hidden files and folders, version control and dependencies are skipped, as static hosts do not serve them. A
    symlink is followed only within the folder, and each folder is read once.

    Raises SourceError when the folder cannot be listed.
    """
    found = SiteFiles()
    own = None if data_dir is None else os.path.realpath(data_dir)
    folders: list[tuple[str, str]] = [("", str(root))]
    visited: set[str] = set()
    links: list[tuple[str, str]] = []
    while folders or links:
        key, path = folders.pop() if folders else links.pop()
        real = os.path.realpath(path)
        if not inside(root, real):
            found.excluded.append((key, "a symlink that leads out of the folder"))
            continue
        if real in visited or real == own:
            continue
        visited.add(real)
        try:
            with os.scandir(path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            if not key:
                raise SourceError(
                    f"The folder {root} cannot be read: {reason}.", hint="Check the path and its permissions."
                ) from None
            found.failed.append((f"{key}/", f"the folder cannot be read: {reason}"))
            continue
        for entry in entries:
            child = f"{key}/{entry.name}" if key else entry.name
            if entry.name.startswith(".") or entry.name in NEVER_DOCUMENTATION:
                continue
            if _is_folder(entry):
                (links if entry.is_symlink() else folders).append((child, entry.path))
            else:
                _add_entry(found, root, child, entry)
        links.sort(reverse=True)
    return found


def _add_entry(found: SiteFiles, root: Path, key: str, entry: os.DirEntry[str]) -> None:
    try:
        key.encode("utf-8")
    except UnicodeEncodeError:
        printable = os.fsencode(key).decode("utf-8", "backslashreplace")
        found.failed.append((printable, "the name is not UTF-8; rename it"))
        return
    if entry.is_symlink() and not inside(root, os.path.realpath(entry.path)):
        found.excluded.append((key, "a symlink that leads out of the folder"))
    else:
        found.add(key, entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symlink to itself
        return False
