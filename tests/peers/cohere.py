"""A peer that behaves as Cohere's `POST /v2/embed` and `/v2/rerank` do: `python -m tests.peers.cohere --port N`.

What it checks and how it refuses follows Cohere's reference: the key, the model, `input_type` (required from version 3
on), `embedding_types`, at most 96 texts, no empty text, and with `truncate: NONE` no text over the model's limit.
"""

import argparse
import uuid
from collections.abc import Mapping
from typing import Any

from tests.peers.serving import Asked, Peer, PeerRules, Refused, count_tokens

MODELS = {
    "embed-v4.0": (1536, 256, 512, 1024),
    "embed-english-v3.0": (1024,),
    "embed-multilingual-v3.0": (1024,),
    "embed-english-light-v3.0": (384,),
    "embed-multilingual-light-v3.0": (384,),
}
RERANKERS = ("rerank-v3.5", "rerank-english-v3.0", "rerank-multilingual-v3.0")
_MOST_DOCUMENTS = 1_000
_INPUT_TYPES = {"search_document", "search_query", "classification", "clustering"}
_MOST_TEXTS = 96


class CohereDialect:
    """Cohere's requests and answers."""

    def check(self, path: str, headers: Mapping[str, str], body: object, rules: PeerRules) -> Asked:
        if path not in {"/v2/embed", "/v2/rerank"}:
            raise Refused(404, "not found")
        sent = {name.lower(): value for name, value in headers.items()}
        if rules.key is not None and sent.get("authorization") != f"Bearer {rules.key}":
            raise Refused(401, "invalid api token")
        if not isinstance(body, dict):
            raise Refused(400, "invalid request: the body must be an object")
        if path == "/v2/rerank":
            return self._rerank(body)
        lengths = self._model(body)
        texts = self._texts(body, rules)
        if body.get("input_type") not in _INPUT_TYPES:
            raise Refused(400, "invalid request: valid input_type must be provided with the provided model")
        if body.get("embedding_types", ["float"]) != ["float"]:
            raise Refused(400, "invalid request: this peer gives embedding_types float")
        dimension = body.get("output_dimension", lengths[0])
        if dimension not in lengths:
            raise Refused(400, "invalid request: output_dimension is not supported by the model")
        return Asked(texts, body["input_type"] == "search_query", dimension)

    def _rerank(self, body: dict[str, Any]) -> Asked:
        model, query, documents = body.get("model"), body.get("query"), body.get("documents")
        if model not in RERANKERS:
            raise Refused(404, f"model '{model}' not found, make sure the correct model ID was used")
        if not isinstance(query, str) or not query:
            raise Refused(400, "invalid request: query must be not be empty")
        if not isinstance(documents, list) or not documents or not all(isinstance(one, str) for one in documents):
            raise Refused(400, "invalid request: list of documents must not be empty")
        if len(documents) > _MOST_DOCUMENTS:
            raise Refused(400, f"too many documents provided: {len(documents)}, at most {_MOST_DOCUMENTS}")
        if body.keys() - {"model", "query", "documents", "top_n", "max_tokens_per_doc"}:
            raise Refused(400, "invalid request: unknown field")
        return Asked(documents, query=True, dimension=1, question=query)

    def _model(self, body: dict[str, Any]) -> tuple[int, ...]:
        model = body.get("model")
        if not isinstance(model, str) or not model:
            raise Refused(400, "invalid request: model is required")
        if model not in MODELS:
            raise Refused(404, f"model '{model}' not found, make sure the correct model ID was used")
        return MODELS[model]

    def _texts(self, body: dict[str, Any], rules: PeerRules) -> list[str]:
        texts = body.get("texts")
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "invalid request: texts must be a list of strings")
        if len(texts) > _MOST_TEXTS:
            raise Refused(400, f"invalid request: total number of texts must be at most 96 - received {len(texts)}")
        if body.get("truncate", "END") not in {"NONE", "START", "END"}:
            raise Refused(400, "invalid request: truncate must be one of NONE, START, END")
        most = 128_000 if body["model"] == "embed-v4.0" else rules.max_tokens
        for position, text in enumerate(texts):
            if not text.strip():
                raise Refused(400, f"invalid request: text at index {position} must not be empty")
            if body.get("truncate", "END") == "NONE" and count_tokens(text) > most:
                raise Refused(400, f"invalid request: text at index {position} exceeds the limit of {most} tokens")
        return texts

    def answer(self, asked: Asked, rows: list[list[float]], tokens: int) -> dict[str, Any]:
        if asked.question is not None:
            meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
            return {"id": str(uuid.uuid4()), "results": results(rows), "meta": meta}
        return {
            "id": str(uuid.uuid4()),
            "embeddings": {"float": rows},
            "texts": list(asked.texts),
            "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": tokens}},
            "response_type": "embeddings_by_type",
        }

    def error(self, status: int, message: str) -> dict[str, Any]:
        return {"id": str(uuid.uuid4()), "message": message}


def results(rows: list[list[float]], field: str = "relevance_score") -> list[dict[str, Any]]:
    """The scores of the texts as rerankers send them: the best first, each with the index of its text."""
    scored = [{"index": index, field: row[0] if row else None} for index, row in enumerate(rows)]
    return sorted(scored, key=lambda one: -(one[field] or 0.0))


def cohere_peer(port: int = 0, **rules: Any) -> Peer:  # noqa: ANN401 - fields of several types
    """A peer, not started. rules: fields of PeerRules."""
    return Peer(CohereDialect(), PeerRules(**rules), port)


def arguments(description: str) -> dict[str, Any]:
    """The command line of a peer."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="peer-key")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument("--inputs", type=int, default=None, dest="inputs_per_window")
    parser.add_argument("--tokens", type=int, default=None, dest="tokens_per_window")
    parser.add_argument("--window", type=float, default=60.0, help="seconds in which the limits count")
    return vars(parser.parse_args())


def serve(peer: Peer) -> None:
    """Say where the peer is, and serve until the process ends."""
    print(peer.url, flush=True)  # noqa: T201 - whoever started it reads this line
    peer.serve_forever()


if __name__ == "__main__":
    serve(cohere_peer(**arguments("Cohere's embed API on loopback")))
