"""The embedder of `[embedding]`, with its provider's defaults filled in."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from assay.adapters.embedders.static import StaticEmbedder
from assay.errors import ConfigurationError
from assay.ports import Embedder, EmbedderObserver
from assay.settings import EmbeddingSettings

if TYPE_CHECKING:  # a provider's module imports an HTTP client, so it is loaded only for its provider
    from assay.adapters.embedders.openai import Endpoint
    from assay.adapters.embedders.remote.embedder import RemoteRules

logger = logging.getLogger(__name__)

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPENAI_TEXTS = 128
_OTHER_TEXTS = 32  # TEI's default limit


@dataclass(frozen=True, slots=True)
class _Limits:
    """A provider's limits: tokens of a text, texts and tokens of a request, and rates a minute."""

    max_tokens: int
    batch_texts: int
    batch_tokens: int
    rates: Mapping[str, int]


def models_by_dimension() -> dict[int, list[str]]:
    """Return the known models, with their providers, by the vector lengths that they support."""
    from assay.adapters.embedders import cohere, openai

    found: dict[int, list[str]] = {}
    lengths = [("cohere", name, model.dimensions) for name, model in cohere.MODELS.items()]
    lengths += [("openai", name, (dimension,)) for name, dimension in openai.DIMENSIONS.items()]
    for provider, name, dimensions in lengths:
        for dimension in dimensions:
            found.setdefault(dimension, []).append(f"{provider} {name}")
    return found


def embedder_of(settings: EmbeddingSettings, observer: EmbedderObserver | None = None) -> Embedder:
    """Build the embedder. Raises ConfigurationError that names the missing setting or variable."""
    match settings.provider:
        case "cohere":
            return _cohere(settings, observer)
        case "openai" | "azure":
            return _openai(settings, observer)
        case "fastembed":
            from assay.adapters.embedders.fastembed import FastEmbedEmbedder

            return FastEmbedEmbedder(settings.model or "BAAI/bge-small-en-v1.5", settings.model_dir)
    return StaticEmbedder()


def _cohere(settings: EmbeddingSettings, observer: EmbedderObserver | None) -> Embedder:
    from assay.adapters.embedders import cohere

    name = settings.model or "embed-english-v3.0"
    model, _ = cohere.cohere_model(name, settings.dimensions)
    most = settings.batch_texts or cohere.MOST_TEXTS
    if most > cohere.MOST_TEXTS:
        raise ConfigurationError(
            f"Cohere accepts at most {cohere.MOST_TEXTS} texts in a request, but [embedding] batch_texts is {most}.",
            hint="Lower it, or remove it.",
        )
    _refuse_unused(settings, ("deployment", "shorten", "document_prefix", "query_prefix"), "Cohere")
    limits = _Limits(model.max_tokens, most, model.call_tokens, {"inputs": cohere.INPUTS_PER_MINUTE})
    key = _require_key(settings.cohere_api_key, "COHERE_API_KEY", "cohere_api_key", "Cohere")
    base_url = settings.base_url or cohere.BASE_URL
    warn_if_unencrypted(base_url, key)
    return cohere.CohereEmbedder(key, name, settings.dimensions, base_url, _rules(settings, limits), observer)


def _openai(settings: EmbeddingSettings, observer: EmbedderObserver | None) -> Embedder:
    from assay.adapters.embedders import openai

    azure = settings.provider == "azure"
    own = azure or settings.base_url is None
    name = settings.model or ("text-embedding-3-small" if own else None)
    if name is None:
        raise ConfigurationError(
            "[embedding] model is not set for the server at [embedding] base_url.", hint="Set [embedding] model."
        )
    model = openai.OpenAIModel(
        name, settings.dimensions, settings.shorten, settings.document_prefix, settings.query_prefix
    )
    rates = {"requests": openai.REQUESTS_PER_MINUTE, "tokens": openai.TOKENS_PER_MINUTE} if own else {}
    limits = _Limits(
        openai.MAX_TOKENS if name in openai.DIMENSIONS else openai.MAX_TOKENS_ELSEWHERE,
        _OPENAI_TEXTS if own else _OTHER_TEXTS,
        openai.CALL_TOKENS,
        rates,
    )
    endpoint = _azure_endpoint(settings, name) if azure else _openai_endpoint(settings)
    warn_if_unencrypted(endpoint.base_url, endpoint.key)
    return openai.OpenAIEmbedder(endpoint, model, _rules(settings, limits), observer)


def _openai_endpoint(settings: EmbeddingSettings) -> "Endpoint":
    from assay.adapters.embedders import openai

    _refuse_unused(settings, ("deployment",), "OpenAI's API outside of Azure")
    if settings.base_url is None:
        key: str | None = _require_key(settings.openai_api_key, "OPENAI_API_KEY", "openai_api_key", "OpenAI")
    else:
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    return openai.Endpoint(settings.base_url or openai.BASE_URL, key)


def _azure_endpoint(settings: EmbeddingSettings, model: str) -> "Endpoint":
    from assay.adapters.embedders.openai import Endpoint

    if settings.base_url is None:
        raise ConfigurationError(
            "The URL of the Azure resource is not set.",
            hint="Set [embedding] base_url (https://NAME.openai.azure.com).",
        )
    key = _require_key(settings.azure_api_key, "AZURE_OPENAI_API_KEY", "azure_api_key", "Azure OpenAI")
    return Endpoint(settings.base_url, key, settings.deployment or model, settings.api_version)


def _rules(settings: EmbeddingSettings, limits: _Limits) -> "RemoteRules":
    """Combine the settings with the provider's limits; settings win."""
    from assay.adapters.embedders.remote.embedder import RemoteRules

    set_rates = {
        "inputs": settings.inputs_per_minute,
        "tokens": settings.tokens_per_minute,
        "requests": settings.requests_per_minute,
    }
    rates = {**limits.rates, **{name: rate for name, rate in set_rates.items() if rate is not None}}
    return settings.options(
        RemoteRules,
        max_tokens=settings.max_tokens or limits.max_tokens,
        batch_texts=settings.batch_texts or limits.batch_texts,
        batch_tokens=settings.batch_tokens or limits.batch_tokens,
        rates={name: rate for name, rate in rates.items() if rate},
    )


def _require_key(secret: SecretStr | None, variable: str, setting: str, provider: str) -> str:
    key = secret.get_secret_value() if secret else ""
    if not key.strip():
        raise ConfigurationError(
            f"There is no key for {provider}.",
            hint=f"Set the environment variable {variable} (or [embedding] {setting}).",
        )
    return key


def _refuse_unused(settings: EmbeddingSettings, names: tuple[str, ...], provider: str) -> None:
    """Raise ConfigurationError for settings that have no effect with this provider."""
    unused = [name for name in names if getattr(settings, name)]
    if unused:
        raise ConfigurationError(
            f"{provider} does not use [embedding] {' and '.join(unused)}.", hint="Remove it, or change provider."
        )


def warn_if_unencrypted(base_url: str, key: str | None, owner: str = "embedder") -> None:
    """Log a warning if a key leaves this machine in plain text."""
    parts = urlsplit(base_url)
    if key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        logger.warning("The %s's key is sent to %s unencrypted; use https:// if it can.", owner, parts.hostname)
