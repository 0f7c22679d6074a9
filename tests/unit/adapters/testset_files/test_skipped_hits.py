"""What was skipped is remembered, by file and topic, also after a crash in the middle of a line."""

from pathlib import Path

import pytest

from assay.adapters.testset_files.skipped_hits import SkippedHits
from assay.errors import ConfigurationError


def test_what_is_skipped_is_remembered_until_it_is_not(tmp_path: Path) -> None:
    path, test_set = tmp_path / "data" / "skipped.jsonl", tmp_path / "s.yaml"
    assert SkippedHits(path).of(test_set) == set()
    SkippedHits(path).set(test_set, "a", "1", skipped=True)
    SkippedHits(path).set(test_set, "a", "2", skipped=True)
    SkippedHits(path).set(tmp_path / "other.yaml", "a", "3", skipped=True)
    SkippedHits(path).set(test_set, "a", "1", skipped=False)
    assert SkippedHits(path).of(test_set) == {("a", "2")}


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe\n", b"[]\n", b'{"file": 1}\n', b"\0\n", b"\n\n"])
def test_a_damaged_line_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "skipped.jsonl"
    skipped = SkippedHits(path)
    skipped.set(tmp_path, "a", "1", skipped=True)
    path.write_bytes(path.read_bytes() + damage)
    assert skipped.of(tmp_path) == {("a", "1")}


def test_a_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "skipped.jsonl").mkdir()
    with pytest.raises(ConfigurationError, match="--data-dir"):
        SkippedHits(tmp_path / "skipped.jsonl").of(tmp_path)
    with pytest.raises(ConfigurationError, match="--data-dir"):
        SkippedHits(tmp_path / "skipped.jsonl").set(tmp_path, "a", "1", skipped=True)
