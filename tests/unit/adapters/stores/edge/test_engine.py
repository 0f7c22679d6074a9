"""Every error of the engine becomes one of ours, and only those of the engine do."""

import errno
import os
from pathlib import Path

import pytest
from qdrant_edge import Distance, EdgeConfig, EdgeShard, EdgeVectorParams, Point, Query, QueryRequest, UpdateOperation

from assay.adapters.stores.edge.engine import Compression, SearchKind, engine_errors, os_error, shard_config
from assay.errors import IndexCorrupt, IndexNotFound, StorageFull, StoreUnavailable, VectorStoreError


def mapped(error: BaseException, otherwise: type[VectorStoreError] = VectorStoreError) -> VectorStoreError:
    """What an error becomes."""
    with pytest.raises(VectorStoreError) as raised, engine_errors("open", Path("/data/g1"), otherwise):
        raise error
    return raised.value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Service runtime error: No space left on device (os error 28)", StorageFull),
        ("IO Error: Disk quota exceeded (os error 122)", StorageFull),
        ("IO Error: File too large (os error 27)", StorageFull),
        ("failed to open WAL: Resource temporarily unavailable (os error 11)", StoreUnavailable),
        ("IO Error: Permission denied (os error 13)", StoreUnavailable),
        ("IO Error: Read-only file system (os error 30)", StoreUnavailable),
        ("IO Error: Too many open files (os error 24)", StoreUnavailable),
        ("IO Error: Cannot allocate memory (os error 12)", StoreUnavailable),
        ("Service runtime error: Shard is not initialized", StoreUnavailable),
        ("IO Error: No such file or directory (os error 2)", IndexCorrupt),
        ("Failed to deserialize", IndexCorrupt),
        ("", IndexCorrupt),
    ],
)
def test_a_text_of_the_engine_has_its_kind(text: str, kind: type[VectorStoreError]) -> None:
    error = mapped(Exception(text), IndexCorrupt)
    assert type(error) is kind
    assert "g1" in error.message


def test_every_number_of_the_operating_system_is_mapped() -> None:
    for number in errno.errorcode:
        assert isinstance(mapped(OSError(number, os.strerror(number))), VectorStoreError)
        assert isinstance(
            os_error("read", Path("g1"), OSError(number, os.strerror(number)), IndexCorrupt), VectorStoreError
        )


def test_what_went_wrong_and_what_to_do_is_said() -> None:
    error = mapped(Exception("IO Error: No space left on device (os error 28)\nbacktrace: 0x1"))
    assert error.message == "Could not open the index g1: IO Error: No space left on device (os error 28)."
    assert "--data-dir" in error.hint
    assert "--rebuild" in mapped(Exception("broken"), IndexCorrupt).hint


def test_errors_of_ours_pass_as_they_are() -> None:
    with pytest.raises(IndexNotFound, match="mine"), engine_errors("open", Path("g1"), IndexCorrupt):
        raise IndexNotFound("mine")


@pytest.mark.parametrize("error", [TypeError("a bug of ours"), KeyError("x"), KeyboardInterrupt(), SystemExit(3)])
def test_what_the_engine_did_not_raise_passes_as_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)), engine_errors("open", Path("g1"), IndexCorrupt):
        raise error


def test_the_errors_that_the_engine_really_raises_are_mapped(tmp_path: Path) -> None:
    empty, folder = tmp_path / "empty", tmp_path / "g1"
    empty.mkdir()
    folder.mkdir()
    config = shard_config(4, SearchKind.EXACT, Compression())
    shard = EdgeShard.create(str(folder), config)

    def ask(vector: list[float], name: str) -> None:
        shard.query(QueryRequest(limit=1, query=Query.Nearest(vector, using=name)))

    for provoke in (
        lambda: EdgeShard.load(str(tmp_path / "nowhere")),
        lambda: EdgeShard.load(str(empty)),
        lambda: EdgeShard.create(str(folder), config),
        lambda: ask([1.0] * 5, "dense"),
        lambda: ask([1.0] * 4, "nameless"),
        lambda: shard.update(UpdateOperation.upsert_points([Point(1, {"dense": [1.0] * 5})])),
    ):
        with pytest.raises(IndexCorrupt), engine_errors("use", folder, IndexCorrupt):
            provoke()
    shard.close()
    for use in (shard.info, shard.flush, lambda: ask([1.0] * 4, "dense")):
        with pytest.raises(StoreUnavailable, match="closed"), engine_errors("use", folder, IndexCorrupt):
            use()


def test_an_index_that_another_holds_by_its_log_is_unavailable(tmp_path: Path) -> None:
    holder = EdgeShard.create(
        str(tmp_path), EdgeConfig(vectors={"dense": EdgeVectorParams(size=4, distance=Distance.Cosine)})
    )
    with pytest.raises(StoreUnavailable, match="WAL"), engine_errors("open", tmp_path, IndexCorrupt):
        EdgeShard.load(str(tmp_path))
    holder.close()
