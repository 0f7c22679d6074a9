"""fastembed's cross-encoders over a stand-in for the package, whose models would have to be downloaded."""

import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.memory_reranker import MemoryReranker

from assay.adapters.rerankers import fastembed
from assay.adapters.rerankers.fastembed import FastEmbedReranker
from assay.errors import ConfigurationError, RerankerRefused, RerankError, RerankerUnavailable
from assay.testing import RerankerConformance


class CrossEncoder:
    """fastembed's TextCrossEncoder, as far as the adapter uses it."""

    def __init__(self, model_name: str, **where: str) -> None:
        if model_name == "unknown":
            raise ValueError("Model unknown is not supported in TextCrossEncoder.")
        if model_name == "offline":
            raise OSError("no network")
        self.model_name = model_name
        self.where = where

    def rerank(self, query: str, documents: Sequence[str]) -> Iterator[float]:
        if self.model_name == "nan":
            yield from [float("nan")] * len(documents)
        else:
            yield from MemoryReranker().scores(query, documents)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("fastembed", "fastembed.rerank", "fastembed.rerank.cross_encoder")
    for name in names:
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules[names[-1]], "TextCrossEncoder", CrossEncoder, raising=False)


class TestFastEmbedReranker(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> FastEmbedReranker:
        return FastEmbedReranker("tiny", Path("models/tiny"), 5.0)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fastembed, "find_spec", lambda _: None)
    with pytest.raises(ConfigurationError, match="not installed"):
        FastEmbedReranker("tiny", None, 1.0)


@pytest.mark.parametrize(
    ("model", "error"), [("unknown", RerankerRefused), ("offline", RerankerUnavailable), ("nan", RerankError)]
)
def test_a_model_that_cannot_be_used_is_an_error_of_the_query(model: str, error: type[RerankError]) -> None:
    with pytest.raises(error, match=model if error is not RerankError else "not finite"):
        FastEmbedReranker(model, None, 1.0).scores("query", ["text"])


def test_a_model_that_cannot_be_loaded_is_not_tried_at_each_query(monkeypatch: pytest.MonkeyPatch) -> None:
    reranker = FastEmbedReranker("offline", None, 1.0)
    with pytest.raises(RerankerUnavailable, match="no network"):
        reranker.scores("query", ["text"])
    with pytest.raises(RerankerUnavailable, match="next try within 30 seconds"):
        reranker.scores("query", ["text"])
    monkeypatch.setattr(fastembed.MonotonicClock, "now", lambda _: float("inf"))
    with pytest.raises(RerankerUnavailable, match="no network"):
        reranker.scores("query", ["text"])
