"""The `/rerank` route that vLLM, LocalAI, LiteLLM, Jina and others have next to OpenAI's API."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.remote.transport import safe_url
from assay.adapters.rerankers.remote import RemoteReranker, RerankRules, rerank_route
from assay.adapters.rerankers.score_checks import results_in
from assay.ports import RerankerIdentity, RerankerObserver


class OpenAIReranker(RemoteReranker):
    """A model behind `{base_url}/rerank`. Safe to use from several threads.

    key: None for a server without keys.

    Raises ConfigurationError for an invalid address or key.
    """

    def __init__(
        self, key: str | None, model: str, base_url: str, rules: RerankRules, observer: RerankerObserver | None = None
    ) -> None:
        transport = rerank_route(base_url, key, rules)
        api = _OpenAI(model, f"The reranker at {safe_url(base_url)}")
        super().__init__(api, transport, RerankerIdentity("openai", model), rules, observer)


class _OpenAI:
    """The API. name: for messages."""

    score_field = "relevance_score"

    def __init__(self, model: str, name: str) -> None:
        self._model = model
        self.name = name

    def request(self, query: str, texts: Sequence[str]) -> Mapping[str, object]:
        # Some servers return fewer results unless all are asked for.
        return {"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)}

    def results(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        return results_in(answer)

    def hint(self, status: int, message: str) -> str:  # noqa: ARG002 - the protocol's signature
        return "Check [rerank] model and base_url; most servers' base_url ends with /v1." if status == 404 else ""
