"""A Qdrant server that fails: nothing looks like an empty answer, nothing is lost, and nothing secret is told."""

import logging
import re
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient, models
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import ACCESS, LAYOUT, LOADING, qdrant_store

from assay.adapters.stores.qdrant import writer as qdrant_writer
from assay.adapters.stores.qdrant.store import QdrantStore
from assay.errors import (
    ConfigurationError,
    IndexCorrupt,
    IndexNotFound,
    StorageFull,
    StoreUnavailable,
    VectorStoreError,
)
from assay.ports import IndexQuery, SparseVector, VectorIndex
from assay.testing.index_samples import EVERYTHING, SPEC, direction, filled, points

KEY = "sk-very-secret-4711"
QUERY = IndexQuery(direction(7), SparseVector((1000, 2003), (1.0, 1.0)), 20, EVERYTHING)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path, api_key=KEY) as peer:
        yield peer
        peer.stop()


@pytest.fixture
def store(peer: QdrantPeer) -> Iterator[QdrantStore]:
    store = qdrant_store(peer.url, api_key=KEY)
    yield store
    store.close()


@pytest.fixture
def index(store: QdrantStore) -> VectorIndex:
    return filled(store, points(60))


@pytest.fixture
def foreign(peer: QdrantPeer) -> Iterator[QdrantClient]:
    """Somebody else on the same server."""
    client = QdrantClient(url=peer.url, headers={"api-key": KEY}, check_compatibility=False)
    yield client
    client.close()


def uses(index: VectorIndex) -> list[Callable[[], object]]:
    ids = [one.chunk.id for one in points(5)]
    return [
        index.count,
        lambda: index.search(QUERY),
        lambda: index.compare(direction(1), ids, {}),
        lambda: index.chunks(ids),
        lambda: index.vectors(ids),
        lambda: list(index.ids()),
    ]


# --- reading ---


@pytest.mark.parametrize("fault", ["reset", "lost", "cut", "html", "429", "429-bare", "500", "502", "503", "504"])
def test_a_search_that_fails_for_good_is_unavailable_never_empty(
    peer: QdrantPeer, index: VectorIndex, fault: str
) -> None:
    whole = index.search(QUERY)
    peer.fail(fault, path="/points", times=None)
    with pytest.raises(StoreUnavailable) as raised:
        index.search(QUERY)
    assert "g1" in raised.value.message
    assert peer.url in raised.value.message
    assert raised.value.hint
    peer.heal()
    assert index.search(QUERY) == whole


@pytest.mark.parametrize("fault", ["reset", "lost", "cut", "html", "503"])
def test_a_search_is_asked_again_when_it_failed_once(peer: QdrantPeer, index: VectorIndex, fault: str) -> None:
    whole = index.search(QUERY)
    peer.fail(fault, path="/points", times=1)
    assert index.search(QUERY) == whole


@pytest.mark.parametrize("fault", ["reset", "cut", "503"])
def test_whatever_is_asked_while_the_server_fails_is_unavailable(
    peer: QdrantPeer, index: VectorIndex, fault: str
) -> None:
    store_uses = uses(index)
    peer.fail(fault, times=None)
    for use in store_uses[:-1]:  # listing all ids is an audit's, which waits longer
        with pytest.raises(StoreUnavailable):
            use()


def test_a_slow_search_ends_at_its_time_limit_and_is_not_asked_again(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY, timeout_seconds=1)
    index = filled(store, points(5))
    peer.slow = 4.0
    peer.counts.clear()
    peer.fail("slow", path="/points", times=None)
    with pytest.raises(StoreUnavailable, match="did not answer within 1 s") as raised:
        index.search(QUERY)
    assert "timeout_seconds" in raised.value.hint
    assert sum(peer.counts.values()) == 1
    store.close()


