"""Every request that leaves the Qdrant adapter is one that Qdrant's own description of its API knows.

Requests are recorded where they arrive, after a real socket. Answers are compared too: the peer has to be as a server.
"""

import gc
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import httpx
import pytest
from tests.openapi_requests import OpenApi
from tests.peers.qdrant import QdrantPeer, Recorded
from tests.qdrant_stores import ACCESS, LAYOUT, LOADING, READING, qdrant_store

from assay.adapters.stores.qdrant.server import _headers
from assay.adapters.stores.qdrant.store import QdrantStore
from assay.errors import IndexCorrupt, StoreUnavailable, VectorStoreError
from assay.model.ranking import Filters
from assay.ports import IndexQuery, IndexSpec, SparseVector
from assay.testing.index_samples import DIMENSION, EVERYTHING, SPEC, VERSIONS, direction, points, variants

Quantization = Literal["none", "scalar", "binary"]
Consistency = int | Literal["majority", "quorum", "all"] | None

FULL = replace(
    LAYOUT,
    hnsw_threshold=0,
    shard_number=2,
    replication_factor=2,
    write_consistency=1,
    on_disk=True,
    hnsw_links=32,
    hnsw_build_width=200,
)


@pytest.fixture
def openapi(shared: Path) -> OpenApi:
    return OpenApi.read(shared / "qdrant" / "openapi-1.19.0.json")


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path, api_key="wire-key") as peer:
        peer.record = True
        yield peer


def use_everything(store: QdrantStore) -> None:
    """Whatever the port can do, and what goes wrong."""
    store.check()
    writer = store.create("g1", SPEC)
    writer.add(points(30) + variants())
    writer.add([])
    writer.seal()
    for refused in (
        lambda: store.create("g1", SPEC),
        lambda: store.open("g2", SPEC),
        lambda: store.open("g1", IndexSpec(DIMENSION + 1)),
        lambda: store.switch_alias("g2"),
    ):
        with pytest.raises(VectorStoreError):
            refused()
    store.switch_alias("g1")
    index = store.open("g1", SPEC)
    for filters in (
        EVERYTHING,
        Filters(),
        Filters(versions=("1.0",), locales=("fr", "de")),
        Filters(versions=("1.0",), include_unversioned=True),
        Filters(url_prefix="https://docs.example.org/a", sections=("Setup", "Part 0"), sources=("docs",)),
    ):
        query = IndexQuery(direction(1), SparseVector((1, 2003), (1.0, 0.5)), 20, filters, known_versions=VERSIONS)
        index.search(query)
        index.search(replace(query, sparse=None, limit=5, exact=True))
        index.search(replace(query, dense=None, limit=1_000))
    ids = list(index.ids())
    index.chunks(ids)
    index.vectors(ids)
    index.compare(direction(1), ids, {})
    index.close()
    second = store.create("g2", SPEC)
    second.add(points(3))
    second.seal()
    store.switch_alias("g2")
    store.create("g3", SPEC).abort()
    store.describe()
    store.generations()
    store.delete("g1")
    store.delete("never-there")


@pytest.mark.parametrize(
    ("quantization", "consistency"),
    [("none", None), ("none", 2), ("scalar", "majority"), ("binary", "quorum"), ("none", "all")],
)
def test_every_exchange_is_as_the_servers_description_says(
    openapi: OpenApi, peer: QdrantPeer, quantization: Quantization, consistency: Consistency
) -> None:
    layout = replace(FULL, quantization=quantization) if consistency else LAYOUT
    store = qdrant_store(
        peer.url, api_key="wire-key", layout=layout, reading=replace(READING, read_consistency=consistency)
    )
    use_everything(store)
    faults = [fault for one in peer.recorded for fault in openapi.faults(**vars(one))]
    assert faults == []
    statuses = Counter(one.status for one in peer.recorded)
    assert statuses.keys() == {200, 404, 409}
    assert sum(statuses.values()) > 50


def test_a_refused_key_is_answered_as_the_description_says(openapi: OpenApi, peer: QdrantPeer) -> None:
    with pytest.raises(VectorStoreError, match="API key"):
        qdrant_store(peer.url).check()
    (refused,) = peer.recorded
    assert (refused.status, openapi.faults(**vars(refused))) == (401, [])


def only(peer: QdrantPeer, method: str, part: str) -> list[Recorded]:
    return [one for one in peer.recorded if one.method == method and part in one.path]


