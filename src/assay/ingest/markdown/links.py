"""Where a page's links lead: absolute URLs for file links, site links, fragments and relative addresses."""

import posixpath
import re
from urllib.parse import unquote, urljoin

from assay.model.bounds import URL
from assay.model.documents import RawPage

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PAGE_SUFFIX = re.compile(r"\.(?:mdx?|markdown)$", re.IGNORECASE)
_NOT_ADDRESSES = ("javascript:", "data:", "vbscript:")
_FOLDER_PAGES = {"index", "readme"}


class MarkdownLinkResolver:
    """Resolves what one page's links are written as.

    folder: of the file that the links are written in; None for the page itself.
    """

    def __init__(self, page: RawPage, folder: str | None = None) -> None:
        self._page = page
        self._folder = posixpath.dirname(page.source_path) if folder is None else folder
        folder_url = page.url.rstrip("/") + "/"
        is_folder = _stands_for_folder(page.source_path)
        self._file_base = folder_url if is_folder else page.url
        self._base = folder_url if is_folder or page.generator == "mkdocs" else page.url
        self._known: dict[str, str | None] = {}

    def target(self, written: str) -> str | None:
        """Absolute URL, fragment included; None for what is no address, or too long for one."""
        if written not in self._known:
            target = self._resolve(written.strip()) if len(written) <= URL else None
            self._known[written] = target if target is not None and len(target) <= URL else None
        return self._known[written]

    def of_import(self, path: str) -> "MarkdownLinkResolver":
        """The resolver for the links in a file that is imported by this path."""
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
        if _PAGE_SUFFIX.search(path):  # a file that is no page of this source: as if it were served beside this one
            return self._joined(self._file_base, _PAGE_SUFFIX.sub("", path), fragment)
        return self._joined(self._base, path, fragment)

    def _linked_file(self, path: str) -> str | None:
        """URL of the page that a path names as a file; None when it names no page."""
        links = self._page.links
        if not links:
            return None
        name = unquote(path.partition("?")[0])
        if not _PAGE_SUFFIX.search(name):
            return None
        if name.startswith("@site/"):
            below = "/" + posixpath.normpath(name.removeprefix("@site/"))
            return next((url for known, url in links.items() if ("/" + known).endswith(below)), None)
        folders = [self._folder, posixpath.dirname(self._page.source_path)]
        # Docusaurus looks from the top of the docs before it looks beside the page, unless the path begins with a dot.
        top_first = self._page.generator == "docusaurus" and not name.startswith(("./", "../"))
        folders.insert(0 if top_first else 2, "")
        paths = (posixpath.normpath(posixpath.join(folder, name.lstrip("/"))) for folder in folders)
        return next((links[path] for path in paths if path in links), None)

    def _joined(self, base: str, path: str, fragment: str) -> str | None:
        path = path.removeprefix("@site")
        try:
            if path.startswith("/") and not path.startswith("//"):
                root = self._page.site_root.rstrip("/")
                return (root + path if root else urljoin(base, path)) + fragment
            return urljoin(base, path) + fragment
        except ValueError:  # an address such as http://[ that urllib cannot take apart
            return None


def _split_fragment(address: str) -> tuple[str, str]:
    path, mark, fragment = address.partition("#")
    return path, mark + fragment if fragment else ""


def _stands_for_folder(path: str) -> bool:
    """Whether a file is served at the address of its folder: an index, a README, or one that is named like it.

    A canonical URL has no trailing slash, but links from such a page start from inside the folder, and MkDocs serves
    every page like that.
    """
    parts = _PAGE_SUFFIX.sub("", path).split("/")
    return parts[-1].lower() in _FOLDER_PAGES or parts[-1:] == parts[-2:-1]
