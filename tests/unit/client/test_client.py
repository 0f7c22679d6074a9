"""Answers that no Assay gives, over a real socket: each becomes an error that says what to do, without the key."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assay.client.client import Client
from assay.errors import (
    AssayError,
    ConfigurationError,
    InputError,
    ServiceError,
    ServiceRefused,
    ServiceThrottled,
    ServiceUnavailable,
)
from assay.model.ranking import Query

KEY = "assay_0123456789abcdef"
HIT: dict[str, Any] = {
    "rank": 1,
    "chunk_id": "00000000-0000-5000-8000-000000000000",
    "similarity": 0.5,
    "rank_score": 1.25,
    "content": "The gripper opens.",
    "highlights": [],
    "url": "https://docs.example.org/gripper",
    "section_url": "https://docs.example.org/gripper#open",
    "title": None,
    "section": "Open",
    "heading_path": ["Gripper", "Open"],
    "anchor": "open",
    "position": 3,
    "source": "manual",
    "source_path": "gripper.md",
    "version": None,
    "locale": "en",
    "start": 10,
    "end": 28,
    "previous_id": None,
    "next_id": None,
    "content_hash": "0" * 64,
    "token_count": 7,
    "created_at": "2026-01-02T03:04:05.678901Z",
}
ANSWER: dict[str, Any] = {
    "query": "gripper",
    "results": [HIT],
    "generation": "20260101-000000-000000",
    "mode": "hybrid",
    "warnings": ["a warning"],
    "timings_ms": {"embed": 1.0, "search": 2.0, "fuse": 0.5, "filter": 0.25, "format": 0.1, "total": 4.0},
}


@dataclass
class Peer:
    """What is answered, one after another, the last one again and again; and what was asked."""

    answers: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)
    url: str = ""

    def give(self, status: int, body: object, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, content, headers))


@pytest.fixture
def peer() -> Iterator[Peer]:
    found = Peer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
            status, content, headers = found.answers.pop(0) if len(found.answers) > 1 else found.answers[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield found
    server.shutdown()
    server.server_close()


def _refusal(peer: Peer, key: str | None = KEY) -> AssayError:
    client = Client(peer.url, key)
    with pytest.raises(AssayError) as caught:
        client.search(Query("gripper", 5))
    client.close()
    return caught.value


def test_an_answer_becomes_the_ranking_that_it_was(peer: Peer) -> None:
    peer.give(200, ANSWER)
    ranking = Client(peer.url).search(Query("gripper", 5))
    (hit,) = ranking.hits
    assert (ranking.generation, ranking.warnings) == (ANSWER["generation"], ("a warning",))
    assert (ranking.timings.embed_ms, ranking.timings.total_ms) == (1.0, 4.0)
    assert (hit.rank, hit.similarity, hit.rank_score, hit.vector) == (1, 0.5, 1.25, None)
    assert (hit.chunk.text, hit.chunk.section_url, hit.chunk.document.title) == (
        HIT["content"],
        HIT["section_url"],
        "",
    )
    assert (hit.chunk.start, hit.chunk.end, hit.chunk.position, hit.chunk.document.locale) == (10, 28, 3, "en")
    assert hit.chunk.created_at is not None
    assert hit.chunk.created_at.isoformat() == "2026-01-02T03:04:05.678901+00:00"


@pytest.mark.parametrize("end", ["", "/", "/v1/search", "/v1/search/"])
def test_the_address_may_end_as_people_write_it(peer: Peer, end: str) -> None:
    peer.give(200, ANSWER)
    client = Client(f"{peer.url}/below{end}", KEY)
    client.search(Query("gripper", 5))
    path, headers, body = peer.requests[0]
    assert path == "/below/v1/search"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (body["query"], body["top_k"]) == ("gripper", 5)
    assert KEY not in repr(client)


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (400, InputError, "refused the query"),
        (413, InputError, "refused the query"),
        (401, ServiceRefused, "does not allow this key to search"),
        (403, ServiceRefused, "does not allow this key to search"),
        (404, ServiceRefused, "There is no Assay at"),
        (405, ServiceRefused, "There is no Assay at"),
        (302, ServiceRefused, "There is no Assay at"),
        (408, ServiceUnavailable, "cannot answer"),
        (429, ServiceThrottled, "throttles"),
        (500, ServiceUnavailable, "cannot answer"),
        (502, ServiceUnavailable, "cannot answer"),
        (503, ServiceUnavailable, "cannot answer"),
    ],
)
def test_a_refusal_is_told_in_the_servers_words_without_the_key(
    peer: Peer, status: int, kind: type[AssayError], says: str
) -> None:
    peer.give(
        status, {"error": "x", "message": f"The words  of\nthe server about {KEY}."}, Location="http://127.0.0.1:9/"
    )
    error = _refusal(peer)
    assert type(error) is kind
    assert says in error.message
    assert "The words of the server about ***." in error.message
    assert KEY not in str(error)
    assert len(peer.requests) == 1


def test_without_a_key_it_is_said_that_one_is_asked_for(peer: Peer) -> None:
    peer.give(401, {"error": "unauthorized", "message": "A key is needed."})
    assert "requires a key" in _refusal(peer, None).message


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Welcome</html>",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"results": []}',
        json.dumps({**ANSWER, "results": [{}]}).encode(),
        json.dumps({**ANSWER, "results": None}).encode(),
        json.dumps({**ANSWER, "timings_ms": {}}).encode(),
        json.dumps({**ANSWER, "results": [{**HIT, "content": None}]}).encode(),
        json.dumps({**ANSWER, "results": [{**HIT, "created_at": "yesterday"}]}).encode(),
    ],
)
def test_what_is_no_ranking_is_no_empty_ranking(peer: Peer, body: bytes) -> None:
    peer.give(200, body)
    error = _refusal(peer)
    assert type(error) is ServiceError
    assert "is not a ranking" in error.message


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b'"text"', b'{"message": 5}', b"\xff\xfe", b"[" * 9_999])
def test_an_error_page_of_somebody_in_front_is_told_too(peer: Peer, body: bytes) -> None:
    peer.give(502, body)
    error = _refusal(peer)
    assert type(error) is ServiceUnavailable
    assert len(error.message) < 600


def test_a_server_that_is_not_there_is_said_to_be_so() -> None:
    client = Client("http://127.0.0.1:9", KEY)
    with pytest.raises(ServiceUnavailable, match=r"http://127\.0\.0\.1:9 did not answer"):
        client.search(Query("gripper", 5))


def test_a_throttled_search_is_asked_again_as_long_as_there_is_patience(peer: Peer) -> None:
    pauses: list[float] = []
    for _ in range(2):
        peer.give(429, {"error": "rate_limited", "message": "Too many."}, Retry_After="7")
    peer.give(200, ANSWER)
    client = Client(peer.url, KEY, throttle_seconds=60.0, pause=pauses.append)
    assert len(client.search(Query("gripper", 5)).hits) == 1
    assert pauses == [7.0, 7.0]


def test_a_pause_that_is_longer_than_the_patience_is_not_made(peer: Peer) -> None:
    pauses: list[float] = []
    peer.give(429, {"error": "rate_limited", "message": "Too many."}, Retry_After="3600")
    with pytest.raises(ServiceThrottled):
        Client(peer.url, KEY, throttle_seconds=60.0, pause=pauses.append).search(Query("gripper", 5))
    assert pauses == []


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://x.example", "https://", "https://x.example/?key=secret-part", "file:///x"]
)
def test_what_is_no_address_is_refused_without_its_query(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not the URL") as caught:
        Client(url)
    assert "secret-part" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [("http://", "'http://'"), ("http://[::1", "'http://[::1'"), ("http://x.example:no", "example:no'")],
)
def test_an_address_without_a_host_is_shown(url: str, shown: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the URL of a server") as caught:
        Client(url)
    assert shown in caught.value.message


@pytest.mark.parametrize("url", ["http://me:secret-part@[::1", "me:secret-part@x.example"])
def test_a_password_in_an_invalid_address_is_not_shown(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not the URL") as caught:
        Client(url)
    assert "secret-part" not in str(caught.value)


@pytest.mark.parametrize("key", ["", " "])
def test_an_empty_key_is_refused_before_a_request(key: str) -> None:
    with pytest.raises(ConfigurationError, match="is empty"):
        Client("https://x.example", key)


def test_an_address_or_key_that_is_no_text_is_refused_and_not_told() -> None:
    with pytest.raises(InputError, match="url: it must be text, not int"):
        Client(5)  # type: ignore[arg-type]  # what the types forbid
    with pytest.raises(InputError, match="key: it must be text or None, not bytes"):
        Client("https://x.example", b"secret")  # type: ignore[arg-type]  # the same


def test_a_query_that_is_neither_text_nor_a_query_is_refused(peer: Peer) -> None:
    with Client(peer.url) as client, pytest.raises(InputError, match="query: it must be text or a Query, not None"):
        client.search(None)  # type: ignore[call-overload]  # what the types forbid
    assert peer.requests == []


def test_a_closed_client_says_so(peer: Peer) -> None:
    peer.give(200, ANSWER)
    client = Client(peer.url)
    assert client.search(Query("gripper", 5)).hits
    client.close()
    for call in (lambda: client.search("gripper"), client.__enter__):
        with pytest.raises(ServiceUnavailable, match="is closed") as caught:
            call()
        assert "assay.connect" in caught.value.hint
    assert len(peer.requests) == 1
    client.close()


@pytest.mark.parametrize("key", ["two\nlines", "clé", "trailing "])
def test_a_key_that_no_header_can_carry_is_refused_and_not_told(key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client("https://x.example", key)
    assert key not in str(caught.value)


def test_a_password_in_the_address_is_never_shown(peer: Peer) -> None:
    peer.give(500, {"error": "internal_error", "message": "Broken."})
    client = Client(peer.url.replace("http://", "http://somebody:hidden@"))
    with pytest.raises(ServiceUnavailable) as caught:
        client.search(Query("gripper", 5))
    assert "hidden" not in f"{caught.value} {client!r}"


def test_options_that_are_not_set_are_not_sent_because_earlier_servers_refuse_them(peer: Peer) -> None:
    peer.give(200, ANSWER | {"top_k": 5, "threshold": 0.0})
    with Client(peer.url) as client:
        assert client.search(Query("gripper", 5)).corrections == ()
        client.search(Query("gripper", 5, correct=False, typing=True, passages_per_page=2))
    plain, full = ({*request[2]} for request in peer.requests)
    assert plain == {"query", "top_k", "mode", "threshold", "filters", "include"}
    assert full == {*plain, "correct", "typing", "group_by", "passages_per_page"}
    assert [request[2]["filters"] for request in peer.requests] == [{}, {}]
