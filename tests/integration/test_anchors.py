"""Anchors of 300 headings are those of the pages that the generators build (`python -m benchmarks.anchors`)."""

from pathlib import Path

import pytest
from tests.anchor_pages import (
    DOCUSAURUS,
    HEADINGS,
    MKDOCS,
    docusaurus_headings,
    docusaurus_page,
    first_of_each,
    golden,
    page,
    read_anchors,
)
from tests.folders import pages, plant, read

from assay.ingest.markdown.reader import read_markdown

BUILT_BY_MKDOCS = golden("mkdocs")
BUILT_BY_DOCUSAURUS = golden("docusaurus")


@pytest.mark.parametrize("name", MKDOCS)
def test_anchors_of_mkdocs_are_those_of_its_site(tmp_path: Path, name: str) -> None:
    built = BUILT_BY_MKDOCS[name]
    assert len(built) >= 300
    text = page(dict(enumerate(HEADINGS)))
    plant(tmp_path, {"mkdocs.yml": f"site_name: T\nplugins: []\n{MKDOCS[name]}\n", "docs/page.md": text})
    anchors = read_anchors(read_markdown(pages(read(tmp_path))["docs/page.md"]))
    wrong = {HEADINGS[n]: (built[n], anchors.get(n)) for n in built if anchors.get(n) != built[n]}
    assert wrong == {}


@pytest.mark.parametrize("name", DOCUSAURUS)
def test_anchors_of_docusaurus_are_those_of_its_site(tmp_path: Path, name: str) -> None:
    built, headings = BUILT_BY_DOCUSAURUS[name], docusaurus_headings(name)
    assert len(built) == len(headings) >= 250
    plant(tmp_path, {"docusaurus.config.js": "", "docs/page.md": docusaurus_page(name)})
    anchors = read_anchors(read_markdown(pages(read(tmp_path))["docs/page.md"]))
    wrong = {headings[n]: (anchor, anchors.get(n)) for n, anchor in first_of_each(built) if anchors.get(n) != anchor}
    assert wrong == {}


@pytest.mark.parametrize("text", ["# Заголовок\n\n## Второй\n\n## Третий", "# 标题\n\n## 第二\n\n## 第三"])
def test_headings_without_a_latin_letter_are_numbered_from_one(tmp_path: Path, text: str) -> None:
    plant(tmp_path, {"mkdocs.yml": "", "docs/a.md": text})
    document = read_markdown(pages(read(tmp_path))["docs/a.md"])
    assert [section.anchor for section in document.sections] == ["_1", "_2", "_3"]
