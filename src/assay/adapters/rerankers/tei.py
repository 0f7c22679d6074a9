"""The `/rerank` route of Hugging Face's Text Embeddings Inference (TEI).

A server loads one model, which a request does not name. It refuses more than 32 texts, unless it was started with
another `--max-client-batch-size`, and texts over the model's length, unless the request has `truncate`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.remote.transport import safe_url
from assay.adapters.rerankers.remote import RemoteReranker, RerankRules, rerank_route
from assay.ports import RerankerIdentity, RerankerObserver


class TeiReranker(RemoteReranker):
    """A model behind `{base_url}/rerank` of TEI. Safe to use from several threads.

    key: None for a server without keys.
    model: name of the server's model; it is not sent.

    Raises ConfigurationError for an invalid address or key.
    """

    def __init__(
        self, key: str | None, model: str, base_url: str, rules: RerankRules, observer: RerankerObserver | None = None
    ) -> None:
        transport = rerank_route(base_url, key, rules)
        api = _Tei(f"The reranker at {safe_url(base_url)}")
        super().__init__(api, transport, RerankerIdentity("tei", model), rules, observer)


class _Tei:
    """The API. name: for messages."""

    score_field = "score"

    def __init__(self, name: str) -> None:
        self.name = name

    def request(self, query: str, texts: Sequence[str]) -> Mapping[str, object]:
        return {"query": query, "texts": list(texts), "truncate": True, "raw_scores": False}

    def results(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        return answer

    def hint(self, status: int, message: str) -> str:
        if status == 413 or "batch size" in message:
            return "Start the server with --max-client-batch-size of at least [rerank] depth, or decrease depth."
        return "The server's model is not a reranker." if status == 424 else ""
