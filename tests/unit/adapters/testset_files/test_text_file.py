"""Files of every encoding, and those that cannot be read or written."""

import os
from pathlib import Path

import pytest

from assay.adapters.testset_files import text_file
from assay.adapters.testset_files.text_file import read_text, replace_file
from assay.errors import FileUnwritable, InputError


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_byte_order_mark_says_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "set.yaml"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path.write_bytes(mark + "é😀\r\n".encode(encoding))
    assert read_text(path).text == "é😀\r\n"


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes("a\nb: caf\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError) as refused:
        read_text(path)
    assert str(refused.value) == f"{path}:2: the byte 0xE9 is not UTF-8. Save the file as UTF-8."


def test_nul_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(b"a\n\0")
    with pytest.raises(InputError, match=":2: it contains a NUL character"):
        read_text(path)


def test_what_is_not_there_no_file_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_text(tmp_path / "set.yaml")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_text(tmp_path)
    monkeypatch.setattr(text_file, "MAX_BYTES", 1024 * 1024)
    (tmp_path / "set.yaml").write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(InputError, match="is larger than 1 MB"):
        read_text(tmp_path / "set.yaml")


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileUnwritable, match="cannot be written: No space left on device"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [left.name for left in tmp_path.iterdir()] == ["set.yaml"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileUnwritable, match="cannot be written: No such file or directory"):
        replace_file(tmp_path / "none" / "set.yaml", b"new")
