"""Finding and reading the Markdown files of a folder."""

import codecs
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from assay.errors import InputError, SourceError
from assay.model.documents import DOCUMENT_FORMATS

SUFFIXES = (".md", ".mdx", ".markdown")

_VERSION_CONTROL = (".git", ".hg", ".svn", ".jj")
_DEPENDENCIES = ("node_modules", "bower_components", ".venv", ".yarn", ".bundle", ".gradle", ".tox", ".nox")
_CACHES = (
    *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".ipynb_checkpoints", ".cache", ".parcel-cache"),
    *(".docusaurus", ".next", ".nuxt", ".astro", ".quarto"),
)
NEVER_DOCUMENTATION = frozenset([*_VERSION_CONTROL, *_DEPENDENCIES, *_CACHES])

_REPORT = re.compile(r"(?P<stem>(?:report|sweep)_\d{8}_\d{6}(?:_\d+)?)\.(?:html|json|md|xml)")
_TEMPLATE_MARKS = ("{{", "{%", "<%", "<?php")
_HEAD_BYTES = 4_096
_HTML = frozenset({"html", "htm", "xhtml"})
_BUILD_FOLDERS = frozenset({"build", "site", "dist", "public", "_site", "_book", "book", "doc_build", "html", "out"})
_BUILT = frozenset({"index.html", "404.html", "sitemap.xml"})
_OPEN_FLAGS = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
_BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be a page. key: posix path relative to the root. path: for opening it."""

    key: str
    path: str


@dataclass(slots=True)
class Findings:
    """The files that a walk found.

    files: in ascending order of keys.
    excluded: keys that are not read on purpose, and why.
    failed: keys that could not be read, and why; a folder's key ends with a slash.
    others: number of other files by suffix; "" for files without one.
    documents: of these, and of other generators' pages, the documentation, by format.
    folders: keys of skipped folders with files: version control, dependencies, caches, built sites and Assay's own
        output; "." is the root.
    """

    files: list[FoundFile] = field(default_factory=list)
    excluded: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    folders: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Listing:
    names: frozenset[str]
    entries: tuple[os.DirEntry[str], ...]


@dataclass(frozen=True, slots=True)
class ForeignPages:
    """Pages in a folder that are written for a generator.

    config: path of its configuration in that folder. folders: real paths of the folders with the pages.
    reason: why they are excluded, as a relative clause.
    """

    generator: str
    config: str
    folders: tuple[str, ...]
    reason: str


ProjectDetector = Callable[[str, Collection[str]], ForeignPages | None]
"""Maps a folder and the names in it to the pages of the generator that is configured there; None if there is none."""


def find_files(
    root: Path,
    start: str,
    *,
    skipped_folders: Collection[str] = (),
    detect_project: ProjectDetector | None = None,
    data_dir: Path | None = None,
) -> Findings:
    """Find the Markdown files under one folder of a root, and count the others.

    root: a resolved folder; nothing outside it is read. start: posix path relative to it, "" for itself.
    skipped_folders: posix paths of folders to skip, relative to the root.
    detect_project: detects projects of other generators, whose pages are excluded; None includes them.
    data_dir: Assay's own folder, skipped below start.

    Version control, dependencies, caches, built sites and Assay's own reports are skipped; files in other hidden
    folders are excluded. Each folder is read once, under its own name rather than a symlink's, so symlinks cannot cause
    a loop.

    Raises SourceError when the folder itself cannot be listed.
    """
    base = os.path.join(root, *start.split("/")) if start else str(root)  # noqa: PTH118 - the walk's inner loop
    listing = _list(base)
    if isinstance(listing, str):
        raise SourceError(f"The folder {base} cannot be read: {listing}.", hint="Check the path and its permissions.")
    return _Walk(root, skipped_folders, detect_project, data_dir).run(start, base)


@dataclass
class _Walk:
    """One walk. `_folders` and `_links` hold the key and path of those still to visit."""

    root: Path
    skipped_folders: Collection[str]
    detect_project: ProjectDetector | None
    data_dir: Path | None

    def __post_init__(self) -> None:
        self._data_dir = None if self.data_dir is None else os.path.realpath(self.data_dir)
        self._foreign_folders: dict[str, tuple[str, str]] = {}  # title and reason by the real path of a page folder
        self._start = ""
        self._findings = Findings()
        self._folders: list[tuple[str, str]] = []
        self._links: list[tuple[str, str]] = []
        self._visited: set[str] = set()

    def run(self, start: str, path: str) -> Findings:
        self._start = start
        self._folders.append((start, path))
        while self._folders or self._links:
            if self._folders:
                self._visit(*self._folders.pop())
            else:
                self._links.sort(reverse=True)
                self._follow_link(*self._links.pop())
        self._findings.files.sort(key=lambda file: file.key)
        return self._findings

    def _follow_link(self, key: str, path: str) -> None:
        """Visit the target of a symlink to a folder, if it is inside the root."""
        if inside(self.root, os.path.realpath(path)):
            self._visit(key, path)
        else:
            self._findings.excluded.append((key, "a symlink that leads out of the folder"))

    def _visit(self, key: str, path: str) -> None:
        """Sort the entries of one folder into files, folders and links to folders."""
        real = os.path.realpath(path)
        if real in self._visited:
            self._findings.excluded.append((key, "a symlink; the folder is read under another name"))
            return
        self._visited.add(real)
        listing = _list(path)
        if isinstance(listing, str):
            self._findings.failed.append((f"{key}/", f"the folder cannot be read: {listing}"))
            return
        if _is_not_documentation(key, listing.names) or (real == self._data_dir and key != self._start):
            self._findings.folders.append(key)
            return
        reports = _reports(listing.names)
        if reports:
            self._findings.folders.append(key or ".")
        reason, generator = self._exclusion(key, real, listing.names)
        for entry in listing.entries:
            if entry.name in reports:
                continue
            child = f"{key}/{entry.name}" if key else entry.name
            if _is_folder(entry):
                if entry.name in NEVER_DOCUMENTATION:
                    self._findings.folders.append(child)
                elif child not in self.skipped_folders:
                    (self._links if entry.is_symlink() else self._folders).append((child, entry.path))
            else:
                self._add_file(child, entry, reason, generator)

    def _add_file(self, key: str, entry: os.DirEntry[str], reason: str, generator: str) -> None:
        """Add a Markdown file, or count another one. reason, generator: from `_exclusion` of its folder."""
        is_hidden = entry.name.startswith(".")
        if entry.name.lower().endswith(SUFFIXES):
            self._add_markdown(key, entry, reason or ("a hidden file" if is_hidden else ""))
            if generator and not is_hidden:
                self._findings.documents[generator] += 1
            return
        suffix = _suffix(entry.name)
        self._findings.others[suffix] += 1
        if suffix in DOCUMENT_FORMATS and (generator or not reason) and not _is_template(suffix, entry):
            self._findings.documents[suffix] += 1

    def _exclusion(self, key: str, real: str, names: Collection[str]) -> tuple[str, str]:
        """Why a folder's Markdown files are excluded, and their generator; usually both ""."""
        hidden = next((part for part in key[len(self._start) :].split("/") if part.startswith(".")), None)
        if hidden is not None:
            return f"in {hidden}/, a hidden folder", ""
        found = self.detect_project(real, names) if self.detect_project else None
        if found is not None:
            title = f"{found.generator} ({f'{key}/{found.config}'.lstrip('/')})"
            self._foreign_folders |= dict.fromkeys(found.folders, (title, found.reason))
        title, reason = next(
            (foreign for path, foreign in self._foreign_folders.items() if inside(Path(path), real)), ("", "")
        )
        return (f"written for {title}, {reason}", title) if title else ("", "")

    def _add_markdown(self, key: str, entry: os.DirEntry[str], reason: str) -> None:
        if not _is_text(key):
            printable = os.fsencode(key).decode("utf-8", "backslashreplace")
            self._findings.failed.append((printable, "the name is not UTF-8; rename it"))
        elif entry.is_symlink() and not inside(self.root, os.path.realpath(entry.path)):
            self._findings.excluded.append((key, "a symlink that leads out of the folder"))
        elif reason:
            self._findings.excluded.append((key, reason))
        else:
            self._findings.files.append(FoundFile(key, entry.path))


