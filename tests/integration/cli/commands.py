"""Running the command line as its users do: in a process, with what it wrote to each stream."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.forking import ForkedProgram

from assay.cli.main import command_line, run

PROGRAM = [sys.executable, "-m", "assay"]


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended. Nothing that a command does may show a traceback."""

    code: int
    out: str
    err: str

    @property
    def body(self) -> Any:  # noqa: ANN401 - any JSON
        """Standard output as the one JSON document that it has to be."""
        return json.loads(self.out)


def environment(**variables: str) -> dict[str, str]:
    """This process's environment without anything that sets Assay up."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "DATABASE_URL"))}
    return {**kept, "PYTHONUNBUFFERED": "1", **variables}


def forked(folder: Path, *arguments: str, log: Path | None = None, **variables: str) -> ForkedProgram:
    """Start a command in a folder, in a process that need not load Assay; log: as of ForkedProgram."""
    return ForkedProgram(log, _run_in, folder, environment(**variables), arguments)


def _run_in(folder: Path, variables: Mapping[str, str], arguments: Sequence[str]) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = ["assay", *arguments]
    run(command_line())


def assay(folder: Path, *arguments: str, **variables: str) -> Said:
    """Run a command in a folder, in a process of its own, to its end."""
    log = folder / "errors.log"
    log.unlink(missing_ok=True)
    with closing(forked(folder, *arguments, log=log, **variables)) as process:
        out = process.stdout.read()
        process.wait(120)
        err = log.read_text(encoding="utf-8")
        assert "Traceback" not in out + err, err
        return Said(process.returncode or 0, out, err)


Run = Callable[..., Said]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Run:
    """Runs commands in this process, which takes no time to start, in a folder and with no variables of Assay's."""
    monkeypatch.chdir(folder)
    for name in os.environ:
        if name.startswith(("ASSAY_", "DATABASE_URL")):
            monkeypatch.delenv(name)

    def run_command(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run(command_line())
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err, said.err
        return Said(int(ended.value.code or 0), said.out, said.err)

    return run_command
