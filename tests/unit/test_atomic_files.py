import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.atomic_files import write_files


def broken() -> Iterator[bytes]:
    yield b"half"
    raise OSError("no space")


def test_an_error_leaves_every_file_as_it_was_and_nothing_beside_them(tmp_path: Path) -> None:
    old, new = tmp_path / "a.txt", tmp_path / "b.txt"
    old.write_bytes(b"old")
    with pytest.raises(OSError, match="no space"):
        write_files({old: [b"new"], new: broken()})
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_a_file_keeps_its_permissions_and_a_private_one_is_its_owners_alone(tmp_path: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.write_bytes(b"")
    shared.chmod(0o664)
    write_files({shared: [b"a", b"b"]})
    assert (shared.read_bytes(), shared.stat().st_mode & 0o777) == (b"ab", 0o664)
    private.write_bytes(b"")
    private.chmod(0o644)
    write_files({private: [b"key"]}, private=True)
    assert private.stat().st_mode & 0o777 == 0o600
