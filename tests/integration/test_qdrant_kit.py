"""The Qdrant adapter passes the kit over real sockets, in both of the server's languages, and on a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store
from tests.real_qdrant import real_server

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


class TestOnAServerOverRest(VectorStoreConformance):
    @pytest.fixture
    def store(self) -> Iterator[QdrantStore]:
        server = real_server()
        store = qdrant_store(server.url, api_key=server.key, collection="kit")
        yield store
        store.close()


class TestOnAServerOverGrpc(VectorStoreConformance):
    @pytest.fixture
    def store(self) -> Iterator[QdrantStore]:
        server = real_server()
        store = qdrant_store(server.url, api_key=server.key, collection="kit", grpc=True, grpc_port=server.grpc_port)
        yield store
        store.close()
