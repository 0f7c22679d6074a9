from tests.documents import document_of, heading, text

from assay.ingest.chunking.grouping import Group, group_sections
from assay.ingest.chunking.units import units_of
from assay.model.documents import Document

LIMIT = 1_000
SHORT = "A short text. " * 3  # 42 characters
SMALL = "A small text. " * 8  # 112 characters
LONG = "A long text indeed. " * 35  # 700 characters


def grouped(document: Document) -> list[str]:
    """The headings of each group, or the first word of a group without one."""
    groups = group_sections(document.sections, units_of(document), LIMIT)
    return [headings_of(document, group) for group in groups]


def headings_of(document: Document, group: Group) -> str:
    content = document.text[group.units[0].start : group.units[-1].end]
    names = [line.lstrip("# ") for line in content.split("\n") if line.startswith("#")]
    return " ".join(names) or content.split()[0]


def test_a_section_of_ordinary_size_stays_by_itself() -> None:
    document = document_of(heading(1, "a"), text(LONG), heading(2, "b"), text(LONG), heading(2, "c"), text(LONG))
    assert grouped(document) == ["a", "b", "c"]


def test_a_section_is_one_group_with_all_that_is_under_it_when_that_is_short() -> None:
    document = document_of(
        heading(1, "a"),
        text(LONG),
        heading(2, "b"),
        text(SHORT),
        heading(3, "c"),
        text(SHORT),
        heading(2, "d"),
        text(LONG),
    )
    assert grouped(document) == ["a", "b c", "d"]


def test_short_neighbours_under_one_parent_share_a_group() -> None:
    document = document_of(
        heading(1, "a"), text(LONG), *[part for name in "bcdefg" for part in (heading(2, name), text(SMALL))]
    )
    assert grouped(document) == ["a", "b c d e", "f g"]


def test_short_neighbours_under_different_parents_do_not_share_a_group() -> None:
    document = document_of(
        heading(2, "a"),
        text(LONG),
        heading(3, "b"),
        text(SMALL),
        heading(2, "c"),
        text(SMALL),
        heading(3, "d"),
        text(LONG),
    )
    assert grouped(document) == ["a", "b", "c", "d"]


def test_a_short_section_does_not_make_a_long_one_longer() -> None:
    document = document_of(heading(1, "a"), text(LONG), heading(2, "b"), text(SMALL), heading(2, "c"), text(LONG))
    assert grouped(document) == ["a", "b", "c"]


def test_a_tiny_section_joins_a_long_neighbour_that_has_room() -> None:
    document = document_of(heading(1, "a"), text(LONG), heading(2, "b"), text(SHORT), heading(2, "c"), text(LONG))
    assert grouped(document) == ["a b", "c"]


def test_a_tiny_section_stays_by_itself_where_no_neighbour_has_room() -> None:
    full = "A full text indeed. " * 49
    document = document_of(heading(1, "a"), text(full), heading(2, "b"), text(SHORT), heading(2, "c"), text(full))
    assert grouped(document) == ["a", "b", "c"]


def test_a_short_section_does_not_take_the_beginning_of_one_that_was_parted() -> None:
    document = document_of(
        heading(1, "a"), text(LONG), heading(2, "b"), text(SMALL), heading(2, "c"), text(SMALL),
        heading(3, "d"), text(LONG), heading(3, "e"), text(LONG),
    )  # fmt: skip
    assert grouped(document) == ["a", "b", "c", "d", "e"]


def test_a_tiny_introduction_joins_the_text_of_the_first_section_under_it() -> None:
    document = document_of(
        heading(1, "a"),
        text(SHORT),
        heading(2, "b"),
        text(LONG),
        heading(3, "c"),
        text(LONG),
        heading(2, "d"),
        text(LONG),
    )
    assert grouped(document) == ["a b", "c", "d"]


def test_what_stands_before_the_first_heading_is_a_group() -> None:
    document = document_of(text(LONG), heading(2, "b"), text(LONG))
    assert grouped(document) == ["A", "b"]


def test_a_heading_without_text_goes_with_the_section_under_it() -> None:
    document = document_of(heading(1, "a"), heading(2, "b"), heading(3, "c"), text(LONG), heading(2, "d"), text(LONG))
    assert grouped(document) == ["a b c", "d"]


def test_a_heading_with_nothing_under_it_goes_with_what_stands_before_it() -> None:
    document = document_of(heading(2, "a"), text(LONG), heading(3, "b"), heading(2, "c"), text(LONG), heading(2, "d"))
    assert grouped(document) == ["a b", "c d"]


def test_a_heading_with_nothing_under_it_goes_with_what_stands_before_it_even_where_that_is_full() -> None:
    full = "A full text indeed. " * 50
    document = document_of(heading(2, "a"), text(full), heading(3, "b"), heading(2, "c"), text(LONG))
    assert grouped(document) == ["a b", "c"]


def test_a_heading_with_nothing_under_it_and_nothing_before_it_goes_with_what_follows() -> None:
    document = document_of(heading(2, "a"), heading(2, "b"), text(LONG))
    assert grouped(document) == ["a b"]


def test_headings_alone_are_one_group() -> None:
    assert grouped(document_of(heading(1, "a"), heading(2, "b"), heading(2, "c"))) == ["a b c"]


def test_a_document_without_text_has_no_groups() -> None:
    assert grouped(document_of()) == []
