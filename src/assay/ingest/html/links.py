"""The targets of a page's links."""

from urllib.parse import urldefrag, urljoin

from selectolax.lexbor import LexborHTMLParser

from assay.ingest.html.nodes import children
from assay.model.bounds import URL
from assay.model.documents import RawPage

_NOT_ADDRESSES = ("javascript:", "data:", "vbscript:", "blob:", "about:")


class HtmlLinkResolver:
    """Resolves a page's links as a browser does at the page's own address.

    page_url: its canonical address.
    """

    def __init__(self, page: RawPage, tree: LexborHTMLParser) -> None:
        self.page_url = page.url
        self._served_at = page.served_at or page.url
        base = next((node for node in children(tree.head) if node.tag == "base"), None) if tree.head else None
        written = (base.attributes.get("href") or "").strip() if base is not None else ""
        base_url = _join_url(self._served_at, written) if len(written) <= URL else None
        self._base = base_url or self._served_at
        self._cache: dict[str, str | None] = {}

    def target(self, written: str) -> str | None:
        """The absolute URL with its fragment; None if it is invalid or too long.

        A link to the page itself gives its canonical URL.
        """
        if written not in self._cache:
            target = self._resolve("".join(written.split("\n")).strip()) if len(written) <= URL else None
            self._cache[written] = target if target is not None and len(target) <= URL else None
        return self._cache[written]

    def own_fragment(self, written: str) -> str | None:
        """The fragment of a link to the page itself; None for other links."""
        if written.startswith("#") and self._base == self._served_at:
            return written[1:]
        url, fragment = urldefrag(self.target(written) or "")
        return fragment if url == self.page_url and fragment else None

    def _resolve(self, written: str) -> str | None:
        if not written or written.lower().startswith(_NOT_ADDRESSES):
            return None
        url = _join_url(self._base, written.replace(" ", "%20"))
        if url is None:
            return None
        path, mark, fragment = url.partition("#")
        if path == self._served_at.partition("#")[0]:
            return self.page_url + mark + fragment if fragment else self.page_url
        return url if fragment or not mark else path


def _join_url(base: str, address: str) -> str | None:
    try:
        return urljoin(base, address)
    except ValueError:  # such as http://[
        return None
