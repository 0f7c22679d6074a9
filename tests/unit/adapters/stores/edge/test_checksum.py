import os
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.stores.edge import checksum as edge_checksum
from assay.adapters.stores.edge.checksum import crc32_of_file, extend_with_zeros


@given(data=st.binary(max_size=40), zeros=st.integers(0, 70_000))
def test_zeros_are_calculated_as_zlib_counts_them(data: bytes, zeros: int) -> None:
    assert extend_with_zeros(zlib.crc32(data), zeros) == zlib.crc32(data + bytes(zeros))


def test_gigabytes_of_zeros_are_calculated_from_smaller_pieces() -> None:
    half = extend_with_zeros(zlib.crc32(b"assay"), 3 << 30)
    assert extend_with_zeros(half, 5 << 30) == extend_with_zeros(zlib.crc32(b"assay"), 8 << 30)


@pytest.mark.parametrize(
    "written",
    [
        {},
        {0: b"begins"},
        {(8 << 20) - 4: b"ends"},
        {0: b"begins", 3 << 20: b"between" * 300_000, (8 << 20) - 4: b"ends"},
        {1 << 20: b"one", 2 << 20: b"two", 5 << 20: bytes(9000)},
    ],
    ids=["nothing but a hole", "beginning", "end", "three pieces", "zeros that are written"],
)
@pytest.mark.parametrize("told", [True, False], ids=["holes are told", "holes are not told"])
def test_a_file_with_holes_has_the_checksum_of_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: dict[int, bytes], *, told: bool
) -> None:
    if not told:
        monkeypatch.setattr(edge_checksum, "_SEEK_DATA", None)
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(8 << 20)
        for start, data in written.items():
            file.seek(start)
            file.write(data)
    assert crc32_of_file(path) == zlib.crc32(path.read_bytes())


def test_a_disk_that_cannot_tell_holes_is_read_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"data" * 100_000)
    seek = os.lseek

    def refuse(descriptor: int, position: int, how: int) -> int:
        if how in {os.SEEK_DATA, os.SEEK_HOLE}:
            raise OSError(22, "Invalid argument")
        return seek(descriptor, position, how)

    monkeypatch.setattr(os, "lseek", refuse)
    assert crc32_of_file(path) == zlib.crc32(path.read_bytes())


def test_holes_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 34)
        file.write(b"begins")
    if path.stat().st_blocks * 512 >= 1 << 34:
        pytest.skip("this disk has no holes")
    assert crc32_of_file(path) == extend_with_zeros(zlib.crc32(b"begins"), (1 << 34) - 6)


def test_an_empty_file_has_the_checksum_of_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    assert crc32_of_file(path) == 0
