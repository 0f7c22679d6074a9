"""The engine's adapters and their twins in memory pass the same conformance kits."""

from pathlib import Path

import numpy as np
import pytest

from assay.adapters.bm25 import Bm25Encoder
from assay.adapters.edge import EdgeStore
from assay.adapters.memory import MemoryEmbedder, MemoryStore
from assay.adapters.static import StaticEmbedder
from assay.testing import EmbedderConformance, SparseEncoderConformance, VectorStoreConformance


class TestEdgeStore(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> EdgeStore:
        return EdgeStore(tmp_path / "generations", hnsw_threshold=20_000)


class TestEdgeStoreWithGraph(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> EdgeStore:
        return EdgeStore(tmp_path / "generations", hnsw_threshold=1)


class TestMemoryStore(VectorStoreConformance):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()


class TestStaticEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> StaticEmbedder:
        return StaticEmbedder()


class TestMemoryEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> MemoryEmbedder:
        return MemoryEmbedder(64, 512)


class TestBm25Encoder(SparseEncoderConformance):
    @pytest.fixture
    def encoder(self) -> Bm25Encoder:
        return Bm25Encoder("english")


def test_the_static_embedder_gives_what_wordllama_gives() -> None:
    wordllama = pytest.importorskip("wordllama")
    folder = Path(wordllama.__file__).parent
    original = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    texts = ["How do nodes talk to each other?", "`createSlice` returns a reducer.", "機器人安全須知", "x" * 3000]
    assert np.allclose(StaticEmbedder().embed_documents(texts), original.embed(texts, norm=True), atol=1e-6)
