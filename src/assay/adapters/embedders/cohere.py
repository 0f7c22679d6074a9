"""Cohere's embedding models over its REST API, version 2 (`POST /v2/embed`).

Texts are never truncated: requests have `truncate: NONE`, and tokens are counted before. The models embed queries and
documents differently (`input_type`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.adapters.embedders.remote.embedder import RemoteEmbedder, RemoteRules
from assay.adapters.embedders.remote.provider import Purpose, count_at
from assay.adapters.remote.transport import Transport
from assay.adapters.remote.unusable import UnusableAnswer
from assay.errors import ConfigurationError
from assay.model.generations import EmbedderIdentity
from assay.ports import EmbedderObserver

BASE_URL = "https://api.cohere.com"
MOST_TEXTS = 96
INPUTS_PER_MINUTE = 2_000
TRIAL_TOKENS_PER_MINUTE = 100_000
"""Cohere's limits: inputs per minute of every key; tokens per minute (and 1,000 calls a month) of a trial key."""

_INPUT_TYPES: Mapping[Purpose, str] = {"document": "search_document", "query": "search_query"}


@dataclass(frozen=True, slots=True)
class CohereModel:
    """Limits of a model.

    dimensions: available dimensions, the default first.
    max_tokens: of one text.
    call_tokens: of all texts of one request.
    """

    dimensions: tuple[int, ...]
    max_tokens: int
    call_tokens: int


MODELS: Mapping[str, CohereModel] = {
    "embed-v4.0": CohereModel((1536, 256, 512, 1024), 128_000, 128_000),
    "embed-english-v3.0": CohereModel((1024,), 512, MOST_TEXTS * 512),
    "embed-multilingual-v3.0": CohereModel((1024,), 512, MOST_TEXTS * 512),
    "embed-english-light-v3.0": CohereModel((384,), 512, MOST_TEXTS * 512),
    "embed-multilingual-light-v3.0": CohereModel((384,), 512, MOST_TEXTS * 512),
}


def cohere_model(name: str, dimensions: int | None) -> tuple[CohereModel, int]:
    """Look up a model and its dimension. Raises ConfigurationError for an unknown or unsupported dimension."""
    model = MODELS.get(name)
    if model is None:
        if dimensions is None:
            raise ConfigurationError(
                f"The dimension of Cohere's model {name} is unknown.",
                hint=f"Set [embedding] dimensions, or choose one of: {', '.join(MODELS)}.",
            )
        return CohereModel((dimensions,), 512, MOST_TEXTS * 512), dimensions
    if dimensions is not None and dimensions not in model.dimensions:
        lengths = ", ".join(map(str, sorted(model.dimensions)))
        raise ConfigurationError(
            f"{name} does not support {dimensions} dimensions.",
            hint=f"Set [embedding] dimensions to one of {lengths}, or remove it.",
        )
    return model, dimensions or model.dimensions[0]


class CohereEmbedder(RemoteEmbedder):
    """A Cohere model. Safe to use from several threads.

    Raises ConfigurationError for an invalid address, key or model.
    """

    def __init__(
        self,
        key: str,
        model: str,
        dimensions: int | None,
        base_url: str,
        rules: RemoteRules,
        observer: EmbedderObserver | None = None,
    ) -> None:
        known, dimension = cohere_model(model, dimensions)
        identity = EmbedderIdentity("cohere", model, dimension, _INPUT_TYPES["document"], _INPUT_TYPES["query"])
        transport = Transport(
            f"{base_url.rstrip('/')}/v2/embed",
            {"Authorization": f"Bearer {key.strip()}", "X-Client-Name": "assay"},
            rules.calls,
        )
        provider = _Cohere(model, dimension if len(known.dimensions) > 1 else None)
        super().__init__(provider, transport, identity, rules, observer=observer)


class _Cohere:
    """The API. output_dimension: requested dimension; None for a model with only one."""

    name = "Cohere"
    refuses_long_texts = True

    def __init__(self, model: str, output_dimension: int | None) -> None:
        self._fixed: dict[str, object] = {"model": model, "embedding_types": ["float"], "truncate": "NONE"}
        if output_dimension is not None:
            self._fixed["output_dimension"] = output_dimension

    def request(self, texts: Sequence[str], purpose: Purpose) -> Mapping[str, object]:
        return {**self._fixed, "input_type": _INPUT_TYPES[purpose], "texts": list(texts)}

    def rows(self, answer: Any) -> Any:  # noqa: ANN401 - parsed JSON
        embeddings = answer.get("embeddings") if isinstance(answer, Mapping) else None
        if not isinstance(embeddings, Mapping) or "float" not in embeddings:
            raise UnusableAnswer("it has no embeddings.float")
        return embeddings["float"]

    def tokens(self, answer: Any) -> int | None:  # noqa: ANN401 - parsed JSON
        return count_at(answer, "meta", "billed_units", "input_tokens")

    def is_final(self, status: int, message: str) -> bool:
        return status == 429 and "month" in message.lower()  # the monthly calls of a trial key are used up

    def hint(self, status: int, message: str) -> str:
        if status == 429 and "month" in message.lower():
            return "A trial key has 1,000 calls a month; use a production key."
        if status == 429 and "trial" in message.lower():
            return f"With a trial key, set [embedding] tokens_per_minute = {TRIAL_TOKENS_PER_MINUTE}."
        return _HINTS.get(status, "")


_HINTS: Mapping[int, str] = {
    400: "The request is invalid; if a text is too long, decrease [embedding] max_tokens; otherwise check model.",
    401: "Set COHERE_API_KEY to a valid key (https://dashboard.cohere.com/api-keys).",
    402: "Add a payment method, or increase the spending limit, in Cohere's dashboard.",
    403: "This key may not use the model; see its permissions in Cohere's dashboard.",
    404: "There is no such model or address; check [embedding] model and base_url.",
    422: "The request is invalid; is [embedding] model the name of an embedding model?",
    429: "Lower [embedding] inputs_per_minute or tokens_per_minute to what your key allows.",
    498: "Cohere refused the content of a text.",
}
