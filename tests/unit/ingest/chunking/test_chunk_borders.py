"""The borders of the chunks of whole pages, against those that were agreed on.

Chunks cut by another revision are cut again: a change of a border has to raise CHUNKER_REVISION. To accept one, raise
it, delete `tests/golden/chunks.txt` and run this test: it writes a new one, fails, and shows it to whoever reviews the
change.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pages import read

from assay.app import shipped_folder
from assay.ingest.chunking.chunker import CHUNKER_REVISION, ChunkingRules, chunk_document

GOLDEN = Path(__file__).resolve().parents[3] / "golden"
BORDERS = GOLDEN / "chunks.txt"
LIMITS = (300, 700, 1_800)


def _borders() -> Iterator[str]:
    """A line for each page and limit: where each chunk starts and ends."""
    yield f"revision {CHUNKER_REVISION}"
    handbook = shipped_folder("examples") / "handbook"
    pages = {path.relative_to(handbook).as_posix(): path for path in handbook.rglob("*.md*")}
    pages |= {path.name: path for path in (GOLDEN / "markdown").glob("*.md*")}
    for name, path in sorted(pages.items()):
        document = read(path.read_text(encoding="utf-8"), None)
        for limit in LIMITS:
            rules = ChunkingRules(limit, None, limit // 10, "words")
            chunks = chunk_document(document, rules, lambda texts: [len(text.split()) for text in texts])
            yield f"{name} {limit}: {' '.join(f'{chunk.start}-{chunk.end}' for chunk in chunks)}"


def test_the_borders_of_chunks_are_those_that_were_agreed_on() -> None:
    borders = "\n".join(_borders()) + "\n"
    if not BORDERS.exists():
        BORDERS.write_text(borders, encoding="utf-8")
        pytest.fail(f"{BORDERS} was not there and has been written: review it and run again")
    assert borders.splitlines() == BORDERS.read_text(encoding="utf-8").splitlines()
