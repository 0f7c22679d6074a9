"""A site may repeat what it was sent: the secret reaches neither its pages nor the file of the crawl."""

import base64
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sites import HTML, Reply, Request, Site, html, links, pages, reasons, redirect, served, source_of

from assay.redaction import hide, secrets_in_header

TOKEN = "s3cr3t-T0ken-0123456789"
HEADER = f"Bearer {TOKEN}"


def _echoing(request: Request) -> Reply:
    return html(f"Echo. You sent {request.headers.get('authorization')} to this page, and more words follow here.")


def _wide(request: Request) -> Reply:
    text = (
        f"<!doctype html><html><body><main><h1>Wide</h1><p>{request.headers['authorization']}</p></main></body></html>"
    )
    return Reply(200, text.encode("utf-16"), {"Content-Type": HTML})


def _cached(request: Request) -> Reply:
    return html("Cached. A page with a header that repeats.", ETag=f'"{request.headers["authorization"]}"')


@pytest.fixture
def site() -> Iterator[Site]:
    encoded = base64.b64encode(HEADER.encode()).decode()
    start = html(
        "Start. "
        + links("/echo", "/wide", "/cached", "/moved", "/offsite", "/broken", "/garbage", f"/linked?t={TOKEN}")
        + f" and {encoded}"
    )
    answers = {
        "/": start,
        "/echo": _echoing,
        "/wide": _wide,
        "/cached": _cached,
        "/moved": redirect(f"/elsewhere?token={TOKEN}"),
        "/offsite": redirect(f"https://other.example.org/?token={TOKEN}"),
        "/broken": Reply(200, b"x", {"Content-Type": f"application/{TOKEN}"}),
        "/sitemap.xml": Reply(
            200,
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>SITE/map?t={TOKEN}</loc></url>'
            f"</urlset>".encode(),
            {"Content-Type": "application/xml"},
        ),
        "/garbage": Reply(raw=lambda client: client.sendall(f"{HEADER}\r\n\r\n".encode())),
    }
    with served(Site(answers)) as site:
        listed = answers["/sitemap.xml"]
        assert isinstance(listed, Reply)
        site.pages["/sitemap.xml"] = Reply(200, listed.body.replace(b"SITE", site.url.encode()), listed.headers)
        yield site


def _everything(path: Path) -> str:
    """Every value of a crawl's file, unpacked."""
    found = []
    with sqlite3.connect(path) as connection:
        for table in ("about", "page", "visit", "listing"):
            for row in connection.execute(f"SELECT * FROM {table}"):
                found += [
                    zlib.decompress(value).decode() if isinstance(value, bytes) and value else value for value in row
                ]
    return "\n".join(map(str, found))


def test_no_secret_that_a_site_repeats_is_stored_or_said(site: Site, tmp_path: Path) -> None:
    hide(secrets_in_header(HEADER))
    path = tmp_path / "site.sqlite"
    items = list(source_of(site.url, path, headers={"Authorization": HEADER}).read({}))
    assert any(HEADER in str(request.headers.get("authorization")) for request in site.requests)
    assert "You sent ***" in pages(items)["/echo"].content
    assert "***" in pages(items)["/wide"].content
    stored = _everything(path)
    assert "***" in stored
    for text in (stored, *map(repr, items), *reasons(items).values()):
        for secret in (TOKEN, base64.b64encode(HEADER.encode()).decode().rstrip("=")):
            assert secret not in text


def test_a_page_that_was_stored_before_its_secret_was_known_is_masked_as_it_is_read(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "site.sqlite"
    known = list(source_of(site.url, path, headers={"Authorization": HEADER}).read({}))
    assert TOKEN in pages(known)["/echo"].content
    hide(secrets_in_header(HEADER))
    site.pages["/echo"] = Reply(304)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE page SET etag = '\"1\"' WHERE key LIKE '%/echo'")
    again = list(source_of(site.url, path, headers={"Authorization": HEADER}).read({}))
    assert "You sent ***" in pages(again)["/echo"].content


def test_the_file_of_a_crawl_is_its_owners_alone(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "site.sqlite"
    list(source_of(site.url, path).read({}))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
