"""Embedding models over OpenAI's `embeddings` API: OpenAI, Azure, Ollama, vLLM, TEI and compatible servers.

The API does not distinguish queries and documents; models that do need prefixes (`query: `), which are part of the
identity. The address is not, so a model that moves to another server keeps its vectors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from assay.adapters.embedders.remote.embedder import RemoteEmbedder, RemoteRules
from assay.adapters.embedders.remote.provider import Purpose, count_at
from assay.adapters.remote.transport import Transport
from assay.adapters.remote.unusable import UnusableAnswer
from assay.errors import ConfigurationError
from assay.model.generations import EmbedderIdentity
from assay.ports import EmbedderObserver

BASE_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"
MAX_TOKENS = 8_191
MAX_TOKENS_ELSEWHERE = 512
CALL_TOKENS = 250_000
"""Token limits of a text for OpenAI's models and for unknown models, and of a request (OpenAI allows 300,000)."""

REQUESTS_PER_MINUTE = 3_000
TOKENS_PER_MINUTE = 1_000_000
"""OpenAI's limits for the first paid tier."""

DIMENSIONS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""Dimensions of OpenAI's own models."""

_CAN_SHORTEN = frozenset({"text-embedding-3-small", "text-embedding-3-large"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and key of a server.

    base_url: without `/embeddings`; for Azure the resource, such as https://name.openai.azure.com.
    key: None for a server without keys.
    deployment: Azure's deployment name; None for other servers.
    api_version: Azure's.
    """

    base_url: str
    key: str | None
    deployment: str | None = None
    api_version: str = AZURE_API_VERSION

    @property
    def url(self) -> str:
        """URL of embedding requests."""
        base = self.base_url.rstrip("/")
        if self.deployment is None:
            return f"{base}/embeddings"
        query = urlencode({"api-version": self.api_version})
        return f"{base}/openai/deployments/{quote(self.deployment, safe='')}/embeddings?{query}"

    @property
    def headers(self) -> dict[str, str]:
        """Headers with the key."""
        if not self.key:
            return {}
        if self.deployment is not None:
            return {"api-key": self.key.strip()}
        return {"Authorization": f"Bearer {self.key.strip()}"}


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """A model behind the API.

    dimensions: of its vectors; None for the default of OpenAI's model of this name.
    shorten: whether to request these dimensions, which only some models support.
    document_prefix, query_prefix: prepended to each text.
    """

    name: str
    dimensions: int | None
    shorten: bool
    document_prefix: str
    query_prefix: str

    @property
    def dimension(self) -> int:
        """Dimension of the vectors. Raises ConfigurationError if it is unknown."""
        if self.dimensions is None and self.name not in DIMENSIONS:
            raise ConfigurationError(
                f"The dimension of the model {self.name} is unknown.",
                hint="Set [embedding] dimensions to the dimension in the model's card.",
            )
        return self.dimensions or DIMENSIONS[self.name]

    @property
    def requested_dimensions(self) -> int | None:
        """The dimensions to request; None for the model's default."""
        if self.shorten or (self.name in _CAN_SHORTEN and self.dimension != DIMENSIONS[self.name]):
            return self.dimension
        return None


class OpenAIEmbedder(RemoteEmbedder):
    """A model behind an OpenAI-compatible API. Safe to use from several threads.

    Raises ConfigurationError for an invalid address, key or model.
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

    refuses_long_texts = False  # OpenAI does, but some compatible servers truncate

    def __init__(self, model: OpenAIModel, *, azure: bool) -> None:
        self._azure = azure
        self._fixed: dict[str, object] = {"model": model.name, "encoding_format": "float"}
        if model.requested_dimensions is not None:
            self._fixed["dimensions"] = model.requested_dimensions

    @property
    def name(self) -> str:
        return "Azure OpenAI" if self._azure else "The embedding server"

    def request(self, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:  # noqa: ARG002 - one for both
        return {**self._fixed, "input": list(texts)}

    def rows(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        """The vectors ordered by their `index`."""
        items = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            raise UnusableAnswer("it has no list `data`")
        rows: list[Any] = [None] * len(items)
        for place, item in enumerate(items):
            index = item.get("index", place)
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(items):
                raise UnusableAnswer(f"it has {len(items)} vectors, one of them with index {index!r}")
            rows[index] = item.get("embedding")
        return rows

    def tokens(self, answer: Any) -> int | None:  # noqa: ANN401 - parsed JSON
        return count_at(answer, "usage", "prompt_tokens")

    def is_final(self, status: int, message: str) -> bool:
        return status == 429 and "quota" in message.lower()

    def hint(self, status: int, message: str) -> str:
        if status == 429 and "quota" in message.lower():
            return "The account's quota is used up; see its plan and billing."
        if status == 401:
            variable = "AZURE_OPENAI_API_KEY" if self._azure else "OPENAI_API_KEY"
            return f"Set {variable} to a key of this server, and check [embedding] base_url."
        return _HINTS.get(status, "")


_HINTS: Mapping[int, str] = {
    400: "The request is invalid; check [embedding] model, dimensions and max_tokens.",
    402: "The account's quota is used up; see its plan and billing.",
    403: "This key may not use the model.",
    404: "There is no such model or address; check [embedding] model, base_url and, for Azure, deployment.",
    413: "The request is too large; lower [embedding] batch_texts.",
    422: "The request is invalid; decrease [embedding] batch_texts, or check model and dimensions.",
    429: "Lower [embedding] requests_per_minute or tokens_per_minute to what your key allows.",
}


def _revision(model: OpenAIModel) -> str:
    return "shortened" if model.requested_dimensions is not None else ""
