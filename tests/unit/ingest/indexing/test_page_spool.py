"""What was counted of pages, on disk, and what a full disk is called at each step."""

import errno
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.errors import StorageFull, StoreUnavailable, VectorStoreError
from assay.ingest.indexing.page_spool import PageSpool, pack_counts
from assay.ports import SparseVector

COUNTS = [SparseVector((1, 7), (2.0, 1.0)), SparseVector((), ())]


class FailingDisk(io.BytesIO):
    """A file whose every use fails from a step on, as a buffered one on a full disk does."""

    def __init__(self, code: int, step: str) -> None:
        super().__init__()
        self._error, self._step = OSError(code, "the disk says no"), step

    def _fail_at(self, *steps: str) -> None:
        if self._step in steps:
            raise self._error

    def write(self, content: Any) -> int:  # noqa: ANN401 - as the base class has it
        self._fail_at("write")
        return super().write(content)

    def seek(self, *where: int) -> int:
        self._fail_at("seek")
        return super().seek(*where)

    def close(self) -> None:
        super().close()
        self._fail_at("write", "seek", "close")


def _use(folder: Path) -> list[SparseVector]:
    with PageSpool(folder) as spool:
        spool.add("b", len(COUNTS), pack_counts(COUNTS), b"hashes", None)
        return spool.counts("b")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert _use(tmp_path) == COUNTS


def test_pages_are_read_in_any_order_and_by_parts(tmp_path: Path) -> None:
    vectors = np.arange(8, dtype=np.float32).reshape(2, 4)
    with PageSpool(tmp_path) as spool:
        spool.add("b", 2, pack_counts(COUNTS), b"of b", vectors)
        spool.add("empty", 0, pack_counts([]), b"", None)
        spool.add("a", 1, pack_counts(COUNTS[:1]), b"of a", None)
        assert spool.urls() == ["a", "b", "empty"]
        assert (spool.counts("a"), spool.counts("empty"), spool.counts("b")) == (COUNTS[:1], [], COUNTS)
        assert (spool.hashes("b"), spool.hashes("a")) == (b"of b", b"of a")
        assert spool.vectors("a") is None
        np.testing.assert_array_equal(spool.vectors("b"), vectors)
        spool.clear()
        assert not spool.urls()
        spool.add("a", 2, pack_counts(COUNTS), b"", None)
        assert spool.counts("a") == COUNTS


@pytest.mark.parametrize(
    ("code", "kind", "hint"),
    [(errno.ENOSPC, StorageFull, "Free some space"), (errno.EIO, StoreUnavailable, "Check that disk")],
)
@pytest.mark.parametrize("step", ["write", "seek"])
def test_a_fault_of_the_disk_is_told_as_one_and_not_hidden_by_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int, kind: type[VectorStoreError], hint: str
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: FailingDisk(code, step))
    with pytest.raises(kind) as failure:
        _use(tmp_path)
    assert str(tmp_path) in failure.value.message
    assert hint in failure.value.hint


def test_what_cannot_be_closed_on_a_full_disk_was_read_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: FailingDisk(errno.ENOSPC, "close"))
    assert _use(tmp_path) == COUNTS


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be kept"):
        PageSpool(tmp_path / "missing")
