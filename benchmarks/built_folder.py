"""Reading speed of a real built site from its folder, in pages per second: read only, first built, and unchanged.

Run as `python -m benchmarks.built_folder [FOLDER]`; without a folder it unpacks the shared folder's Docusaurus build.
The seconds are those of finding the pages (`crawl`) and of reading and chunking them (`read`). A build also counts and
embeds while it reads; a dry run does not.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.shared import shared_folder

_BUILD = Path("sites") / "redux-toolkit-docusaurus-3.10.tar.gz"


def main(folder: str | None = None) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(folder) if folder else unpacked_site(Path(scratch))
        for name, more in {"dry run": ["--dry-run"], "first": [], "unchanged": []}.items():
            started = perf_counter()
            body, cpu = _ingest(root, Path(scratch) / "data", more)
            seconds = perf_counter() - started
            stages = {stage: body["seconds_by_stage"].get(stage, 0.0) for stage in ("crawl", "read")}
            reading = sum(stages.values())
            print(
                f"{name}: {body['documents']} pages, {body['documents'] / reading:.0f} pages/s found and read "
                f"(crawl {stages['crawl']:.2f} s, read {stages['read']:.2f} s); whole command {seconds:.2f} s, "
                f"{cpu:.2f} s of CPU; {body['embedded']} embedded"
            )


def unpacked_site(scratch: Path) -> Path:
    """Unpack the shared folder's Docusaurus build, which has two versions and two locales."""
    shared = shared_folder()
    if shared is None:
        sys.exit("There is no shared folder with the built site; give a folder of built HTML.")
    with tarfile.open(shared / _BUILD) as archive:
        archive.extractall(scratch / "dist", filter="data")
    return scratch / "dist"


def _ingest(root: Path, data: Path, more: list[str]) -> tuple[dict[str, Any], float]:
    """The report of a build, and the CPU seconds of the command and its workers."""
    options = ["--base-url", "http://127.0.0.1:3111", "--data-dir", str(data), "--json", *more]
    before = os.times()
    run = subprocess.run(
        [sys.executable, "-m", "assay", "ingest", str(root), *options], capture_output=True, text=True, check=True
    )
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(run.stdout), cpu


if __name__ == "__main__":
    main(*sys.argv[1:2])
