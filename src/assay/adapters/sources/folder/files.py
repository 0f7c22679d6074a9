"""Finds and reads the Markdown files of a folder, whatever else is in it."""

import codecs
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
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
_NEVER_DOCUMENTATION = frozenset([*_VERSION_CONTROL, *_DEPENDENCIES, *_CACHES])

_REPORT = re.compile(r"(?P<stem>(?:report|sweep)_\d{8}_\d{6}(?:_\d+)?)\.(?:html|json|md|xml)")
_TEMPLATE_MARKS = ("{{", "{%", "<%", "<?php")
_HEAD_BYTES = 4_096
_HTML = frozenset({"html", "htm", "xhtml"})
_BUILD_FOLDERS = frozenset({"build", "site", "dist", "public", "_site"})
_BUILT = frozenset({"index.html", "404.html", "sitemap.xml"})
_HARMLESS = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
_BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be a page. key: its posix path relative to the root. path: where it can be opened."""

    key: str
    path: str


@dataclass(slots=True)
class Findings:
    """What a walk found.

    files: in ascending order of their keys.
    refused: keys that are not followed or read on purpose, and why.
    failed: keys that could not be looked at, and why; that of a folder ends with a slash.
    others: how many files are no Markdown, by suffix; "" for files without one.
    documents: of them, and of other generators' pages, those that are documentation, by format.
    folders: keys of folders with files that are not looked into: version control, dependencies, caches, built sites,
        and what Assay itself writes; "." is the root.
    """

    files: list[FoundFile] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    documents: Counter[str] = field(default_factory=Counter)
    folders: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Listing:
    names: frozenset[str]
    entries: tuple[os.DirEntry[str], ...]


Recogniser = Callable[[str, Collection[str]], "tuple[str, str, Collection[str]] | None"]
"""From a folder and the names in it to the generator that is set up there, its configuration's path in that folder, and
the real folders of its pages."""


def find_files(
    root: Path,
    start: str,
    *,
    leave_out: Collection[str] = (),
    recognise: Recogniser | None = None,
    data_dir: Path | None = None,
) -> Findings:
    """Find the Markdown files under one folder of a root, and count the others.

    root: a resolved folder; nothing outside it is ever read. start: posix path relative to it, "" for itself.
    leave_out: posix paths, relative to the root, of folders to stay out of.
    recognise: finds projects of other generators below start, whose pages are refused; None takes them as they are.
    data_dir: Assay's own folder, which is not looked into below start.

    Version control, dependencies, caches, built sites and Assay's own reports are not looked into; what is in other
    hidden folders is refused. Each folder is read once, under its own name rather than a symlink's, so that links
    cannot make the walk go round or grow.

    Raises SourceError when the folder itself cannot be listed.
    """
    base = os.path.join(root, *start.split("/")) if start else str(root)  # noqa: PTH118 - the walk's inner loop
    listing = _list(base)
    if isinstance(listing, str):
        raise SourceError(f"The folder {base} cannot be read: {listing}.", hint="Check the path and its permissions.")
    return _Walk(root, leave_out, recognise, data_dir).run(start, base)


class _Walk:
    """One walk; folders and links are keys and paths of what is still to be visited."""

    def __init__(
        self, root: Path, leave_out: Collection[str], recognise: Recogniser | None, data_dir: Path | None
    ) -> None:
        self._root = root
        self._data_dir = None if data_dir is None else os.path.realpath(data_dir)
        self._leave_out = leave_out
        self._recognise = recognise
        self._foreign: dict[str, str] = {}  # generator by the real path of a folder with its pages
        self._start = ""
        self._findings = Findings()
        self._folders: list[tuple[str, str]] = []
        self._links: list[tuple[str, str]] = []
        self._read: set[str] = set()

    def run(self, start: str, path: str) -> Findings:
        self._start = start
        self._folders.append((start, path))
        while self._folders or self._links:
            if self._folders:
                self._visit(*self._folders.pop())
            else:
                self._links.sort(reverse=True)
                self._follow(*self._links.pop())
        self._findings.files.sort(key=lambda file: file.key)
        return self._findings

    def _follow(self, key: str, path: str) -> None:
        """Visit what a symlink to a folder leads to, if that is inside the root."""
        if inside(self._root, os.path.realpath(path)):
            self._visit(key, path)
        else:
            self._findings.refused.append((key, "a symlink that leads out of the folder"))

    def _visit(self, key: str, path: str) -> None:
        """Sort what is in one folder into files, folders and links to folders."""
        real = os.path.realpath(path)
        if real in self._read:
            self._findings.refused.append((key, "by a symlink; the folder is read under another name"))
            return
        self._read.add(real)
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
        reason, generator = self._refusal(key, real, listing.names)
        for entry in listing.entries:
            if entry.name in reports:
                continue
            child = f"{key}/{entry.name}" if key else entry.name
            if _is_folder(entry):
                if entry.name in _NEVER_DOCUMENTATION:
                    self._findings.folders.append(child)
                elif child not in self._leave_out:
                    (self._links if entry.is_symlink() else self._folders).append((child, entry.path))
            else:
                self._take_file(child, entry, reason, generator)

    def _take_file(self, key: str, entry: os.DirEntry[str], reason: str, generator: str) -> None:
        """Note a Markdown file, or count another one. reason, generator: as from _refusal of its folder."""
        is_hidden = entry.name.startswith(".")
        if entry.name.lower().endswith(SUFFIXES):
            self._note(key, entry, reason or ("a hidden file" if is_hidden else ""))
            if generator and not is_hidden:
                self._findings.documents[generator] += 1
            return
        suffix = _suffix(entry.name)
        self._findings.others[suffix] += 1
        if suffix in DOCUMENT_FORMATS and (generator or not reason) and not _is_template(suffix, entry):
            self._findings.documents[suffix] += 1

    def _refusal(self, key: str, real: str, names: Collection[str]) -> tuple[str, str]:
        """Why the Markdown files of a folder are not read, and the generator that they are for; both "" mostly."""
        hidden = next((part for part in key[len(self._start) :].split("/") if part.startswith(".")), None)
        if hidden is not None:
            return f"in {hidden}/, a hidden folder", ""
        found = self._recognise(real, names) if self._recognise and key != self._start else None
        if found is not None:
            name, config, folders = found
            self._foreign |= dict.fromkeys(folders, f"{name} ({key}/{config})")
        generator = next((name for path, name in self._foreign.items() if inside(Path(path), real)), "")
        return (f"made for {generator}, which is not read from source", generator) if generator else ("", "")

    def _note(self, key: str, entry: os.DirEntry[str], reason: str) -> None:
        if not _is_text(key):
            printable = os.fsencode(key).decode("utf-8", "backslashreplace")
            self._findings.failed.append((printable, "the name is not UTF-8; rename it"))
        elif entry.is_symlink() and not inside(self._root, os.path.realpath(entry.path)):
            self._findings.refused.append((key, "a symlink that leads out of the folder"))
        elif reason:
            self._findings.refused.append((key, reason))
        else:
            self._findings.files.append(FoundFile(key, entry.path))


def _suffix(name: str) -> str:
    """What a file's name ends with, in lower case and without the dot; "" for a name without one."""
    stem, _, suffix = name.rpartition(".")
    return suffix.lower() if stem and _is_text(suffix) else ""


