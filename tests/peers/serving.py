"""The HTTP side of a peer: a threaded server on loopback, faults, limits, and routes to control it from elsewhere.

`GET /_peer/counts` (`?texts=1` for each text), `POST /_peer/faults` with any of `script`, `always`, `rate` and
`kinds`, and `POST /_peer/reset`. So a test can use a peer in another process as it uses one in its own.
"""

import json
import math
import re
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep
from typing import Any, Protocol, Self

import numpy as np

from tests.peers.faults import WORKED, Faults
from tests.peers.hashed_vectors import hashed_vector
from tests.peers.ledger import Ledger

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[^\W\d_]{1,6}|\d|[^\w\s]|_")


def count_tokens(text: str) -> int:
    """Tokens as a peer counts them: words in pieces of six letters, digits and signs one each, and both ends."""
    return len(_TOKEN.findall(text)) + 2


def overlap(question: str, text: str) -> float:
    """How well a text answers, as a peer sees it: the share of the question's words that it has; short texts first."""
    words = set(_WORD.findall(question.lower()))
    return len(words & set(_WORD.findall(text.lower()))) / (len(words) or 1) - len(text) * 1e-6


@dataclass(frozen=True)
class PeerRules:
    """What a peer accepts. latency, slow: seconds that an answer takes, and that a slow one takes longer.

    most_texts: of a request to TEI.
    """

    key: str | None = "peer-key"
    dimension: int = 1024
    inputs_per_window: int | None = None
    tokens_per_window: int | None = None
    window: float = 60.0
    latency: float = 0.0
    slow: float = 5.0
    max_tokens: int = 512
    retry_after: int = 1
    most_texts: int = 32


@dataclass(frozen=True)
class Asked:
    """A request that is in order: what to embed, as what, and how long the vectors are to be.

    question: what the texts are to be scored for, in place of vectors; None for a request of vectors.
    """

    texts: Sequence[str]
    query: bool
    dimension: int
    question: str | None = None


@dataclass(frozen=True)
class Refused(Exception):
    """A request that is not in order."""

    status: int
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict)


class Dialect(Protocol):
    """How a provider's requests and answers look."""

    def check(self, path: str, headers: Mapping[str, str], body: object, rules: PeerRules) -> Asked:
        """What is asked for. Raises Refused as the provider would."""

    def answer(self, asked: Asked, rows: list[list[float]], tokens: int) -> Any:  # noqa: ANN401 - JSON
        """The body with the vectors."""

    def error(self, status: int, message: str) -> dict[str, Any]:
        """The body of a refusal."""


class Peer:
    """A provider on loopback. Use it as a context manager, or call start and stop."""

    def __init__(self, dialect: Dialect, rules: PeerRules, port: int = 0) -> None:
        self.rules = rules
        self.dialect = dialect
        self.faults = Faults()
        named = {"inputs": rules.inputs_per_window, "tokens": rules.tokens_per_window}
        self.ledger = Ledger({name: limit for name, limit in named.items() if limit}, rules.window)
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.peer = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread."""
        self._server.serve_forever(0.05)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def rows(self, asked: Asked) -> list[list[float]]:
        """A vector for each text, or its score alone."""
        if asked.question is not None:
            return [[overlap(asked.question, text)] for text in asked.texts]
        return [np.round(hashed_vector(text, asked.dimension, int(asked.query)), 8).tolist() for text in asked.texts]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    peer: Peer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = 60
    disable_nagle_algorithm = True  # head and body are two packets, and the second would wait 40 ms for an answer

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing; the ledger has it all."""

    def do_GET(self) -> None:
        if self.path.startswith("/_peer/counts"):
            self._send(200, self.server.peer.ledger.as_json(texts="texts=1" in self.path))
        else:
            self._send(404, {"message": "not found"})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/_peer/"):
            self._control(json.loads(raw or b"{}"))
            return
        ledger = self.server.peer.ledger
        ledger.arrived()
        status = "error"
        try:
            status = self._embed(raw)
        finally:
            ledger.left(status)

    def _control(self, wanted: dict[str, Any]) -> None:
        peer = self.server.peer
        if self.path == "/_peer/reset":
            peer.ledger.reset()
        if "script" in wanted:
            peer.faults.script(wanted["script"])
        if "always" in wanted:
            peer.faults.always(wanted["always"])
        if "rate" in wanted:
            peer.faults.at_rate(wanted["rate"], wanted.get("kinds", ()), wanted.get("seed", 0))
        self._send(200, {})

    def _embed(self, raw: bytes) -> str:
        peer, rules = self.server.peer, self.server.peer.rules
        fault = peer.faults.next()
        if fault == "reset":
            self._hang_up()
            return "reset"
        try:
            self._refuse_for(fault)
            try:
                body = json.loads(raw)
            except ValueError:
                raise Refused(400, "invalid request: the body is not JSON") from None
            asked = peer.dialect.check(self.path, dict(self.headers.items()), body, rules)
            tokens = sum(map(count_tokens, asked.texts))
            wait = peer.ledger.wait_for({"inputs": len(asked.texts), "tokens": tokens})
            if wait:
                raise Refused(429, "rate limit exceeded", {"Retry-After": str(math.ceil(wait))})
        except Refused as refused:
            self._send(refused.status, peer.dialect.error(refused.status, refused.message), refused.extra)
            return str(refused.status)
        delivered = fault is None or fault == "slow"
        peer.ledger.worked(asked.texts, tokens, query=asked.query, delivered=delivered)
        rows = _spoiled(peer.rows(asked), fault)
        sleep(rules.latency + (rules.slow if fault == "slow" else 0.0))
        answer = json.dumps(peer.dialect.answer(asked, rows, tokens)).encode()
        if fault == "cut":
            self._send_half(answer)
        else:
            self._send_bytes(200, answer[: len(answer) // 2] if fault == "malformed" else answer)
        return fault if fault in WORKED else "200"

    def _refuse_for(self, fault: str | None) -> None:
        retry = self.server.peer.rules.retry_after
        if fault == "429-date":
            when = datetime.now(UTC) + timedelta(seconds=retry + 1)  # the format has no fractions of a second
            raise Refused(429, "rate limit exceeded", {"Retry-After": format_datetime(when, usegmt=True)})
        if fault == "429":
            raise Refused(429, "rate limit exceeded", {"Retry-After": str(retry)})
        if fault == "429-bare":
            raise Refused(429, "rate limit exceeded")
        if fault == "month":
            raise Refused(429, "You are using a Trial key, which is limited to 1000 API calls / month.")
        if fault and fault.isdigit():
            raise Refused(int(fault), f"the peer was told to answer {fault}")

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), headers)

    def _send_bytes(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            self.close_connection = True  # the caller did not wait

    def _send_half(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return


def _spoiled(rows: list[list[float]], fault: str | None) -> list[list[float]]:
    """The vectors as a provider that does this wrong would send them."""
    match fault:
        case "wrong-dimension":
            return [row[:-1] for row in rows]
        case "nan":
            return [*rows[:-1], [math.nan, *rows[-1][1:]]]
        case "zero":
            return [*rows[:-1], [0.0] * len(rows[-1])]
        case "partial":
            return rows[:-1]
    return rows
