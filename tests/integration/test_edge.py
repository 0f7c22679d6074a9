"""The embedded store against what happens to files, disks and processes."""

import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.copies import copy_file
from tests.disks import fill_disk, forbid_writing
from tests.forking import ForkedProgram, fork

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.edge import opening as edge_opening
from assay.adapters.stores.edge import store as edge_store
from assay.adapters.stores.edge import writer as edge_writer
from assay.adapters.stores.edge.opening import load_shard
from assay.adapters.stores.edge.seal import SEAL, read_seal
from assay.adapters.stores.edge.store import EdgeStore
from assay.adapters.stores.memory import MemoryStore
from assay.errors import IndexCorrupt, StorageFull, StoreUnavailable
from assay.model.ranking import Filters
from assay.ports import IndexPoint, IndexQuery, IndexSpec, SparseVector, VectorIndex
from assay.testing.catalog_samples import page
from assay.testing.index_samples import EVERYTHING, SPEC, direction, filled, points

NEVER = 10**9
QUERY = IndexQuery(direction(7), SparseVector((1000, 2003), (1.0, 1.0)), 20, EVERYTHING)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(params=["exact", "compressed"])
def store(request: pytest.FixtureRequest, root: Path, monkeypatch: pytest.MonkeyPatch) -> EdgeStore:
    """A store with an index g1 of 60 points, found in either of the ways that small indexes have."""
    monkeypatch.setattr(edge_writer, "COMPRESSED_FROM", NEVER if request.param == "exact" else 0)
    store = EdgeStore(root, hnsw_threshold=NEVER)
    filled(store, points(60)).close()
    return store


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def answers_fully(index: VectorIndex) -> None:
    """Everything that was written can be found and read."""
    contents = {one.chunk.id: one for one in points(60)}
    assert list(index.ids()) == sorted(contents)
    assert index.chunks(list(contents)) == {chunk_id: one.chunk for chunk_id, one in contents.items()}
    for chunk_id, vector in index.vectors(list(contents)).items():
        np.testing.assert_array_equal(vector, contents[chunk_id].dense)
    answer = index.search(QUERY)
    assert len(answer.dense) == len(answer.sparse) == 20


# --- damage ---


def cut_short(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip_a_byte(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        (byte,) = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x40]))


@pytest.mark.parametrize("damage", [Path.unlink, cut_short, flip_a_byte])
def test_a_damaged_file_is_noticed_whichever_it_is(
    store: EdgeStore, root: Path, damage: Callable[[Path], None]
) -> None:
    whole = root / "whole"
    for path in files(root / "g1"):
        if not path.stat().st_size:
            continue
        copy_file(path, whole)
        damage(path)
        with pytest.raises(IndexCorrupt, match="g1") as refused:
            store.open("g1", SPEC)
        assert "--rebuild" in refused.value.hint
        whole.replace(path)
    answers_fully(store.open("g1", SPEC))


def test_segments_of_another_index_are_noticed(store: EdgeStore, root: Path) -> None:
    filled(store, points(5), "g2").close()
    for segment in (root / "g2" / "segments").iterdir():
        shutil.copytree(segment, root / "g1" / "segments" / segment.name)
    with pytest.raises(IndexCorrupt, match="segments folder"):
        store.open("g1", SPEC)


def use_unchecked(root: Path) -> None:
    edge_store.check_files = lambda *_: None  # in a process of its own
    with pytest.raises(IndexCorrupt):
        open_and_read(root)


def open_and_read(root: Path) -> None:
    index = EdgeStore(root, hnsw_threshold=NEVER).open("g1", SPEC)
    ids = list(index.ids())
    index.search(IndexQuery(direction(1), None, 5, EVERYTHING))
    index.chunks(ids)
    index.vectors(ids)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("edge_config.json", cut_short),
        ("version.info", cut_short),
        ("mutable_id_tracker.mappings", flip_a_byte),
        ("status.dat", cut_short),
        ("chunk_0.mmap", Path.unlink),
        ("segment.json", cut_short),
    ],
)
def test_no_error_of_the_engine_stays_unmapped_even_unchecked(
    root: Path, name: str, damage: Callable[[Path], None]
) -> None:
    """Also for indexes too large to be read through first. In a process of its own: the engine may panic."""
    filled(EdgeStore(root, hnsw_threshold=NEVER), points(60)).close()
    for path in files(root / "g1"):
        if path.name == name:
            damage(path)
    process = fork(use_unchecked, root)
    process.join(60)
    assert process.exitcode == 0


# --- interrupted builds ---


