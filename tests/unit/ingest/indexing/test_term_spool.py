"""Term counts on disk, and what a full disk is called at each step."""

import errno
import io
import tempfile
from pathlib import Path
from typing import Any

import pytest

from assay.errors import StorageFull, StoreUnavailable, VectorStoreError
from assay.ingest.indexing.term_spool import TermSpool
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
    with TermSpool(folder) as spool:
        spool.write(COUNTS)
        return list(spool.read())


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert _use(tmp_path) == COUNTS


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
        TermSpool(tmp_path / "missing")
