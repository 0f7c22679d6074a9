"""The files of a built site, answered as a static host answers requests for them.

An address with a trailing slash is the `index.html` of that folder; one without is the file of that name, the same with
`.html`, or a redirect to the folder. A missing address is a 404, whatever the site's own 404 page is.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from assay.adapters.sources.built.files import PAGE_SUFFIXES, SiteFiles, hash_of
from assay.adapters.sources.built.unlinked import unlinked_reason
from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.http.responses import BodyFilter, FetchError, FetchLimits, Response, Unserved
from assay.errors import InputError

_INDEXES = (*(f"index{suffix}" for suffix in PAGE_SUFFIXES), "Index.html", "INDEX.HTML", "Index.htm", "INDEX.HTM")
_HTML = "text/html"
_MEDIA = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    ".xml": "application/xml",
    ".txt": "text/plain",
    ".json": "application/json",
    ".gz": "application/gzip",
}
_UNKNOWN = "application/octet-stream"
_CONNECTIONS = 32
"""Pages that are parsed ahead."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file, or a path to redirect to."""

    path: str
    redirects: bool = False


def locate(files: Container[str], path: str) -> Found | None:
    """The file that a static host sends for a path, or the path that it redirects to; None if there is none.

    files: posix paths relative to the site's root. path: decoded, relative to that root too.
    """
    if path == "" or path.endswith("/"):
        index = next((path + name for name in _INDEXES if path + name in files), None)
        if index is not None:
            return Found(index)
        page = path.rstrip("/")
        return Found(page, redirects=True) if any(page + suffix in files for suffix in PAGE_SUFFIXES) else None
    if path in files:
        return Found(path)
    page_file = next((path + suffix for suffix in PAGE_SUFFIXES if path + suffix in files), None)
    if page_file is not None:
        return Found(page_file)
    is_folder = any(f"{path}/{name}" in files for name in _INDEXES)
    return Found(f"{path}/", redirects=True) if is_folder else None


class FolderHost:
    """A Transport over the files of a site.

    base_url: address of the site's root, with a trailing slash.
    """

    connections = _CONNECTIONS
    is_local = True

    def __init__(self, files: SiteFiles, base_url: str) -> None:
        self._files = files
        self._origin = origin_of(base_url)
        self._base_path = urlsplit(base_url).path
        self._served: set[str] = set()
        self._with_suffix = self._without_suffix = 0

    def get(self, address: str, limits: FetchLimits, wants_body: BodyFilter, conditions: Mapping[str, str]) -> Response:
        """The file at an address, a redirect to its folder, or a 404.

        Raises FetchError for a file that cannot be read or is larger than the limit.
        """
        target = self._relative_path(address)
        found = None if target is None else locate(self._files.paths, target)
        if target is None or found is None:
            return self._missing(target)
        if found.redirects:
            _, mark, query = address.partition("?")
            return Response(301, {"location": self._address(found.path) + mark + query}, b"", "a redirect", 0)
        if found.path not in self._served and found.path.rpartition("/")[2] not in _INDEXES:
            self._with_suffix += found.path == target
            self._without_suffix += found.path != target
        return self._answer(found.path, limits, wants_body, conditions)

    def unserved(self) -> Sequence[Unserved]:
        """The pages that were not asked for, with addresses written as those that were."""
        return [
            Unserved(self._page_address(path), unlinked_reason(path))
            for path in self._files.pages
            if path not in self._served
        ]

    def follow(self, address: str) -> None:
        """No headers are sent."""

    def abort(self) -> None:
        """Nothing is in flight."""

    def close(self) -> None:
        """There is no connection."""

    def _relative_path(self, address: str) -> str | None:
        """The decoded path of an address below the site's root; None if it is not there."""
        parts = urlsplit(address)
        if f"{parts.scheme}://{parts.netloc}" != self._origin:
            return None
        if parts.path + "/" == self._base_path:
            return ""
        if not parts.path.startswith(self._base_path):
            return None
        return unquote(parts.path[len(self._base_path) :])

    def _missing(self, path: str | None) -> Response:
        if path is not None:
            for failed, reason in self._files.failed:
                if path == failed or (failed.endswith("/") and f"{path}/".startswith(failed)):
                    raise FetchError(reason, transient=False, from_server=True)
        return Response(404, {"content-type": _HTML}, b"", "no success", 0)

    def _answer(
        self, path: str, limits: FetchLimits, wants_body: BodyFilter, conditions: Mapping[str, str]
    ) -> Response:
        self._served.add(path)
        headers = {"content-type": _media(path)}
        refusal = wants_body(200, headers)
        if refusal:
            return Response(200, headers, b"", refusal, 0)
        try:
            body = self._files.read(path, limits.bytes)
        except InputError as error:
            raise FetchError(error.message, transient=False, from_server=True) from None
        headers["etag"] = hash_of(body)
        if conditions.get("If-None-Match") == headers["etag"]:
            return Response(304, headers, b"", "", 0)
        return Response(200, headers, body, "", len(body))

    def _address(self, path: str) -> str:
        return self._origin + self._base_path + quote(path)

    def _page_address(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        if name.lower() in _INDEXES:
            return self._address(f"{folder}/" if folder else "")
        return self._address(path if self._with_suffix >= self._without_suffix else path.rpartition(".")[0])


def _media(path: str) -> str:
    lowered = path.lower()
    return _HTML if lowered.endswith(PAGE_SUFFIXES) else _MEDIA.get(PurePosixPath(lowered).suffix, _UNKNOWN)
