"""The Qdrant adapter passes the kit over real sockets, in both of the server's languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store

from assay.adapters.stores.qdrant.store import QdrantStore
from assay.testing.vector_store import VectorStoreConformance


class TestOverRest(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[QdrantStore]:
        with QdrantPeer(tmp_path) as peer:
            store = qdrant_store(peer.url)
            yield store
            store.close()


class TestOverGrpc(VectorStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[QdrantStore]:
        with QdrantPeer(tmp_path, grpc_port=0) as peer:
            assert peer.grpc_port
            store = qdrant_store(peer.url, grpc=True, grpc_port=peer.grpc_port)
            yield store
            assert all(request.startswith("gRPC ") for request in peer.counts)
            store.close()
