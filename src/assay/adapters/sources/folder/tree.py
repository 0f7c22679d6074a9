"""The parts of a documentation folder, and functions shared by the conventions."""

import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from assay.adapters.sources.folder.files import SUFFIXES, inside, read_text
from assay.adapters.sources.folder.mkdocs.config import NO_PLUGINS, PathPattern
from assay.adapters.sources.folder.mkdocs.plugins import Plugins
from assay.adapters.sources.folder.routing import Convention
from assay.errors import InputError
from assay.model.documents import USUAL_MKDOCS, MkDocsRules
from assay.model.ids import PLACEHOLDER_HOST, canonical_url

CONFIG_LIMIT = 1_000_000
"""Size limit of a configuration file in bytes."""


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """Options given by the caller; None to detect.

    name: of the source. base_url: canonical URL of the site, or of the docs folder if only that is given.
    current_version, default_locale: searched by default.
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
    address: URL prefix of its pages' routes.
    site_root: URL that links starting with a slash are relative to.
    group: equal for the locales of one version; a page that a locale lacks is the default locale's.
    numbers: number prefixes of names only set the order (Docusaurus).
    markdown_format: Docusaurus's: "mdx", "md", or "detect" by the suffix.
    trailing_slash: the site writes the addresses of its pages with a slash at the end.
    directory_urls, exclude_patterns: MkDocs's use_directory_urls and exclude_docs.
    titles: of MkDocs's nav, by path in the tree.
    plugins, rules: of MkDocs's plugins and Markdown extensions.
    suffix: of its files before their own suffix, as in `page.fr.md`; "" for none.
    other_suffixes: of the other locales in the same folder.
    translations: of a plain folder with translations, the locale of each page outside the default one, by key.
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
    markdown_format: str = "mdx"
    trailing_slash: bool = False
    directory_urls: bool = True
    exclude_patterns: tuple[PathPattern, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    plugins: Plugins = NO_PLUGINS
    rules: MkDocsRules = USUAL_MKDOCS
    suffix: str = ""
    other_suffixes: tuple[str, ...] = ()
    translations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """A folder's layout.

    trees: the default version and locale first.
    site: folder with the site's configuration. include_folders: searched for embedded files.
    appended: files that are embedded at the end of each page.
    base_url: URL prefix of everything.
    notices: possible problems in the detection. information: the rules that were applied.
    root: the folder that paths are relative to: the given folder, or the one above it whose configuration claims it.
    within: the given folder relative to root; pages outside it are not read.
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
    appended: tuple[str, ...] = ()


def choose_base_url(options: LayoutOptions, configured: str | None, notices: list[str], path: str = "") -> str:
    """The URL prefix of everything, without a trailing slash: as given, as configured, or a placeholder.

    path: the only path that the site can be served under; added to a base URL without one.
    """
    if options.base_url is not None:
        base = options.base_url.rstrip("/")
        if path.strip("/") and not urlsplit(base).path:
            notices.append(
                f"The site is configured to be served under /{path.strip('/')}/, so its addresses start with that path."
            )
            return below(base, path)
        return base
    if configured:
        try:
            return canonical_url(configured).rstrip("/")
        except InputError:
            notices.append(f"The address in the site's configuration is not a valid URL: {configured!r}.")
    base = canonical_url(f"https://{PLACEHOLDER_HOST}/{quote(options.name, safe='')}")
    notices.append(f"No base URL is known, so pages get addresses under {base}; set the real one with --base-url.")
    return base


def below(base: str, *parts: str) -> str:
    """Append path parts to a URL, without a trailing slash; empty parts are ignored."""
    return canonical_url("/".join([base, *(part.strip("/") for part in parts)])).rstrip("/")


def related(one: str, other: str) -> bool:
    """Whether one of two folders, relative to the same root, contains the other."""
    return not one or not other or one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def join(*parts: str) -> str:
    """Join and normalize a posix path relative to the root; "" for the root, starts with ".." outside it."""
    path = posixpath.normpath(posixpath.join("", *parts))
    return "" if path == "." else path


def is_folder(root: Path, path: str) -> bool:
    """Whether a relative path is a folder inside the root; symlinks are followed."""
    if path.startswith(("..", "/")) or "\x00" in path:
        return False
    full = root / path
    return full.is_dir() and inside(root, os.path.realpath(full))


def is_accessible(folder: Path) -> bool:
    """Whether this process may look into a folder."""
    try:
        os.stat(f"{folder}{os.sep}.")  # noqa: PTH116 - a Path drops the dot, which needs access to the folder
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def unreadable_folder(path: Path) -> Path:
    """The first parent of a path that this process may not look into; the path itself when there is none."""
    return next((above for above in reversed(path.parents) if not is_accessible(above)), path)


def subfolders(root: Path, path: str) -> Iterator[str]:
    """Yield the names of the visible folders in a folder, ascending; none if the folder does not exist.

    Raises OSError when it cannot be listed: its versions or locales must not look deleted.
    """
    try:
        names = sorted(entry.name for entry in (root / path).iterdir() if entry.is_dir())
    except OSError:
        if is_folder(root, path):
            raise
        return
    yield from (name for name in names if not name.startswith(".") and name != "node_modules")


def is_repository(root: Path) -> bool:
    """Whether a folder is a repository with documentation in `docs`: its own pages are only README, CHANGELOG etc."""
    if not is_folder(root, "docs"):
        return False
    pages = [entry for entry in root.iterdir() if entry.suffix.lower() in SUFFIXES and not entry.name.startswith(".")]
    return all(page.stem.isupper() or page.stem.lower() == "readme" for page in pages)


def read_config_text(root: Path, path: str) -> str | None:
    """Read a configuration file inside the root; None when there is none. Raises InputError if it is unreadable."""
    full = root / path
    if not full.is_file() or not inside(root, os.path.realpath(full)):
        return None
    try:
        return read_text(str(full), CONFIG_LIMIT)
    except InputError as error:
        raise InputError(f"{path}: {error.message}") from None
