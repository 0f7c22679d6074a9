"""The embedded store does what the kit says, keeps to its folder, and says what is wrong."""

import json
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from qdrant_edge import EdgeShard, Point, UpdateOperation
from qdrant_edge import SparseVector as EdgeSparseVector

from assay.adapters.stores.edge import engine as edge_engine
from assay.adapters.stores.edge import seal as edge_seal
from assay.adapters.stores.edge import writer as edge_writer
from assay.adapters.stores.edge.checksum import crc32_of_file
from assay.adapters.stores.edge.engine import Compression
from assay.adapters.stores.edge.point_ids import CHUNK_IDS, Numbers, number_of, write_chunk_ids
from assay.adapters.stores.edge.seal import SEAL
from assay.adapters.stores.edge.store import EdgeStore
from assay.adapters.stores.payload import to_payload
from assay.adapters.stores.points import DENSE, SPARSE
from assay.errors import IndexCorrupt, IndexNotFound, StorageFull, StoreUnavailable, VectorStoreError
from assay.ports import IndexPoint, IndexQuery, SparseVector
from assay.testing import VectorStoreConformance
from assay.testing.index_samples import EVERYTHING, SPEC, direction, filled, point, points

NEVER = 10**9


class _SearchConformance(VectorStoreConformance):
    """The kit without what is the same whichever form vectors have and however they are found."""

    test_a_new_store_is_empty_and_can_be_used = None
    test_an_index_is_not_made_over_another = None
    test_a_vector_that_is_no_direction_is_refused_and_nothing_written = None
    test_an_id_that_is_no_uuid_is_refused_and_nothing_written = None
    test_what_was_never_made_is_not_found = None
    test_what_was_never_sealed_does_not_open = None
    test_an_index_of_another_dimension_does_not_open = None
    test_inspecting_a_missing_or_unsealed_index_reports_the_problem_without_an_error = None
    test_inspecting_an_index_reports_another_dimension = None
    test_all_indexes_are_listed_sealed_or_not = None
    test_deleting_an_index_keeps_the_others = None
    test_a_name_can_be_reused_after_deleting = None
    test_an_aborted_index_is_deleted = None
    test_a_sealed_index_cannot_be_aborted = None
    test_a_term_that_nothing_has_finds_nothing = None
    test_sparse_search_finds_what_shares_a_term_rare_terms_first = None
    test_a_url_prefix_ends_at_a_path_border = None
    test_what_only_looks_like_a_heading_is_no_section = None
    test_a_chunk_is_found_under_the_heading_of_every_section_in_it = None
    test_nothing_is_found_for = None
    test_an_id_asked_for_twice_is_found_once = None
    test_an_index_can_be_closed_twice = None
    test_a_closed_index_says_so = None


class TestCompressingStore(_SearchConformance):
    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EdgeStore:
        monkeypatch.setattr(edge_writer, "COMPRESSED_FROM", 0)
        return EdgeStore(tmp_path / "index", hnsw_threshold=NEVER)


class TestGraphStore(_SearchConformance):
    @pytest.fixture
    def store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EdgeStore:
        monkeypatch.setattr(edge_engine, "FULL_SCAN_POINTS", 0)
        return EdgeStore(tmp_path / "index", hnsw_threshold=0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(root: Path) -> EdgeStore:
    return EdgeStore(root, hnsw_threshold=NEVER)


def kind(root: Path, name: str) -> str:
    seal: dict[str, str] = json.loads((root / name / SEAL).read_text(encoding="utf-8"))
    return seal["kind"]


# --- names and folders ---


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../g1", "/tmp/g1", ".hidden", "a b", "g1\n"])
def test_a_name_that_could_lead_elsewhere_is_refused(store: EdgeStore, name: str) -> None:
    for use in (lambda: store.create(name, SPEC), lambda: store.open(name, SPEC), lambda: store.delete(name)):
        with pytest.raises(VectorStoreError, match="cannot be the name"):
            use()


def test_listing_and_opening_make_no_folder(store: EdgeStore, root: Path) -> None:
    assert store.generations() == []
    with pytest.raises(IndexNotFound, match="assay ingest"):
        store.open("g1", SPEC)
    assert not root.exists()


def test_what_lies_beside_the_indexes_is_not_listed(store: EdgeStore, root: Path) -> None:
    filled(store, points(1)).close()
    (root / "notes.txt").write_text("mine")
    (root / ".cache").mkdir()
    assert store.generations() == ["g1"]


def test_checking_leaves_nothing_behind(store: EdgeStore, root: Path) -> None:
    root.mkdir()
    store.check()
    store.describe()
    assert list(root.iterdir()) == []


def test_checking_a_root_that_is_not_there_yet_makes_none(store: EdgeStore, root: Path) -> None:
    store.check()
    assert not root.exists()


def test_a_root_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnavailable, match="file"):
        EdgeStore(tmp_path / "file" / "below" / "index", hnsw_threshold=NEVER).check()


