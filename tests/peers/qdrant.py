"""A peer that speaks Qdrant's REST routes and gRPC calls over real sockets, on top of the embedded engine.

`python -m tests.peers.qdrant --port N --dir D [--grpc-port N] [--api-key KEY]` is a process of its own: what it
confirmed is in the folder, so that it can be killed and started again. `POST /_peer` with any of `faults` (a list of
rules, see tests/peers/qdrant_faults.py), `strict` (strict mode of new collections), `slow` (seconds) and `record`
controls it from elsewhere; `GET /_peer` tells how many requests there were, and those that were recorded.
"""
# ruff: noqa: ANN401 - JSON, and what a base class takes

import argparse
import json
import socket
import ssl
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

import grpc

from tests.peers.qdrant_api import VERSION, Database
from tests.peers.qdrant_engine import Refusal
from tests.peers.qdrant_faults import FaultRule, Faults
from tests.peers.qdrant_grpc import code_of, start_grpc


@dataclass(frozen=True)
class Recorded:
    """One exchange as it went over the wire. body, answer: JSON; None where there was none."""

    method: str
    path: str
    query: dict[str, str]
    body: Any
    status: int
    answer: Any


class QdrantPeer:
    """A server on loopback. Use it as a context manager, or call start and stop; a second start is a restart.

    slow: seconds that a slow answer takes longer.
    certificate: PEM file of a certificate and its key; None for plain http.
    grpc_port: None for no gRPC, 0 for a free port.
    drowsy: collections that were there at the start are grey until their optimizers are told something.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        grpc_port: int | None = None,
        drowsy: bool = False,
        api_key: str | None = None,
        read_only_key: str | None = None,
        certificate: Path | None = None,
        version: str = VERSION,
        yellow: int = 2,
    ) -> None:
        self.folder = folder
        self.api_key = api_key
        self.read_only_key = read_only_key
        self.certificate = certificate
        self.version = version
        self.yellow = yellow
        self.drowsy = drowsy
        self.faults = Faults()
        self.strange: str = "{}"
        self.nasty: str = ""
        self.slow = 3.0
        self.strict: dict[str, Any] = {}
        self.record = False
        self.recorded: list[Recorded] = []
        self.counts: Counter[str] = Counter()
        self.connections: set[socket.socket] = set()
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self._port = port
        self.grpc_port = grpc_port
        self._grpc: grpc.Server | None = None
        self._server: _Server | None = None
        self.database: Database | None = None

    @property
    def url(self) -> str:
        return f"https://localhost:{self._port}" if self.certificate else f"http://127.0.0.1:{self._port}"

    @property
    def port(self) -> int:
        return self._port

    def start(self) -> Self:
        self.stopping.clear()
        self.database = Database(self.folder, version=self.version, yellow=self.yellow, drowsy=self.drowsy)
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        self._server.peer = self
        if self.certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        if self.grpc_port is not None:
            self._grpc, self.grpc_port = start_grpc(self._ask, self.version, self.grpc_port)
        return self

    def stop(self) -> None:
        """Refuse connections from now on, and break those that are open."""
        if self._server is None or self.database is None:
            return
        self.stopping.set()
        if self._grpc is not None:
            self._grpc.stop(None).wait(10)
        self._server.shutdown()
        self._server.server_close()
        with self.lock:
            for connection in self.connections:
                _hang_up(connection)
        self._server.wait_idle()
        self.database.close()
        self._server = self.database = None

    def _ask(self, context: grpc.ServicerContext, method: str, path: str, body: Any) -> Any:
        """Answer a gRPC call as the REST request of the same meaning."""
        with self.lock:
            self.counts[f"gRPC {method} {path}"] += 1
        fault = self.faults.next(method, path)
        if fault == "reset":
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        try:
            sent = dict(context.invocation_metadata())
            if self.api_key is not None and sent.get("api-key") != self.api_key:
                raise Refusal(401, "Must provide an API key or an Authorization bearer token")
            _refuse_for(fault)
            if fault is not None and fault.startswith("echo-"):
                raise Refusal(int(fault[5:]) if fault != "echo-200" else 500, " ".join(map(str, sent.values())))
            assert self.database is not None
            self.database.strict = self.strict
            result = self.database.answer(method, path, {}, json.dumps(body).encode() if body is not None else b"")
        except Refusal as refusal:
            if "Retry-After" in refusal.headers:
                context.set_trailing_metadata((("retry-after", refusal.headers["Retry-After"]),))
            context.abort(code_of(refusal.status), refusal.words)
        if fault in ("lost", "cut", "html"):
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        if fault == "slow":
            self.stopping.wait(self.slow)
        return result

    def fail(self, kind: str, **rule: Any) -> None:
        """Let the next request fail so, or those that the rule is for."""
        self.faults.set([FaultRule(kind, **rule)])

    def heal(self) -> None:
        """No more faults."""
        self.faults.set([])

    def serve_forever(self) -> None:
        """Serve in this thread until the process ends."""
        self.start()
        threading.Event().wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    peer: QdrantPeer

    def __init__(self, *arguments: Any) -> None:
        self._busy = 0
        self._idle = threading.Condition()
        super().__init__(*arguments)

    def enter(self) -> None:
        with self._idle:
            self._busy += 1

    def leave(self) -> None:
        with self._idle:
            self._busy -= 1
            self._idle.notify_all()

    def wait_idle(self) -> None:
        """Until no request is being worked on."""
        with self._idle:
            self._idle.wait_for(lambda: self._busy == 0, timeout=10)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        with self.server.peer.lock:
            self.server.peer.connections.add(self.connection)

    def finish(self) -> None:
        with self.server.peer.lock:
            self.server.peer.connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            return

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            return  # the other side is gone, or this one was stopped

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.enter()
        try:
            self._respond(raw)
        finally:
            self.server.leave()

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - the base class's names

    def _respond(self, raw: bytes) -> None:
        peer = self.server.peer
        target = urlsplit(self.path)
        if target.path == "/_peer":
            self._control(raw)
            return
        query = dict(parse_qsl(target.query))
        with peer.lock:
            peer.counts[f"{self.command} {target.path}"] += 1
        fault = peer.faults.next(self.command, target.path)
        if fault == "reset":
            self._break()
            return
        status, answer, headers = self._answer(target.path, query, raw, fault)
        if peer.record:
            body = json.loads(raw) if raw else None
            with peer.lock:
                peer.recorded.append(Recorded(self.command, target.path, query, body, status, answer))
        if fault == "slow":
            peer.stopping.wait(peer.slow)
        content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        if fault == "lost":
            self._break()
        else:
            self._send(status, content, headers, cut=fault == "cut")

    def _answer(
        self, path: str, query: dict[str, str], raw: bytes, fault: str | None
    ) -> tuple[int, Any, dict[str, str]]:
        peer = self.server.peer
        started = time.monotonic()
        try:
            if path in ("/healthz", "/livez", "/readyz"):
                return 200, f"{path[1:]} check passed", {}
            self._require_key()
            _refuse_for(fault)
            if (planted := self._planted(fault)) is not None:
                return planted
            if path == "/":
                return 200, {"title": "qdrant - vector search engine", "version": peer.version}, {}
            assert peer.database is not None
            peer.database.strict = peer.strict
            result = peer.database.answer(self.command, path, query, raw)
        except Refusal as refusal:
            words = {"status": {"error": refusal.words}, "time": time.monotonic() - started}
            return refusal.status, words, dict(refusal.headers)
        except Exception as error:  # noqa: BLE001 - the engine's own errors are bare exceptions
            return 500, {"status": {"error": f"Service internal error: {error}"}, "time": 0.0}, {}
        return 200, {"result": result, "status": "ok", "time": time.monotonic() - started}, {}

    def _planted(self, fault: str | None) -> tuple[int, Any, dict[str, str]] | None:
        """An answer that is not the engine's, where the fault asks for one."""
        if fault == "html":
            return 200, "<html>a proxy's page</html>", {}
        if fault == "404-bare":
            return 404, "", {}
        if fault == "nasty":
            return 500, {"status": {"error": self.server.peer.nasty}}, {}
        if fault == "strange":
            return 200, self.server.peer.strange, {}
        if fault is not None and fault.startswith("echo-"):
            sent = " ".join(self.headers.values())
            return int(fault[5:]), {"status": {"error": sent}, sent: sent, "result": sent}, {"Location": sent}
        return None

    def _require_key(self) -> None:
        key, sent = self.server.peer.api_key, self.headers.get("api-key")
        if sent is not None and sent == self.server.peer.read_only_key:
            if self.command not in ("GET", "POST") or self.path.startswith("/collections/aliases"):
                raise Refusal(403, "Forbidden: Global manage access is required")
            return
        if key is not None and sent != key:
            raise Refusal(401, "Must provide an API key or an Authorization bearer token")

    def _control(self, raw: bytes) -> None:
        peer = self.server.peer
        wanted = json.loads(raw) if raw else {}
        if "faults" in wanted:
            peer.faults.set(wanted["faults"])
        peer.strict = wanted.get("strict", peer.strict)
        peer.slow = wanted.get("slow", peer.slow)
        peer.record = wanted.get("record", peer.record)
        with peer.lock:
            state = {"counts": dict(peer.counts), "recorded": [vars(one) for one in peer.recorded]}
        self._send(200, json.dumps(state).encode(), {})

    def _send(self, status: int, content: bytes, headers: dict[str, str], *, cut: bool = False) -> None:
        head = [f"HTTP/1.1 {status} {self.responses.get(status, ('',))[0]}", f"Content-Length: {len(content)}"]
        head += ["Content-Type: application/json", *(f"{name}: {value}" for name, value in headers.items())]
        whole = "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + content
        try:
            self.wfile.write(whole[: len(whole) - len(content) // 2] if cut else whole)
        except OSError:
            self.close_connection = True  # the other side did not wait
        if cut:
            self._break()

    def _break(self) -> None:
        self.close_connection = True
        _hang_up(self.connection)


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def _refuse_for(fault: str | None) -> None:
    match fault:
        case "429":
            raise Refusal(
                429, "Rate limiting exceeded: Write rate limit exceeded. Retry after 1s", {"Retry-After": "1"}
            )
        case "429-bare":
            raise Refusal(429, "Rate limiting exceeded: Read rate limit exceeded")
        case "full":
            raise Refusal(
                500, "Service internal error: No space left on device: WAL buffer size exceeds available disk space"
            )
        case "quota":
            words = (
                "Insufficient storage: Disk usage is at 76% of total capacity, exceeding the configured limit of 75%. "
                "Help: Reduce disk usage (e.g. delete points or drop collections), or raise `max_disk_usage_percent` "
                "in the global quota config."
            )
            raise Refusal(507, words)
        case "strict":
            words = (
                'Bad request: Limit exceeded 100 > 10 for "limit". Help: Reduce the "limit" parameter to or below 10.'
            )
            raise Refusal(400, words)
        case "401":
            raise Refusal(401, "Must provide an API key or an Authorization bearer token")
        case "403":
            raise Refusal(403, "Forbidden: Access to collection is required")
        case "500" | "502" | "503" | "504":
            raise Refusal(int(fault), f"the peer was told to answer {fault}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.peers.qdrant")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--grpc-port", type=int, help="no gRPC if unset")
    parser.add_argument("--api-key")
    parser.add_argument("--version", default=VERSION, help="the version that it says it is")
    asked = parser.parse_args()
    QdrantPeer(
        asked.dir, port=asked.port, grpc_port=asked.grpc_port, api_key=asked.api_key, version=asked.version
    ).serve_forever()


if __name__ == "__main__":
    main()
