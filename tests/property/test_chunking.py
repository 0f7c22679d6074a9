import itertools
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.document_strategies import documents
from tests.documents import fences_are_closed

from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.chunking.splitting import is_visible_border
from assay.model.documents import Block, BlockKind, Chunk, Document
from assay.model.ids import chunk_id, content_hash

limits = st.one_of(st.integers(100, 400), st.integers(400, 2_000))


def count_bytes(texts: Sequence[str]) -> list[int]:
    """A tokenizer at its worst: a token for every four bytes, and one for the start."""
    return [1 + len(text.encode()) // 4 for text in texts]


def cut(document: Document, limit: int, *, overlap: int = 0, max_tokens: int | None = None) -> tuple[Chunk, ...]:
    rules = ChunkingRules(limit, max_tokens, overlap, "bytes")
    return chunk_document(document, rules, count_bytes)


def visible(text: str, start: int, end: int) -> list[int]:
    """Offsets of the visible characters."""
    return [offset for offset in range(start, end) if not text[offset].isspace()]


def is_heading_line(line: str) -> bool:
    return re.match(r"#{1,6} ", line) is not None


def blocks_of(document: Document, *kinds: BlockKind) -> list[Block]:
    return [block for block in document.blocks if block.kind in kinds]


def bare_headings(document: Document) -> list[tuple[int, int]]:
    """Spans of the sections that are a heading over nothing, not even over another heading."""
    levels = [section.level for section in document.sections[1:]] + [0]
    return [
        (section.start, section.end)
        for section, following in zip(document.sections, levels, strict=True)
        if section.level
        and following <= section.level
        and "\n" not in document.text[section.start : section.end].strip()
    ]


def left_out(document: Document, chunks: Sequence[Chunk]) -> set[int]:
    """Offsets of the visible characters that no chunk has, apart from headings over nothing."""
    offsets = set(visible(document.text, 0, len(document.text)))
    for start, end in bare_headings(document):
        offsets.difference_update(range(start, end))
    for chunk in chunks:
        offsets.difference_update(range(chunk.start, chunk.end))
    return offsets


@pytest.mark.contract("000.30")
@given(documents(), limits, st.integers(0, 50))
def test_a_chunk_is_its_span_with_what_is_repeated_around_it(document: Document, limit: int, overlap: int) -> None:
    for chunk in cut(document, limit, overlap=overlap):
        assert chunk.text == chunk.repeated_before + document.text[chunk.start : chunk.end] + chunk.repeated_after
        assert 0 < len(chunk.text) <= limit
        assert not chunk.text.startswith("\n")
        assert not chunk.text[-1].isspace()


@given(documents(), limits)
def test_every_visible_character_is_in_exactly_one_chunk(document: Document, limit: int) -> None:
    chunks = cut(document, limit)
    covered = [offset for chunk in chunks for offset in visible(document.text, chunk.start, chunk.end)]
    assert covered == sorted(set(covered))
    assert not left_out(document, chunks)


@given(documents(), limits)
def test_no_chunk_is_one_heading_alone(document: Document, limit: int) -> None:
    starts = {block.start: block for block in blocks_of(document, BlockKind.HEADING)}
    for chunk in cut(document, limit):
        block = starts.get(chunk.start)
        assert block is None or chunk.end > block.end


@given(documents(), limits)
def test_every_fence_that_a_chunk_opens_is_closed_in_it(document: Document, limit: int) -> None:
    for chunk in cut(document, limit):
        assert fences_are_closed(chunk.text), chunk.text


@given(documents(), limits)
def test_a_code_block_or_table_is_whole_when_it_fits_with_its_heading(document: Document, limit: int) -> None:
    chunks = cut(document, limit)
    headings = {block.end for block in blocks_of(document, BlockKind.HEADING)}
    for block in blocks_of(document, BlockKind.CODE, BlockKind.TABLE):
        if block.end - block.start <= limit and block.start - 2 not in headings:
            assert any(chunk.start <= block.start and block.end <= chunk.end for chunk in chunks)


@given(documents(), limits)
def test_every_line_of_code_that_fits_is_whole_in_one_chunk(document: Document, limit: int) -> None:
    chunks = cut(document, limit)
    for block in blocks_of(document, BlockKind.CODE):
        offset = block.body_start
        for line in document.text[block.body_start : block.body_end].splitlines(keepends=True):
            end = offset + len(line.rstrip())
            if 0 < end - offset <= limit // 4:
                assert any(chunk.start <= offset and end <= chunk.end for chunk in chunks)
            offset += len(line)


@given(documents(), limits)
def test_a_part_of_a_code_block_or_table_begins_with_its_opening(document: Document, limit: int) -> None:
    blocks = blocks_of(document, BlockKind.CODE, BlockKind.TABLE)
    for chunk in cut(document, limit):
        inside = [block for block in blocks if block.body_start < chunk.start < block.body_end]
        if inside and inside[0].body_start - inside[0].start <= limit // 4:
            assert chunk.repeated_before == document.text[inside[0].start : inside[0].body_start]
        elif not inside:
            assert chunk.repeated_before == ""


@pytest.mark.contract("000.10")
@given(documents(), limits)
def test_positions_ids_and_neighbours_are_those_of_the_document(document: Document, limit: int) -> None:
    chunks = cut(document, limit)
    seen: dict[str, int] = {}
    for position, chunk in enumerate(chunks):
        ordinal = seen.get(chunk.text, 0)
        seen[chunk.text] = ordinal + 1
        assert chunk.position == position
        assert chunk.content_hash == content_hash(chunk.text)
        assert chunk.embedded_hash == content_hash(chunk.embedded_text)
        assert chunk.id == chunk_id(document.info.url, chunk.content_hash, ordinal)
        assert chunk.previous_id == (chunks[position - 1].id if position else None)
        assert chunk.next_id == (chunks[position + 1].id if position + 1 < len(chunks) else None)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@given(documents(), limits)
def test_a_chunk_names_the_section_in_which_it_begins(document: Document, limit: int) -> None:
    for chunk in cut(document, limit):
        section = next(section for section in document.sections if section.start <= chunk.start < section.end)
        assert (chunk.section, chunk.heading_path, chunk.anchor) == (section.heading, section.path, section.anchor)


@given(documents(), limits, st.integers(64, 300))
def test_no_chunk_has_more_tokens_than_allowed(document: Document, limit: int, max_tokens: int) -> None:
    for chunk in cut(document, limit, max_tokens=max_tokens):
        assert chunk.token_count == count_bytes([chunk.embedded_text])[0] <= max_tokens
        assert chunk.text == chunk.repeated_before + document.text[chunk.start : chunk.end] + chunk.repeated_after
        assert fences_are_closed(chunk.text)


@given(documents(), limits, st.integers(64, 300))
def test_a_token_limit_loses_nothing(document: Document, limit: int, max_tokens: int) -> None:
    chunks = cut(document, limit, max_tokens=max_tokens)
    assert not left_out(document, chunks)


@given(documents(), limits, st.integers(1, 50))
def test_an_overlap_repeats_only_the_end_of_running_text_in_the_same_section(
    document: Document, limit: int, overlap: int
) -> None:
    chunks = cut(document, limit, overlap=overlap)
    rigid = blocks_of(document, BlockKind.CODE, BlockKind.TABLE, BlockKind.HEADING)
    for previous, chunk in itertools.pairwise(chunks):
        if chunk.start >= previous.end:
            continue
        assert previous.start < chunk.start
        assert previous.end < chunk.end
        assert previous.end - chunk.start <= overlap
        assert not any(block.start < previous.end and chunk.start < block.end for block in rigid)
        assert not any(chunk.start < section.start < previous.end for section in document.sections)


@given(documents(), limits, st.integers(1, 50))
def test_an_overlap_loses_nothing(document: Document, limit: int, overlap: int) -> None:
    assert not left_out(document, cut(document, limit, overlap=overlap))


@given(documents(), limits)
def test_no_chunk_begins_or_ends_within_a_visible_character(document: Document, limit: int) -> None:
    for chunk in cut(document, limit):
        assert is_visible_border(document.text, chunk.start)
        assert is_visible_border(document.text, chunk.end)


@given(documents(), limits)
@settings(max_examples=30)
def test_the_same_document_gives_the_same_chunks(document: Document, limit: int) -> None:
    assert cut(document, limit) == cut(document, limit)
