"""The settings choose the reranker, and what is missing or useless in them is named."""

import logging
from pathlib import Path
from typing import Any

import pytest

from assay.app import Assay
from assay.errors import ConfigurationError
from assay.settings import RerankSettings, load_settings

SERVER = {"model": "bge-reranker-v2-m3", "base_url": "http://127.0.0.1:8080"}


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COHERE_API_KEY", raising=False)


def _open(**rerank: object) -> Assay:
    return Assay.open(load_settings(None, {"rerank": rerank}))


def _built(assay: Assay) -> Any:  # noqa: ANN401 - any reranker
    reranking = assay.parts.reranking(assay.settings.rerank)
    assert reranking is not None
    return reranking.reranker


def test_nothing_is_reranked_by_default_and_searches_are_described_as_before() -> None:
    with _open() as assay:
        assert assay.parts.reranking(assay.settings.rerank) is None
        assert not [name for name in assay.systems.described_search if "rerank" in name]


def test_coheres_key_is_that_of_the_embedder_unless_it_has_one_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        pytest.raises(ConfigurationError, match="Set the environment variable COHERE_API_KEY"),
        _open(provider="cohere") as assay,
    ):
        _built(assay)
    monkeypatch.setenv("COHERE_API_KEY", "a-shared-key-1")
    with _open(provider="cohere") as assay:
        assert (_built(assay).identity.provider, _built(assay).identity.model) == ("cohere", "rerank-v3.5")
        assert "a-shared-key-1" not in repr(assay.settings)
    with _open(provider="cohere", api_key="its-own-key-2") as assay:
        assert _built(assay)
        assert "its-own-key-2" not in repr(assay.settings)


@pytest.mark.parametrize("provider", ["openai", "tei"])
def test_a_server_needs_an_address_and_the_name_of_its_model(provider: str) -> None:
    with _open(provider=provider, **SERVER) as assay:
        assert (_built(assay).identity.provider, _built(assay).identity.model) == (provider, SERVER["model"])
    for missing, setting in (("model", "[rerank] model"), ("base_url", "[rerank] base_url")):
        given = {name: value for name, value in SERVER.items() if name != missing}
        with pytest.raises(ConfigurationError) as caught, _open(provider=provider, **given) as assay:
            _built(assay)
        assert f"Set {setting}" in caught.value.hint


def test_settings_without_effect_are_refused() -> None:
    with (
        pytest.raises(ConfigurationError, match="does not use \\[rerank\\] model_dir"),
        _open(provider="tei", model_dir="models", **SERVER) as assay,
    ):
        _built(assay)
    for name, value in SERVER.items():
        with pytest.raises(ConfigurationError, match=f"rerank.{name}.*has no effect without rerank.provider"):
            load_settings(None, {"rerank": {name: value}})


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("provider", "other", "'cohere', 'openai', 'tei' or 'fastembed'"),
        ("depth", 0, "greater than or equal to 1"),
        ("timeout", 0, "greater than 0"),
        ("depht", 3, "depth"),
        ("base_url", "https://user:s3cret-pw@host/v1", "must not contain a user name"),
    ],
)
def test_a_wrong_value_is_named_with_its_limit(name: str, value: object, problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(None, {"rerank": {"provider": "tei", **SERVER, name: value}})
    assert f"rerank.{name}" in str(caught.value)
    assert problem in str(caught.value)
    assert "s3cret-pw" not in str(caught.value)


def test_the_gate_knows_provider_model_and_depth() -> None:
    with _open(provider="tei", depth=20, **SERVER) as assay:
        described = assay.systems.described_search
        assert (described["rerank"], described["rerank_depth"]) == ("tei bge-reranker-v2-m3", 20)
        other = assay.searches.described(assay.settings.search, RerankSettings())
        assert "rerank" not in other


def test_a_verdict_with_another_reranker_does_not_count() -> None:
    def fingerprint(**rerank: object) -> str:
        with _open(**{"provider": "tei", **SERVER, **rerank}) as assay:
            return assay.systems.gate.fingerprint

    with _open() as assay:
        plain = assay.systems.gate.fingerprint
    changed = [fingerprint(model="other"), fingerprint(depth=20), fingerprint(provider="openai")]
    assert len({plain, fingerprint(), *changed}) == 5
    assert fingerprint(timeout=3.0, calls=2, base_url="http://127.0.0.1:9999", api_key="another-key") == fingerprint()


def test_searches_with_equal_settings_share_one_reranker() -> None:
    with _open(provider="tei", **SERVER) as assay:
        assert _built(assay) is _built(assay)


def test_a_key_over_plain_http_to_another_host_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    remote = {**SERVER, "base_url": "http://rerank.example.org", "api_key": "a-key-of-17"}
    with caplog.at_level(logging.WARNING), _open(provider="tei", **remote) as assay:
        _built(assay)
    assert "The reranker's key is sent to rerank.example.org unencrypted" in caplog.text