def test_a_root_that_this_user_may_not_make_is_unavailable(store: EdgeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreUnavailable):
        store.check()


def test_a_root_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("not a folder")
    store = EdgeStore(tmp_path / "index", hnsw_threshold=NEVER)
    with pytest.raises(StoreUnavailable, match="index"):
        store.check()
    with pytest.raises(VectorStoreError):
        store.create("g1", SPEC)


def test_a_name_that_is_not_unicode_is_refused_with_its_path(store: EdgeStore) -> None:
    writer = store.create("g1", SPEC)
    with pytest.raises(VectorStoreError, match=r"udcff.* invalid Unicode"):
        writer.add([point("page", source_path="caf\udcff.md")])
    writer.add(points(1))


# --- how vectors are found ---


def test_the_number_of_points_decides_how_vectors_are_found(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_writer, "COMPRESSED_FROM", 10)
    with_graph = EdgeStore(root, hnsw_threshold=20)
    for name, count in (("g9", 9), ("g10", 10), ("g19", 19), ("g20", 20)):
        filled(with_graph, points(count), name).close()
    assert [kind(root, name) for name in ("g9", "g10", "g19", "g20")] == ["exact", "compressed", "compressed", "graph"]


def test_of_equal_scores_at_the_limit_those_with_the_first_ids_are_returned(store: EdgeStore) -> None:
    twins = [replace(point(f"twin-{number}"), dense=direction(3)) for number in range(25)]
    query = IndexQuery(direction(4), SparseVector((1,), (1.0,)), 5, EVERYTHING)
    answer = filled(store, twins).search(query).by_chunk_id()
    first = sorted(one.chunk.id for one in twins)[:5]
    assert [scored.point for scored in answer.dense] == first
    assert [scored.point for scored in answer.sparse] == first


# --- ids of points ---


def test_an_index_of_format_1_with_uuids_as_ids_is_read_like_a_new_one(store: EdgeStore, root: Path) -> None:
    contents = points(60)
    with_uuids(root / "old", contents)
    old, new = store.open("old", SPEC), filled(store, contents, "new")
    chosen = [one.chunk.id for one in contents[::7]]
    asked = IndexQuery(direction(3), SparseVector((1, 2), (1.0, 1.0)), 20, EVERYTHING)
    for read in (
        lambda index: list(index.ids()),
        lambda index: index.search(asked).by_chunk_id(),
        lambda index: index.chunks(chosen),
        lambda index: index.compare(direction(5), chosen, {}),
    ):
        assert read(old) == read(new)


def with_uuids(folder: Path, contents: Sequence[IndexPoint]) -> None:
    """Write an index as versions of Assay wrote it whose indexes had UUIDs as ids."""
    folder.mkdir(parents=True)
    shard = EdgeShard.create(
        str(folder), edge_engine.shard_config(SPEC.dimension, edge_engine.SearchKind.EXACT, Compression())
    )
    vectors = [
        {DENSE: one.dense.tolist(), SPARSE: EdgeSparseVector(list(one.sparse.indices), list(one.sparse.values))}
        for one in contents
    ]
    written = [Point(one.chunk.id, each, to_payload(one.chunk)) for one, each in zip(contents, vectors, strict=True)]
    shard.update(UpdateOperation.upsert_points(written))
    shard.flush()
    shard.close()
    EdgeShard.load(str(folder)).close()
    edge_seal.write_seal(folder, SPEC.dimension, len(contents), edge_engine.SearchKind.EXACT, ())
    seal = json.loads((folder / SEAL).read_text())
    (folder / SEAL).write_text(json.dumps(seal | {"format": 1}))


def test_a_point_that_was_added_after_sealing_has_an_id_of_no_chunk(tmp_path: Path) -> None:
    known, added = "0123abcd-0123-5abc-8123-0123456789ab", "ffffffff-ffff-5fff-9fff-ffffffffffff"
    row = UUID(known).bytes + bytes(7)
    write_chunk_ids(tmp_path, row + b"\1" + row + b"\2")
    ids = Numbers(tmp_path)
    assert [ids.chunk_id(number_of(one)) for one in (known, known, added)] == [
        known,
        known,
        "ffffffff-ffff-5fff-8000-000000000000",
    ]
    assert ids.points([known, "no-uuid"]) == {number_of(known): known}
    assert [ids.text_key(number_of(one)) for one in (known, added)] == [2, None]


