"""A quote is found where it was meant, or said to be uncertain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.evaluation import Quote, Span
from assay.validation.judgments.quoting import (
    LONG_CONTEXT,
    MOST_CONTEXT,
    USUAL_CONTEXT,
    Doubt,
    QuoteLocation,
    SearchedText,
    locate,
    quote_at,
)

STEPS = "First close the line. Then open the lid.\n\nAt night, first close the line. Then open the lid.\n"


def find(text: str, quote: Quote, *, changed: bool = False, within: Span | None = None) -> QuoteLocation:
    return locate(SearchedText(text), quote, changed=changed, within=within)


def words(text: str, located: QuoteLocation) -> str | None:
    return None if located.span is None else text[located.span.start : located.span.end]


def test_words_that_stand_once_are_found() -> None:
    assert words(STEPS, find(STEPS, Quote("At night"))) == "At night"


def test_words_that_stand_nowhere_are_not_found() -> None:
    assert find(STEPS, Quote("Close the door")) == QuoteLocation(None, 0, Doubt.NOWHERE)


def test_words_that_stand_several_times_are_not_chosen() -> None:
    assert find(STEPS, Quote("Then open the lid.")) == QuoteLocation(None, 2, Doubt.SEVERAL)


def test_places_that_overlap_are_several() -> None:
    assert find("nanana", Quote("nana")) == QuoteLocation(None, 2, Doubt.SEVERAL)


@pytest.mark.parametrize(
    ("quote", "start"),
    [
        (Quote("close the line", prefix="First "), 6),
        (Quote("close the line", prefix="At night, first "), STEPS.rindex("close")),
        (Quote("open the lid.", suffix="\n\nAt night"), STEPS.index("open")),
        (Quote("Then", prefix="night,\nfirst close the  line. "), STEPS.rindex("Then")),
    ],
)
def test_what_stands_around_tells_equal_words_apart(quote: Quote, start: int) -> None:
    for changed in (False, True):
        located = find(STEPS, quote, changed=changed)
        assert located.span == Span(start, start + len(quote.exact))


def test_a_context_that_fits_two_places_decides_nothing() -> None:
    assert find(STEPS, Quote("close", suffix=" the line. Then")) == QuoteLocation(None, 2, Doubt.SEVERAL)


def test_in_the_text_that_was_quoted_words_that_stand_once_need_no_context() -> None:
    quote = Quote("At night", prefix="something else entirely, ")
    assert find(STEPS, quote).span is not None
    assert find(STEPS, quote, changed=True) == QuoteLocation(None, 1, Doubt.OTHER_CONTEXT)


def test_in_a_changed_text_one_side_that_proves_is_enough() -> None:
    quote = Quote("close the line", prefix="At night, and only then, first ", suffix=". Then open the lid.\n")
    text = STEPS.replace("First close the line.", "First sit down.")
    located = find(text, quote, changed=True)
    assert (words(text, located), located.is_partly_proven) == ("close the line", True)


def test_a_short_side_alone_proves_nothing_in_a_changed_text() -> None:
    quote = Quote("close the line", prefix="hurry, then ", suffix=". Then")
    text = STEPS.replace("First close the line.", "First sit down.")
    assert find(text, quote, changed=True) == QuoteLocation(None, 1, Doubt.OTHER_CONTEXT)


def test_a_word_that_was_whole_is_not_found_in_a_longer_one() -> None:
    assert find("trawling gearbox", Quote("trawling gear ")).doubt is Doubt.NOWHERE
    assert find("a retrawling gear", Quote(" trawling gear")).doubt is Doubt.NOWHERE
    assert find("trawling gear.", Quote("trawling gear ")).span == Span(0, 13)
    assert find("trawling gearbox", Quote("trawling gear")).span == Span(0, 13)


def test_blanks_are_no_proof() -> None:
    quote = Quote("close the line", prefix="x\n" + " " * 30, suffix=". Something else stood here before.")
    text = f"x\n{' ' * 30}close the line. Then open the lid."
    assert find(text, quote, changed=True) == QuoteLocation(None, 1, Doubt.OTHER_CONTEXT)


def test_sides_that_lead_to_two_places_decide_nothing() -> None:
    quote = Quote("hello", prefix="a long way before the ", suffix=" and a long way after it")
    text = "a long way before the hello. Yes: hello and a long way after it"
    assert find(text, quote, changed=True) == QuoteLocation(None, 2, Doubt.SEVERAL)


def test_a_section_narrows_where_a_quote_can_be() -> None:
    second = Span(STEPS.index("At night"), len(STEPS))
    assert find(STEPS, Quote("open the lid"), within=second).span == Span(STEPS.rindex("open"), len(STEPS) - 2)
    only_first = STEPS.replace("Then open the lid.\n\n", "\n\n")
    assert find(only_first, Quote("First"), changed=True, within=second).doubt is Doubt.NOWHERE


def test_words_are_found_as_a_person_copies_them() -> None:
    text = "## Run it\n\nCall `open()` with the \u201csafe\u201d flag:\n\n- close the\n  line\n"
    quote = Quote('Run it\nCall open() with the "safe" flag: close the line')
    located = find(text, quote)
    assert words(text, located) == text[3:-1]


def test_words_as_they_are_written_come_before_words_that_fold_alike() -> None:
    text = "the `seat`; the seat"
    assert find(text, Quote("the seat")).span == Span(12, 20)
    assert find(text, Quote("the `seat`")).span == Span(0, 10)
    assert find(text, Quote("the  seat")) == QuoteLocation(None, 2, Doubt.SEVERAL)


def test_half_of_what_one_character_stands_for_is_not_found() -> None:
    assert find("and so on\u2026", Quote("and  so on.")).doubt is Doubt.NOWHERE
    assert find("a __b__ c", Quote("a  __b")).span == Span(0, 5)


# --- writing -------------------------------------------------------------------------------------------------------


def test_a_quote_is_written_with_some_of_what_stands_around_it_in_whole_words() -> None:
    text = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    quote = quote_at(SearchedText(text), Span(text.index("eight"), text.index("nine") + 4))
    assert quote == Quote("eight nine", "one two three four five six seven ", " ten eleven twelve thirteen fourteen")
    assert min(len(quote.prefix), len(quote.suffix)) >= USUAL_CONTEXT
    assert quote_at(SearchedText("near the ends"), Span(5, 8)) == Quote("the", "near ", " ends")


def test_each_side_of_words_that_stand_twice_tells_them_apart_in_the_text_itself() -> None:
    text = f"alpha {'same words here ' * 10}MARK{' and the same after' * 10} omega"
    twice = f"{text}\n\nother {text[6:-6]} end"
    for start in (twice.index("MARK"), twice.rindex("MARK")):
        quote = quote_at(SearchedText(twice), Span(start, start + 4))
        assert min(len(quote.prefix), len(quote.suffix)) > LONG_CONTEXT
        for one in (quote, Quote("MARK", quote.prefix), Quote("MARK", suffix=quote.suffix)):
            assert find(twice, one, changed=True).span == Span(start, start + 4)


def test_a_side_that_moved_to_equal_words_does_not_prove_them() -> None:
    """What stood before the first now stands before the second, and the first is gone."""
    before = "Of all the things that were said that night only this one was heard by everyone in the room.\n\n"
    text = f"{before}Close the line.\n\nThen go.\n\nAt some other time they said:\n\nClose the line.\n\nThen stay.\n"
    quote = quote_at(SearchedText(text), Span(len(before), len(before) + 15))
    moved = f"Nothing.\n\nThen go.\n\nAt some other time they said:\n\n{before}Close the line.\n\nThen stay.\n"
    assert find(text, quote, changed=True).span is not None
    assert find(moved, quote, changed=True) == QuoteLocation(None, 1, Doubt.OTHER_CONTEXT)


def test_at_the_ends_of_a_text_a_short_side_does_not_prove_words_that_stand_twice() -> None:
    text = "Close the line. Then go.\n\nAnd again: close it. Close the line. Then go, and never look back at it.\n"
    for start in (0, text.rindex("Close")):
        quote = quote_at(SearchedText(text), Span(start, start + 15))
        assert not any(16 <= len(side) < LONG_CONTEXT for side in (quote.prefix, quote.suffix))


def test_words_that_nothing_near_tells_apart_are_never_chosen_once_the_text_has_changed() -> None:
    same = "word " * MOST_CONTEXT
    text = f"A {same}MARK {same}B {same}MARK {same}C"
    quote = quote_at(SearchedText(text), Span(text.index("MARK"), text.index("MARK") + 4))
    assert min(len(quote.prefix), len(quote.suffix)) >= MOST_CONTEXT
    assert find(text.replace("MARK", "gone", 1), quote, changed=True).span is None
    assert find(text, quote, changed=True).span is None


def test_what_folding_hides_does_not_tell_words_apart() -> None:
    text = "see the `valve` MARK it now\n\nsee the valve MARK it later"
    start = text.rindex("MARK")
    quote = quote_at(SearchedText(text), Span(start, start + 4))
    assert find(text, quote, changed=True).span == Span(start, start + 4)
    assert find(text[: start - 15], quote, changed=True).span is None


def test_a_side_of_nothing_but_marks_does_not_tell_words_apart() -> None:
    text = f"alpha {'`' * 100}MARK one\n\nbeta {'*' * 100}MARK one\n"
    quote = quote_at(SearchedText(text), Span(text.index("MARK"), text.index("MARK") + 4))
    assert "alpha" in quote.prefix
    assert find(text, quote, changed=True).span == Span(text.index("MARK"), text.index("MARK") + 4)


chosen = st.text(st.sampled_from("ab \n`"), min_size=1, max_size=120)


@given(chosen, st.data())
def test_a_written_quote_leads_back_to_its_place_or_nowhere(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    quote = quote_at(SearchedText(text), span)
    assert quote.exact == text[span.start : span.end]
    for changed in (False, True):
        assert find(text, quote, changed=changed).span in {span, None}
