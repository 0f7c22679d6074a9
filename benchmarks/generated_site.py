"""A generated documentation site, served from memory in its own process.

Run as `python -m benchmarks.generated_site PORT PAGES`; the pages have the size and boilerplate of a typical site.
"""

import asyncio
import hashlib
import random
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

_WORDS = """
gripper camera battery wheel motor sensor radio screen cable frame lamp valve pump filter engine
bearing torque voltage pressure signal router schema cache token query index shard replica broker
worker scheduler timeout retry calibrate install configure measure replace inspect restart observe
deploy rotate verify tighten release
""".split()  # noqa: SIM905 - sixty words read better so
_SIDEBAR_LINKS = 60
_SECTIONS = 5


def page(number: int, pages: int) -> bytes:
    """The HTML of one page; deterministic for its number."""
    draw = random.Random(number)
    words = [f"{draw.choice(_WORDS)} {draw.choice(_WORDS)}" for _ in range(_SECTIONS + 1)]
    near = range(max(0, number - _SIDEBAR_LINKS // 2), min(pages, number + _SIDEBAR_LINKS // 2))
    sidebar = "".join(
        f'<li class="menu__list-item"><a class="menu__link" href="/docs/page-{one}">Page {one}</a></li>' for one in near
    )
    sections = "".join(_section(draw, place, words[place]) for place in range(1, _SECTIONS + 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="generator" content="Docusaurus v3.10.0">'
        f"<title>{words[0]} {number} | Plant</title></head><body>"
        '<nav class="navbar"><a href="/">Plant</a><a href="/docs/page-0">Docs</a></nav>'
        f'<aside class="theme-doc-sidebar-container"><ul class="menu__list">{sidebar}</ul></aside>'
        f'<main><article><div class="theme-doc-markdown markdown"><header><h1>{words[0]} {number}</h1></header>'
        f"{sections}</div></article></main><footer>All rights of the plant reserved.</footer></body></html>"
    ).encode()


def _section(draw: random.Random, place: int, heading: str) -> str:
    sentences = [" ".join(draw.choices(_WORDS, k=12)).capitalize() + "." for _ in range(12)]
    rows = "".join(f"<tr><td>{draw.choice(_WORDS)}</td><td>{draw.randint(1, 99)}</td></tr>" for _ in range(4))
    return (
        f'<h2 class="anchor" id="part-{place}">{heading}<a href="#part-{place}" class="hash-link"></a></h2>'
        f"<p>{' '.join(sentences[:6])}</p><ul><li>{sentences[6]}</li><li>{sentences[7]}</li></ul>"
        f'<pre class="prism-code language-bash"><code>run --{draw.choice(_WORDS)} {draw.randint(1, 99)}</code></pre>'
        f"<p>{' '.join(sentences[8:])}</p><table><thead><tr><th>part</th><th>value</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def application(pages: int, origin: str) -> Callable[..., Awaitable[None]]:
    """The site as an ASGI application: every page in its sitemap, with an ETag."""
    listed = "".join(f"<url><loc>{origin}/docs/page-{number}</loc></url>" for number in range(pages))
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'.encode()

    async def answer(scope: dict[str, Any], _receive: object, send: Callable[[Any], Awaitable[None]]) -> None:
        if scope["type"] != "http":
            return
        path = scope["path"]
        status, kind, body, tag = 404, b"text/html", b"<h1>Nothing is here</h1>", b""
        if path == "/sitemap.xml":
            status, kind, body = 200, b"application/xml", sitemap
        elif path == "/" or path.startswith("/docs/page-"):
            number = 0 if path == "/" else int(path.rpartition("-")[2])
            if number < pages:
                tag = b'"' + hashlib.md5(path.encode(), usedforsecurity=False).hexdigest().encode() + b'"'
                unchanged = dict(scope["headers"]).get(b"if-none-match") == tag
                status, body = (304, b"") if unchanged else (200, page(number, pages))
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers + [(b"etag", tag)] * bool(tag)})
        await send({"type": "http.response.body", "body": body})

    return answer


@contextmanager
def generated_site(pages: int) -> Iterator[str]:
    """Serve the site; yield its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.generated_site", str(port), str(pages)]
    url = f"http://127.0.0.1:{port}/"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _await(url)
            yield url
        finally:
            process.terminate()


def _await(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"The site at {url} does not come up.")


if __name__ == "__main__":
    _port, _pages = int(sys.argv[1]), int(sys.argv[2])
    _site = application(_pages, f"http://127.0.0.1:{_port}")
    asyncio.run(uvicorn.Server(uvicorn.Config(_site, port=_port, log_level="error", lifespan="off")).serve())