def test_a_server_that_was_away_is_used_again_by_the_same_index(peer: QdrantPeer, index: VectorIndex) -> None:
    whole = index.search(QUERY)
    peer.stop()
    with pytest.raises(StoreUnavailable, match="no connection"):
        index.search(QUERY)
    peer.start()
    assert index.search(QUERY) == whole


def test_many_threads_over_a_restart_get_the_whole_answer_or_an_error(peer: QdrantPeer, index: VectorIndex) -> None:
    whole = index.search(QUERY)
    stop = threading.Event()

    def search_on() -> tuple[int, int, int]:
        right = wrong = failed = 0
        while not stop.is_set():
            try:
                answer = index.search(QUERY)
            except StoreUnavailable:
                failed += 1
            else:
                right, wrong = (right + 1, wrong) if answer == whole else (right, wrong + 1)
        return right, wrong, failed

    with ThreadPoolExecutor(20) as threads:
        searching = [threads.submit(search_on) for _ in range(20)]
        peer.stop()
        peer.start()
        for _ in range(3):
            assert index.search(QUERY) == whole
        stop.set()
        counts = [one.result() for one in searching]
    assert sum(wrong for _, wrong, _ in counts) == 0
    assert sum(right for right, _, _ in counts) > 0


def test_a_collection_that_somebody_removed_is_not_found_rather_than_empty(
    peer: QdrantPeer, store: QdrantStore, index: VectorIndex
) -> None:
    store.delete("g1")
    for use in uses(index):
        with pytest.raises(IndexNotFound):
            use()


# --- building ---


@pytest.mark.parametrize("fault", ["reset", "lost", "cut", "429", "500", "503"])
@pytest.mark.parametrize("skip", [0, 1, 4])
def test_a_build_waits_for_a_server_that_fails_for_a_moment(peer: QdrantPeer, fault: str, skip: int) -> None:
    store = qdrant_store(peer.url, api_key=KEY, loading=replace(LOADING, upload_batch=20), patience_seconds=30.0)
    peer.fail(fault, path="assay-g1", skip=skip, times=2)
    index = filled(store, points(60))
    assert index.count() == 60
    assert list(index.ids()) == sorted(one.chunk.id for one in points(60))
    store.close()


def test_a_restart_during_an_upload_loses_nothing(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY, loading=replace(LOADING, upload_batch=1), patience_seconds=30.0)
    writer = store.create("g1", SPEC)
    contents = points(60)
    restart = threading.Thread(target=lambda: (peer.stop(), peer.start()))
    writer.add(contents[:20])
    restart.start()
    writer.add(contents[20:])
    restart.join()
    writer.seal()
    index = store.open("g1", SPEC)
    assert list(index.ids()) == sorted(one.chunk.id for one in contents)
    assert index.chunks([one.chunk.id for one in contents]) == {one.chunk.id: one.chunk for one in contents}
    store.close()


def test_a_server_that_stays_away_ends_the_build_and_the_rest_is_removed_by_the_next(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY, patience_seconds=0.3)
    writer = store.create("g1", SPEC)
    writer.add(points(10))
    peer.stop()
    with pytest.raises(StoreUnavailable):
        writer.add(points(20))
    writer.abort()  # says so in the log, and hides no error
    peer.start()
    assert store.generations() == ["g1"]
    with pytest.raises(IndexCorrupt, match="never finished"):
        store.open("g1", SPEC)
    store.delete("g1")
    assert store.generations() == []
    store.close()


@pytest.mark.parametrize(("fault", "told"), [("full", "No space left"), ("quota", "its quota is used up")])
def test_a_full_disk_is_told_at_once(peer: QdrantPeer, store: QdrantStore, fault: str, told: str) -> None:
    writer = store.create("g1", SPEC)
    peer.counts.clear()
    peer.fail(fault, path="/points", times=None)
    with pytest.raises(StorageFull, match=told):
        writer.add(points(1))
    assert sum(peer.counts.values()) == 1


