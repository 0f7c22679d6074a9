"""A peer that behaves as OpenAI's `POST /v1/embeddings` does, and Azure's: `python -m tests.peers.openai --port N`.

Answers come in any order, each with its `index`, as the reference allows.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.peers.cohere import arguments, serve
from tests.peers.serving import Asked, Peer, PeerRules, Refused, count_tokens

_MOST_TEXTS = 2048


class OpenAIDialect:
    """OpenAI's requests and answers. A text that begins with `query: ` is a query; the API does not tell them apart."""

    def check(self, path: str, headers: Mapping[str, str], body: object, rules: PeerRules) -> Asked:
        sent = {name.lower(): value for name, value in headers.items()}
        parts = urlsplit(path)
        if parts.path.startswith("/openai/deployments/"):
            given = sent.get("api-key")
            if not parse_qs(parts.query).get("api-version"):
                raise Refused(404, "Resource not found")
        elif parts.path == "/v1/embeddings":
            given = sent.get("authorization", "").removeprefix("Bearer ")
        else:
            raise Refused(404, "Not Found")
        if rules.key is not None and given != rules.key:
            raise Refused(401, f"Incorrect API key provided: {given}. You can find your API key in your dashboard.")
        if not isinstance(body, dict) or not isinstance(body.get("model"), str):
            raise Refused(400, "you must provide a model parameter")
        if body.get("encoding_format", "float") != "float":
            raise Refused(400, "this peer gives encoding_format float")
        texts = body.get("input")
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise Refused(400, "'$.input' is invalid.")
        if len(texts) > _MOST_TEXTS:
            raise Refused(400, f"'$.input' is too long: at most {_MOST_TEXTS} texts.")
        for text in texts:
            if count_tokens(text) > rules.max_tokens:
                raise Refused(400, f"This model's maximum context length is {rules.max_tokens} tokens.")
        return Asked(texts, texts[0].startswith("query: "), body.get("dimensions", rules.dimension))

    def answer(self, asked: Asked, rows: list[list[float]], tokens: int) -> dict[str, Any]:
        data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
        return {"object": "list", "data": data[::-1], "model": "peer", "usage": {"prompt_tokens": tokens}}

    def error(self, status: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def openai_peer(port: int = 0, **rules: Any) -> Peer:  # noqa: ANN401 - fields of several types
    """A peer, not started. rules: fields of PeerRules."""
    return Peer(OpenAIDialect(), PeerRules(**rules), port)


if __name__ == "__main__":
    serve(openai_peer(**arguments("OpenAI's embeddings API on loopback")))
