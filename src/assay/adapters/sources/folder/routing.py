"""URLs from file paths and front matter, as Docusaurus, MkDocs and plain folders make them. No I/O.

A route is the part of a URL after the address of the documentation: segments joined by "/", escaped, without a slash
at either end or a dot segment. "" is the start page.
"""

import posixpath
import re
from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import quote, unquote

from assay.errors import InputError
from assay.model.ids import canonical_url

REVISION = "2"
"""Version of these rules; a change makes every page be read again."""


class Convention(StrEnum):
    """The rules that decide a page's URL."""

    DOCUSAURUS = "docusaurus"
    MKDOCS = "mkdocs"
    PLAIN = "plain"


# In Docusaurus `01-intro` and `1. intro` have an order, `2021-11-foo` and `7.0-foo` a date and a version.
_DATE_OR_VERSION = re.compile(r"\d+[-_.]\d+")
_NUMBERED = re.compile(r"\d+\s*[-_.]+\s*(?P<name>[^-_.\s].*)", re.DOTALL)

_SAFE_IN_SLUG = "%!$&'()*+,;=:@-._~"


def strip_number(name: str) -> str:
    """A file or folder name without its ordering number: `01-intro` gives `intro`."""
    if _DATE_OR_VERSION.match(name):
        return name
    numbered = _NUMBERED.fullmatch(name)
    return numbered["name"] if numbered else name


def docusaurus_route(path: str, front_matter: Mapping[str, object], *, numbers: bool = True) -> str:
    """The route of a Docusaurus page.

    path: posix, relative to the docs folder, with its suffix.
    numbers: number prefixes only set the order (Docusaurus's default) and are not part of the name.

    Raises InputError for an id or a slug that Docusaurus would refuse.
    """
    folders, stem = _split(path)
    parsed = numbers and front_matter.get("parse_number_prefixes") is not False
    base = [strip_number(part) if parsed else part for part in folders]
    slug = _text(front_matter, "slug")
    if slug is not None:
        return _resolve_slug([quote(part, safe="") for part in base], slug)
    if stem.lower() in {"index", "readme", *(folder.lower() for folder in folders[-1:])}:  # a category's index
        return _join(base)
    name = _text(front_matter, "id") or (strip_number(stem) if parsed else stem)
    if "/" in name:
        raise InputError(f"front matter: id {name!r} has a slash; use slug for that")
    return _join([*base, name])


def _text(front_matter: Mapping[str, object], key: str) -> str | None:
    value = front_matter.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _resolve_slug(base: list[str], slug: str) -> str:
    """Resolve a slug against its page's folder; it cannot leave the docs."""
    if "?" in slug or "#" in slug:
        raise InputError(f"front matter: slug {slug!r} is not a path; remove '?' and '#'")
    segments = [] if slug.startswith("/") else list(base)
    for segment in slug.split("/"):
        if unquote(segment) == "..":
            segments = segments[:-1]
        elif unquote(segment) not in {"", "."}:
            segments.append(quote(segment, safe=_SAFE_IN_SLUG))
    return "/".join(segments)


def mkdocs_route(path: str, *, directory_urls: bool = True) -> str:
    """The route of an MkDocs page.

    path: posix, relative to docs_dir, with its suffix.
    directory_urls: MkDocs's use_directory_urls; without it pages end in ".html".
    """
    folders, stem = _split(path)
    if stem in {"index", "README"}:
        return _join(folders)
    return _join([*folders, stem if directory_urls else f"{stem}.html"])


def plain_route(path: str) -> str:
    """The route of a page of a plain folder: its path without the suffix."""
    folders, stem = _split(path)
    return _join(folders if stem.lower() in {"index", "readme"} else [*folders, stem])


def _split(path: str) -> tuple[list[str], str]:
    """The folders of a path, and its file name without the suffix."""
    *folders, file = path.split("/")
    return folders, posixpath.splitext(file)[0]


def _join(names: list[str]) -> str:
    return "/".join(quote(name, safe="") for name in names if name not in {"", ".", ".."})


def page_url(address: str, route: str) -> str:
    """The canonical URL of a route below the address of the documentation."""
    return canonical_url(f"{address}/{route}")


def excluded_path(path: str) -> str | None:
    """Why Docusaurus excludes a path in its docs folder; None when it does not."""
    *folders, file = path.split("/")
    if file.startswith("_"):
        return "a partial: its name begins with an underscore"
    hidden = next((folder for folder in folders if folder.startswith("_")), None)
    if hidden is not None:
        return f"in {hidden}/: the folder's name begins with an underscore"
    if not file.lower().endswith((".md", ".mdx")):
        return "Docusaurus reads only .md and .mdx"
    return None


def file_stem(path: str) -> str:
    """The name of a file without its suffix."""
    return posixpath.splitext(posixpath.basename(path))[0]


def strip_locale(path: str, locale: str) -> str:
    """A path without its locale suffix: `guide.fr.md` and `fr` give `guide.md`."""
    stem, suffix = posixpath.splitext(path)
    return stem.removesuffix(f".{locale}") + suffix
