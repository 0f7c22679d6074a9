"""Whole pages against what they have to become.

To accept a change, delete the `.txt` beside the page and run this test: it writes a new one, fails, and shows it to
whoever reviews the change.
"""

from pathlib import Path

import pytest
from tests.pages import flaws, read

from assay.model.documents import Document

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "markdown"
PAGES = {"docusaurus.mdx": "docusaurus", "mkdocs.md": "mkdocs", "plain.md": None}
FILES = {
    "./\\_safety.mdx": ":::danger\nKeep your hands *away*.\n:::\n\n## Start the daemon\n",
    "walk.py": "import walker\n\nwalker.velocity(x=0.1)\nwalker.stop()\n",
    "safety.md": "## Safety\n\nKeep your hands *away*.\n",
}
LINKS = {"guide/calibration.md": "https://docs.example.org/setup/calibration"}


def described(document: Document) -> str:
    """The document's text, then what points into it, one line each."""
    sections = [f"{s.level} #{s.anchor} {' > '.join(s.path)}" for s in document.sections]
    blocks = [f"{b.kind} {document.text[b.start : b.end].splitlines()[0]}" for b in document.blocks]
    links = [f"{link.text} -> {link.target}" for link in document.links]
    parts = [document.text, "\n".join(sections), "\n".join(blocks), "\n".join(links)]
    return f"\n\n{'=' * 20}\n\n".join([f"title: {document.info.title}", *parts]) + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_becomes_the_document_that_was_agreed_on(name: str) -> None:
    document = read((GOLDEN / name).read_text(encoding="utf-8"), PAGES[name], includes=FILES, links=LINKS)
    expected = (GOLDEN / name).with_suffix(".txt")
    if not expected.exists():
        expected.write_text(described(document), encoding="utf-8")
        pytest.fail(f"{expected} was not there and has been written: review it and run again")
    assert described(document) == expected.read_text(encoding="utf-8")
    assert flaws(document) == []
