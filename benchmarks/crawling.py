"""Crawling speed of a new and of an unchanged site in pages per second, and memory by size.

Run as `python -m benchmarks.crawling [PAGES MORE_PAGES]`. The baseline only fetches the same pages with the same
client, eight at a time.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx2

from benchmarks.generated_site import generated_site


@dataclass(frozen=True, slots=True)
class Run:
    """One command in its own process. peak_mb: peak memory without its workers."""

    body: dict[str, Any]
    seconds: float
    peak_mb: float


def main(pages: int = 1_000, more: int = 10_000) -> None:
    """Print the figures."""
    small = _measure(pages)
    large = _measure(more)
    for what, before, after in zip(("fetching and reading", "a whole publish"), small, large, strict=True):
        print(
            f"memory of {what}: {before:.0f} MB with {pages:,} pages, {after:.0f} MB with {more:,} "
            f"({after / before:.2f} times)"
        )


def _measure(pages: int) -> tuple[float, float]:
    """Peak memory of a dry run, which fetches and reads, and of a publish."""
    with tempfile.TemporaryDirectory() as folder, generated_site(pages) as url:
        bare = _bare(url, pages)
        dry = _run(Path(folder) / "dry", "ingest", url, "--dry-run")
        first = _run(Path(folder) / "data", "publish", url)
        again = _run(Path(folder) / "data", "publish", url)
    reading = {stage: first.body["seconds_by_stage"][stage] for stage in ("crawl", "read")}
    total = sum(reading.values())
    print(f"{pages:,} pages: fetched without anything else {pages / bare:.0f} pages/s")
    print(
        f"  new: {pages / total:.0f} pages/s fetched and read (crawl {reading['crawl']:.1f} s, read "
        f"{reading['read']:.1f} s; {total / bare:.2f} times the bare fetch), publish {first.seconds:.1f} s"
    )
    print(
        f"  unchanged: {again.seconds:.2f} s, {again.body['embedded']} embedded, {again.body['kept']} kept "
        f"({again.seconds / first.seconds:.3f} of the first)"
    )
    assert again.body["unchanged"]
    assert first.body["documents"] >= pages
    return dry.peak_mb, first.peak_mb


def _bare(url: str, pages: int) -> float:
    started = perf_counter()
    with httpx2.Client() as client, ThreadPoolExecutor(8) as pool:
        sizes = list(pool.map(lambda number: len(client.get(f"{url}docs/page-{number}").content), range(pages)))
    assert min(sizes) > 1_000
    return perf_counter() - started


def _run(data: Path, command: str, url: str, *options: str) -> Run:
    arguments = [sys.executable, "-m", "assay", command, url, *options, "--data-dir", str(data), "--json"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = perf_counter()
        process = subprocess.Popen(arguments, cwd=data.parent, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        seconds = perf_counter() - started
        out.seek(0)
        err.seek(0)
        if status:
            raise RuntimeError(err.read().decode()[-2_000:])
        return Run(json.load(out), seconds, used.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2))


if __name__ == "__main__":
    main(*[int(value) for value in sys.argv[1:3]])
