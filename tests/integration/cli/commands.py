"""Running the command line as its users do: in a process, with what it wrote to each stream."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def assay(folder: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> Said:
    """Run a command in a folder."""
    ran = subprocess.run(
        [*PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(**(variables or {})),
    )
    assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
    return Said(ran.returncode, ran.stdout, ran.stderr)