def test_points_that_are_missing_at_the_end_are_noticed(
    peer: QdrantPeer, store: QdrantStore, foreign: QdrantClient
) -> None:
    writer = store.create("g1", SPEC)
    writer.add(points(10))
    foreign.delete("assay-g1", points_selector=[points(1)[0].chunk.id])
    with pytest.raises(VectorStoreError, match=r"holds 9 points .* not the 10 that were sent"):
        writer.seal()
    with pytest.raises(IndexCorrupt, match="never finished"):
        store.open("g1", SPEC)


def test_points_that_go_missing_later_are_noticed_when_it_is_opened(
    store: QdrantStore, index: VectorIndex, foreign: QdrantClient
) -> None:
    foreign.delete("assay-g1", points_selector=[points(1)[0].chunk.id])
    with pytest.raises(IndexCorrupt, match="holds 59 points, not the 60"):
        store.open("g1", SPEC)


def test_sealing_waits_until_the_server_has_indexed(peer: QdrantPeer) -> None:
    peer.stop()
    peer.yellow = 5
    peer.start()
    store = qdrant_store(peer.url, api_key=KEY, layout=replace(LAYOUT, hnsw_threshold=0))
    peer.record = True
    filled(store, points(10))
    looks = [
        one.answer["result"]["status"] for one in peer.recorded if one.path.endswith("-g1") and one.method == "GET"
    ]
    marked = [one.path for one in peer.recorded if one.method == "PATCH"]
    assert looks.count("yellow") == 5
    assert len(marked) == 2
    last_patch = max(n for n, one in enumerate(peer.recorded) if one.method == "PATCH")
    last_yellow = max(n for n, one in enumerate(peer.recorded) if "'yellow'" in str(one.answer))
    assert last_yellow < last_patch
    store.close()


def test_a_server_that_was_restarted_before_sealing_is_told_to_go_on(
    peer: QdrantPeer, store: QdrantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant_writer, "_NUDGE_SECONDS", 0.0)
    writer = store.create("g1", SPEC)
    writer.add(points(10))
    peer.drowsy = True
    peer.stop()
    peer.start()
    writer.seal()
    assert store.open("g1", SPEC).count() == 10


def test_a_server_that_never_finishes_indexing_ends_the_build(peer: QdrantPeer) -> None:
    peer.stop()
    peer.yellow = 10**6
    peer.start()
    slow = replace(LOADING, seal_timeout_seconds=0.3)
    store = qdrant_store(peer.url, api_key=KEY, layout=replace(LAYOUT, hnsw_threshold=0), loading=slow)
    writer = store.create("g1", SPEC)
    writer.add(points(3))
    with pytest.raises(StoreUnavailable, match="has not finished indexing g1") as raised:
        writer.seal()
    assert "seal_timeout_seconds" in raised.value.hint
    store.close()


# --- strict mode ---


@pytest.mark.parametrize(
    ("limit", "doing", "advice"),
    [
        ({"max_query_limit": 10}, "search", r"\[search\] depth"),
        ({"search_max_batchsize": 1}, "search", "search_max_batchsize"),
        ({"search_max_hnsw_ef": 100}, "search", r"\[qdrant\] search_width"),
        ({"search_max_oversampling": 1.5}, "search", r"\[qdrant\] oversampling"),
        ({"upsert_max_batchsize": 10}, "add", r"\[qdrant\] upload_batch"),
    ],
    ids=str,
)
def test_a_limit_of_strict_mode_is_explained(
    peer: QdrantPeer, store: QdrantStore, foreign: QdrantClient, limit: dict[str, Any], doing: str, advice: str
) -> None:
    writer = store.create("g1", SPEC)
    if doing == "search":
        writer.add(points(60))
        writer.seal()
    strict = models.StrictModeConfig(enabled=True, **limit)
    foreign.update_collection("assay-g1", strict_mode_config=strict)
    with pytest.raises(VectorStoreError, match="strict mode") as raised:
        store.open("g1", SPEC).search(QUERY) if doing == "search" else writer.add(points(60))
    assert "Limit exceeded" in raised.value.message
    assert re.search(advice, raised.value.hint)


