"""The reranker of `[rerank]`, with its provider's defaults filled in."""

from pydantic import SecretStr

from assay.app.embedders import warn_if_unencrypted
from assay.errors import ConfigurationError
from assay.ports import Reranker, RerankerIdentity, RerankerObserver
from assay.settings import RerankSettings

# A provider's module imports an HTTP client or a model, so it is imported only for its provider.


def reranker_identity(settings: RerankSettings) -> RerankerIdentity | None:
    """The provider and model of the settings, without building the reranker; None if nothing is reranked.

    Raises ConfigurationError for a missing model.
    """
    if settings.provider is None:
        return None
    return RerankerIdentity(settings.provider, settings.model or _default_model(settings))


def reranker_of(
    settings: RerankSettings, cohere_api_key: SecretStr | None, observer: RerankerObserver | None = None
) -> Reranker | None:
    """Build the reranker; None if nothing is reranked.

    cohere_api_key: that of [embedding], which Cohere's reranker shares.

    Raises ConfigurationError that names the missing setting or variable.
    """
    identity = reranker_identity(settings)
    if identity is None:
        return None
    if settings.provider == "fastembed":
        _refuse_unused(settings, ("base_url", "api_key"), "fastembed")
        from assay.adapters.rerankers.fastembed import FastEmbedReranker

        return FastEmbedReranker(identity.model, settings.model_dir, settings.timeout)
    _refuse_unused(settings, ("model_dir",), "A reranker over HTTP")
    return _remote(settings, identity.model, cohere_api_key, observer)


def _remote(
    settings: RerankSettings, model: str, cohere_api_key: SecretStr | None, observer: RerankerObserver | None
) -> Reranker:
    from assay.adapters.rerankers import cohere
    from assay.adapters.rerankers.openai import OpenAIReranker
    from assay.adapters.rerankers.remote import RerankRules
    from assay.adapters.rerankers.tei import TeiReranker

    rules = settings.options(RerankRules)
    key = _plain(settings.api_key)
    if settings.provider == "cohere":
        key = key or _plain(cohere_api_key)
        if key is None:
            raise ConfigurationError(
                "There is no key for Cohere's reranker.",
                hint="Set the environment variable COHERE_API_KEY (or [rerank] api_key).",
            )
        base_url = settings.base_url or cohere.BASE_URL
        warn_if_unencrypted(base_url, key, "reranker")
        return cohere.CohereReranker(key, model, base_url, rules, observer)
    if settings.base_url is None:
        raise ConfigurationError(
            "The URL of the reranker is not set.", hint="Set [rerank] base_url, to which /rerank is appended."
        )
    warn_if_unencrypted(settings.base_url, key, "reranker")
    kind = OpenAIReranker if settings.provider == "openai" else TeiReranker
    return kind(key, model, settings.base_url, rules, observer)


def _default_model(settings: RerankSettings) -> str:
    if settings.provider == "cohere":
        from assay.adapters.rerankers.cohere import DEFAULT_MODEL

        return DEFAULT_MODEL
    if settings.provider == "fastembed":
        from assay.adapters.rerankers.fastembed import DEFAULT_MODEL

        return DEFAULT_MODEL
    raise ConfigurationError(
        "The model of the reranker is not set.",
        hint="Set [rerank] model to the name of the server's model, so that a verdict names it.",
    )


def _plain(secret: SecretStr | None) -> str | None:
    return (secret.get_secret_value().strip() or None) if secret else None


def _refuse_unused(settings: RerankSettings, names: tuple[str, ...], provider: str) -> None:
    """Raise ConfigurationError for settings that have no effect with this provider."""
    unused = [name for name in names if getattr(settings, name)]
    if unused:
        raise ConfigurationError(
            f"{provider} does not use [rerank] {' and '.join(unused)}.", hint="Remove it, or change provider."
        )
