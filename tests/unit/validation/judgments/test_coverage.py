"""Which chunks a passage falls on."""

import pytest

from assay.model.evaluation import Span
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Page
from assay.validation.judgments.coverage import chunks_on


def page(text: str, *spans: tuple[int, int]) -> Page:
    chunks = (ChunkPlace(str(n), "u", n, start, end, str(n)) for n, (start, end) in enumerate(spans))
    return Page("u", text, "h", (), tuple(chunks))


def on(found: Page, start: int, end: int) -> str:
    return "".join(chunk.chunk_id for chunk in chunks_on(found, Span(start, end)))


TEN = page("a" * 40, (0, 10), (10, 20), (20, 30), (30, 40))


@pytest.mark.parametrize(
    ("start", "end", "chunks"),
    [
        (0, 10, "0"),
        (12, 15, "1"),
        (8, 12, "01"),  # half in each
        (9, 12, "1"),
        (8, 11, "0"),
        (9, 21, "1"),  # the two others hold a twelfth of it, and a tenth of them is inside
        (5, 25, "012"),  # half of the outer two is inside
        (6, 24, "1"),
        (0, 40, "0123"),
        (10, 11, "1"),
        (39, 40, "3"),
    ],
)
def test_a_chunk_holds_half_of_a_passage_or_lies_half_inside_it(start: int, end: int, chunks: str) -> None:
    assert on(TEN, start, end) == chunks


def test_blanks_do_not_count() -> None:
    found = page("aaaa" + "\n" * 10 + "bbbb" + " " * 10 + "cc", (0, 4), (14, 18), (28, 30))
    assert on(found, 0, 18) == "01"
    assert on(found, 2, 30) == "012"
    assert on(found, 3, 30) == "12"
    assert on(found, 4, 14) == ""
    assert on(found, 2, 10) == "0"


def test_a_passage_in_two_halves_that_blanks_part_falls_on_both() -> None:
    assert on(page("aaaa\n\nbbbb", (0, 4), (6, 10)), 0, 10) == "01"
    assert on(page("xaaaa\n\nbbbbx" + "x" * 20, (0, 5), (7, 32)), 1, 11) == "01"


def test_chunks_that_overlap_both_hold_what_they_share() -> None:
    found = page("a" * 40, (0, 16), (12, 28), (24, 40))
    assert on(found, 13, 15) == "01"
    assert on(found, 16, 24) == "1"
    assert on(found, 12, 28) == "1"


def test_what_no_chunk_has_falls_on_none() -> None:
    assert on(page("a" * 40, (0, 10), (30, 40)), 12, 28) == ""
    assert on(page("a" * 40), 0, 40) == ""