def test_strict_mode_without_exact_search_and_unindexed_filters_is_no_obstacle(
    peer: QdrantPeer, store: QdrantStore
) -> None:
    peer.strict = {"enabled": True, "search_allow_exact": False, "unindexed_filtering_retrieve": False}
    index = filled(store, points(60))
    assert index.count() == 60
    assert len(index.search(QUERY).dense) == 20
    assert len(index.compare(direction(1), [one.chunk.id for one in points(60)], {})) == 60
    with pytest.raises(VectorStoreError, match="strict mode") as raised:
        index.search(replace(QUERY, exact=True))
    assert "search_allow_exact" in raised.value.hint


# --- whose collections these are ---


@pytest.mark.parametrize("metadata", [None, {"owner": "somebody"}, {"assay": "yes"}, {"assay": {"generation": "g9"}}])
def test_a_collection_of_somebody_else_is_neither_listed_opened_nor_removed(
    store: QdrantStore, foreign: QdrantClient, metadata: dict[str, Any] | None
) -> None:
    vectors = {"dense": models.VectorParams(size=8, distance=models.Distance.COSINE)}
    foreign.create_collection("assay-g1", vectors_config=vectors, metadata=metadata)
    foreign.create_collection("another", vectors_config=vectors)
    assert store.generations() == []
    with pytest.raises(IndexCorrupt, match="not made by Assay"):
        store.open("g1", SPEC)
    with pytest.raises(VectorStoreError, match="not made by Assay"):
        store.delete("g1")
    with pytest.raises(VectorStoreError, match="already"):
        store.create("g1", SPEC)
    assert foreign.collection_exists("assay-g1")


def test_another_assay_on_the_server_has_collections_of_its_own(peer: QdrantPeer, store: QdrantStore) -> None:
    other = qdrant_store(peer.url, api_key=KEY, collection="assay-staging")
    filled(store, points(2))
    filled(other, points(3))
    assert store.generations() == other.generations() == ["g1"]
    with pytest.raises(VectorStoreError, match="not made by Assay"):
        store.delete("staging-g1")
    store.delete("g1")
    assert (store.generations(), other.generations()) == ([], ["g1"])
    other.close()


def test_a_name_that_a_collection_has_is_refused_before_the_work(store: QdrantStore, foreign: QdrantClient) -> None:
    foreign.create_collection("assay", vectors_config=models.VectorParams(size=8, distance=models.Distance.COSINE))
    with pytest.raises(VectorStoreError, match="whose name the alias needs") as raised:
        store.create("g1", SPEC)
    assert "QDRANT_COLLECTION_NAME" in raised.value.hint
    assert any("whose name the alias needs" in problem for problem in store.describe().problems)


def test_an_alias_of_somebody_else_is_left_alone(store: QdrantStore, foreign: QdrantClient) -> None:
    filled(store, points(2))
    foreign.create_collection("theirs", vectors_config=models.VectorParams(size=8, distance=models.Distance.COSINE))
    theirs = models.CreateAlias(collection_name="theirs", alias_name="assay")
    foreign.update_collection_aliases([models.CreateAliasOperation(create_alias=theirs)])
    with pytest.raises(VectorStoreError, match="points to the collection theirs"):
        store.switch_alias("g1")
    assert [alias.collection_name for alias in foreign.get_aliases().aliases] == ["theirs"]


def test_the_alias_leads_outside_readers_from_one_generation_to_the_next(
    store: QdrantStore, foreign: QdrantClient
) -> None:
    filled(store, points(2), "g1")
    filled(store, points(3), "g2")
    assert store.describe().shown is None
    for generation, count in (("g1", 2), ("g1", 2), ("g2", 3), ("g1", 2)):
        store.switch_alias(generation)
        assert foreign.count("assay").count == count
        assert store.describe().shown == generation
    with pytest.raises(IndexNotFound):
        store.switch_alias("g3")
    assert store.describe().shown == "g1"