def test_two_ids_that_begin_with_the_same_64_bits_are_refused_by_name(tmp_path: Path) -> None:
    one, other = "0123abcd-0123-5abc-8123-0123456789ab", "0123abcd-0123-5abc-8123-0123456789ac"
    with pytest.raises(VectorStoreError, match=f"{one} and {other} cannot be in one index"):
        write_chunk_ids(tmp_path, UUID(other).bytes + bytes(8) + UUID(one).bytes + bytes(8))


# --- what a seal protects ---


def test_an_index_of_another_engine_is_refused_by_name(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, points(3)).close()
    installed = edge_seal.engine_version()
    monkeypatch.setattr(edge_seal, "engine_version", lambda: "0.10.1")
    with pytest.raises(IndexCorrupt, match=f"qdrant-edge-py {re.escape(installed)} and 0.10.1 is installed") as refused:
        store.open("g1", SPEC)
    assert "--rebuild" in refused.value.hint


def test_a_patch_release_of_the_engine_reads_what_the_one_before_wrote(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, points(3)).close()
    major, minor, *_ = edge_seal.engine_version().split(".")
    monkeypatch.setattr(edge_seal, "engine_version", lambda: f"{major}.{minor}.999")
    assert store.open("g1", SPEC).count() == 3


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (99, r"a newer version of Assay wrote it \(format 99; this one reads up to 3\)\. Install that version"),
        (2, "it has format 2, which this version of Assay does not read"),
    ],
)
def test_an_index_of_another_format_is_refused(store: EdgeStore, root: Path, number: int, said: str) -> None:
    filled(store, points(3)).close()
    seal = json.loads((root / "g1" / SEAL).read_text(encoding="utf-8"))
    (root / "g1" / SEAL).write_text(json.dumps(seal | {"format": number}), encoding="utf-8")
    with pytest.raises(IndexCorrupt) as refused:
        store.open("g1", SPEC)
    assert re.search(said, str(refused.value))


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe", b'{"format": 1, "crc": 0, "files": {}}'], ids=repr
)
def test_a_damaged_seal_is_refused(store: EdgeStore, root: Path, damage: bytes) -> None:
    filled(store, points(3)).close()
    (root / "g1" / SEAL).write_bytes(damage)
    with pytest.raises(IndexCorrupt, match=SEAL):
        store.open("g1", SPEC)


def test_a_seal_with_one_number_changed_is_refused(store: EdgeStore, root: Path) -> None:
    filled(store, points(3)).close()
    seal = root / "g1" / SEAL
    seal.write_text(seal.read_text(encoding="utf-8").replace('"points": 3', '"points": 4'), encoding="utf-8")
    with pytest.raises(IndexCorrupt, match="damaged"):
        store.open("g1", SPEC)


def test_a_large_index_has_its_sizes_compared_and_not_its_contents(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(store, points(3)).close()
    read: list[str] = []
    monkeypatch.setattr(edge_seal, "_CHECKED_BYTES", 0)
    monkeypatch.setattr(edge_seal, "_SMALL_BYTES", -1)
    monkeypatch.setattr(edge_seal, "crc32_of_file", lambda path: read.append(path.name) or crc32_of_file(path))
    assert store.open("g1", SPEC).count() == 3
    assert read == [CHUNK_IDS]
    largest = max((path for path in (root / "g1").rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size - 1)
    with pytest.raises(IndexCorrupt, match=re.escape(largest.name)):
        store.open("g1", SPEC)


@pytest.mark.parametrize("name", [CHUNK_IDS, "edge_config.json"])
def test_a_changed_byte_in_the_ids_or_settings_of_a_large_index_is_seen(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    filled(store, points(3)).close()
    monkeypatch.setattr(edge_seal, "_CHECKED_BYTES", 0)
    path = root / "g1" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexCorrupt, match=re.escape(f"{name} is missing, cut short or damaged")):
        store.open("g1", SPEC)


# --- space ---


def test_a_disk_that_is_nearly_full_is_refused_before_anything_is_written(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = store.create("g1", SPEC)
    usage = shutil.disk_usage(root)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10_000_000))
    with pytest.raises(StorageFull, match="10 MB left") as refused:
        writer.add(points(5))
    assert "--data-dir" in refused.value.hint
    with pytest.raises(StorageFull):
        store.create("g2", SPEC)
    monkeypatch.undo()
    writer.abort()
    assert "g1" not in store.generations()


def test_a_generation_that_could_not_be_started_leaves_nothing(
    store: EdgeStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.mkdir()
    usage = shutil.disk_usage(root)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    with pytest.raises(StorageFull):
        store.create("g1", SPEC)
    assert store.generations() == []
