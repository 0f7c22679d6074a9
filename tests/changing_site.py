"""A documentation site on loopback that changes, fails and moves its pages when a test says so."""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate

from tests import sites
from tests.sites import Reply, Request, Site

_CHROME = (
    '<header class="navbar"><a href="/">Workshop</a> <button>Search the site</button></header>'
    '<nav class="menu" aria-label="Docs sidebar"><ul>{links}</ul></nav>'
)
_HOME = "<h1>Workshop</h1><p>The handbook of the workshop.</p>"
_FOOTER = '<footer class="footer">Copyright of the workshop. Edit this page</footer>'


@dataclass(slots=True)
class ChangingSite:
    """What the site serves at the moment; paths begin with a slash and `/` always is its index.

    pages: the HTML of the main content by path. moved: where a path redirects to (301).
    failing: status by path, of pages that cannot be had now. closed: HTML of the main content that is served with 200
    for every address under a prefix, by that prefix. unlisted: pages that the sitemap does not name.
    has_sitemap, has_validators: whether it has a sitemap, and sends ETag and Last-Modified.
    asked: how often each path was asked for, with the status it was answered by.
    requests: how many there were. on_request: called with the number of the request, from 1, before it is answered.
    """

    pages: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    failing: dict[str, int] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    has_sitemap: bool = True
    has_validators: bool = True
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)
    requests: int = 0
    on_request: Callable[[int], None] | None = None
    url: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, path: str, title: str, *paragraphs: str) -> None:
        """Add or change a page."""
        body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        self.pages[path] = f'<h1>{title}</h1>{body}<h2 id="care">Care of the {title}</h2><p>Keep the {title} dry.</p>'

    def forget_requests(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self.asked.clear()

    def statuses(self) -> Counter[int]:
        """How many requests for pages were answered by each status."""
        with self._lock:
            counts: Counter[int] = Counter()
            for (path, status), count in self.asked.items():
                if path in self.pages or path in self.failing or path in self.moved:
                    counts[status] += count
            return counts

    def answer(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of one request."""
        with self._lock:
            self.requests += 1
            number = self.requests
        if self.on_request:
            self.on_request(number)
        status, sent, body = self._answer(path, headers)
        with self._lock:
            self.asked[path, status] += 1
        return status, sent, body

    def _answer(self, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        html = {"Content-Type": "text/html; charset=utf-8"}
        if path in self.failing:
            return self.failing[path], html, b"<h1>Not now</h1>"
        for prefix, content in self.closed.items():
            if path.startswith(prefix):
                return self._page(path, content, headers)
        if path in self.moved:
            return 301, {**html, "Location": self.moved[path]}, b""
        if path == "/sitemap.xml" and self.has_sitemap:
            return 200, {"Content-Type": "application/xml"}, self._sitemap()
        content = self.pages.get(path, _HOME if path == "/" else "")
        if not content:
            return 404, html, b"<title>Nothing here</title><h1>There is no such page</h1>"
        return self._page(path, content, headers)

    def _page(self, path: str, content: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        links = "".join(
            f'<li><a href="{target}">Go to {target[1:]}</a></li>' for target in sorted({*self.pages, *self.moved})
        )
        chrome = _CHROME.format(links=links if path == "/" else '<li><a href="/">All pages</a></li>')
        title = content.partition("<h1>")[2].partition("</h1>")[0]
        page = (
            f'<!doctype html><html lang="en"><head><title>{title} | Workshop</title></head><body>{chrome}'
            f"<main><article>{content}</article></main>{_FOOTER}</body></html>"
        ).encode()
        sent = {"Content-Type": "text/html; charset=utf-8"}
        if self.has_validators:
            sent["ETag"] = f'"{hashlib.sha256(page).hexdigest()[:24]}"'
            sent["Last-Modified"] = formatdate(1_700_000_000, usegmt=True)
            if headers.get("if-none-match") == sent["ETag"]:
                return 304, sent, b""
        return 200, sent, page

    def _sitemap(self) -> bytes:
        listed = ["/", *sorted(self.pages.keys() - self.unlisted)]
        entries = "".join(f"<url><loc>{self.url}{path}</loc></url>" for path in listed)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>'
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        ).encode()


@contextmanager
def served(site: ChangingSite) -> Iterator[ChangingSite]:
    """Serve it on a free port of loopback."""

    def answer(request: Request) -> Reply:
        status, sent, body = site.answer(request.path.partition("?")[0], dict(request.headers))
        return Reply(status, body, sent)

    host = Site()
    host.etags = False  # it has its own
    host.fallback = answer
    with sites.served(host):
        site.url = host.url
        yield site
