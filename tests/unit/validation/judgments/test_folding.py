"""What two texts have in common when they say the same words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.validation.judgments.folding import fold, folded_words

ALIKE = {
    "white space": ("one two\n  three\t four", "one  two three\nfour"),
    "wrapped anew": ("a line\nthat was wrapped", "a line that was wrapped"),
    "a blank line": ("one.\n\nTwo.", "one. Two."),
    "code marks": ("call `open()` first", "call open() first"),
    "emphasis": ("**never** by *hand*, __ever__ _so_", "never by hand, ever so"),
    "a link": ("see [the manual](https://example.org/a#b) first", "see the manual first"),
    "typed quotes": ("the \u201csafe\u201d state isn\u2019t", 'the "safe" state isn\'t'),
    "dashes": ("5 \u2013 6 \u2014 or so", "5 - 6 - or so"),
    "an ellipsis": ("and so on\u2026", "and so on..."),
    "list marks": ("Do:\n\n- one\n- two\n  1. three\n  2) four", "Do: one two three four"),
    "headings": ("# Valves\n\n## Care\n\nGrease it.", "Valves Care Grease it."),
    "quotations": ("> Never.\n> Not once.\n\n> - Ever.", "Never. Not once. Ever."),
    "a table": ("| a | b |\n| --- | :-: |\n| 1 | x \\| y |", "a\tb\n1\tx | y"),
    "a fence": ('Run:\n\n```bash title="x"\nmake all\n```\n\nDone.', "Run: make all Done."),
    "an indented fence": ("1. Run:\n\n   ```bash\n   make all\n   ```\n", "Run: make all"),
    "escapes": ("a \\# b \\_c\\_", "a # b c"),
    "invisible characters": ("a\u200bb\u00adc\ufeff d", "abc d"),
    "a hard blank": ("10\u00a0kg", "10 kg"),
    "composed letters": ("caf\u00e9 A\u030a", "cafe\u0301 \u00c5"),
    "Chinese, wrapped": ("没有空格的一段\n文字", "没有空格的一段文字"),
}

DIFFERENT = [
    ("not now", "now"),
    ("nowhere", "now here"),
    ("a_b", "ab"),
    ("5 kg", "5 mg"),
    ("Valve", "valve"),
    ("1.5", "15"),
    ("co-op", "coop"),
    ("2014. The", "201. The"),
    ("a/b", "ab"),
    ("x<y", "xy"),
]


@pytest.mark.parametrize("case", ALIKE)
def test_texts_that_say_the_same_fold_to_the_same(case: str) -> None:
    one, other = ALIKE[case]
    assert folded_words(one) == folded_words(other) != ""


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_words_fold_to_something_else(one: str, other: str) -> None:
    assert folded_words(one) != folded_words(other)


def test_a_folded_place_leads_back_to_the_characters_that_say_it() -> None:
    text = "Use **`open()`** \u201cwith\u201d\n\n- care\u2026"
    folded = fold(text)
    assert folded.text == 'Use open() "with" care...'
    for words, source in (("open()", "open()"), ('"with"', "\u201cwith\u201d"), ("care...", "care\u2026")):
        start = folded.text.index(words)
        span = folded.span(start, start + len(words))
        assert text[span.start : span.end] == source


texts = st.text(st.sampled_from(list("ab1 .\n\n\t`*_|#>-[]()\\~\u201c\u2026\u00a0\u200be\u0301字")), max_size=60)


@given(texts)
@example("\n\n- \n> # ")
@example("| --- |\n")
@example("```\n```")
@example("")
def test_folding_keeps_the_way_back_in_order_and_within_the_text(text: str) -> None:
    folded = fold(text)
    spans = [folded.span(place, place + 1) for place in range(len(folded.text))]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert spans == sorted(spans, key=lambda span: (span.start, span.end))


@given(texts)
def test_what_is_left_away_is_never_a_letter_or_a_digit_outside_of_lists_links_and_fences(text: str) -> None:
    if any(mark in text for mark in "`~[]1"):
        return
    kept = [character for character in folded_words(text) if character.isalnum()]
    assert len(kept) == sum(character.isalnum() for character in text)


@pytest.mark.parametrize("piece", ["\n", " ", "|", "-", "\n- ", "\n|--", "> ", "\\", "](", "`", "~", "1. ", "\n\n#"])
def test_no_text_takes_longer_than_its_length_warrants(piece: str) -> None:
    folded_words(piece * 50_000 + "x")
