"""The blocks of a stored text are those that its reader made."""

from pathlib import Path

import pytest
from hypothesis import given
from tests.conftest import ROOT
from tests.document_strategies import documents
from tests.memory_source import MemorySource

from assay.adapters.sources.folder.source import FolderSource
from assay.errors import InputError
from assay.ingest.reading import read_page
from assay.ingest.text.blocks import blocks_of
from assay.model.documents import BlockKind, Document, RawPage


def _read(markdown: str) -> Document:
    source = MemorySource({"page.md": markdown}, name="docs", base_url="https://docs.example")
    (page,) = source.read({})
    assert isinstance(page, RawPage)
    return read_page(page)


def _assert_found_again(document: Document) -> None:
    assert blocks_of(document.text, document.sections) == document.blocks


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        "One paragraph.\n\nAnother one\nof two lines.",
        "# Title\n\ntext\n\n## Part\n\n### Part of a part\n\nmore",
        "Text\n\n```py\nx = 1\n\n\ny = 2\n```\n\nafter it",
        "````md\n```js\n```\n````",
        "| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |",
        "| only | a header |\n| - | - |",
        "- one\n- two\n\n  still two\n- three\n  - nested\n\n    deeper\n- four",
        "1. one\n\n   still one\n\n2. two\n\n10. ten",
        "- ```sh\n  ls\n  ```\n\n  after the code\n\n  and more\n- next",
        "- first\n\n  ```\n  code\n  ```\n- | a |\n  | - |\n  | 1 |",
        "> quoted\n>\n> again\n\n> > twice\n\n> - item\n>\n>   of two\n> - another",
        "A claim[^1] and another[^b].\n\n[^1]: The first note.\n\n    Its second paragraph.\n\n[^b]: Second.",
        ":::note Mind this\n\nBody of the note.\n\n- item\n\n:::\n\nafter",
        "\\# not a heading\n\n\\```\n\nnot code",
        "- a\n\n<!-- end -->\n\n- b",
    ],
)
def test_every_kind_of_block_is_found_again(markdown: str) -> None:
    _assert_found_again(_read(markdown))


@given(documents())
def test_blocks_cover_the_text_in_order_and_headings_are_those_of_the_sections(document: Document) -> None:
    found = blocks_of(document.text, document.sections)
    ends = [0, *(block.end for block in found)]
    assert all(end <= block.start < block.end for end, block in zip(ends, found, strict=False))
    headings = {section.start for section in document.sections if section.level}
    assert {block.start for block in found if block.kind is BlockKind.HEADING} <= headings


def test_the_handbook_is_found_again() -> None:
    _assert_folder(ROOT / "examples" / "handbook")


@pytest.mark.parametrize("corpus", ["redux-toolkit/docs", "fastapi/docs/en/docs", "react-native/docs"])
def test_real_documentation_is_found_again(shared: Path, corpus: str) -> None:
    _assert_folder(shared / "corpora" / corpus)


def _assert_folder(folder: Path) -> None:
    pages = 0
    source = FolderSource(folder, base_url="https://docs.example", name="docs", max_page_bytes=5_000_000)
    for page in source.read({}):
        if isinstance(page, RawPage):
            try:
                document = read_page(page)
            except InputError:
                continue
            _assert_found_again(document)
            pages += 1
    assert pages > 20
