"""Link targets: absolute URLs for file links, site links, fragments and relative addresses."""

import posixpath
import re
from collections.abc import Mapping
from urllib.parse import unquote, urljoin

from assay.ingest.markdown.anchors import github_slug
from assay.model.bounds import URL
from assay.model.documents import Document, Link, RawPage

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
PAGE_SUFFIX = re.compile(r"\.(?:mdx?|markdown)$", re.IGNORECASE)
_NOT_ADDRESSES = ("javascript:", "data:", "vbscript:")
_FOLDER_PAGES = {"index", "readme"}


class MarkdownLinkResolver:
    """Resolves the links of one page.

    folder: of the file that contains the links; None for the page itself.
    """

    def __init__(self, page: RawPage, folder: str | None = None) -> None:
        self._page = page
        self._folder = posixpath.dirname(page.source_path) if folder is None else folder
        folder_url = page.url.rstrip("/") + "/"
        is_folder = _is_folder_page(page.source_path)
        self._file_base = folder_url if is_folder else page.url
        self._base = folder_url if is_folder or page.generator == "mkdocs" else page.url
        self._cache: dict[str, str | None] = {}
        self._has_others = False

    @property
    def references(self) -> Mapping[str, str | None] | None:
        """All resolved targets by how the page writes them; None if links to page names or in other files were too."""
        return None if self._has_others else self._cache

    def target(self, written: str) -> str | None:
        """The absolute URL with its fragment; None if it is invalid or too long."""
        if written not in self._cache:
            target = self._resolve(written.strip()) if len(written) <= URL else None
            self._cache[written] = target if target is not None and len(target) <= URL else None
        return self._cache[written]

    def wiki_target(self, name: str) -> str | None:
        """The absolute URL of the page that `[[name]]` means, in any folder; None when there is none."""
        self._has_others = True
        path, _, heading = name.partition("#")
        fragment = f"#{github_slug(heading.rpartition('#')[2])}" if heading and not heading.startswith("^") else ""
        if not path:
            return self._page.url + fragment
        url = _by_page_name(self._page.links).get(_page_name(path.strip()))
        return None if url is None else url + fragment

    def of_import(self, path: str) -> "MarkdownLinkResolver":
        """The resolver for links in a file imported by this path."""
        self._has_others = True
        folder = posixpath.dirname(path)
        if path.startswith(("./", "../")):
            folder = posixpath.normpath(posixpath.join(self._folder, folder))
        elif path.startswith(("@site/", "@root/")):
            folder = folder.partition("/")[2]
        else:
            return self
        return MarkdownLinkResolver(self._page, "" if folder == "." else folder)

    def _resolve(self, written: str) -> str | None:
        address = written.removeprefix("pathname://").replace(" ", "%20")
        if not address or address.lower().startswith(_NOT_ADDRESSES):
            return None
        if _SCHEME.match(address):
            return address
        path, fragment = _split_fragment(address)
        if not path:
            return self._page.url + fragment
        if (url := self._linked_file(path)) is not None:
            return url + fragment
        if PAGE_SUFFIX.search(path):  # not a page of this source: as if served next to this one
            return self._join_url(self._file_base, PAGE_SUFFIX.sub("", path), fragment)
        return self._join_url(self._base, path, fragment)

    def _linked_file(self, path: str) -> str | None:
        """The URL of the page that a file path refers to; None when it is not a page."""
        links = self._page.links
        if not links:
            return None
        name = unquote(path.partition("?")[0])
        if not PAGE_SUFFIX.search(name):
            return None
        if name.startswith("@site/"):
            suffix = "/" + posixpath.normpath(name.removeprefix("@site/"))
            return next((url for known, url in links.items() if ("/" + known).endswith(suffix)), None)
        folders = [self._folder, posixpath.dirname(self._page.source_path)]
        # Docusaurus searches from the docs root before the page's folder, unless the path starts with a dot.
        top_first = self._page.generator == "docusaurus" and not name.startswith(("./", "../"))
        folders.insert(0 if top_first else 2, "")
        paths = (posixpath.normpath(posixpath.join(folder, name.lstrip("/"))) for folder in folders)
        return next((links[path] for path in paths if path in links), None)

    def _join_url(self, base: str, path: str, fragment: str) -> str | None:
        path = path.removeprefix("@site")
        try:
            if path.startswith("/") and not path.startswith("//"):
                root = self._page.site_root.rstrip("/")
                return (root + path if root else urljoin(base, path)) + fragment
            return urljoin(base, path) + fragment
        except ValueError:  # such as http://[
            return None


def links_of_copy(document: Document, page: RawPage) -> tuple[Link, ...] | None:
    """The links of a page with the content of a document. None if only reading the page tells."""
    if document.references is None:
        return None
    resolver = MarkdownLinkResolver(page)
    moved: dict[str | None, str | None] = {None: None}
    for written, target in document.references.items():
        # Two links with one target may have two in the copy.
        if moved.setdefault(target, resolved := resolver.target(written)) != resolved:
            return None
    links = [(link, moved[link.target]) for link in document.links]
    return tuple(Link(link.text, target, link.start, link.end) for link, target in links if target is not None)


_names: tuple[Mapping[str, str], dict[str, str]] = ({}, {})
"""The links for which the names of pages were last listed: the pages of a folder share one mapping."""


def _by_page_name(links: Mapping[str, str]) -> Mapping[str, str]:
    """URLs by the names of pages, and by their paths; of equal names, the first."""
    global _names  # noqa: PLW0603 - a list for each page would take quadratic time
    listed = _names
    if listed[0] is not links:
        named: dict[str, str] = {}
        for key, url in links.items():
            path = _page_name(key)
            for name in (path, path.rpartition("/")[2]):
                named.setdefault(name, url)
        _names = listed = (links, named)
    return listed[1]


def _page_name(path: str) -> str:
    return PAGE_SUFFIX.sub("", path).replace(" ", "-").lower()


def _split_fragment(address: str) -> tuple[str, str]:
    path, mark, fragment = address.partition("#")
    return path, mark + fragment if fragment else ""


def _is_folder_page(path: str) -> bool:
    """Whether a file is served at its folder's address: an index, a README, or one with the folder's name.

    A canonical URL has no trailing slash, but links in such a page are relative to the folder; in MkDocs this holds for
    every page.
    """
    parts = PAGE_SUFFIX.sub("", path).split("/")
    return parts[-1].lower() in _FOLDER_PAGES or parts[-1:] == parts[-2:-1]
