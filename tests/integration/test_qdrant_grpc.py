"""A Qdrant server over gRPC fails, refuses and comes back as it does over REST."""

import logging
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import LOADING, qdrant_store

from assay.adapters.stores.qdrant.store import QdrantStore
from assay.app import Assay
from assay.errors import IndexNotFound, RequestForbidden, StorageFull, StoreUnavailable, VectorStoreError
from assay.model.ranking import Query
from assay.ports import IndexQuery, SparseVector, VectorIndex
from assay.settings import load_settings
from assay.testing.index_samples import EVERYTHING, SPEC, direction, filled, points

KEY = "sk-grpc-secret-0815"
QUERY = IndexQuery(direction(7), SparseVector((1000, 2003), (1.0, 1.0)), 20, EVERYTHING)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server", api_key=KEY, grpc_port=0) as peer:
        yield peer


@pytest.fixture
def store(peer: QdrantPeer) -> Iterator[QdrantStore]:
    store = qdrant_store(peer.url, api_key=KEY, grpc=True, grpc_port=peer.grpc_port, patience_seconds=30.0)
    yield store
    store.close()


@pytest.fixture
def index(store: QdrantStore) -> VectorIndex:
    return filled(store, points(60))


@pytest.mark.parametrize("fault", ["reset", "lost", "429", "429-bare", "500", "502", "503", "504"])
def test_a_search_that_fails_is_asked_again_and_then_unavailable(
    peer: QdrantPeer, index: VectorIndex, fault: str
) -> None:
    whole = index.search(QUERY)
    peer.fail(fault, path="/points", times=None)
    with pytest.raises(StoreUnavailable, match="g1"):
        index.search(QUERY)
    if fault != "429":  # which asks for more time than a search has
        peer.fail(fault, path="/points", times=1)
    else:
        peer.heal()
    assert index.search(QUERY) == whole


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("401", VectorStoreError, "API key"),
        ("403", VectorStoreError, "API key"),
        ("full", StorageFull, "disk"),
        ("quota", StorageFull, "its quota is used up"),
        ("strict", RequestForbidden, "strict mode"),
    ],
)
def test_a_refusal_has_the_same_meaning(
    peer: QdrantPeer, index: VectorIndex, fault: str, kind: type[VectorStoreError], said: str
) -> None:
    peer.fail(fault, path="/points", times=None)
    with pytest.raises(VectorStoreError, match=said) as raised:
        index.search(QUERY)
    assert type(raised.value) is kind


@pytest.mark.parametrize("fault", ["reset", "lost", "429", "503"])
@pytest.mark.parametrize("skip", [0, 4])
def test_a_build_waits_for_a_server_that_fails_for_a_moment(
    peer: QdrantPeer, store: QdrantStore, fault: str, skip: int
) -> None:
    peer.fail(fault, path="assay-g1", skip=skip, times=2)
    assert list(filled(store, points(60)).ids()) == sorted(one.chunk.id for one in points(60))


def test_a_server_that_was_away_is_used_again_by_the_same_index(peer: QdrantPeer, index: VectorIndex) -> None:
    whole = index.search(QUERY)
    peer.stop()
    with pytest.raises(StoreUnavailable, match="no connection"):
        index.search(QUERY)
    peer.start()
    for _ in range(100):  # a channel tries again in its own time
        try:
            answer = index.search(QUERY)
            break
        except StoreUnavailable:
            continue
    assert answer == whole


def test_a_slow_search_ends_at_its_time_limit(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY, grpc=True, grpc_port=peer.grpc_port, timeout_seconds=1)
    index = filled(store, points(5))
    peer.slow = 4.0
    peer.fail("slow", path="/points", times=None)
    with pytest.raises(StoreUnavailable, match="did not answer within 1 s"):
        index.search(QUERY)
    store.close()


def test_a_collection_that_is_gone_is_not_found(store: QdrantStore, index: VectorIndex) -> None:
    store.delete("g1")
    with pytest.raises(IndexNotFound):
        index.search(QUERY)


def test_the_first_searches_of_many_threads_at_once_are_answered(peer: QdrantPeer, index: VectorIndex) -> None:
    whole = index.search(QUERY)
    for _ in range(2):
        fresh = qdrant_store(peer.url, api_key=KEY, grpc=True, grpc_port=peer.grpc_port)
        with ThreadPoolExecutor(24) as threads:
            answers = list(threads.map(lambda _, to=fresh: to.open("g1", SPEC).search(QUERY), range(48)))
        assert all(answer == whole for answer in answers)
        fresh.close()


@pytest.mark.parametrize("fault", ["reset", "401", "403", "429", "strict", "full", "500"])
def test_the_key_is_in_no_error_log_or_repr(
    peer: QdrantPeer, store: QdrantStore, index: VectorIndex, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.fail(fault, times=None)
    with pytest.raises(VectorStoreError) as raised:
        index.search(QUERY)
    told = [repr(store), repr(index), "".join(traceback.format_exception(raised.value))]
    assert KEY not in "\n".join([*told, caplog.text])


def test_large_batches_fit_in_a_message(peer: QdrantPeer, store: QdrantStore) -> None:
    large = [replace(one, chunk=replace(one.chunk, text=f"{one.chunk.text} {'x' * 100_000}")) for one in points(100)]
    index = filled(store, large)
    assert index.chunks([large[7].chunk.id])[large[7].chunk.id] == large[7].chunk


def test_publishing_and_searching_work_over_it(peer: QdrantPeer, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for part in ("gripper", "camera", "wheel"):
        (docs / f"{part}.md").write_text(f"# About the {part}\n\nThe {part} is checked daily.\n", encoding="utf-8")
    settings = {
        "data_dir": tmp_path / "data",
        "sources": [{"path": docs, "name": "docs", "base_url": "https://docs.example", "convention": "plain"}],
        "qdrant": {"url": peer.url, "api_key": KEY, "grpc": True, "grpc_port": peer.grpc_port},
    }
    with Assay.open(load_settings(None, settings)) as assay:
        first = assay.publish().promoted
        assert first
        assert assay.publish().build.unchanged
        assert assay.search(Query("the camera", 1)).hits[0].chunk.document.url == "https://docs.example/camera"
        assert assay.parts.store.describe().shown == first.id


def test_batches_of_one_arrive_whole(store: QdrantStore, peer: QdrantPeer) -> None:
    single = qdrant_store(
        peer.url, api_key=KEY, grpc=True, grpc_port=peer.grpc_port, loading=replace(LOADING, upload_batch=1)
    )
    assert filled(single, points(20), "g2").count() == 20
    assert store.generations() == ["g2"]
    single.close()
