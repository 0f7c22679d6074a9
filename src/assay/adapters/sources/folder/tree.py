"""What a documentation folder consists of, and what all conventions share in finding it out."""

import os
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from assay.adapters.sources.folder.files import SUFFIXES, inside, read_text
from assay.adapters.sources.folder.mkdocs.config import PathPattern
from assay.adapters.sources.folder.routing import Convention
from assay.errors import InputError
from assay.model.ids import PLACEHOLDER_HOST, canonical_url

CONFIG_LIMIT = 1_000_000
"""The most bytes of a configuration file."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller says of a folder; None leaves it to the folder.

    name: of the source. base_url: canonical URL under which the site, or the docs folder given alone, is served.
    current_version, default_locale: what is to be searched by default.
    """

    name: str
    base_url: str | None = None
    convention: Convention | None = None
    current_version: str | None = None
    default_locale: str | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """One version of a documentation in one locale: pages that link to each other by file path.

    folder: posix path relative to the root, "" for the root itself.
    address: URL that the routes of its pages are put under.
    site_root: URL under which links that begin with a slash are resolved.
    group: equal for the locales of one version; a page that a locale lacks is the default locale's.
    numbers: whether number prefixes of names only order (Docusaurus).
    directory_urls, left_out: MkDocs's use_directory_urls and exclude_docs.
    suffix: takes only files that end so before their own suffix, as in `page.fr.md`; "" for those with no such end.
    other_suffixes: those of the other locales in the same folder.
    """

    folder: str
    address: str
    site_root: str
    convention: Convention
    version: str | None = None
    locale: str | None = None
    version_is_current: bool = True
    locale_is_default: bool = True
    group: str = ""
    numbers: bool = True
    directory_urls: bool = True
    left_out: tuple[PathPattern, ...] = ()
    suffix: str = ""
    other_suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """How a folder is read.

    trees: those that a reader meets by default first.
    site: folder that holds the site's configuration. include_folders: where embedded files are looked for.
    base_url: URL that everything is under.
    notices: what may be wrong in how the folder was understood.
    information: by which rules it was understood.
    root: folder that every path is relative to; where a configuration above claims the folder that was given, the one
        that holds it. within: the folder that was given, relative to root: no page is outside.
    """

    convention: Convention
    base_url: str
    trees: tuple[Tree, ...]
    site: str = ""
    include_folders: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    information: tuple[str, ...] = ()
    root: Path = Path()
    within: str = ""


def choose_base_url(wishes: Wishes, configured: str | None, notices: list[str], path: str = "") -> str:
    """The URL that everything is under, without a slash at its end: as the caller says, as configured, or made up.

    path: the only one that the site can be served under, added to a base URL that is a host alone.
    """
    if wishes.base_url is not None:
        base = wishes.base_url.rstrip("/")
        if path.strip("/") and not urlsplit(base).path:
            notices.append(f"The site is configured to be served under /{path.strip('/')}/, so its addresses begin so.")
            return below(base, path)
        return base
    if configured:
        try:
            return canonical_url(configured).rstrip("/")
        except InputError:
            notices.append(f"The address in the site's configuration is not a URL: {configured!r}.")
    base = canonical_url(f"https://{PLACEHOLDER_HOST}/{quote(wishes.name, safe='')}")
    notices.append(f"No base URL is known, so pages get addresses under {base}; give the real one with --base-url.")
    return base


def below(base: str, *parts: str) -> str:
    """A URL under another, without a slash at its end; empty parts are left out."""
    return canonical_url("/".join([base, *(part.strip("/") for part in parts)])).rstrip("/")


def related(one: str, other: str) -> bool:
    """Whether one of two folders, relative to the same root, is the other or lies in it."""
    return not one or not other or one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def join(*parts: str) -> str:
    """A normal posix path relative to the root, "" for the root; begins with ".." when it leads out."""
    path = posixpath.normpath(posixpath.join("", *parts))
    return "" if path == "." else path


def is_folder(root: Path, path: str) -> bool:
    """Whether a relative path is a folder inside the root, symlinks followed."""
    if path.startswith(("..", "/")) or "\x00" in path:
        return False
    full = root / path
    return full.is_dir() and inside(root, os.path.realpath(full))


def may_be_entered(folder: Path) -> bool:
    """Whether permissions let this process look for something in a folder."""
    try:
        os.stat(f"{folder}{os.sep}.")  # noqa: PTH116 - a Path drops the dot, for which the folder has to be entered
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def closed_folder(path: Path) -> Path:
    """The folder that keeps a path from being looked at; the path itself when none above it does."""
    return next((above for above in reversed(path.parents) if not may_be_entered(above)), path)


def subfolders(root: Path, path: str) -> Iterator[str]:
    """Names of the folders in a folder that are not hidden, ascending; none when there is no such folder.

    Raises OSError for one that cannot be listed: its versions or locales must not look as if they were gone.
    """
    try:
        names = sorted(entry.name for entry in (root / path).iterdir() if entry.is_dir())
    except OSError:
        if is_folder(root, path):
            raise
        return
    yield from (name for name in names if not name.startswith(".") and name != "node_modules")


def is_repository(root: Path) -> bool:
    """Whether a folder holds a documentation in `docs` rather than being one: no pages but README and CHANGELOG."""
    if not is_folder(root, "docs"):
        return False
    pages = [entry for entry in root.iterdir() if entry.suffix.lower() in SUFFIXES and not entry.name.startswith(".")]
    return all(page.stem.isupper() or page.stem.lower() == "readme" for page in pages)


def read_config_text(root: Path, path: str) -> str | None:
    """The text of a configuration file inside the root; None when there is none. Raises InputError if unreadable."""
    full = root / path
    if not full.is_file() or not inside(root, os.path.realpath(full)):
        return None
    try:
        return read_text(str(full), CONFIG_LIMIT)
    except InputError as error:
        raise InputError(f"{path}: {error.message}") from None
