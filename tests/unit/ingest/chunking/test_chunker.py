import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.documents import code, document_of, fences_are_closed, heading, table, text

from assay.errors import ConfigurationError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.model.documents import Chunk, Document
from assay.model.ids import chunk_id, content_hash

SENTENCES = "A sentence of thirty characters. " * 40


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(content.split()) for content in texts]


def count_padded(texts: Sequence[str]) -> list[int]:
    """A tokenizer that needs 64 tokens before it begins."""
    return [64 + count for count in count_words(texts)]


class CountingCalls:
    """Counts a token for each character, and how often it was asked."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.calls.append(len(texts))
        return [len(content) for content in texts]


def cut(document: Document, limit: int = 400, *, overlap: int = 0, max_tokens: int | None = None) -> tuple[Chunk, ...]:
    return chunk_document(document, ChunkingRules(limit, max_tokens, overlap, "words"), count_words)


def test_a_short_page_is_one_chunk_with_everything_known_of_it() -> None:
    document = document_of(heading(1, "A page"), text("Some text."))
    (chunk,) = cut(document)
    assert chunk == Chunk(
        id=chunk_id(document.info.url, content_hash("# A page\n\nSome text."), 0),
        document=document.info,
        text="# A page\n\nSome text.",
        start=0,
        end=20,
        position=0,
        section="A page",
        heading_path=(),
        anchor="a-page",
        token_count=7,
        tokenizer="words",
        content_hash=content_hash("# A page\n\nSome text."),
        embedded_hash=content_hash("A page\n# A page\n\nSome text."),
    )


def test_each_section_that_fits_is_one_chunk_with_its_heading_path() -> None:
    document = document_of(
        heading(1, "A page"),
        text("x" * 300),
        heading(2, "Install"),
        text("y" * 300),
        heading(3, "On arm64"),
        text("z" * 300),
    )
    chunks = cut(document)
    assert [(chunk.section, chunk.heading_path, chunk.anchor) for chunk in chunks] == [
        ("A page", (), "a-page"),
        ("Install", ("Install",), "install"),
        ("On arm64", ("Install", "On arm64"), "on-arm64"),
    ]
    assert chunks[2].section_url == "https://docs.example.org/a-page#on-arm64"


def test_chunks_know_their_neighbours() -> None:
    first, second, third = cut(document_of(*[part for n in "abc" for part in (heading(2, n), text(n * 300))]))
    assert (first.previous_id, first.next_id) == (None, second.id)
    assert (second.previous_id, second.next_id) == (first.id, third.id)
    assert (third.previous_id, third.next_id) == (second.id, None)


def test_equal_texts_of_a_page_have_different_ids() -> None:
    chunks = cut(document_of(*[text("x" * 300)] * 3))
    assert len({chunk.content_hash for chunk in chunks}) == 1
    assert len({chunk.id for chunk in chunks}) == 3


def test_a_page_of_one_heading_has_no_chunk() -> None:
    assert cut(document_of(heading(1, "A page"))) == ()


def test_a_page_of_several_headings_is_one_chunk() -> None:
    (chunk,) = cut(document_of(heading(1, "A page"), heading(2, "Install"), heading(2, "Use")))
    assert chunk.text == "# A page\n\n## Install\n\n## Use"


def test_a_last_heading_without_text_is_left_out_rather_than_part_another_from_its_text() -> None:
    document = document_of(heading(1, "A page"), text("word " * 17), heading(2, "Nothing"))
    assert [chunk.text[:8] for chunk in cut(document, 100)] == ["# A page"]


def test_an_empty_page_has_no_chunk() -> None:
    assert cut(document_of()) == ()


def test_a_chunk_that_begins_with_headings_belongs_to_the_first_of_them() -> None:
    (chunk,) = cut(document_of(heading(2, "Install"), heading(3, "On arm64"), text("Some text.")))
    assert (chunk.section, chunk.heading_path) == ("Install", ("Install",))


def test_a_chunk_names_every_section_that_is_in_it() -> None:
    (chunk,) = cut(document_of(heading(2, "Install"), text("One."), heading(2, "On `arm64`"), text("Two.")))
    assert (chunk.section, chunk.sections) == ("Install", ("Install", "On arm64"))


def test_a_chunk_knows_the_headings_after_its_beginning_with_their_path_and_anchor() -> None:
    install = heading(2, "Install"), text("One.")
    (chunk,) = cut(document_of(heading(1, "A page"), text("Zero."), *install, heading(3, "On arm64"), text("Two.")))
    first, second = chunk.inner_headings
    assert ((first.text, first.anchor), (second.text, second.anchor)) == (
        ("Install", "install"),
        ("On arm64", "on-arm64"),
    )
    assert chunk.text[first.offset :].startswith("## Install")
    assert chunk.text[second.offset :].startswith("### On arm64")
    assert (chunk.place_at(0).anchor, chunk.place_at(first.offset - 1).path) == (chunk.anchor, ())
    assert (chunk.place_at(first.offset).anchor, chunk.place_at(second.offset - 1).path) == ("install", ("Install",))
    assert chunk.place_at(len(chunk.text)).path == ("Install", "On arm64")


def test_a_chunk_of_one_section_has_no_inner_heading() -> None:
    chunks = cut(document_of(heading(2, "Install"), text(SENTENCES)))
    assert [chunk.inner_headings for chunk in chunks] == [()] * len(chunks)


def test_a_part_of_a_long_section_belongs_to_that_section() -> None:
    chunks = cut(document_of(heading(2, "Install"), text(SENTENCES)))
    assert len(chunks) > 2
    assert {chunk.section for chunk in chunks} == {"Install"}


def test_a_part_of_code_says_what_it_repeats() -> None:
    chunks = cut(document_of(code("\n".join(f"line_{number} = {number}" for number in range(60)), 'py title="a.py"')))
    assert [chunk.repeated_before for chunk in chunks] == ["", *['```py title="a.py"\n'] * (len(chunks) - 1)]
    assert [chunk.repeated_after for chunk in chunks] == [*["\n```"] * (len(chunks) - 1), ""]
    assert all(fences_are_closed(chunk.text) for chunk in chunks)


def test_a_part_of_a_table_says_what_it_repeats() -> None:
    chunks = cut(document_of(table(["name", "meaning"], [[f"n{number}", "a meaning"] for number in range(60)])))
    assert [chunk.repeated_before for chunk in chunks[1:]] == ["| name | meaning |\n| --- | --- |\n"] * (
        len(chunks) - 1
    )
    assert {chunk.repeated_after for chunk in chunks} == {""}


# --- overlap -------------------------------------------------------------------------------------------------------


def test_a_joined_emoji_in_a_row_that_is_cut_stays_whole() -> None:
    family = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}\N{ZERO WIDTH JOINER}\N{BOY}"
    rows = [["Install", "Install", "API"], ["Nodes talk over topics.", family, "Use v1.2.3 (e.g. on arm64), please!"]]
    chunks = cut(document_of(text("x"), table(rows[0], rows[1:])), 100)
    assert any(family in chunk.text for chunk in chunks)


def test_an_overlap_says_the_last_sentences_of_the_chunk_before_again() -> None:
    chunks = cut(document_of(heading(2, "Install"), text(SENTENCES)), overlap=70)
    for previous, chunk in itertools.pairwise(chunks):
        assert chunk.start == previous.end - 65
        assert chunk.text.startswith("A sentence of")
        assert len(chunk.text) <= 400


def test_an_overlap_shorter_than_a_sentence_says_nothing_again() -> None:
    document = document_of(text(SENTENCES))
    plain, overlapping = cut(document), cut(document, overlap=20)
    assert all(chunk.start >= previous.end for previous, chunk in itertools.pairwise(overlapping))
    assert len(plain) == len(overlapping)


def test_an_overlap_never_says_the_whole_chunk_before_again() -> None:
    document = document_of(text("x" * 120), *[text("y" * 200)] * 3)
    assert [chunk.start for chunk in cut(document)] == [0, 122, 324, 526]
    assert [chunk.start for chunk in cut(document, overlap=150)] == [0, 122, 324, 526]


def test_an_overlap_does_not_reach_into_another_section() -> None:
    document = document_of(heading(2, "a"), text("One. Two. " * 35), heading(2, "b"), text("One. Two. " * 35))
    assert [chunk.start for chunk in cut(document, overlap=50)] == [chunk.start for chunk in cut(document)]


def test_an_overlap_does_not_reach_into_code() -> None:
    document = document_of(text("One. " * 40), code("x\n" * 150), text("Two. " * 60), text("Three. " * 40))
    for previous, chunk in itertools.pairwise(cut(document, overlap=100)):
        shared = document.text[chunk.start : previous.end]
        assert "x" not in shared
        assert "`" not in shared


# --- tokens --------------------------------------------------------------------------------------------------------


def test_tokens_are_those_of_what_is_embedded() -> None:
    for chunk in cut(document_of(heading(2, "Install it"), text(SENTENCES))):
        assert chunk.token_count == len(chunk.embedded_text.split())


def test_a_chunk_with_too_many_tokens_is_cut_into_even_parts() -> None:
    document = document_of(heading(2, "Install"), text(SENTENCES))
    chunks = cut(document, 2_000, max_tokens=100)
    assert all(chunk.token_count <= 100 for chunk in chunks)
    assert min(chunk.token_count for chunk in chunks) > 50


def test_only_chunks_with_too_many_tokens_are_cut_again() -> None:
    wide, narrow = text("a b c d e f. " * 30), text("abcdefghijklm " * 28)
    document = document_of(heading(2, "a"), wide, heading(2, "b"), narrow)
    chunks = cut(document, max_tokens=64)
    assert chunks[-1].text == f"## b\n\n{narrow.text}".strip()
    assert len(chunks) > 3


def test_tokens_are_counted_in_one_call_when_nothing_is_over_the_limit() -> None:
    count = CountingCalls()
    document = document_of(*[text("x" * 300)] * 20)
    chunk_document(document, ChunkingRules(400, 1_000, 0, "characters"), count)
    assert count.calls == [20]


def test_only_what_was_cut_again_is_counted_again() -> None:
    count = CountingCalls()
    document = document_of(
        text("short. " * 10), text("A sentence of thirty characters. " * 12), text("Short too. " * 10)
    )
    chunks = chunk_document(document, ChunkingRules(400, 200, 0, "characters"), count)
    assert all(chunk.token_count <= 200 for chunk in chunks)
    assert sum(count.calls) < 3 * len(chunks)
    assert len(count.calls) <= 3


def test_an_overlap_that_costs_too_many_tokens_is_left_away_first() -> None:
    document = document_of(text("One two three four. " * 60))
    plain = cut(document)
    most = max(chunk.token_count for chunk in plain)
    overlapping = chunk_document(document, ChunkingRules(400, most + 64, 20, "padded"), count_padded)
    assert [chunk.start for chunk in overlapping] == [chunk.start for chunk in plain]


def test_headings_that_leave_no_room_for_text_are_reported_with_what_to_do() -> None:
    document = replace(document_of(text("Some text.")), info=replace(document_of().info, title="w " * 150))
    with pytest.raises(
        ConfigurationError, match=r"leave no room for text in 64 tokens: https://docs\.example\.org/a-page"
    ):
        cut(document, max_tokens=64)


def test_title_and_headings_take_no_more_than_300_characters_of_what_is_embedded() -> None:
    document = replace(
        document_of(heading(2, "Install"), text("Text.")), info=replace(document_of().info, title="t" * 900)
    )
    (chunk,) = cut(document)
    head = chunk.embedded_text.removesuffix("\n## Install\n\nText.")
    assert len(head) == 300
    assert head.startswith("ttt")
    assert head.endswith("› Install")


# --- rules ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("characters", "tokens", "overlap"), [(99, None, 0), (400, 63, 0), (400, None, -1), (400, None, 201)]
)
def test_rules_that_cannot_work_are_refused_with_what_to_do(characters: int, tokens: int | None, overlap: int) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ChunkingRules(characters, tokens, overlap, "words")
    assert caught.value.hint


def test_the_strictest_rules_are_accepted() -> None:
    assert ChunkingRules(100, 64, 50, "words").max_characters == 100
