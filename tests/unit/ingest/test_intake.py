"""Pages on their way into a build, one at a time."""

from dataclasses import replace

from tests.pages import page

from assay.adapters.catalog.memory import MemoryCatalog
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.intake import Intake


def _intake(copies: CopiedPages) -> Intake:
    rules = ChunkingRules(400, None, 0, "words")
    return Intake(MemoryCatalog(), None, {}, {}, rules, lambda texts: [len(text) for text in texts], None, copies)


def test_no_copies_are_expected_of_a_page_whose_address_is_taken() -> None:
    copies = CopiedPages()
    intake = _intake(copies)
    first = page("# Motors", version="1.0")
    copy = replace(first, version="2.0", key="2.0.md", url=f"{first.url}/2.0")
    intake.survey.claim(first.url, "other", "page.md")
    assert not copies.is_copy(first)
    assert intake.take("docs", first, None) is None
    assert not copies.is_copy(copy)
    assert isinstance(intake.take("docs", copy, None), Cut)
    assert copies.has_read(replace(first, version="3.0"))
