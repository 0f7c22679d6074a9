"""The names that a build collects."""

from dataclasses import replace

from assay.ingest.indexing.vocabulary import VocabularyBuilder, names_of_page
from assay.model.headings import InnerHeading
from assay.ports import Names
from assay.testing.catalog_samples import page


def test_a_heading_that_is_the_title_but_for_its_code_marks_is_one_name() -> None:
    _, chunks = page("hook", "The hook.", title="useMemo")
    builder = VocabularyBuilder()
    names = names_of_page(chunks, [Names("useMemo", ("`useMemo`", "Use"))] * len(chunks))
    builder.add("https://docs.example/hook", {}, [1], names)
    assert [(name.text, name.is_title) for name in builder.vocabulary().names] == [("useMemo", True), ("Use", False)]


def test_a_heading_within_a_chunk_leads_to_its_anchor() -> None:
    _, (chunk,) = page("hook", "# Hook\n\n## `Use`\n\nThe hook.", title="Hook")
    names = names_of_page([replace(chunk, inner_headings=(InnerHeading(8, 1, "Use", "use"),))], [Names.of(chunk)])
    assert [name.url.partition("#")[2] for name in names] == ["", "use"]
