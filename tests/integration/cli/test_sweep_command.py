"""`assay validate --sweep` over the example handbook: rows, files, chunkers, and that nothing is left behind."""

import json
import signal
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.integration.cli.commands import Run, forked, runner

from assay.app import Assay
from assay.settings import load_settings

TESTS = str(ROOT / "examples" / "handbook.testset.yaml")
GRID = """
[[run]]
name = "as set"
[[run]]
mode = "sparse"
[[run]]
name = "same chunks"
chunking = {max_characters = 1800}
[[run]]
name = "small"
chunking = {max_characters = 400, overlap = 50}
"""


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the handbook as its candidate, and a grid; no test changes it."""
    folder = tmp_path_factory.mktemp("handbook")
    (folder / "modes.toml").write_text(GRID)
    (folder / "tmp").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        sources = [{"path": ROOT / "examples" / "handbook", "base_url": "https://handbook.example"}]
        with Assay.open(load_settings(None, {"sources": sources})) as assay:
            assay.builds.ingest()
    return folder


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], handbook: Path) -> Run:
    """Runs commands in that folder, whose temporary files go to a folder in it."""
    monkeypatch.setattr(tempfile, "tempdir", str(handbook / "tmp"))
    return runner(monkeypatch, capsys, handbook)


def test_rows_come_in_their_order_with_one_set_of_labels(assay: Run, handbook: Path) -> None:
    before = assay("generations", "--json").body
    body = assay("validate", "--sweep", "modes.toml", "--testset", TESTS, "--json").body
    rows = {row["name"]: row for row in body["rows"]}
    assert list(rows) == ["as set", "sparse", "same chunks", "small"]
    assert rows["same chunks"]["chunks"] == rows["as set"]["chunks"] < rows["small"]["chunks"]
    assert rows["same chunks"]["measures"]["nDCG@10"]["value"] == rows["as set"]["measures"]["nDCG@10"]["value"]
    assert {row["topics"] for row in rows.values()} == {36}
    assert rows["small"]["lost_judgments"] == 0
    assert all(row["latency"]["samples"] >= 36 for row in rows.values())
    assert assay("generations", "--json").body == before
    assert list((handbook / "tmp").iterdir()) == []


def test_the_page_and_the_json_are_written(assay: Run, tmp_path: Path) -> None:
    said = assay("validate", "--sweep", "modes.toml", "--testset", TESTS, "--output-dir", str(tmp_path))
    assert said.code == 0
    assert "nDCG@10 against median latency" in said.out
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name.rpartition(".")[2] for name in names] == ["html", "json"]
    assert all(name.startswith("sweep_") for name in names)
    body = json.loads((tmp_path / names[1]).read_text())
    assert len(body["rows"]) == 4
    assert "as set" in (tmp_path / names[0]).read_text()


def test_a_wrong_key_is_refused_before_anything_is_measured(assay: Run, tmp_path: Path) -> None:
    grid = tmp_path / "wrong.toml"
    grid.write_text("[[run]]\nmode = 'dense'\n[[run]]\ndense_wight = 2\n")
    said = assay("validate", "--sweep", str(grid), "--testset", TESTS, "--json")
    assert said.code == 2
    assert "run 2" in said.body["message"]
    assert "dense_weight" in said.body["message"]


def test_a_sweep_is_not_mixed_with_what_gives_a_verdict(assay: Run) -> None:
    assert assay("validate", "--sweep", "modes.toml", "--testset", TESTS, "--concurrency", "2").code == 2


def test_ctrl_c_leaves_nothing_behind(handbook: Path) -> None:
    """The temporary index is there, then the command is interrupted, then it is gone."""
    temporary = handbook / "tmp"
    arguments = ("validate", "--sweep", "default", "--testset", TESTS, "--no-report")
    with closing(forked(handbook, *arguments, TMPDIR=str(temporary))) as running:
        deadline = time.monotonic() + 120
        while not list(temporary.glob("assay-sweep-*/catalog.sqlite")):
            assert running.returncode is None, "it ended before it cut anything"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        running.wait(60)
        assert running.returncode == 130
    assert list(temporary.iterdir()) == []
