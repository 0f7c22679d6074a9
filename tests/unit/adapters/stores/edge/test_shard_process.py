"""A large index is written by another process, and is the same; its end is an error that says why."""

import os
from pathlib import Path

import pytest

from assay.adapters.stores.edge.store import EdgeStore
from assay.adapters.stores.edge.writer import EdgeWriter
from assay.errors import StoreUnavailable, VectorStoreError
from assay.ports import IndexSpec
from assay.testing.index_samples import DIMENSION, SPEC, point, points

LARGE = IndexSpec(DIMENSION, points=100)
NEVER = 10**9


@pytest.fixture
def store(tmp_path: Path) -> EdgeStore:
    return EdgeStore(tmp_path / "index", hnsw_threshold=NEVER, process_from=100)


def written(store: EdgeStore, generation: str, spec: IndexSpec) -> EdgeWriter:
    writer = store.create(generation, spec)
    for start in range(0, 120, 20):
        writer.add(points(120)[start : start + 20])
    return writer


def process_of(writer: EdgeWriter) -> int:
    pid: int = writer._writer._process.pid  # type: ignore[union-attr]  # a small index has none
    return pid


def test_another_process_writes_the_same_index(store: EdgeStore) -> None:
    found = []
    for generation, spec in (("small", SPEC), ("large", LARGE)):
        written(store, generation, spec).seal()
        index = store.open(generation, spec)
        found.append(index.stored([one.chunk.id for one in points(120)]))
        index.close()
    small, large = found
    assert len(small) == 120
    for identity, one in small.items():
        other = large[identity]
        assert (one.chunk, one.sparse, one.problems) == (other.chunk, other.sparse, other.problems)
        assert one.dense is not None
        assert other.dense is not None
        assert one.dense.tobytes() == other.dense.tobytes()


def test_a_process_that_is_killed_is_an_error_with_its_reason(store: EdgeStore) -> None:
    writer = store.create("g1", LARGE)
    os.kill(process_of(writer), 9)
    with pytest.raises(StoreUnavailable, match=r"g1 has ended: killed by SIGKILL") as ended:
        writer.seal()
    assert "workers" in ended.value.hint
    writer.abort()
    assert store.generations() == []


def test_an_error_of_the_process_is_raised_and_aborting_ends_it(store: EdgeStore) -> None:
    writer = store.create("g1", LARGE)
    writer.add([point("page", source_path="caf\udcff.md")])
    with pytest.raises(VectorStoreError, match=r"udcff.* invalid Unicode"):
        writer.seal()
    pid = process_of(writer)
    writer.abort()
    writer.abort()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert store.generations() == []
