"""Peers that behave as `/rerank` of TEI, and as that of vLLM, LocalAI and Jina: `python -m tests.peers.rerankers`."""

from collections.abc import Mapping
from typing import Any

from tests.peers.cohere import arguments, results, serve
from tests.peers.serving import Asked, Peer, PeerRules, Refused, count_tokens


class TeiDialect:
    """Text Embeddings Inference: it refuses empty and large batches, and long texts unless truncated."""

    def check(self, path: str, headers: Mapping[str, str], body: object, rules: PeerRules) -> Asked:
        _check_key(headers, rules)
        if path != "/rerank":
            raise Refused(404, "not found")
        if not isinstance(body, dict) or not isinstance(body.get("query"), str):
            raise Refused(422, "Failed to deserialize the JSON body into the target type: missing field `query`")
        texts = body.get("texts")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(422, "Failed to deserialize the JSON body into the target type: missing field `texts`")
        if not texts:
            raise Refused(400, "`texts` cannot be empty")
        if len(texts) > rules.most_texts:
            raise Refused(413, f"batch size {len(texts)} > maximum allowed batch size {rules.most_texts}")
        for text in texts:
            if not body.get("truncate") and count_tokens(body["query"] + text) > rules.max_tokens:
                raise Refused(413, f"Input validation error: `inputs` must have less than {rules.max_tokens} tokens.")
        return Asked(texts, query=True, dimension=1, question=body["query"])

    def answer(self, asked: Asked, rows: list[list[float]], tokens: int) -> list[dict[str, Any]]:
        return results(rows, "score")

    def error(self, status: int, message: str) -> dict[str, Any]:
        kinds = {400: "Empty", 413: "Validation", 422: "Tokenizer", 424: "Backend", 429: "Overloaded"}
        return {"error": message, "error_type": kinds.get(status, "Unhealthy")}


class OpenAIRerankDialect:
    """The `/rerank` route of a server with OpenAI's API: without `top_n` it gives three results."""

    def check(self, path: str, headers: Mapping[str, str], body: object, rules: PeerRules) -> Asked:
        _check_key(headers, rules)
        if path != "/v1/rerank":
            raise Refused(404, "Not Found")
        if not isinstance(body, dict) or not isinstance(body.get("model"), str):
            raise Refused(400, "model is required")
        query, documents = body.get("query"), body.get("documents")
        if not isinstance(query, str) or not isinstance(documents, list) or not documents:
            raise Refused(400, "query and documents are required")
        return Asked(documents[: body.get("top_n", 3)], query=True, dimension=1, question=query)

    def answer(self, asked: Asked, rows: list[list[float]], tokens: int) -> dict[str, Any]:
        found = [{**one, "document": {"text": asked.texts[one["index"]]}} for one in results(rows)]
        return {"id": "rerank-1", "model": "peer", "usage": {"total_tokens": tokens}, "results": found}

    def error(self, status: int, message: str) -> dict[str, Any]:
        return {"object": "error", "message": message, "type": "BadRequestError", "code": status}


def _check_key(headers: Mapping[str, str], rules: PeerRules) -> None:
    sent = {name.lower(): value for name, value in headers.items()}
    if rules.key is not None and sent.get("authorization") != f"Bearer {rules.key}":
        raise Refused(401, f"Unauthorized: {sent.get('authorization')}")


def tei_peer(port: int = 0, **rules: Any) -> Peer:  # noqa: ANN401 - fields of several types
    """A peer, not started. rules: fields of PeerRules."""
    return Peer(TeiDialect(), PeerRules(**rules), port)


def openai_rerank_peer(port: int = 0, **rules: Any) -> Peer:  # noqa: ANN401 - fields of several types
    """A peer, not started. rules: fields of PeerRules."""
    return Peer(OpenAIRerankDialect(), PeerRules(**rules), port)


if __name__ == "__main__":
    serve(tei_peer(**arguments("Text Embeddings Inference with a reranker, on loopback")))
