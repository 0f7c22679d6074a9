"""Sites on loopback that tests crawl: addresses with what is answered there, served by threads."""

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from assay.adapters.sources.site.options import DefaultVariant, Politeness, SiteLimits, SiteRequest, SiteScope
from assay.adapters.sources.site.source import SiteSource
from assay.model.documents import PageExcluded, PageFailed, PageGone, PageRead, PageUnchanged, RawPage
from assay.settings import SourceSettings

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """What is answered. raw: sent as it is in place of everything, as broken servers do."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: Callable[[socket.socket], None] | None = None


@dataclass(frozen=True)
class Request:
    """What was asked for: path with query, and headers by name in small letters."""

    path: str
    headers: Mapping[str, str]


Answerer = Reply | Callable[[Request], Reply]


def html(text: str, *, head: str = "", lang: str = "en", status: int = 200, **headers: str) -> Reply:
    """A page with a title and a main part that begins with its heading."""
    title = text.split("<", 1)[0].split(".", maxsplit=1)[0][:60]
    page = (
        f'<!doctype html><html lang="{lang}"><head><title>{title}</title>{head}</head>'
        f"<body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, page.encode(), {"Content-Type": HTML} | sent)


def links(*paths: str, attributes: str = "") -> str:
    """Links to these paths."""
    return " ".join(f'<a href="{path}" {attributes}>see {number}</a>' for number, path in enumerate(paths))


def redirect(target: str, status: int = 301) -> Reply:
    """A redirect."""
    return Reply(status, b"", {"Location": target})


def xml(text: str, **headers: str) -> Reply:
    """A file of XML."""
    return Reply(200, text.encode(), {"Content-Type": "application/xml"} | headers)


def sitemap(*addresses: str) -> str:
    """A sitemap with these addresses."""
    entries = "".join(f"<url><loc>{address}</loc></url>" for address in addresses)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


class Site:
    """Answers by path with query, or else by path; what it has not is 404. May be changed between readings."""

    def __init__(self, pages: Mapping[str, Answerer] | None = None) -> None:
        self.pages: dict[str, Answerer] = dict(pages or {})
        self.fallback: Answerer = Reply(
            404, b"<html><body>There is no such page.</body></html>", {"Content-Type": HTML}
        )
        self.asked: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.statuses: Counter[int] = Counter()
        self.etags = True
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Reply:
        """What is answered to a request."""
        with self._lock:
            self.asked[request.path] += 1
            self.requests.append(request)
        found = self.pages.get(request.path) or self.pages.get(request.path.partition("?")[0]) or self.fallback
        reply = found if isinstance(found, Reply) else found(request)
        if self.etags and reply.status == 200 and reply.raw is None:
            tag = f'"{md5(reply.body, usedforsecurity=False).hexdigest()}"'
            reply = replace(reply, headers={"ETag": tag} | dict(reply.headers))
            if request.headers.get("if-none-match") == reply.headers["ETag"]:
                reply = replace(reply, status=304, body=b"")
        with self._lock:
            self.statuses[reply.status] += 1
        return reply

    def forget(self) -> None:
        """Count from now on."""
        self.asked.clear()
        self.requests.clear()
        self.statuses.clear()


@contextmanager
def served(site: Site, host: str = "127.0.0.1") -> Iterator[Site]:
    """The site on a port of its own; `url` is its origin."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the base class's signature
            """Say nothing."""

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = site.answer(Request(self.path, headers))
            if reply.raw is not None:
                self.close_connection = True
                with suppress(OSError):
                    reply.raw(self.connection)
                return
            self.send_response(reply.status)
            sent = dict(reply.headers)
            if reply.status != 304:
                sent.setdefault("Content-Length", str(len(reply.body)))
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_POST = do_GET  # noqa: N815 - the base class's name

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, *_: Any) -> None:  # noqa: ANN401 - the base class's signature
            """A client that goes away is no fault of the server."""

    server = Server((host, 0), Handler)
    site.url = f"http://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def site_limits(**changes: float) -> SiteLimits:
    """The limits of a site that nothing is set for, but for these."""
    return replace(SourceSettings(url="https://docs.example.org").options(SiteLimits), **changes)  # type: ignore[arg-type]


def politeness(**changes: float) -> Politeness:
    """The politeness towards a site that nothing is set for, but for these."""
    return replace(SourceSettings(url="https://docs.example.org").options(Politeness), **changes)  # type: ignore[arg-type]


def source_of(
    start: str,
    store: Path,
    *,
    current_version: str | None = None,
    default_locale: str | None = None,
    **overrides: Any,  # noqa: ANN401 - passed on as they are
) -> SiteSource:
    """A source that does not wait long for anything."""
    given: dict[str, Any] = {
        "name": "site",
        "scope": SiteScope(),
        "limits": site_limits(page_seconds=5.0, read_seconds=2.0),
        "politeness": politeness(first_retry_seconds=0.01, retries=1),
        "variants": DefaultVariant(current_version, default_locale),
    }
    return SiteSource(SiteRequest(start, **(given | overrides)), store)


def pages(items: list[PageRead]) -> dict[str, RawPage]:
    """The pages that came in full, by path with query."""
    return {_path(item.key): item for item in items if isinstance(item, RawPage)}


def reasons(items: list[PageRead]) -> dict[str, str]:
    """Why others are left out or failed, by path with query."""
    return {_path(item.key): item.reason for item in items if isinstance(item, PageExcluded | PageFailed | PageGone)}


def failed(items: list[PageRead]) -> set[str]:
    """The paths of pages that failed."""
    return {_path(item.key) for item in items if isinstance(item, PageFailed)}


def gone(items: list[PageRead]) -> set[str]:
    """The paths of known pages that are gone."""
    return {_path(item.key) for item in items if isinstance(item, PageGone)}


def known_of(items: list[PageRead]) -> dict[str, str]:
    """What a generation would remember."""
    return {item.key: item.source_hash for item in items if isinstance(item, RawPage | PageUnchanged)}


def _path(key: str) -> str:
    return "/" + key.split("/", 3)[3] if key.count("/") > 2 else "/"
