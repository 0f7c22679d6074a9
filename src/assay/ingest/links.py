"""Where a page's links lead: absolute URLs for file links, site links, fragments and relative addresses."""

import posixpath
import re
from urllib.parse import unquote, urljoin

from assay.model.documents import RawPage

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PAGE_SUFFIX = re.compile(r"\.(?:mdx?|markdown)$", re.IGNORECASE)
_NOT_ADDRESSES = ("javascript:", "data:", "vbscript:")
_FOLDER_PAGES = {"index", "readme"}


class LinkResolver:
    """Resolves what one page's links are written as."""

    def __init__(self, page: RawPage) -> None:
        self._page = page
        self._folder = posixpath.dirname(page.source_path)
        self._base = _base_url(page)
        self._known: dict[str, str | None] = {}

    def target(self, written: str) -> str | None:
        """Absolute URL, fragment included; None for what is no address."""
        if written not in self._known:
            self._known[written] = self._resolve(written.strip())
        return self._known[written]

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
        if _PAGE_SUFFIX.search(path):
            path = _PAGE_SUFFIX.sub("", path)
        return self._joined(path, fragment)

    def _linked_file(self, path: str) -> str | None:
        """URL of the page that a path names as a file; None when it names no page."""
        links = self._page.links
        if not links:
            return None
        name = unquote(path.partition("?")[0])
        if name.startswith("@site/"):
            candidates = [name.removeprefix("@site/")]
        elif name.startswith("/"):
            candidates = [name.lstrip("/")]
        else:
            candidates = [posixpath.normpath(posixpath.join(self._folder, name))]
        if not _PAGE_SUFFIX.search(name):
            return None
        return next((links[candidate] for candidate in candidates if candidate in links), None)

    def _joined(self, path: str, fragment: str) -> str | None:
        path = path.removeprefix("@site")
        try:
            if path.startswith("/") and not path.startswith("//"):
                root = self._page.site_root.rstrip("/")
                return (root + path if root else urljoin(self._base, path)) + fragment
            return urljoin(self._base, path) + fragment
        except ValueError:  # an address such as http://[ that urllib cannot take apart
            return None


def _split_fragment(address: str) -> tuple[str, str]:
    path, mark, fragment = address.partition("#")
    return path, mark + fragment if fragment else ""


def _base_url(page: RawPage) -> str:
    """The address that relative links start from.

    A canonical URL has no trailing slash, but MkDocs serves every page, and Docusaurus those that stand for their
    folder, as a folder.
    """
    parts = _PAGE_SUFFIX.sub("", page.source_path).rsplit("/", 2)
    stem = parts[-1].lower()
    is_folder = stem in _FOLDER_PAGES or (len(parts) > 1 and parts[-1] == parts[-2])
    if (page.generator == "mkdocs" or is_folder) and not page.url.endswith("/"):
        return page.url + "/"
    return page.url
