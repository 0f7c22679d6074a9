"""Cohere's rerank models over its REST API, version 2 (`POST /v2/rerank`).

Cohere cuts a text after 4,096 tokens; chunks are shorter.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.remote.transport import Transport
from assay.adapters.rerankers.remote import RemoteReranker, RerankRules
from assay.adapters.rerankers.score_checks import results_in
from assay.ports import RerankerIdentity, RerankerObserver

BASE_URL = "https://api.cohere.com"
DEFAULT_MODEL = "rerank-v3.5"


class CohereReranker(RemoteReranker):
    """A Cohere model. Safe to use from several threads. Raises ConfigurationError for an invalid address or key."""

    def __init__(
        self, key: str, model: str, base_url: str, rules: RerankRules, observer: RerankerObserver | None = None
    ) -> None:
        transport = Transport(
            f"{base_url.rstrip('/')}/v2/rerank",
            {"Authorization": f"Bearer {key.strip()}", "X-Client-Name": "assay"},
            rules.calls,
            setting="[rerank] base_url",
            owner="reranker",
        )
        super().__init__(_Cohere(model), transport, RerankerIdentity("cohere", model), rules, observer)


class _Cohere:
    """The API."""

    name = "Cohere's reranker"
    score_field = "relevance_score"

    def __init__(self, model: str) -> None:
        self._model = model

    def request(self, query: str, texts: Sequence[str]) -> Mapping[str, object]:
        return {"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)}

    def results(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        return results_in(answer)

    def hint(self, status: int, message: str) -> str:
        if status == 429 and "trial" in message.lower():
            return "A trial key may rerank 10 times a minute, and 1,000 times a month; use a production key."
        return _HINTS.get(status, "")


_HINTS: Mapping[int, str] = {
    401: "Set COHERE_API_KEY, or [rerank] api_key, to a valid key (https://dashboard.cohere.com/api-keys).",
    402: "Add a payment method, or increase the spending limit, in Cohere's dashboard.",
}
