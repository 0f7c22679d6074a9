"""How the program that runs is started again."""

import sys
from pathlib import Path

import pytest

from assay.cli.commands.setup import program_name


def _program(folder: Path) -> Path:
    folder.mkdir(parents=True)
    program = folder / "assay"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


def test_a_program_that_the_shell_finds_is_called_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _program(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert program_name() == "assay"


@pytest.mark.parametrize("another", [True, False])
def test_a_program_that_the_shell_does_not_find_is_called_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, another: bool
) -> None:
    program = _program(tmp_path / "my project" / ".venv")
    monkeypatch.setenv("PATH", str(_program(tmp_path / "bin").parent if another else tmp_path / "empty"))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert program_name() == f"'{program}'"
    monkeypatch.chdir(tmp_path / "my project")
    monkeypatch.setattr(sys, "argv", [".venv/assay"])
    assert program_name() == ".venv/assay"


def test_a_module_is_called_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/anywhere/assay/__main__.py"])
    assert program_name() == f"{sys.executable} -m assay"
