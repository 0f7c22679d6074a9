"""The Qdrant adapter passes the kit over real sockets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store

from assay.adapters.qdrant import QdrantStore
from assay.testing.vector_store import VectorStoreConformance


class TestOverRest(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[QdrantStore]:
        with QdrantPeer(tmp_path) as peer:
            store = qdrant_store(peer.url)
            yield store
            store.close()
