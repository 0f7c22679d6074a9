"""The engine's adapters and their twins in memory pass the same conformance kits."""

from pathlib import Path

import pytest
from tests.memory_embedder import MemoryEmbedder

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.edge.store import EdgeStore
from assay.adapters.stores.memory import MemoryStore
from assay.testing import EmbedderConformance, SparseEncoderConformance, VectorStoreConformance


class TestEdgeStore(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> EdgeStore:
        return EdgeStore(tmp_path / "generations", hnsw_threshold=20_000)


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
