"""A documentation site with versions, languages and hostile pages, served to a real Chromium."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from assay.app import Assay
from assay.settings import Settings, load_settings
from assay.web.serving.server import serve
from tests.folders import plant
from tests.forking import ForkedProgram

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_PATIENCE_MS = 30_000
"""How long a busy machine may take for a step."""

_CLEAR_ONCE = """
if (location.protocol.startsWith("http") && !window.name) {
  window.name = "tab";
  localStorage.clear();
}
"""
"""A tab begins without what the tabs before it stored; its name lasts as long as it."""

_BROWSERS = ("chromium", "google-chrome")
"""Not `chromium-headless-shell`: that of Debian 12 is a third faster, but now and then its tabs crash and hang."""

BASE_URL = "https://docs.example.org"
HOSTILE = "<img src=x onerror=alert(1)> & <script>alert(2)</script> \"quoted\" 'title'"
STACKED = "Giraffe" + "\N{COMBINING ACUTE ACCENT}" * 200
"""A word with a tower of accents that would reach over the page."""

PARTS = ("gripper", "camera", "battery", "lidar", "ankle", "wrist", "speaker", "gyroscope")

_PADDING = " ".join(f"Paragraph {number} is about wires, bolts and grease." for number in range(30))
"""Fills a section, so that it is a chunk of its own."""

_NODES = f"""# Nodes

Nodes are the programs of the robot. Each node does one thing. {_PADDING}

## Topics

Nodes communicate by topics: one publishes, any number subscribe. A topic has a name and a type. {_PADDING}

### Quality of service

A publisher and a subscriber agree on reliability, durability and the depth of the queue. {_PADDING}
"""


def write_site(folder: Path) -> Path:
    """A Docusaurus site with two versions and two languages, and a handbook with a hostile page."""
    site = {
        "docs/nodes.md": _NODES,
        "versioned_docs/version-2.0/nodes.md": _NODES,
        "versioned_docs/version-1.0/nodes.md": "# Nodes\n\nIn version one, nodes communicate over a serial cable.\n",
        "versions.json": '["2.0", "1.0"]',
        "docusaurus.config.js": "module.exports = {title: 'x', url: 'https://docs.example.org', baseUrl: '/', "
        "i18n: {defaultLocale: 'en', locales: ['en', 'de']}, presets: [['classic', {}]]};",
        "i18n/de/docusaurus-plugin-content-docs/version-2.0/nodes.md": "# Knoten\n\nKnoten sind Programme.\n",
    }
    for part in PARTS:
        text = f"# Replacing the {part}\n\n## Before you begin\n\nSwitch the robot off before work on the {part}.\n"
        site[f"versioned_docs/version-2.0/{part}.md"] = text
    plant(folder / "site", site)
    pages = {f"{part}.md": f"# Testing the {part}\n\nTest the {part} of the robot every month.\n" for part in PARTS}
    escaped = re.sub(r"([<>&])", r"\\\1", HOSTILE)
    pages["hostile.md"] = (
        f"# Zebra {escaped}\n\nThe zebra says {escaped} and nothing else.\n\n## Hooves {escaped}\n\nHooves.\n"
    )
    pages["stacked.md"] = f"# {STACKED}\n\nThe giraffe is tall.\n\n## Necks {STACKED}\n\nNecks: {STACKED}.\n"
    plant(folder / "handbook", pages)
    return folder


def site_settings(folder: Path, **server: object) -> Settings:
    """Settings over the site in this folder."""
    sources = [
        {"path": folder / "site", "name": "docs", "base_url": BASE_URL, "convention": "docusaurus"},
        {"path": folder / "handbook", "name": "handbook", "base_url": f"{BASE_URL}/handbook", "convention": "plain"},
    ]
    return load_settings(None, {"data_dir": folder / "index", "sources": sources, "server": server})


def _serve(folder: Path, server: dict[str, object]) -> None:
    with Assay.open(site_settings(folder, **server)) as assay:
        serve(assay, "127.0.0.1", 0)


@contextmanager
def served_site(folder: Path, **server: object) -> Iterator[str]:
    """A server process over the index in a folder; its URL, with a slash at its end."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log"
        process = ForkedProgram(log, _serve, folder, server)
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, log.read_text(encoding="utf-8")
            yield f"{found[0]}/"
        finally:
            process.close()


@contextmanager
def other_site(pages: dict[str, str]) -> Iterator[str]:
    """Another site, at `localhost`, with these pages by their path; its origin. They may be changed while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = pages.get(self.path.partition("?")[0])
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write((content or "").encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def chromium_path() -> str | None:
    """The Chromium of ASSAY_TEST_CHROMIUM, or else of the system; None if there is none."""
    installed = (path for name in _BROWSERS if (path := shutil.which(name)))
    return os.environ.get("ASSAY_TEST_CHROMIUM") or next(installed, None)


@contextmanager
def chromium(*arguments: str) -> Iterator["Browser"]:
    """The Chromium of ASSAY_TEST_CHROMIUM or of the system; skips where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install '.[dev]'")
    path = chromium_path()
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium, or set ASSAY_TEST_CHROMIUM to its path")
    sync_api.expect.set_options(timeout=_PATIENCE_MS)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


def new_context(browser: "Browser", **options: Any) -> "BrowserContext":  # noqa: ANN401 - those of new_context
    """A profile with its own storage and cache, without animations."""
    context = browser.new_context(**{"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}, **options})
    context.set_default_timeout(_PATIENCE_MS)
    context.add_init_script(_CLEAR_ONCE)
    return context


@contextmanager
def tab(context: "BrowserContext") -> Iterator["Page"]:
    """A new tab. At its end, no script has failed, no dialog was opened, and no policy was violated."""
    troubles: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(f"a dialog: {dialog.message}"))
    page.on("console", lambda line: "Content Security Policy" in line.text and troubles.append(line.text))
    yield page
    for each in context.pages:
        each.close()
    assert troubles == []


@contextmanager
def alone(browser: "Browser", **options: Any) -> Iterator["Page"]:  # noqa: ANN401 - those of new_context
    """A tab in a profile of its own."""
    context = new_context(browser, **options)
    with tab(context) as page:
        yield page
    context.close()


@cache
def _axe() -> str:
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page: "Page") -> list[str]:
    """What axe-core finds wrong in light and in dark colours: the rule, and the places."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_axe())
    found: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        report = page.evaluate("axe.run(document, {resultTypes: ['violations'], iframes: false, preload: false})")
        found += [f"{scheme}: {one['id']}: {[node['target'] for node in one['nodes']]}" for one in report["violations"]]
    return found