def build_and_say(root: Path) -> None:
    """Build an index and say each step."""

    def say(step: str) -> None:
        sys.stdout.write(f"{step}\n")
        sys.stdout.flush()

    edge_writer.COMPRESSED_FROM = 0
    writer = EdgeStore(root, hnsw_threshold=NEVER).create("g2", SPEC)
    say("created")
    for number, point in enumerate(points(1_500)):
        writer.add([point])
        if number % 100 == 0:
            say("added")
    say("sealing")
    writer.seal()
    say("sealed")


@pytest.mark.parametrize(("line", "pause"), [("created", 0.0), ("added", 0.02), ("sealing", 0.0), ("sealing", 0.05)])
def test_a_build_that_is_killed_leaves_nothing_that_opens(root: Path, line: str, pause: float) -> None:
    store = EdgeStore(root, hnsw_threshold=NEVER)
    filled(store, points(60)).close()
    with closing(ForkedProgram(root.parent / "log", build_and_say, root)) as build:
        for printed in build.stdout:
            if printed.strip() == line:
                break
        time.sleep(pause)
        build.send_signal(signal.SIGKILL)
        build.wait(60)
    assert store.generations() == ["g1", "g2"]
    if not (root / "g2" / SEAL).exists():
        with pytest.raises(IndexCorrupt, match="never finished"):
            store.open("g2", SPEC)
    answers_fully(store.open("g1", SPEC))
    store.delete("g2")
    assert filled(store, points(3), "g2").count() == 3


