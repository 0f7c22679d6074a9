"""The Qdrant adapter passes the kit over real sockets, in both of the server's languages, and on a real server."""

from collections.abc import Iterator

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store
from tests.real_qdrant import real_server

from assay.adapters.stores.qdrant.store import QdrantStore
from assay.ports import VectorStore
from assay.testing.vector_store import VectorStoreConformance


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantPeer]:
    """A server that is empty before each test."""
    with QdrantPeer(tmp_path_factory.mktemp("server"), grpc_port=0) as peer:
        yield peer


def emptied(store: QdrantStore) -> Iterator[QdrantStore]:
    """The store, and no collection of it afterwards."""
    yield store
    for generation in store.generations():
        store.delete(generation)
    store.close()


class TestOverRest(VectorStoreConformance):
    @pytest.fixture
    def store(self, peer: QdrantPeer) -> Iterator[QdrantStore]:
        yield from emptied(qdrant_store(peer.url))


class TestOverGrpc(VectorStoreConformance):
    @pytest.fixture
    def store(self, peer: QdrantPeer) -> Iterator[QdrantStore]:
        peer.counts.clear()
        yield from emptied(qdrant_store(peer.url, grpc=True, grpc_port=peer.grpc_port))
        assert peer.counts
        # Only REST tells whether a server is a cluster.
        assert all(request.startswith("gRPC ") or request == "GET /cluster" for request in peer.counts)


class OnAServer(VectorStoreConformance):
    """The kit on a real server, of any version that Assay supports."""

    def test_idf_is_computed_within_the_filters_scope(self, store: VectorStore) -> None:
        version = store.describe().summary.split()[1]
        if [int(part) for part in version.split(".")[:2]] < [1, 19]:
            pytest.skip(f"Qdrant {version} computes IDF over the whole collection")
        super().test_idf_is_computed_within_the_filters_scope(store)


class TestOnAServerOverRest(OnAServer):
    @pytest.fixture
    def store(self) -> Iterator[QdrantStore]:
        server = real_server()
        store = qdrant_store(server.url, api_key=server.key, ca_file=server.ca_file, collection="kit")
        yield store
        store.close()


class TestOnAServerOverGrpc(OnAServer):
    @pytest.fixture
    def store(self) -> Iterator[QdrantStore]:
        server = real_server()
        access = {"api_key": server.key, "ca_file": server.ca_file, "grpc": True, "grpc_port": server.grpc_port}
        store = qdrant_store(server.url, collection="kit", **access)
        yield store
        store.close()
