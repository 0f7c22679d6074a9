"""Quantization and vectors on disk, on a Qdrant server: its memory, recall of dense search, and search times.

Run as `QDRANT_URL=... python -m benchmarks.quantization [CHUNKS [RESTART]]`; 100,000 by default. The text is that of
`benchmarks.scale`. Each variant is built in a collection of its own, with the vectors of the one before, which is
then removed. The vectors have 256 dimensions, those of the built-in model.

RESTART: a command that restarts the server on this machine and prints its process id last. It runs before each
variant's searches, so that the memory is that of searches and not of the build. Without it, only the memory of the
server's allocator is known, which has no mapped files.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.app import Assay
from benchmarks.generated_text import GeneratedText
from benchmarks.scale import settings_of, vocabulary
from benchmarks.serving import resident_megabytes

CHUNKS = 100_000
VARIANTS = (("none", False), ("scalar", True), ("scalar", False), ("binary", False), ("none", True), ("binary", True))
OVERSAMPLING = {"none": (2.0,), "scalar": (2.0,), "binary": (2.0, 4.0, 8.0)}
"""Candidates rescored with full vectors, as a multiple of the hits; without effect for `none`."""

_COLUMNS = {
    "server MB": "server's memory, MB",
    "of it mapped MB": "of it mapped files, MB",
    "recall@10": "recall@10",
    "dense p50 ms": "dense p50, ms",
    "dense p95 ms": "p95",
    "hybrid p50 ms": "hybrid p50, ms",
    "hybrid p95 ms": "p95",
}


def main(arguments: Sequence[str]) -> None:
    """Print a row for each variant."""
    chunks = int(arguments[0]) if arguments else CHUNKS
    restart = shlex.split(arguments[1]) if len(arguments) > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        GeneratedText(vocabulary()).write(work / "docs", chunks)
        print(f"{chunks:,} chunks\n\n| variant | oversampling | {' | '.join(_COLUMNS.values())} |")
        print(f"|---|---|{'---|' * len(_COLUMNS)}")
        for kind, on_disk in VARIANTS:
            chosen = {"QUANTIZATION": kind, "ON_DISK": str(on_disk)}
            _change_a_page(work / "docs", chosen)
            built = _run("build", work, chosen)
            _remove_earlier(work)
            for times in OVERSAMPLING[kind]:
                process = _restarted(restart)
                found = _run("search", work, chosen | {"OVERSAMPLING": str(times)})
                found["server MB"], found["of it mapped MB"] = (
                    resident_megabytes(process) if process else (found["server's heap MB"], float("nan"))
                )
                row = " | ".join(f"{found[name]:.4g}" for name in _COLUMNS)
                print(f"| {kind}{', on disk' if on_disk else ''} | {times:g} | {row} |", flush=True)
            print({name: round(value, 1) for name, value in built.items()}, file=sys.stderr, flush=True)
        _run("remove", work, {})


def _run(task: str, work: Path, chosen: Mapping[str, str]) -> dict[str, float]:
    """A task of benchmarks.scale in a process of its own, with these settings of [qdrant]."""
    own = {f"ASSAY_QDRANT__{name}": value for name, value in chosen.items()}
    command = [sys.executable, "-m", "benchmarks.scale", task, str(work)]
    environment = os.environ | own | {"ASSAY_GATE__MIN_RECALL": "0"}
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    found: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return found


def _change_a_page(folder: Path, chosen: Mapping[str, str]) -> None:
    """Pages that are all the same make no generation."""
    page = next(folder.rglob("*.md"))
    page.write_text(f"{page.read_text(encoding='utf-8')}\nBuilt with {dict(chosen)}.\n", encoding="utf-8")


def _remove_earlier(work: Path) -> None:
    with Assay.open(settings_of(work)) as assay:
        live = assay.parts.catalog.live_id()
        for generation in assay.generations():
            if generation.id != live:
                assay.parts.store.delete(generation.id)


def _restarted(command: Sequence[str]) -> int | None:
    """The server's process id after a restart; None without a command."""
    if not command:
        return None
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(said.split()[-1])


if __name__ == "__main__":
    main(sys.argv[1:])