def _is_template(suffix: str, entry: os.DirEntry[str]) -> bool:
    """Whether a file of HTML is no page but what a program fills in, or a fragment."""
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
    """What is in a folder; the reason as text when it cannot be listed."""
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
    """The files of Assay's own reports: each report has a JSON file and others of the same name."""
    matches = [match for match in map(_REPORT.fullmatch, names) if match]
    return frozenset(match[0] for match in matches if {f"{match['stem']}.json", f"{match['stem']}.html"} <= names)


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def sample_files(root: Path, limit: int) -> Iterator[FoundFile]:
    """The first files of a folder, in ascending order, without looking at more of it than needed."""
    remaining = limit
    for path, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NEVER_DOCUMENTATION)
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and remaining:
                full = Path(path, name)
                yield FoundFile(full.relative_to(root).as_posix(), str(full))
                remaining -= 1
        if not remaining:
            return


def document_paths(root: Path) -> Iterator[str]:
    """The real path of every document in a folder, of formats that are read and of others but HTML."""
    for path, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NEVER_DOCUMENTATION]
        for name in names:
            suffix = _suffix(name)
            if f".{suffix}" in SUFFIXES or suffix in DOCUMENT_FORMATS - _HTML:
                yield os.path.realpath(os.path.join(path, name))  # noqa: PTH118 - as in the walk


def read_text(path: str, limit: int) -> str:
    """The text of a file, without a byte order mark, its lines ended by newline characters.

    path: as found by a walk or resolved; it is not checked again for where it leads.
    limit: the most bytes that are read.

    Raises InputError with the reason when the file cannot be read, is too large, or is not UTF-8 text.
    """
    content = _read_bytes(path, limit)
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
    """The beginning of a file, as far as it is text; "" when it cannot be read."""
    try:
        descriptor = _open(path)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor has no path
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(size).decode("utf-8-sig", "ignore").replace("\r\n", "\n")
    except OSError:
        pass
    return ""


def _open(path: str) -> int:
    """Open for reading so that a pipe does not make us wait for a writer, nor a terminal become ours."""
    return os.open(path, os.O_RDONLY | _HARMLESS)


def _read_bytes(path: str, limit: int) -> bytes:
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
        raise InputError("the file grew while it was read; run again")
    return content


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
