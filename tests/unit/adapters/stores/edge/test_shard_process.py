"""A large index is written by other processes, and is the same; the end of one is an error that says why."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from assay import child_process
from assay.adapters.stores.edge.store import EdgeStore
from assay.adapters.stores.edge.writer import EdgeWriter
from assay.errors import StorageFull, StoreUnavailable, VectorStoreError
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


def write_all(writer: EdgeWriter, batches: int) -> None:
    for _ in range(batches):
        writer.add([point(f"Page {number}. {'Turn the wheel. ' * 400}") for number in range(20)])
    writer.seal()


def processes_of(writer: EdgeWriter) -> list[int]:
    processes = writer._writer._processes  # type: ignore[union-attr]  # a small index has none
    return [process._process.pid for process in processes]


def test_other_processes_write_the_same_index(store: EdgeStore) -> None:
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


@pytest.mark.parametrize("started", [0, 1])
def test_the_build_writes_where_a_process_cannot_be_started(
    store: EdgeStore, started: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    left = [None] * started
    start = child_process._start_python

    def start_or_fail(module: str, stderr: IO[bytes]) -> "subprocess.Popen[bytes]":
        if not left:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        left.pop()
        return start(module, stderr)

    monkeypatch.setattr(child_process, "_start_python", start_or_fail)
    written(store, "g1", LARGE).seal()
    assert "No process can be started to write the index" in caplog.text
    index = store.open("g1", LARGE)
    assert len(list(index.ids())) == index.count() == 120
    index.close()


@pytest.mark.parametrize("number", [0, 1])
def test_a_process_that_is_killed_is_an_error_with_its_reason(store: EdgeStore, number: int) -> None:
    writer = store.create("g1", LARGE)
    os.kill(processes_of(writer)[number], 9)
    with pytest.raises(StoreUnavailable, match=r"g1 has ended: killed by SIGKILL") as ended:
        writer.seal()
    assert "workers" in ended.value.hint
    writer.abort()
    assert store.generations() == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows")
@pytest.mark.parametrize("batches", [0, 200], ids=["answer-overdue", "pipe-full"])
def test_a_process_that_is_stopped_is_an_error_and_no_endless_wait(
    store: EdgeStore, batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "SILENT_SECONDS", 0.5)
    writer = store.create("g1", LARGE)
    os.kill(processes_of(writer)[1], signal.SIGSTOP)
    with pytest.raises(StoreUnavailable, match=r"g1 has ended: it gave no answer for 0\.5 s"):
        write_all(writer, batches)
    writer.abort()
    assert store.generations() == []


def test_a_process_that_a_full_disk_kills_is_an_error_that_says_so(store: EdgeStore) -> None:
    writer = store.create("g1", LARGE)
    os.kill(processes_of(writer)[1], signal.SIGBUS)
    with pytest.raises(StorageFull, match=r"killed by SIGBUS\. Its disk is full or fails"):
        writer.seal()
    writer.abort()


def test_an_error_of_the_process_is_raised_and_aborting_ends_it(store: EdgeStore) -> None:
    writer = store.create("g1", LARGE)
    writer.add([point("page", source_path="caf\udcff.md")])
    with pytest.raises(VectorStoreError, match=r"udcff.* invalid Unicode"):
        writer.seal()
    pids = processes_of(writer)
    writer.abort()
    writer.abort()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert store.generations() == []


def test_a_point_of_a_later_batch_replaces_the_one_with_its_id(store: EdgeStore) -> None:
    writer = store.create("g1", LARGE)
    for title in ("Before", "After"):
        writer.add([point(f"page {number}", title=title) for number in range(20)])
    writer.seal()
    index = store.open("g1", IndexSpec(DIMENSION, points=20))
    titles = [chunk.document.title for chunk in index.chunks(list(index.ids())).values()]
    index.close()
    assert titles == ["After"] * 20
