"""Whatever is edited, a judgment is found at the words that were judged, or does not score.

That they are those words and not equal ones is tried on real texts, in tests/integration/test_labelled_spans.py: where
a generated page says the same line over and over, nobody could tell.
"""

import random

from benchmarks.edits import edited
from benchmarks.labelled_collections import as_document
from hypothesis import example, given
from hypothesis import strategies as st
from tests.document_strategies import documents
from tests.documents import document_of, text

from assay.adapters.catalog.memory import MemoryCatalog
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.documents import Document
from assay.model.evaluation import Judgment, Passage, Span, TestSet, Topic
from assay.model.ids import content_hash
from assay.testing.catalog_samples import generation
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.coverage import chunks_on
from assay.validation.judgments.folding import folded_words
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.resolving import resolve


def stored(catalog: MemoryCatalog, name: str, document: Document, size: int, overlap: int) -> None:
    rules = ChunkingRules(size, None, overlap, "none")
    catalog.add_generation(generation(name))
    catalog.add_documents(name, [(document, chunk_document(document, rules, lambda texts: [0] * len(texts)))])


def passage(document: Document, span: Span) -> Passage:
    quote = quote_at(SearchedText(document.text), span)
    return Passage(document.info.url, quote, span, content_hash(document.text))


def spans(document: Document, seed: int) -> list[Span]:
    """Some spans of visible words."""
    chance = random.Random(seed)
    found: list[Span] = []
    for _ in range(6 if document.text else 0):
        start = chance.randrange(len(document.text))
        end = min(len(document.text), start + chance.choice((1, 4, 30, 200)))
        if document.text[start:end].strip():
            found.append(Span(start, end))
    return found


sizes = st.sampled_from([(120, 0), (120, 40), (400, 0), (1_000, 200), (4_000, 0)])
repeating = st.lists(
    st.sampled_from(["Close the line.", "Open it.", "Then wait for the pump to stop.", "x"]), min_size=2, max_size=25
).map(lambda lines: document_of(*(text(line) for line in lines)))


@given(st.one_of(documents(), repeating), sizes, st.integers(0, 2**32))
def test_under_any_chunking_a_passage_is_found_in_its_place_and_on_a_chunk(
    document: Document, cutting: tuple[int, int], seed: int
) -> None:
    catalog = MemoryCatalog()
    stored(catalog, "g", document, *cutting)
    wanted = spans(document, seed)
    judgments = tuple(Judgment(passage(document, span), 2) for span in wanted)
    corpus = CatalogCorpus(catalog, "g")
    [topic] = resolve(TestSet("s", (Topic("t", "?", judgments=judgments),), ""), corpus)
    chunks = list(catalog.chunks("g"))
    for span, found in zip(wanted, topic.resolutions, strict=True):
        if not chunks:
            assert not found.anchoring.scores
            continue
        assert (found.span, bool(found.chunk_ids)) == (span, found.anchoring.scores)
        covered = any(
            document.text[max(chunk.start, span.start) : min(chunk.end, span.end)].strip() for chunk in chunks
        )
        assert found.anchoring.scores == covered
        [page] = corpus.pages([document.info.url])
        assert found.chunk_ids == tuple(chunk.chunk_id for chunk in chunks_on(page, span))


@given(st.one_of(documents(), repeating), sizes, st.integers(0, 2**32), st.integers(1, 12), st.booleans())
@example(document_of(text("Close the line."), text("Open it."), text("Close the line.")), (120, 0), 7, 2, False)
def test_after_any_edits_a_passage_is_the_words_that_were_judged_or_does_not_score(
    document: Document, cutting: tuple[int, int], seed: int, edits: int, remembers: bool
) -> None:
    wanted = spans(document, seed)
    now = edited(document.text, [(span.start, span.end) for span in wanted], edits, seed)
    after = as_document(document.info.url, document.info.title, now.text)
    catalog = MemoryCatalog()
    if remembers:
        stored(catalog, "before", document, *cutting)
    stored(catalog, "after", after, *cutting)
    judgments = tuple(Judgment(passage(document, span), 2) for span in wanted)
    [topic] = resolve(TestSet("s", (Topic("t", "?", judgments=judgments),), ""), CatalogCorpus(catalog, "after"))
    by_id = {chunk.id: chunk for chunk in catalog.chunks("after")}
    for span, found in zip(wanted, topic.resolutions, strict=True):
        if not found.anchoring.scores:
            assert (found.chunk_ids, bool(found.reason)) == ((), True)
            continue
        assert found.span is not None
        said = after.text[found.span.start : found.span.end]
        assert folded_words(said) == folded_words(document.text[span.start : span.end])
        assert all(by_id[one].start < found.span.end and found.span.start < by_id[one].end for one in found.chunk_ids)
