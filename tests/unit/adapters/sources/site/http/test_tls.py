"""Over https the certificate is verified, for the name in the URL, on the connection to the checked address."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.certificates import self_signed
from tests.sites import HTML, Request, Site, html, links, pages, source_of

from assay.adapters.sources.site.http import client
from assay.errors import SourceError


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def port(certificate: Path) -> Iterator[int]:
    site = Site({"/": html(f"Start {links('/a')}"), "/a": html("A")})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:  # noqa: ANN401 - the base class's signature
            """Say nothing."""

        def do_GET(self) -> None:
            reply = site.answer(Request(self.path, {}))
            self.send_response(reply.status)
            self.send_header("Content-Type", HTML)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:  # noqa: ANN401 - the base class's signature
            """A client that does not trust the certificate goes away."""

    server = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_certificate_that_nobody_signed_is_refused(port: int, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="certificate is not valid"):
        list(source_of(f"https://localhost:{port}/", tmp_path / "crawl.sqlite").read({}))


@pytest.fixture
def trusting(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = ssl.create_default_context(cafile=str(certificate.with_suffix(".crt")))
    monkeypatch.setattr(client, "_tls_context", lambda: context)


@pytest.mark.usefixtures("trusting")
def test_a_site_over_https_is_read(port: int, tmp_path: Path) -> None:
    items = list(source_of(f"https://localhost:{port}/", tmp_path / "crawl.sqlite").read({}))
    assert set(pages(items)) == {"/", "/a"}


@pytest.mark.usefixtures("trusting")
def test_a_certificate_for_another_name_is_refused(port: int, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="certificate is not valid"):
        list(source_of(f"https://127.0.0.1:{port}/", tmp_path / "crawl.sqlite").read({}))
