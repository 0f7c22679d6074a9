"""Peers that repeat what they were sent: an HTTP server in every part of an answer, a Postgres in its error."""

import base64
import json
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

_CREDENTIALS = re.compile("auth|key|token|cookie", re.IGNORECASE)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    status = 200
    shape = "text"

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        # Credentials first, for a message is cut.
        named = sorted(self.headers.items(), key=lambda header: not _CREDENTIALS.search(header[0]))
        sent = [value for _, value in named]
        said = " | ".join(form for value in sent for form in spellings(value))
        self.send_response(self.status)
        content = _body(self.shape, said).encode()
        for name in ("Location", "Retry-After", "X-Sent"):
            self.send_header(name, " ".join(sent))
        self.send_header("Content-Type", "text/html" if self.shape == "page" else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else content)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET  # noqa: N815 - the names that the base class calls


def spellings(value: str) -> Iterator[str]:
    """A header's value as peers may repeat it."""
    yield from (value, value.upper(), quote(value, safe=""), base64.b64encode(value.encode()).decode())
    bare = value.rpartition(" ")[2]
    yield from (bare, base64.b64encode(bare.encode()).decode())


def _body(shape: str, said: str) -> str:
    match shape:
        case "message":
            return json.dumps({"message": said, "error": {"message": said}, "status": {"error": said}})
        case "name":
            return json.dumps({said: {said: said}, "data": [{said: said}], "embeddings": {said: []}})
        case "page":
            text = escape(said)
            return f"<html><head><title>{text}</title></head><body><main><p>{text}</p></main></body></html>"
        case _:
            return said


@contextmanager
def echo(status: int, shape: str) -> Iterator[str]:
    """The address of a server that answers this to everything."""
    handler = type("Handler", (_Handler,), {"status": status, "shape": shape})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def telltale_postgres(code: str) -> Iterator[int]:
    """The port of a Postgres that asks for the password in clear text, and repeats it in its error."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_refuse_all, args=(listener, code), daemon=True).start()
        yield listener.getsockname()[1]


def _refuse_all(listener: socket.socket, code: str) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            _tell(connection, code)


def _tell(connection: socket.socket, code: str) -> None:
    while True:
        length, kind = struct.unpack("!II", _exactly(connection, 8))
        _exactly(connection, length - 8)
        if kind == 3 << 16:  # version 3.0 of the protocol; all else asks for encryption
            break
        connection.sendall(b"N")
    connection.sendall(b"R" + struct.pack("!II", 8, 3))
    length = struct.unpack("!xI", _exactly(connection, 5))[0]
    password = _exactly(connection, length - 4).rstrip(b"\0")
    fields = b"SFATAL\0VFATAL\0C" + code.encode() + b"\0Mbad password: " + password + b"\0D" + password + b"\0\0"
    connection.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)


def _exactly(connection: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        piece = connection.recv(count - len(received))
        if not piece:
            raise ConnectionError
        received += piece
    return received
