"""Reading a site: pages per second when it is new and when nothing has changed, and memory against its size.

Run as `python -m benchmarks.crawling [PAGES MORE_PAGES]`. The baseline of the same run fetches the same pages with the
same client, eight at a time, and does nothing else.
"""

import json
import os
import resource
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
    """One publish in a process of its own. peak_mb: the most memory that it and its workers had, each by itself."""

    body: dict[str, Any]
    seconds: float
    peak_mb: float


def main(pages: int = 1_000, more: int = 10_000) -> None:
    """Print the figures."""
    small = _measure(pages)
    large = _measure(more)
    print(
        f"memory of the largest process: {small:.0f} MB with {pages:,} pages, {large:.0f} MB with {more:,} "
        f"({large / small:.2f} times)"
    )


def _measure(pages: int) -> float:
    with tempfile.TemporaryDirectory() as folder, generated_site(pages) as url:
        bare = _bare(url, pages)
        first = _publish(Path(folder), url)
        again = _publish(Path(folder), url)
    stages = first.body["seconds_by_stage"]
    reading = stages["crawl"] + stages["read"]
    print(f"{pages:,} pages: fetched without anything else {pages / bare:.0f} pages/s")
    print(
        f"  new: {pages / reading:.0f} pages/s fetched and read (crawl {stages['crawl']:.1f} s, read "
        f"{stages['read']:.1f} s; {reading / bare:.2f} times the bare fetch), publish {first.seconds:.1f} s"
    )
    print(
        f"  unchanged: {again.seconds:.2f} s, {again.body['embedded']} embedded, {again.body['kept']} kept "
        f"({again.seconds / first.seconds:.3f} of the first)"
    )
    assert again.body["unchanged"]
    assert first.body["documents"] >= pages
    return first.peak_mb


def _bare(url: str, pages: int) -> float:
    started = perf_counter()
    with httpx2.Client() as client, ThreadPoolExecutor(8) as pool:
        sizes = list(pool.map(lambda number: len(client.get(f"{url}docs/page-{number}").content), range(pages)))
    assert min(sizes) > 1_000
    return perf_counter() - started


def _publish(folder: Path, url: str) -> Run:
    command = [sys.executable, "-m", "assay", "publish", url, "--data-dir", str(folder / "data"), "--json"]
    started = perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    seconds = perf_counter() - started
    if process.returncode:
        raise RuntimeError(err.decode()[-2_000:])
    body = json.loads(out)
    return Run(body, seconds, _peak_mb())


def _peak_mb() -> float:
    """The largest of all child processes so far: runs go from small to large, so it is the last one's."""
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return peak / 1024 if os.uname().sysname == "Linux" else peak / 1024**2


if __name__ == "__main__":
    main(*[int(value) for value in sys.argv[1:3]])
