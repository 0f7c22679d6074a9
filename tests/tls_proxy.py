"""A proxy with a certificate in front of servers on loopback, as search boxes need one."""

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

_OF_A_CONNECTION = frozenset({"connection", "transfer-encoding", "content-length", "date", "server"})


@contextmanager
def tls_proxy(certificate: Path, servers: Mapping[str, str]) -> Iterator[int]:
    """Forward requests over TLS, with their paths unchanged. Gives the port on 127.0.0.1.

    servers: the URL of a server on loopback, by the host name that is asked for; may be changed meanwhile.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            with suppress(ssl.SSLError):  # a browser gives up a connection whose certificate it does not know
                super().handle()

        def _forward(self) -> None:
            server = HTTPConnection(urlsplit(servers[self.headers["Host"]]).netloc)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server.request(self.command, self.path, body, dict(self.headers))
            answer = server.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _OF_A_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
            server.close()

        do_GET = do_POST = do_OPTIONS = _forward  # noqa: N815 - names of the base class

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    proxy.socket = context.wrap_socket(proxy.socket, server_side=True, do_handshake_on_connect=False)
    Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield proxy.server_port
    finally:
        proxy.shutdown()
        proxy.server_close()
