"""The chunker on real documentation, read from folders as an ingest reads it."""

import re
from pathlib import Path

import pytest
from tests.corpora import sampled_pages
from tests.documents import fences_are_closed

from assay.adapters.embedders.static import StaticEmbedder
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.reading import read_page
from assay.model.documents import BlockKind, Chunk, Document
from assay.settings import ChunkingSettings

CORPORA = ["redux-toolkit", "fastapi", "react-native"]
LIMIT = ChunkingSettings().max_characters

Cut = list[tuple[Document, tuple[Chunk, ...]]]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@pytest.fixture(scope="module", params=CORPORA)
def documents(request: pytest.FixtureRequest, shared: Path) -> list[Document]:
    return [read_page(page) for page in sampled_pages(shared / "corpora" / request.param)]


@pytest.fixture(scope="module")
def cut(documents: list[Document], embedder: StaticEmbedder) -> Cut:
    return cut_all(documents, embedder, ChunkingRules(LIMIT, None, 0, embedder.tokenizer))


def cut_all(documents: list[Document], embedder: StaticEmbedder, rules: ChunkingRules) -> Cut:
    return [(document, chunk_document(document, rules, embedder.count_tokens)) for document in documents]


def all_chunks(cut: Cut) -> list[Chunk]:
    return [chunk for _, chunks in cut for chunk in chunks]


def is_heading_only(text: str) -> bool:
    return all(re.match(r"#{1,6} ", line) for line in text.split("\n") if line)


def test_every_chunk_is_its_span_and_within_the_limit(cut: Cut) -> None:
    for document, chunks in cut:
        for chunk in chunks:
            assert chunk.text == chunk.repeated_before + document.text[chunk.start : chunk.end] + chunk.repeated_after
            assert 0 < len(chunk.text) <= LIMIT


def test_every_section_is_named_by_the_chunks_that_hold_a_part_of_it(cut: Cut) -> None:
    for document, chunks in cut:
        for chunk in chunks:
            inside = [s.heading for s in document.sections if s.start < chunk.end and s.end > chunk.start]
            assert chunk.sections == tuple(dict.fromkeys(inside))


def test_no_chunk_has_an_open_fence(cut: Cut) -> None:
    assert [chunk.text for chunk in all_chunks(cut) if not fences_are_closed(chunk.text)] == []


def test_no_chunk_is_headings_only(cut: Cut) -> None:
    assert [chunk.text for chunk in all_chunks(cut) if is_heading_only(chunk.text)] == []


def test_every_line_of_code_is_whole_in_a_chunk(cut: Cut) -> None:
    for document, chunks in cut:
        for block in document.blocks:
            if block.kind is BlockKind.CODE:
                offset = block.body_start
                for line in document.text[block.body_start : block.body_end].split("\n"):
                    end = offset + len(line.rstrip())
                    assert not line.strip() or any(chunk.start <= offset and end <= chunk.end for chunk in chunks), line
                    offset += len(line) + 1


def test_what_no_chunk_has_is_a_heading_over_nothing(cut: Cut) -> None:
    for document, chunks in cut:
        position = 0
        for start, end in [*((chunk.start, chunk.end) for chunk in chunks), (len(document.text), len(document.text))]:
            assert position <= start
            gap = document.text[position:start].strip()
            assert gap == "" or is_heading_only(gap), gap
            position = end


def test_few_chunks_are_very_short_and_most_fill_a_good_part_of_the_limit(cut: Cut) -> None:
    sizes = sorted(len(chunk.text) for chunk in all_chunks(cut))
    assert sum(size < 100 for size in sizes) < 0.02 * len(sizes)
    assert sizes[len(sizes) // 2] > 0.3 * LIMIT


def test_a_token_limit_is_kept(documents: list[Document], embedder: StaticEmbedder) -> None:
    limited = cut_all(documents[:50], embedder, ChunkingRules(LIMIT, 256, 0, embedder.tokenizer))
    chunks = all_chunks(limited)
    assert [chunk.token_count for chunk in chunks] == embedder.count_tokens([chunk.embedded_text for chunk in chunks])
    assert max(chunk.token_count for chunk in chunks) <= 256
    assert all(fences_are_closed(chunk.text) for chunk in chunks)


def test_an_overlap_keeps_the_limit_and_breaks_nothing(documents: list[Document], embedder: StaticEmbedder) -> None:
    overlapping = all_chunks(cut_all(documents[:50], embedder, ChunkingRules(LIMIT, None, 200, embedder.tokenizer)))
    assert max(len(chunk.text) for chunk in overlapping) <= LIMIT
    assert all(fences_are_closed(chunk.text) for chunk in overlapping)
    assert len({chunk.id for chunk in overlapping}) == len(overlapping)
