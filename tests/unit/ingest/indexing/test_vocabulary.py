"""The names that a build collects."""

from assay.ingest.indexing.vocabulary import VocabularyBuilder
from assay.ports import Names
from assay.testing.catalog_samples import page


def test_a_heading_that_is_the_title_but_for_its_code_marks_is_one_name() -> None:
    _, chunks = page("hook", "The hook.", title="useMemo")
    builder = VocabularyBuilder()
    for chunk in chunks:
        builder.add(chunk, chunk.text, Names("useMemo", ("`useMemo`", "Use")), [1])
    names = builder.vocabulary().names
    assert [(name.text, name.is_title) for name in names] == [("useMemo", True), ("Use", False)]
