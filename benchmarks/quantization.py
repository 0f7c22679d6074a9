"""Quantization and vectors on disk: memory, recall of dense search, and search times, on a Qdrant server or embedded.

Run as `QDRANT_URL=... python -m benchmarks.quantization [CHUNKS [RESTART]]`, or without QDRANT_URL for the embedded
store; 100,000 chunks by default. The text is that of `benchmarks.scale`. Each variant is built in an index of its own,
with the vectors of the one before, which is then removed. The vectors have 256 dimensions, those of the built-in model.
An oversampling of 1 rescores only as many candidates as the search asks the engine for: the limit and some more, to
break ties. CPU times are those of the process that searches and of the server; they do not depend on other work.

RESTART: a command that restarts the server on this machine and prints its process id last. It runs before each
variant's searches, so that the memory is that of searches and not of the build. Without it, only the memory of the
server's allocator is known, which has no mapped files. VARIANTS=none,binary chooses kinds of quantization.
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
"""Kind, and whether vectors are on disk, which is a setting of the server only."""

OVERSAMPLING = {"none": (2.0,), "scalar": (1.0, 2.0), "binary": (1.0, 2.0, 4.0, 8.0, 16.0)}
"""Candidates rescored with full vectors, as a multiple of the hits; without effect for `none`."""

_COLUMNS = {
    "memory MB": "memory, MB",
    "of it mapped MB": "of it mapped files, MB",
    "recall@10": "recall@10",
    "dense CPU ms": "dense search: CPU, ms",
    "dense server's CPU ms": "of the server, ms",
    "dense p50 ms": "p50, ms",
    "dense p95 ms": "p95, ms",
    "hybrid CPU ms": "hybrid search: CPU, ms",
    "hybrid server's CPU ms": "of the server, ms",
    "hybrid p50 ms": "p50, ms",
    "hybrid p95 ms": "p95, ms",
}

_ON_SERVER = "QDRANT_URL" in os.environ


def main(arguments: Sequence[str]) -> None:
    """Print a row for each variant."""
    chunks = int(arguments[0]) if arguments else CHUNKS
    restart = shlex.split(arguments[1]) if len(arguments) > 1 else []
    wanted = os.environ.get("VARIANTS", ",".join(OVERSAMPLING)).split(",")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        GeneratedText(vocabulary()).write(work / "docs", chunks)
        print(f"{chunks:,} chunks\n\n| variant | oversampling | {' | '.join(_COLUMNS.values())} |")
        print(f"|---|---|{'---|' * len(_COLUMNS)}", flush=True)
        for kind, on_disk in VARIANTS:
            if kind in wanted and (_ON_SERVER or not on_disk):
                _measure(work, kind, restart, on_disk=on_disk)
        _run("remove", work, {})


def _measure(work: Path, kind: str, restart: Sequence[str], *, on_disk: bool) -> None:
    """Build a variant, and print a row for each oversampling."""
    chosen = {"QUANTIZATION": kind} | ({"ON_DISK": str(on_disk)} if _ON_SERVER else {})
    _change_a_page(work / "docs", chosen)
    built = _run("build", work, chosen)
    print({name: round(value, 3) for name, value in built.items()}, file=sys.stderr, flush=True)
    _remove_earlier(work)
    for times in OVERSAMPLING[kind]:
        process = _restarted(restart) if _ON_SERVER else None
        found = _run("search", work, chosen | {"OVERSAMPLING": str(times)}, process)
        if not _ON_SERVER:
            found["memory MB"], found["of it mapped MB"] = found["serving MB"], found["of it files MB"]
        elif process:
            found["memory MB"], found["of it mapped MB"] = resident_megabytes(process)
        else:
            found["memory MB"], found["of it mapped MB"] = found["server's heap MB"], float("nan")
        row = " | ".join(f"{found[name]:.4g}" for name in _COLUMNS)
        print(f"| {kind}{', on disk' if on_disk else ''} | {times:g} | {row} |", flush=True)


def _run(task: str, work: Path, chosen: Mapping[str, str], server: int | None = None) -> dict[str, float]:
    """A task of benchmarks.scale in a process of its own, with these settings of [qdrant] or [index].

    server: process id of the server.
    """
    table = "QDRANT" if _ON_SERVER else "INDEX"
    own = {f"ASSAY_{table}__{name}": value for name, value in chosen.items()}
    if server:
        own["QDRANT_PID"] = str(server)
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
