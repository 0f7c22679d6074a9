"""The settings choose the embedder, and what is missing or useless in them is named."""

import logging
from pathlib import Path

import pytest

from assay.adapters.embedders.cohere import CohereEmbedder
from assay.adapters.embedders.openai import OpenAIEmbedder
from assay.app import Assay
from assay.errors import ConfigurationError
from assay.settings import load_settings

VARIABLES = ("COHERE_API_KEY", "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "ASSAY_EMBEDDING__PROVIDER")


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def _open(**embedding: object) -> Assay:
    return Assay.open(load_settings(None, {"embedding": embedding}))


@pytest.mark.parametrize(
    ("provider", "extra", "variable"),
    [
        ("cohere", {}, "COHERE_API_KEY"),
        ("openai", {}, "OPENAI_API_KEY"),
        ("azure", {"base_url": "https://name.openai.azure.com"}, "AZURE_OPENAI_API_KEY"),
    ],
)
def test_a_missing_key_is_named_by_the_variable_to_set(
    provider: str, extra: dict[str, object], variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match=f"Set the environment variable {variable}"):
        _ = _open(provider=provider, **extra).parts.embedder
    monkeypatch.setenv(variable, "a-key")
    with _open(provider=provider, **extra) as assay:
        assert assay.parts.embedder.identity.dimension in {1024, 1536}
        assert "a-key" not in repr(assay.settings)


def test_our_own_variable_wins_over_the_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", "theirs")
    monkeypatch.setenv("ASSAY_EMBEDDING__COHERE_API_KEY", "ours")
    key = load_settings().embedding.cohere_api_key
    assert key is not None
    assert key.get_secret_value() == "ours"


def test_a_key_alone_does_not_change_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHERE_API_KEY", "a-key")
    with _open() as assay:
        assert assay.parts.embedder.identity.provider == "static"


def test_cohere_has_the_limits_that_cohere_names() -> None:
    with _open(provider="cohere", cohere_api_key="a-key") as assay:
        embedder = assay.parts.embedder
        assert isinstance(embedder, CohereEmbedder)
        assert (embedder.identity.model, embedder.identity.dimension) == ("embed-english-v3.0", 1024)
        assert embedder.max_tokens == 512
        assert embedder._rules.rates == {"inputs": 2_000}
        assert embedder.batching.texts == 95
        assert embedder.batching.costly


def test_limits_can_be_set_and_taken_away() -> None:
    with _open(provider="cohere", cohere_api_key="k", tokens_per_minute=100_000, inputs_per_minute=0) as assay:
        assert isinstance(assay.parts.embedder, CohereEmbedder)
        assert assay.parts.embedder._rules.rates == {"tokens": 100_000}
        assert assay.parts.embedder.batching.texts == 96


def test_a_server_of_ones_own_needs_no_key_but_a_model_and_its_length() -> None:
    url = "http://localhost:11434/v1"
    with pytest.raises(ConfigurationError, match="model is not set for the server"):
        _ = _open(provider="openai", base_url=url).parts.embedder
    with pytest.raises(ConfigurationError, match="dimensions"):
        _ = _open(provider="openai", base_url=url, model="nomic-embed-text").parts.embedder
    with _open(provider="openai", base_url=url, model="nomic-embed-text", dimensions=768) as assay:
        assert isinstance(assay.parts.embedder, OpenAIEmbedder)
        assert assay.parts.embedder.max_tokens == 512
        assert assay.parts.embedder.batching.texts == 32
        assert assay.parts.embedder._rules.rates == {}


def test_azure_needs_its_address() -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        _ = _open(provider="azure", azure_api_key="k").parts.embedder


@pytest.mark.parametrize("setting", [{"query_prefix": "query: "}, {"document_prefix": "d: "}, {"deployment": "d"}])
def test_a_setting_that_would_do_nothing_is_refused(setting: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=f"does not use .embedding. {next(iter(setting))}"):
        _ = _open(provider="cohere", cohere_api_key="k", **setting).parts.embedder


def test_cohere_takes_no_more_than_96_texts() -> None:
    with pytest.raises(ConfigurationError, match="at most 96 texts"):
        _ = _open(provider="cohere", cohere_api_key="k", batch_texts=97).parts.embedder


@pytest.mark.parametrize(
    ("url", "warned"), [("http://proxy.example", True), ("http://127.0.0.1:9", False), ("https://proxy.example", False)]
)
def test_a_key_on_an_open_wire_is_warned_of(url: str, warned: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with _open(provider="cohere", cohere_api_key="the-key", base_url=url) as assay:
        _ = assay.parts.embedder
    assert ("unencrypted" in caplog.text) is warned
    assert "the-key" not in caplog.text


def test_a_wrong_key_setting_is_explained_without_its_value() -> None:
    with pytest.raises(ConfigurationError) as raised:
        _open(cohere_api_key=["secret-part"])
    assert "cohere_api_key" in str(raised.value)
    assert "secret-part" not in str(raised.value)


def test_a_wrong_limit_is_explained_with_its_value() -> None:
    with pytest.raises(ConfigurationError, match=r"embedding\.max_tokens = 3"):
        _open(max_tokens=3)