def test_a_server_without_metadata_is_named_as_too_old(
    peer: QdrantPeer, store: QdrantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = peer.database
    assert database
    create = database._create
    monkeypatch.setattr(database, "_create", lambda name, body: create(name, {**body, "metadata": None}))
    with pytest.raises(VectorStoreError, match="does not support metadata") as raised:
        store.create("g1", SPEC)
    assert "1.16" in raised.value.hint
    assert list(database._collections) == []


@pytest.mark.parametrize(("version", "warned"), [("1.18.2", True), ("1.19.0", False), ("1.20.1-dev", False)])
def test_a_server_that_cannot_scope_word_statistics_is_reported(tmp_path: Path, version: str, warned: bool) -> None:
    with QdrantPeer(tmp_path / "other", version=version) as peer:
        report = qdrant_store(peer.url).describe()
    assert version in report.summary
    assert bool(report.problems) is warned


# --- what is kept to ourselves, and what is asked for ---


@pytest.mark.parametrize("fault", ["reset", "cut", "html", "401", "403", "429", "strict", "full", "500"])
def test_the_key_is_in_no_error_log_or_repr(
    peer: QdrantPeer, store: QdrantStore, index: VectorIndex, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    peer.fail(fault, times=None)
    told = [repr(store), repr(index), repr(vars(store)), repr(vars(index))]
    for use in uses(index)[:-1]:
        with pytest.raises(VectorStoreError) as raised:
            use()
        told += ["".join(traceback.format_exception(raised.value)), repr(raised.value)]
    assert KEY not in "\n".join([*told, caplog.text, *(repr(record.args) for record in caplog.records)])


def test_the_key_is_not_shown_with_the_address() -> None:
    assert KEY not in repr(replace(ACCESS, api_key=KEY))


def test_a_wrong_key_says_what_to_set(peer: QdrantPeer) -> None:
    for key in (None, "wrong"):
        with pytest.raises(VectorStoreError, match="valid API key") as raised:
            qdrant_store(peer.url, api_key=key).check()
        assert "QDRANT_API_KEY" in raised.value.hint


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://qdrant.example.org:6333", True),
        ("http://10.0.0.7", True),
        ("http://localhost:6333", False),
        ("http://127.0.0.1:6333", False),
        ("http://[::1]:6333", False),
        ("https://qdrant.example.org", False),
    ],
)
def test_a_key_that_goes_unencrypted_over_a_network_is_warned_of(
    url: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    qdrant_store(url, api_key=KEY)
    qdrant_store(url)
    assert ("unencrypted" in caplog.text) is warned
    assert KEY not in caplog.text


@pytest.mark.parametrize(
    "url", ["", "localhost:6333", "ftp://x", "http://", "http://host:port", "http://user:pass@host", "http://host?k=v"]
)
def test_an_address_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        qdrant_store(url)
    assert "pass" not in raised.value.message.replace("password", "")


@pytest.mark.parametrize("collection", ["", "a/b", "-x", "a b", "x" * 201])
def test_a_name_that_no_collection_can_have_is_refused(collection: str) -> None:
    with pytest.raises(ConfigurationError, match="collection"):
        qdrant_store("http://localhost", collection=collection)


def test_a_check_takes_no_longer_than_a_second(peer: QdrantPeer, store: QdrantStore) -> None:
    peer.slow = 3.0
    peer.fail("slow", times=None)
    with pytest.raises(StoreUnavailable, match="within 1 s"):
        store.check()


def test_a_closed_store_opens_new_connections(store: QdrantStore, index: VectorIndex) -> None:
    whole = index.search(QUERY)
    store.close()
    store.close()
    assert index.search(QUERY) == whole
