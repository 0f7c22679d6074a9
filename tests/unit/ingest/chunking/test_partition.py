from tests.documents import Part, code, document_of, heading, text

from assay.ingest.chunking.partition import partition
from assay.ingest.chunking.units import units_of


def parted(*parts: Part, limit: int) -> list[str]:
    document = document_of(*parts)
    return [
        units[0].before + document.text[units[0].start : units[-1].end] + units[-1].after
        for units in partition(document.text, units_of(document), limit)
    ]


def words(count: int, word: str = "word") -> Part:
    """One sentence of so many characters."""
    return text((f"{word} " * count)[: count - 1] + ".")


def test_what_fits_is_not_parted() -> None:
    assert len(parted(words(100), words(100), limit=202)) == 1


def test_nothing_gives_nothing() -> None:
    assert parted(limit=100) == []


def test_parts_are_of_even_size_and_not_one_full_and_one_nearly_empty() -> None:
    sizes = [len(part) for part in parted(*[words(100)] * 11, limit=1_000)]
    assert sorted(sizes) == [508, 610]


def test_a_paragraph_over_the_limit_is_cut_at_sentences_into_even_parts() -> None:
    parts = parted(text("Exactly thirty characters here. " * 12), limit=300)
    assert [len(part) for part in parts] == [191, 191]
    assert all(part.endswith("here.") for part in parts)


def test_a_paragraph_that_fits_is_not_cut() -> None:
    paragraphs = [words(280), words(280), words(280)]
    assert parted(*paragraphs, limit=300) == [part.text for part in paragraphs]


def test_a_list_item_that_fits_is_not_cut() -> None:
    items = "\n".join(f"- Item {number}. It has two sentences of some length." for number in range(12))
    parts = parted(text(items), limit=250)
    assert [part.count("- Item") for part in parts] == [3, 3, 3, 3]
    assert all(line.startswith("- Item") and line.endswith("length.") for part in parts for line in part.split("\n"))


def test_a_sentence_that_announces_code_stays_with_it() -> None:
    parts = parted(words(90), words(90), text("Run this:"), code("x" * 80, "sh"), words(90), limit=200)
    assert any("Run this:\n\n```sh" in part for part in parts)


def test_a_label_stays_with_its_first_item_rather_than_with_the_text_before() -> None:
    items = [text(f"- an item of a list, number {number}") for number in range(6)]
    parts = parted(words(150), text("The following options:"), *items, limit=240)
    assert parts[1].startswith("The following options:\n\n- an item")


def test_a_heading_stays_with_the_beginning_of_a_long_text() -> None:
    parts = parted(heading(2, "A heading"), text("A sentence of some length. " * 40), limit=300)
    assert parts[0].startswith("## A heading\n\nA sentence of")
    assert all(100 < len(part) <= 300 for part in parts)


def test_a_heading_and_code_that_do_not_fit_together_are_parted_within_the_code() -> None:
    parts = parted(heading(2, "A heading"), code("\n".join(["a line of code"] * 19)), limit=300)
    assert parts[0].startswith("## A heading\n\n```\na line of code")
    assert all(part.endswith("\n```") for part in parts)


def test_a_heading_over_nothing_is_left_out_where_no_room_is_left_for_it() -> None:
    assert parted(words(200), heading(2, "Stub"), limit=200) == [words(200).text]


def test_a_heading_over_nothing_stays_where_there_is_room() -> None:
    assert parted(words(100), words(100), heading(2, "Stub"), limit=130)[-1].endswith(".\n\n## Stub")


def test_headings_over_nothing_may_stand_together() -> None:
    parts = parted(words(200), heading(2, "Stub"), heading(2, "Stub too"), limit=200)
    assert parts == [words(200).text, "## Stub\n\n## Stub too"]


def test_a_long_run_of_headings_is_parted_but_never_into_one_heading() -> None:
    parts = parted(*[heading(2, f"Heading number {number}") for number in range(20)], words(100), limit=200)
    headings = [part.count("## ") for part in parts]
    assert min(headings) >= 2
    assert sum(headings) == 20
    assert parts[-1].endswith(words(100).text)


def test_an_enormous_heading_may_stand_alone() -> None:
    parts = parted(heading(1, "x" * 180), words(150), limit=200)
    assert [len(part) for part in parts] == [182, 150]


def test_many_tiny_items_take_no_more_work_than_the_text_is_long() -> None:
    parts = parted(*[text(f"- {number % 10}") for number in range(5_000)], limit=2_000)
    assert all(1_000 < len(part) <= 2_000 for part in parts)
