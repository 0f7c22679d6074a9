"""Embedding models over OpenAI's `embeddings` API: OpenAI, Azure, Ollama, vLLM, TEI and whatever else speaks it.

The API knows no queries and documents; models that tell them apart want words in front of each (`query: `), which are
part of the identity. The address is not: a model that moves to another server keeps its vectors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from assay.adapters.embedders.remote.embedder import RemoteEmbedder, RemoteRules
from assay.adapters.embedders.remote.provider import Purpose, count_in
from assay.adapters.embedders.remote.transport import Transport
from assay.adapters.embedders.remote.vector_checks import UnusableAnswer
from assay.errors import ConfigurationError
from assay.model.generations import EmbedderIdentity
from assay.ports import EmbedderObserver

BASE_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"
MAX_TOKENS = 8_191
MAX_TOKENS_ELSEWHERE = 512
CALL_TOKENS = 250_000
"""Tokens of one text of OpenAI's models, and of a model that we do not know; of one request (OpenAI takes 300,000)."""

REQUESTS_PER_MINUTE = 3_000
TOKENS_PER_MINUTE = 1_000_000
"""What OpenAI allows an account of its first paid tier."""

DIMENSIONS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""Length of the vectors of OpenAI's own models."""

_SHORTENED = frozenset({"text-embedding-3-small", "text-embedding-3-large"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, and with which key.

    base_url: up to and without `/embeddings`; for Azure the resource, such as https://name.openai.azure.com.
    key: None for a server that wants none.
    deployment: Azure's name for the model that is deployed; None anywhere else.
    api_version: Azure's.
    """

    base_url: str
    key: str | None
    deployment: str | None = None
    api_version: str = AZURE_API_VERSION

    @property
    def url(self) -> str:
        """Where embeddings are asked for."""
        base = self.base_url.rstrip("/")
        if self.deployment is None:
            return f"{base}/embeddings"
        query = urlencode({"api-version": self.api_version})
        return f"{base}/openai/deployments/{quote(self.deployment, safe='')}/embeddings?{query}"

    @property
    def headers(self) -> dict[str, str]:
        """What says who asks."""
        if not self.key:
            return {}
        if self.deployment is not None:
            return {"api-key": self.key.strip()}
        return {"Authorization": f"Bearer {self.key.strip()}"}


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model behind the API.

    dimensions: length of its vectors; None for what OpenAI's own model of that name gives.
    shorten: whether to ask for vectors of that length, which only some models can give.
    document_prefix, query_prefix: what is put in front of each.
    """

    name: str
    dimensions: int | None
    shorten: bool
    document_prefix: str
    query_prefix: str

    @property
    def dimension(self) -> int:
        """Length of the vectors. Raises ConfigurationError when it is not known."""
        if self.dimensions is None and self.name not in DIMENSIONS:
            raise ConfigurationError(
                f"Assay does not know how long the vectors of {self.name} are.",
                hint="Set [embedding] dimensions to the length that the model's card names.",
            )
        return self.dimensions or DIMENSIONS[self.name]

    @property
    def asked_dimensions(self) -> int | None:
        """The length to ask for; None to leave it to the model."""
        if self.shorten or (self.name in _SHORTENED and self.dimension != DIMENSIONS[self.name]):
            return self.dimension
        return None


class OpenAIEmbedder(RemoteEmbedder):
    """A model behind an OpenAI-compatible API. Safe to use from several threads.

    Raises ConfigurationError for an address, key or model that cannot be used.
    """

    def __init__(
        self, endpoint: Endpoint, model: OpenAIModel, rules: RemoteRules, observer: EmbedderObserver | None = None
    ) -> None:
        identity = EmbedderIdentity(
            "openai", model.name, model.dimension, model.document_prefix, model.query_prefix, _revision(model)
        )
        super().__init__(
            _OpenAI(model, azure=endpoint.deployment is not None),
            Transport(endpoint.url, endpoint.headers, rules.calls),
            identity,
            rules,
            prefixes=(model.document_prefix, model.query_prefix),
            observer=observer,
        )


class _OpenAI:
    """The API."""

    refuses_long_texts = False  # OpenAI does, but some of the servers that speak its API cut

    def __init__(self, model: OpenAIModel, *, azure: bool) -> None:
        self._azure = azure
        self._fixed: dict[str, object] = {"model": model.name, "encoding_format": "float"}
        if model.asked_dimensions is not None:
            self._fixed["dimensions"] = model.asked_dimensions

    @property
    def name(self) -> str:
        return "Azure OpenAI" if self._azure else "The embedding server"

    def request(self, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:  # noqa: ARG002 - one for both
        return {**self._fixed, "input": list(texts)}

    def rows(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        """The vectors by their `index`, for they may come in another order."""
        items = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise UnusableAnswer("there is no list of data in it")
        rows: list[Any] = [None] * len(items)
        for place, item in enumerate(items):
            index = item.get("index", place)
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(items):
                raise UnusableAnswer(f"it has {len(items)} vectors, one of them with index {index!r}")
            rows[index] = item.get("embedding")
        return rows

    def tokens(self, answer: Any) -> int | None:  # noqa: ANN401 - parsed JSON
        return count_in(answer, "usage", "prompt_tokens")

    def is_final(self, status: int, message: str) -> bool:
        return status == 429 and "quota" in message.lower()

    def hint(self, status: int, message: str) -> str:
        if status == 429 and "quota" in message.lower():
            return "The account has nothing left to spend; see its plan and billing."
        if status == 401:
            variable = "AZURE_OPENAI_API_KEY" if self._azure else "OPENAI_API_KEY"
            return f"Set {variable} to a key of this server, if [embedding] base_url is the one that was meant."
        return _HINTS.get(status, "")


_HINTS: Mapping[int, str] = {
    400: "The request itself is refused; check [embedding] model, dimensions and max_tokens.",
    402: "The account has nothing left to spend; see its plan and billing.",
    403: "This key may not use the model.",
    404: "There is no such model or address; check [embedding] model, base_url and, for Azure, deployment.",
    413: "The request is too large; lower [embedding] batch_texts.",
    422: "The request itself is refused; lower [embedding] batch_texts, or check model and dimensions.",
    429: "Lower [embedding] requests_per_minute or tokens_per_minute to what your key allows.",
}


def _revision(model: OpenAIModel) -> str:
    return "shortened" if model.asked_dimensions is not None else ""
