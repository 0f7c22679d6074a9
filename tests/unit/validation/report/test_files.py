"""Where reports are written."""

import errno
import itertools
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.disks import mounted

from assay.errors import FileUnwritable
from assay.validation.report.files import write_reports

BEGAN = datetime(2025, 12, 16, 17, 30, 45, 999_999, tzinfo=timezone(timedelta(hours=2)))
CONTENTS = {"html": b"<p>", "md": b"# x", "xml": b"<x/>", "json": b"{}"}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.contract("001.54")
def test_the_name_is_the_second_in_utc_when_the_validation_began(tmp_path: Path) -> None:
    paths = write_reports(tmp_path, BEGAN, CONTENTS)
    assert paths["json"] == tmp_path / "report_20251216_153045.json"
    assert {suffix: path.read_bytes() for suffix, path in paths.items()} == CONTENTS
    assert names(tmp_path) == [f"report_20251216_153045.{suffix}" for suffix in ("html", "json", "md", "xml")]


def test_the_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert write_reports(folder, BEGAN, CONTENTS)["md"].is_file()


@pytest.mark.contract("001.54")
def test_a_second_report_of_one_second_overwrites_nothing(tmp_path: Path) -> None:
    first = write_reports(tmp_path, BEGAN, {"json": b"1"})
    second = write_reports(tmp_path, BEGAN, {"json": b"2", "html": b"2"})
    third = write_reports(tmp_path, BEGAN, {"html": b"3"})
    assert second["json"].name == "report_20251216_153045_2.json"
    assert third["html"].name == "report_20251216_153045.html"
    assert first["json"].read_bytes() == b"1"
    assert second["json"].read_bytes() == second["html"].read_bytes() == b"2"


def test_files_of_one_report_have_one_name_also_where_only_one_of_them_is_taken(tmp_path: Path) -> None:
    (tmp_path / "report_20251216_153045.xml").write_bytes(b"old")
    paths = write_reports(tmp_path, BEGAN, CONTENTS)
    assert {path.stem for path in paths.values()} == {"report_20251216_153045_2"}
    assert (tmp_path / "report_20251216_153045.xml").read_bytes() == b"old"


def test_threads_that_write_at_once_each_have_a_name_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        written = list(pool.map(lambda n: write_reports(tmp_path, BEGAN, {"json": b"%d" % n}), range(40)))
    assert len({paths["json"] for paths in written}) == 40
    assert [paths["json"].read_bytes() for paths in written] == [b"%d" % number for number in range(40)]


def _write(folder: Path) -> list[str]:
    return [str(write_reports(folder, BEGAN, {"md": b"x", "json": b"y"})["json"]) for _ in range(10)]


def test_processes_that_write_at_once_each_have_a_name_of_their_own(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        written = [path for paths in pool.map(_write, [tmp_path] * 2) for path in paths]
    assert len(set(written)) == 20
    assert len(names(tmp_path)) == 40


def test_nothing_is_left_beside_the_reports(tmp_path: Path) -> None:
    write_reports(tmp_path, BEGAN, CONTENTS)
    write_reports(tmp_path, BEGAN, CONTENTS)
    assert not [name for name in names(tmp_path) if name.startswith(".")]


def test_a_file_that_cannot_be_finished_leaves_nothing_that_looks_like_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileUnwritable) as caught:
        write_reports(tmp_path, BEGAN, CONTENTS)
    assert caught.value.message == f"Reports cannot be written to {tmp_path}: no space left on device."
    assert "output_dir in [validation]" in caught.value.hint
    assert names(tmp_path) == []


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "results"
    file.write_bytes(b"")
    with pytest.raises(FileUnwritable, match=r"results: it is a file, not a folder\."):
        write_reports(file, BEGAN, CONTENTS)
    with pytest.raises(FileUnwritable, match="not a directory"):
        write_reports(file / "deeper", BEGAN, CONTENTS)


def test_the_json_is_written_last_so_that_who_sees_it_finds_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        seen.append([path.name for path in tmp_path.iterdir() if not path.name.startswith(".")])
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_reports(tmp_path, BEGAN, CONTENTS)
    assert [len(before) for before in seen] == [0, 1, 2, 3]
    assert not any(name.endswith(".json") for before in seen for name in before)


@pytest.mark.parametrize("fails_at", range(4))
def test_a_disk_that_is_full_at_any_file_leaves_none_of_them(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync, calls = os.fsync, itertools.count()

    def filling(descriptor: int) -> None:
        if next(calls) == fails_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", filling)
    with pytest.raises(FileUnwritable) as caught:
        write_reports(tmp_path, BEGAN, CONTENTS)
    assert names(tmp_path) == []
    assert "No file of this report was kept. Free some space, or set another folder" in caught.value.hint


def test_files_that_have_their_names_are_taken_back_where_another_cannot_get_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, calls = Path.replace, itertools.count()

    def failing(self: Path, target: Path) -> Path:
        if next(calls) == 2:
            raise OSError(errno.EIO, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(FileUnwritable, match="input/output error"):
        write_reports(tmp_path, BEGAN, CONTENTS)
    assert names(tmp_path) == []


def test_a_file_may_come_in_pieces(tmp_path: Path) -> None:
    paths = write_reports(tmp_path, BEGAN, {"json": iter([b"[1,", b"2]"])})
    assert paths["json"].read_bytes() == b"[1,2]"


def test_a_full_disk_leaves_no_file_and_takes_none_away(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk") as disk:
        write_reports(disk, BEGAN, CONTENTS)
        before = names(disk)
        large = {**CONTENTS, "json": (bytes(1_000_000) for _ in range(200))}
        with pytest.raises(FileUnwritable, match="no space left on device"):
            write_reports(disk, BEGAN, large)
        assert names(disk) == before
