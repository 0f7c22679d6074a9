"""A folder to work in, with a few pages."""

from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run, runner

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


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Run:
    """Runs commands in that folder."""
    return runner(monkeypatch, capsys, folder)
