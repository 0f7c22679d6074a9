"""Folders of built HTML, made for one test, and a static host that serves them on loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from assay.adapters.sources.built.source import BuiltRequest, BuiltSource
from assay.adapters.sources.site.options import DefaultVariant, SiteScope
from tests.sites import html, links, sitemap

BASE = "https://docs.example.org"
LIMIT = 100_000


def page(text: str, *, head: str = "", lang: str = "en") -> bytes:
    """A page with a title and a main part that begins with its heading."""
    return html(text, head=head, lang=lang).body


def small_site(base: str = BASE) -> dict[str, bytes]:
    """A site with everything that a crawl observes, by path of the file."""
    canonical = f'<link rel="canonical" href="{base}/guide/setup/">'
    return {
        "index.html": page(f"Welcome {links('/guide/', '/reference.html', '/fr/', '/old.html', '/img/plan.png')}"),
        "guide/index.html": page(f"Guide for all {links('setup/', '../guide/use/', '/guide/use?step=2', '#top')}"),
        "guide/setup/index.html": page("Setup of the gripper. Turn the wheel twice.", head=canonical),
        "guide/setup/copy.html": page("Setup of the gripper. Turn the wheel twice.", head=canonical),
        "guide/use/index.html": page(f"Use of the gripper. {links('../setup/copy.html', '../../reference.html#arm')}"),
        "reference.html": page(f"Reference <a href='hidden.html'>hidden</a> {links('v1/a.html', 'v2/a.html')}"),
        "hidden.html": page("Hidden from searches", head='<meta name="robots" content="noindex">'),
        "old.html": page("Moved", head='<meta http-equiv="refresh" content="0; url=guide/setup/">'),
        "fr/index.html": page(f"Bienvenue {links('/fr/guide/')}", lang="fr"),
        "fr/guide/index.html": page("Guide pour tous", lang="fr"),
        "v1/a.html": page("Arm of the first version"),
        "v2/a.html": page(f"Arm of the second version {links('../robots-only.html')}"),
        "robots-only.html": page("For people, not for crawlers"),
        "listed.html": page("Listed in the sitemap alone"),
        "unlisted.html": page("Neither linked nor listed"),
        "404.html": page("Not found"),
        "robots.txt": b"User-agent: *\nDisallow: /robots-only\n",
        "sitemap.xml": sitemap(f"{base}/", f"{base}/guide/", f"{base}/listed.html").encode(),
        "img/plan.png": b"\x89PNG",
        "style.css": b"body {}",
    }


def plant(root: Path, files: dict[str, bytes]) -> Path:
    """Write files, by path relative to a root, with their folders."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def built(root: Path, store: Path, base_url: str | None = BASE, **options: Any) -> BuiltSource:  # noqa: ANN401
    """A source with a small page limit. store: folder for its file."""
    scope = SiteScope(options.pop("include", ()), options.pop("exclude", ()))
    variants = DefaultVariant(options.pop("current_version", None), options.pop("default_locale", None))
    data_dir = options.pop("data_dir", None)
    given = {"name": "site", "max_page_bytes": LIMIT} | options
    request = BuiltRequest(root, base_url, scope=scope, variants=variants, **given)
    return BuiltSource(request, store / "built.sqlite", data_dir)


@contextmanager
def hosted(root: Path, base_path: str = "/") -> Iterator[str]:
    """The address of a static host for a folder: no lists of files, and `.html` may be left out of addresses."""

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *given: Any) -> None:  # noqa: ANN401 - the base class's signature
            super().__init__(*given, directory=str(root))

        def translate_path(self, path: str) -> str:
            found = super().translate_path(path.removeprefix(base_path.rstrip("/")))
            return f"{found}.html" if Path(f"{found}.html").is_file() and not path.endswith("/") else found

        def list_directory(self, path: Any) -> None:  # type: ignore[override]  # noqa: ANN401
            self.send_error(404)

        def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the base class's signature
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{base_path}"
    finally:
        server.shutdown()
        server.server_close()
