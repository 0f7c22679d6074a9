"""A folder to work in, with a few pages."""

from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.folders import plant
from tests.integration.cli.commands import Run, runner

from assay.app import Assay
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with assay.toml and six pages."""
    return planted_pages(tmp_path)


def planted_pages(folder: Path) -> Path:
    """Write assay.toml and six pages into a folder; returns it."""
    pages = {f"docs/{part}.md": f"# The {part}\n\nThe {part} is checked every {len(part)} days.\n" for part in PARTS}
    toml = '[[sources]]\npath = "docs"\nname = "docs"\nbase_url = "https://docs.example"\nconvention = "plain"\n'
    return plant(folder, {**pages, "assay.toml": toml})


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of such a folder in which `assay publish` has run."""
    folder = planted_pages(tmp_path_factory.mktemp("original"))
    with Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay"})) as opened:
        assert opened.publish().promoted
    return folder / ".assay"


@pytest.fixture
def published(folder: Path, original: Path) -> Path:
    """The folder, with its pages live."""
    copy_tree(original, folder / ".assay")
    return folder


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Run:
    """Runs commands in that folder."""
    return runner(monkeypatch, capsys, folder)