def _suffix(name: str) -> str:
    """The suffix of a file name in lower case, without the dot; "" if it has none."""
    stem, _, suffix = name.rpartition(".")
    return suffix.lower() if stem and _is_text(suffix) else ""


def _is_template(suffix: str, entry: os.DirEntry[str]) -> bool:
    """Whether an HTML file is a template or a fragment."""
    if suffix not in _HTML:
        return False
    head = read_head(entry.path, _HEAD_BYTES).lower()
    return not ("<html" in head or "<!doctype html" in head) or any(mark in head for mark in _TEMPLATE_MARKS)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a symlink to itself
        return False


def inside(root: Path, real: str) -> bool:
    """Whether a resolved path is the root or below it."""
    return real == str(root) or real.startswith(f"{str(root).rstrip(os.sep)}{os.sep}")


def _list(path: str) -> _Listing | str:
    """List a folder; return the reason as text when that fails."""
    try:
        with os.scandir(path) as entries:
            listed = tuple(entries)
    except OSError as error:
        return _reason(error)
    return _Listing(frozenset(entry.name for entry in listed), listed)


def _is_not_documentation(key: str, names: frozenset[str]) -> bool:
    built = key.rpartition("/")[2] in _BUILD_FOLDERS and bool(_BUILT & names)
    return bool(key) and (built or "pyvenv.cfg" in names)


