"""200 with a body that is not Qdrant's, to each request that the store makes: an error that says what to check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store

from assay.adapters.stores.qdrant.store import QdrantStore
from assay.errors import AssayError, VectorStoreError
from assay.ports import IndexQuery, SparseVector, VectorIndex
from assay.testing.index_samples import EVERYTHING, SPEC, direction, filled, points

QUERY = IndexQuery(direction(7), SparseVector((1000, 2003), (1.0, 1.0)), 20, EVERYTHING)
IDS = [one.chunk.id for one in points(5)]

BODIES = {
    "an empty object": "{}",
    "a null result": '{"result": null, "status": "ok", "time": 0.0}',
    "a text as result": '{"result": "yes", "status": "ok", "time": 0.0}',
    "a number as result": '{"result": 7, "status": "ok", "time": 0.0}',
    "a list as result": '{"result": [null], "status": "ok", "time": 0.0}',
    "another result": '{"result": {"took": 3, "hits": {"total": 0}}, "status": "ok", "time": 0.0}',
    "another product's banner": '{"name": "node-1", "cluster_name": "search", "version": {"number": "8.1.0"}}',
    "a list": "[]",
    "null": "null",
    "a page": "<!doctype html><title>Sign in</title>",
    "nothing": "",
    "JSON that is cut": '{"result": {"poin',
    "nested deeply": "[" * 100_000,
}


SCORE = '{"result": [{"points": [{"id": 1, "version": 0, "score": NaN}]}, {"points": []}], "status": "ok", "time": 0}'


@dataclass
class World:
    """A store on a peer, and an index in it."""

    peer: QdrantPeer
    store: QdrantStore
    index: VectorIndex
    names: Iterator[str] = field(default_factory=lambda: map("new{}".format, count()))

    def build(self) -> None:
        filled(self.store, points(3), next(self.names))


USES: dict[str, Callable[[World], object]] = {
    "count": lambda world: world.index.count(),
    "search": lambda world: world.index.search(QUERY),
    "compare": lambda world: world.index.compare(direction(1), IDS, {}),
    "chunks": lambda world: world.index.chunks(IDS),
    "vectors": lambda world: world.index.vectors(IDS),
    "stored": lambda world: world.index.stored(IDS),
    "ids": lambda world: list(world.index.ids()),
    "open": lambda world: world.store.open("g1", SPEC),
    "inspect": lambda world: world.store.inspect("g1", SPEC),
    "generations": lambda world: world.store.generations(),
    "switch_alias": lambda world: world.store.switch_alias("g1"),
    "check": lambda world: world.store.check(),
    "describe": lambda world: world.store.describe(),
    "build": lambda world: world.build(),
    "delete": lambda world: world.store.delete("g2"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("peer")
    with QdrantPeer(folder) as peer:
        store = qdrant_store(peer.url, retries=0, patience_seconds=0.0)
        yield World(peer, store, filled(store, points(60)))
        store.close()
        peer.stop()


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("body", BODIES)
def test_an_answer_that_is_not_qdrants_is_an_error_that_names_the_server_and_what_to_check(
    world: World, body: str, use: str
) -> None:
    _require_error(world, BODIES[body], use, passing=0)


@pytest.mark.parametrize("use", USES)
def test_whichever_request_meets_it_it_is_an_error(world: World, use: str) -> None:
    for passing in range(1, 20):
        if use == "delete" and "g2" not in world.store.generations():
            filled(world.store, points(3), "g2")
        before = world.peer.counts.total()
        world.peer.strange = "{}"
        world.peer.fail("strange", skip=passing, times=None)
        error = _error_of(lambda: USES[use](world))
        world.peer.heal()
        if error is None:
            assert world.peer.counts.total() - before <= passing, "an answer that is none has passed"
            return
        assert world.peer.url in error.message


def _error_of(use: Callable[[], object]) -> VectorStoreError | None:
    try:
        use()
    except VectorStoreError as error:
        return error
    return None


def test_a_score_that_is_no_number_is_an_error(world: World) -> None:
    assert "a score is not a finite number" in _require_error(world, SCORE, "search", passing=0)


def test_a_port_that_does_not_speak_grpc_is_an_error(world: World) -> None:
    port = int(world.peer.url.rpartition(":")[2])
    store = qdrant_store(world.peer.url, grpc=True, grpc_port=port, retries=0, patience_seconds=0.0)
    with pytest.raises(VectorStoreError) as raised:
        store.check()
    store.close()
    assert world.peer.url in raised.value.message
    assert raised.value.hint


def _require_error(world: World, body: str, use: str, passing: int) -> str:
    world.peer.strange = body
    world.peer.fail("strange", skip=passing, times=None)
    try:
        with pytest.raises(AssayError) as raised:
            USES[use](world)
    finally:
        world.peer.heal()
    assert isinstance(raised.value, VectorStoreError)
    assert world.peer.url in raised.value.message
    assert raised.value.hint
    return raised.value.message