def test_a_removal_that_is_interrupted_leaves_nothing_that_opens(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", fail)
    with pytest.raises(StoreUnavailable, match="Permission denied"):
        store.delete("g1")
    monkeypatch.undo()
    with pytest.raises(IndexCorrupt, match="never finished"):
        store.open("g1", SPEC)
    store.delete("g1")
    assert store.generations() == []


# --- full disks ---


def test_a_disk_that_fills_up_stops_the_build_and_not_the_process(small_disk: Path) -> None:
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    store.check()
    writer = store.create("g1", IndexSpec(16_384))
    vector = np.zeros(16_384, np.float32)
    vector[0] = 1.0
    many = [IndexPoint(one.chunk, vector, one.sparse) for one in points(2_000)]

    def fill() -> None:
        for start in range(0, len(many), 50):
            writer.add(many[start : start + 50])

    with pytest.raises(StorageFull, match="MB left"):
        fill()
    writer.abort()
    assert store.generations() == []
    assert shutil.disk_usage(small_disk).used < 1_000_000


def test_a_full_disk_is_a_problem_for_a_build_and_none_for_searches(small_disk: Path) -> None:
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    index = filled(store, points(20))
    with pytest.raises(OSError, match="No space left"):
        (small_disk / "filler").write_bytes(bytes(120_000_000))
    store.check()
    assert "nothing can be built" in store.describe().problems[0]
    assert store.generations() == ["g1"]
    assert len(index.search(IndexQuery(direction(1), None, 5, EVERYTHING)).dense) == 5
    index.close()


def test_an_index_on_a_full_disk_can_be_opened_and_leaves_nothing_elsewhere(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    filled(store, points(20)).close()
    fill_disk(small_disk)
    index = store.open("g1", SPEC)
    assert [path.name[:12] for path in tmp_path.iterdir() if path != small_disk] == ["assay-index-"]
    assert len(index.search(IndexQuery(direction(1), None, 5, EVERYTHING)).dense) == 5
    index.close()
    assert list(tmp_path.iterdir()) == [small_disk]
    (small_disk / "filler").unlink()
    store.open("g1", SPEC).close()


def test_an_index_on_a_nearly_full_disk_is_not_loaded_in_its_place(small_disk: Path) -> None:
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    filled(store, points(20)).close()
    with (fill_disk(small_disk)).open("r+b") as filler:
        filler.truncate(filler.seek(0, os.SEEK_END) - 500_000)
    folder = small_disk / "index" / "g1"
    assert load_shard(folder, read_seal(folder))[1] is not None


def test_an_index_that_cannot_be_written_can_be_searched(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    filled(store, points(20)).close()
    forbid_writing(small_disk)
    store.check()
    index = store.open("g1", SPEC)
    assert len(index.search(IndexQuery(direction(1), None, 5, EVERYTHING)).dense) == 5
    index.close()
    assert list(tmp_path.iterdir()) == [small_disk]


def test_without_room_for_a_copy_it_is_said_where_to_make_some(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EdgeStore(small_disk / "index", hnsw_threshold=NEVER)
    filled(store, points(20)).close()
    forbid_writing(small_disk)
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    monkeypatch.setattr(edge_opening, "_IN_MEMORY", small_disk / "none")
    with pytest.raises(StoreUnavailable, match=r"no room for a copy.*TMPDIR"):
        store.open("g1", SPEC)


def test_a_limit_on_the_size_of_files_is_a_full_disk(root: Path) -> None:
    process = fork(create_with_small_files, root)
    process.join(60)
    assert process.exitcode == 0


def create_with_small_files(root: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    store = EdgeStore(root, hnsw_threshold=NEVER)
    with pytest.raises(StorageFull):
        store.create("g1", SPEC)
    assert store.generations() == []


@pytest.mark.parametrize("room", range(5))
def test_too_many_open_files_are_not_taken_for_damage(store: EdgeStore, room: int) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
    held: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(room):
            os.close(held.pop())
        with contextlib.suppress(StoreUnavailable):
            store.open("g1", SPEC).close()
            assert room > 0
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    answers_fully(store.open("g1", SPEC))


# --- several processes and threads ---


def open_and_close(root: Path) -> None:
    for _ in range(6):
        index = EdgeStore(root, hnsw_threshold=NEVER).open("g1", SPEC)
        answers_fully(index)
        index.close()


def test_many_processes_open_search_and_close_one_index_at_once(store: EdgeStore, root: Path) -> None:
    readers = [fork(open_and_close, root) for _ in range(4)]
    for reader in readers:
        reader.join(120)
    assert [reader.exitcode for reader in readers] == [0] * 4
    answers_fully(store.open("g1", SPEC))


def test_an_index_that_is_removed_goes_on_answering_whoever_has_it_open(store: EdgeStore, root: Path) -> None:
    index = store.open("g1", SPEC)
    EdgeStore(root, hnsw_threshold=NEVER).delete("g1")
    assert store.generations() == []
    answers_fully(index)
    index.close()
    assert store.generations() == []


def test_closing_under_load_gives_answers_or_a_clear_error(store: EdgeStore) -> None:
    index = store.open("g1", SPEC)
    expected = index.search(QUERY)
    wrong: list[object] = []

    def search_until_closed() -> None:
        while True:
            try:
                if index.search(QUERY) != expected:
                    wrong.append("another answer")
            except StoreUnavailable:
                return
            except BaseException as error:  # noqa: BLE001 - whatever else comes is what this test is about
                wrong.append(error)
                return

    threads = [threading.Thread(target=search_until_closed) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    index.close()
    for thread in threads:
        thread.join(30)
    assert wrong == []
    assert not any(thread.is_alive() for thread in threads)


# --- against its twin ---


def test_it_answers_as_its_twin_on_real_documentation(
    root: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_writer, "COMPRESSED_FROM", 100)
    embedder, encoder = StaticEmbedder(), Bm25Encoder("english")
    contents = real_points(shared / "corpora" / "redux-toolkit", embedder, encoder)
    assert len(contents) > 300
    spec = IndexSpec(256)
    indexes = []
    for store in (EdgeStore(root, hnsw_threshold=NEVER), MemoryStore()):
        writer = store.create("g1", spec)
        writer.add(contents)
        writer.seal()
        indexes.append(store.open("g1", spec))
    for text in ("how to write a reducer with createSlice", "RTK Query cache lifetime", "immutable updates 422"):
        for filters in (Filters(), EVERYTHING, Filters(versions=("1.9",)), Filters(sections=("Part 1", "Part 2"))):
            query = IndexQuery(embedder.embed_query(text), encoder.encode_query(text), 50, filters)
            ours, twin = (index.search(query) for index in indexes)
            assert ours.dense or filters.sections
            assert [s.score for s in ours.dense] == pytest.approx([s.score for s in twin.dense], abs=1e-5)
            assert [s.score for s in ours.sparse] == pytest.approx([s.score for s in twin.sparse], rel=1e-4)


def real_points(folder: Path, embedder: StaticEmbedder, encoder: Bm25Encoder) -> list[IndexPoint]:
    """Every page in windows of 1,500 characters, every third page an old version."""
    chunks = []
    for number, path in enumerate(sorted(folder.rglob("*.md*"))):
        text = path.read_text(encoding="utf-8")
        windows = [text[start : start + 1_500] for start in range(0, len(text), 1_500)]
        old: dict[str, object] = {"version": "1.9", "version_is_current": False} if number % 3 == 0 else {}
        name = path.relative_to(folder).with_suffix("").as_posix()
        chunks += page(name, *(window for window in windows if window.strip()), **old)[1]
    texts = [chunk.text for chunk in chunks]
    counts = encoder.term_counts(texts)
    weights = encoder.weigh(counts, sum(sum(vector.values) for vector in counts) / len(counts))
    return [IndexPoint(*point) for point in zip(chunks, embedder.embed_documents(texts), weights, strict=True)]
