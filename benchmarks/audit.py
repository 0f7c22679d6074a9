"""Duration of an audit of 100,000 chunks that recomputes every vector and keyword vector.

Run as `python -m benchmarks.audit [FOLDER]`; an index in FOLDER is reused. The pages are react-native's, six times with
different URLs and titles, so that no text is embedded twice. The baseline only reads the catalog.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from assay.app import Assay
from assay.model.generations import Generation
from assay.settings import Settings, load_settings
from benchmarks.shared import shared_folder

COPIES = 6
_TITLE = re.compile(r"(?m)^(title:\s*['\"]?|# )(.+?)(['\"]?)\s*$")


def main(folder: Path | None = None) -> None:
    """Build the index unless it exists, and audit it."""
    shared = shared_folder()
    if shared is None:
        return
    if folder is not None:
        _measure(shared, folder)
        return
    with tempfile.TemporaryDirectory() as work:
        _measure(shared, Path(work))


def _measure(shared: Path, work: Path) -> None:
    with Assay.open(_settings(work)) as assay:
        if not (work / "data").exists():
            _copy_pages(shared / "corpora" / "react-native", work)
            assay.builds.ingest()
        assay.parts.embedder.embed_query("load the model")
        started = perf_counter()
        generation = assay.generations()[0]
        read = _read(assay, generation)
        reading = perf_counter() - started
        cpu = process_time()
        report = assay.auditor.audit(generation.id)
        cpu = process_time() - cpu
    found = report.audit
    print(
        f"{found.chunks:,} chunks on {found.documents:,} pages: audited in {report.seconds:.1f} s "
        f"({cpu:.1f} s of processor time), {found.chunks / report.seconds:,.0f} chunks/s, "
        f"{100_000 * report.seconds / found.chunks:.1f} s for 100,000; {found.compared_vectors:,} vectors and "
        f"{found.compared_keywords:,} keyword vectors made anew, {found.count} faults"
    )
    print(f"reading only the catalog ({read:,} rows): {reading:.1f} s; ratio {report.seconds / reading:.1f}")


def _settings(work: Path) -> Settings:
    sources = [
        {"path": work / "pages" / str(copy), "base_url": f"https://docs-{copy}.example", "name": f"docs-{copy}"}
        for copy in range(COPIES)
    ]
    return load_settings(None, {"data_dir": work / "data", "sources": sources})


def _copy_pages(source: Path, work: Path) -> None:
    """Copy the pages several times, each with a unique title."""
    for copy in range(COPIES):
        target = work / "pages" / str(copy)
        shutil.copytree(source, target)
        pages = sorted(path for path in target.rglob("*") if path.suffix in {".md", ".mdx"})
        for number, page in enumerate(pages):
            text = page.read_text(encoding="utf-8")
            titled = _TITLE.sub(rf"\g<1>\g<2> {copy}x{number}\g<3>", text, count=1)
            page.write_text(titled, encoding="utf-8")


def _read(assay: Assay, generation: Generation) -> int:
    """Read every document and chunk of the catalog; return the number of rows."""
    documents = sum(1 for _ in assay.parts.catalog.documents(generation.id))
    return documents + sum(1 for _ in assay.parts.catalog.chunks(generation.id))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
