"""What is no answer of a provider's API, over a socket: it is told as a failure of the provider, with what to do."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.integration.embedders.conftest import KEY, RULES

from assay.adapters.embedders.openai import Endpoint, OpenAIEmbedder, OpenAIModel
from assay.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError, InvalidEmbedding

MODEL = OpenAIModel("bge-base", 8, shorten=False, document_prefix="", query_prefix="")
DEEP = b"[" * 100_000


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[OpenAIEmbedder, list[str]]]:
    """An embedder over a server that always says this, and the paths that the server was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
            """Say nothing."""

        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the embedder has read enough

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        embedder = OpenAIEmbedder(Endpoint(url, KEY), MODEL, replace(RULES, retry_seconds=0.0, query_seconds=1.0))
        try:
            yield embedder, asked
        finally:
            embedder.close()
            server.shutdown()


@pytest.mark.parametrize(
    ("status", "body", "kind", "said", "hint"),
    [
        (200, DEEP, InvalidEmbedding, "cannot be used: it is nested too deeply", "base_url"),
        (200, b"<html>hello</html>", InvalidEmbedding, "cannot be used: it is not JSON", "base_url"),
        (200, b'{"data": []}', InvalidEmbedding, "0 vectors for 1 texts", "batch_texts"),
        (500, DEEP, EmbedderUnavailable, "it answered 500", "try again later"),
        (302, b"", EmbedderRefused, "it answered 302", "Redirects are not followed"),
        (418, b"", EmbedderRefused, "it answered 418", "base_url"),
    ],
)
def test_an_answer_that_is_none_is_a_failure_that_says_what_to_do(
    status: int, body: bytes, kind: type[EmbeddingError], said: str, hint: str
) -> None:
    with answering(status, body) as (embedder, _), pytest.raises(kind) as failure:
        embedder.embed_documents(["gripper"])
    assert said in failure.value.message
    assert hint in failure.value.hint


def test_no_more_is_read_than_the_vectors_can_need_and_it_is_not_asked_for_again() -> None:
    with answering(200, bytes(2_000_000)) as (embedder, asked), pytest.raises(EmbeddingError) as failure:
        embedder.embed_query("gripper")
    assert "the answer is longer than" in failure.value.message
    assert len(asked) == 1


def test_a_long_answer_that_the_vectors_need_is_read() -> None:
    texts = [f"text {number}" for number in range(96)]
    row = [0.12345678901234567] * 8
    body = json.dumps({"data": [{"index": n, "embedding": row} for n in range(96)], "pad": "x" * 500_000}, indent=8)
    with answering(200, body.encode()) as (embedder, _):
        assert embedder.embed_documents(texts).shape == (96, 8)
