"""What a build is told that cannot take its lock."""

import errno
from pathlib import Path

import pytest

from assay.adapters.catalog.sql.locks import _file_lock
from assay.errors import CatalogError


@pytest.mark.parametrize(("code", "hint"), [(errno.ENOSPC, "Free some space"), (errno.EACCES, "write access")])
def test_why_the_lock_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, hint: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(CatalogError) as failure, _file_lock(tmp_path / "catalog.sqlite", 0):
        pass
    assert hint in failure.value.hint