def _reports(names: frozenset[str]) -> frozenset[str]:
    """The files of Assay's own reports: a JSON and an HTML file of the same name, and others with that name."""
    matches = [match for match in map(_REPORT.fullmatch, names) if match]
    return frozenset(match[0] for match in matches if {f"{match['stem']}.json", f"{match['stem']}.html"} <= names)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def sample_files(root: Path, limit: int | None = None) -> Iterator[FoundFile]:
    """Yield the first Markdown files of a folder in ascending order; stop after `limit`, if given."""
    markdown = (path for path in _paths(root) if path.lower().endswith(SUFFIXES))
    for path in islice(markdown, limit):
        yield FoundFile(Path(path).relative_to(root).as_posix(), path)


def document_paths(root: Path) -> Iterator[str]:
    """Yield the real path of every document in a folder, HTML excluded."""
    for path in _paths(root):
        suffix = _suffix(os.path.basename(path))  # noqa: PTH119 - as in the walk
        if f".{suffix}" in SUFFIXES or suffix in DOCUMENT_FORMATS - _HTML:
            yield os.path.realpath(path)


def documentation_folders(root: Path, depth: int, skipped: Collection[str]) -> Iterator[Path]:
    """Yield the folders below a root that may hold documentation, parents first, ascending.

    depth: of the deepest ones, from 1. skipped: names of folders that are left out.
    """
    for path, folders, _ in os.walk(root):
        folders[:] = [name for name in _visible(folders) if name not in skipped]
        below = len(Path(path).relative_to(root).parts)
        if below:
            yield Path(path)
        if below == depth:
            folders.clear()


def _visible(folders: list[str]) -> list[str]:
    return sorted(name for name in folders if not name.startswith(".") and name not in NEVER_DOCUMENTATION)


def document_files(root: Path) -> Iterator[str]:
    """Yield the path of every Markdown and HTML file in a folder, folder by folder, ascending."""
    suffixes = (*SUFFIXES, *(f".{suffix}" for suffix in _HTML))
    return (path for path in _paths(root) if path.lower().endswith(suffixes))


def _paths(root: Path) -> Iterator[str]:
    """Yield the path of every file in the folders that may hold documentation, folder by folder, ascending."""
    for path, folders, names in os.walk(root):
        folders[:] = _visible(folders)
        yield from (os.path.join(path, name) for name in sorted(names))  # noqa: PTH118 - as in the walk


def read_text(path: str, limit: int) -> str:
    """Read a file as text, without a byte order mark and with LF line ends.

    path: found by a walk, or resolved; it is not checked again.
    limit: in bytes.

    Raises InputError with the reason when the file cannot be read, is too large, or is not UTF-8 text.
    """
    content = read_bytes(path, limit)
    if content[:2] in _BYTE_ORDER_MARKS:
        raise InputError(f"not UTF-8: the file is {_BYTE_ORDER_MARKS[content[:2]]}; save it as UTF-8")
    mark = 3 if content.startswith(codecs.BOM_UTF8) else 0
    try:
        text = content[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + mark
        raise InputError(f"not UTF-8: byte 0x{content[at]:02x} at position {at} ({error.reason})") from None
    if "\x00" in text:
        raise InputError(f"not text: a NUL character at position {content.index(0)}")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_head(path: str, size: int) -> str:
    """Read the start of a file as text; "" when it cannot be read."""
    try:
        descriptor = _open(path)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor has no path
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(size).decode("utf-8-sig", "ignore").replace("\r\n", "\n")
    except OSError:
        pass
    return ""


def _open(path: str) -> int:
    """Open for reading, without waiting for a pipe's writer and without taking over a terminal."""
    return os.open(path, os.O_RDONLY | _OPEN_FLAGS)


def read_bytes(path: str, limit: int) -> bytes:
    """Read a regular file of at most `limit` bytes. Raises InputError with the reason."""
    try:
        descriptor = _open(path)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor has no path
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise InputError("not a regular file")
            if status.st_size > limit:
                raise InputError(f"{status.st_size:,} bytes, over the limit of {limit:,} (max_page_bytes)")
            content = file.read(status.st_size + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {_reason(error)}") from None
    if len(content) > status.st_size:
        raise InputError("the file grew during the read; run again")
    return content


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