def test_a_collection_is_made_as_the_settings_say_and_indexed_only_once_loaded(peer: QdrantPeer) -> None:
    writer = qdrant_store(peer.url, api_key="wire-key", layout=replace(FULL, quantization="scalar")).create("g1", SPEC)
    writer.add(points(3))
    (made,) = only(peer, "PUT", "assay-g1")[:1]
    assert made.body == {
        "vectors": {
            "dense": {
                "size": DIMENSION,
                "distance": "Cosine",
                "on_disk": True,
                "quantization_config": {"scalar": {"type": "int8", "always_ram": True}},
            }
        },
        "sparse_vectors": {"bm25": {"modifier": "idf"}},
        "shard_number": 2,
        "replication_factor": 2,
        "write_consistency_factor": 1,
        "on_disk_payload": True,
        "hnsw_config": {"m": 32, "ef_construct": 200, "on_disk": True},
        "optimizers_config": {"indexing_threshold": 0, "max_segment_size": 20_000 * DIMENSION * 4 // 1024},
        "metadata": {
            "assay": {
                "format": 1,
                "collection": "assay",
                "generation": "g1",
                "dimension": DIMENSION,
                "state": "building",
                "points": 0,
                "everywhere": [],
            }
        },
    }
    assert only(peer, "PATCH", "assay-g1") == []
    writer.seal()
    indexed, sealed = (one.body for one in only(peer, "PATCH", "assay-g1"))
    assert indexed == {"optimizers_config": {"indexing_threshold": 10_000, "max_segment_size": 2_000_000}}
    assert sealed["metadata"]["assay"]["state"] == "sealed"
    assert sealed["metadata"]["assay"]["points"] == 3


def test_the_body_of_an_upload_is_freed_before_the_next_one(peer: QdrantPeer) -> None:
    writer = qdrant_store(peer.url, api_key="wire-key").create("g1", SPEC)
    gc.collect()
    gc.disable()
    try:
        for number in range(3):
            writer.add([points(3)[number]])
        uploads = [
            one for one in gc.get_objects() if isinstance(one, httpx.Request) and one.url.path.endswith("points")
        ]
    finally:
        gc.enable()
    assert uploads == []


@pytest.mark.parametrize(("grpc", "encoding"), [(False, "identity"), (True, None)])
def test_answers_over_rest_are_asked_for_uncompressed(grpc: bool, encoding: str | None) -> None:
    """The server's compressed answers wait 40 ms for an acknowledgement; gRPC takes no such header."""
    headers = _headers(replace(ACCESS, api_key="wire-key", grpc=grpc))
    assert (headers["api-key"], headers.get("Accept-Encoding")) == ("wire-key", encoding)


def test_an_index_is_sealed_only_with_all_its_replicas(peer: QdrantPeer) -> None:
    peer.database.missing_replicas = 1
    loading = replace(LOADING, seal_timeout_seconds=1.0)
    store = qdrant_store(peer.url, api_key="wire-key", layout=FULL, loading=loading)
    writer = store.create("g1", SPEC)
    writer.add(points(3))
    with pytest.raises(StoreUnavailable, match=r"shard 0 has 1; \[qdrant\] replication_factor is 2"):
        writer.seal()
    with pytest.raises(IndexCorrupt, match="never finished"):
        store.open("g1", SPEC)
    assert "(shard 0: 1)" in "".join(store.describe().problems)
    peer.database.missing_replicas = 0
    writer.seal()
    assert store.open("g1", SPEC).count() == 3
    assert not store.describe().problems


def test_the_payload_index_is_there_before_the_first_point(peer: QdrantPeer) -> None:
    qdrant_store(peer.url, api_key="wire-key").create("g1", SPEC).add(points(1))
    paths = [one.path for one in peer.recorded if one.method == "PUT"]
    assert paths == ["/collections/assay-g1", "/collections/assay-g1/index", "/collections/assay-g1/points"]


def test_points_go_in_requests_of_so_many_and_so_many_bytes_and_each_waits(peer: QdrantPeer) -> None:
    by_count = qdrant_store(peer.url, api_key="wire-key", loading=replace(LOADING, upload_batch=7)).create("g1", SPEC)
    by_count.add(points(20))
    uploads = only(peer, "PUT", "/points")
    assert [len(one.body["points"]) for one in uploads] == [7, 7, 6]
    assert {one.query["wait"] for one in uploads} == {"true"}
    peer.recorded.clear()
    one_point = 4_000
    by_size = qdrant_store(peer.url, api_key="wire-key", loading=replace(LOADING, upload_bytes=one_point))
    by_size.create("g2", SPEC).add(points(20))
    uploads = only(peer, "PUT", "/points")
    assert [ids for one in uploads for ids in (point["id"] for point in one.body["points"])] == [
        point.chunk.id for point in points(20)
    ]
    assert len(uploads) > 5
    assert all(peer_bytes(one) <= one_point for one in uploads)


def test_a_point_larger_than_a_request_goes_alone(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key="wire-key", loading=replace(LOADING, upload_bytes=10))
    store.create("g1", SPEC).add(points(3))
    assert [len(one.body["points"]) for one in only(peer, "PUT", "/points")] == [1, 1, 1]


def test_a_hybrid_search_is_one_request(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key="wire-key")
    writer = store.create("g1", SPEC)
    writer.add(variants())
    writer.seal()
    index = store.open("g1", SPEC)
    peer.recorded.clear()
    index.search(IndexQuery(direction(1), SparseVector((1,), (1.0,)), 20, Filters()))
    (request,) = peer.recorded
    assert request.path == "/collections/assay-g1/points/query/batch"
    dense, sparse = request.body["searches"]
    scope = {"must": [{"key": "facets", "match": {"value": "scope:primary"}}]}
    assert (dense["using"], sparse["using"]) == ("dense", "bm25")
    assert dense["filter"] == sparse["filter"] == scope
    assert sparse["params"]["idf"] == {"corpus": scope}
    assert not any(one["with_payload"] or one["with_vector"] for one in (dense, sparse))


def peer_bytes(one: Recorded) -> int:
    """How long a request was, as compact JSON."""
    return len(json.dumps(one.body, separators=(",", ":"), ensure_ascii=False).encode())
