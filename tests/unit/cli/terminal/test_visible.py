"""Text of others does nothing to a terminal but stand there."""

import sys
import unicodedata

import pytest

from assay.cli.terminal.visible import visible


def test_no_character_of_unicode_is_left_that_a_terminal_obeys() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    shown = visible(everything)
    assert len(shown) == len(everything)
    obeyed = {one for one in shown if unicodedata.category(one) in {"Cc", "Cs", "Zl", "Zp"}}
    assert obeyed == {"\n", "\t"}
    assert not {one for one in shown if unicodedata.bidirectional(one) in {"LRE", "RLE", "LRO", "RLO", "PDF"}}
    assert not {one for one in shown if unicodedata.bidirectional(one) in {"LRI", "RLI", "FSI", "PDI"}}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("a\rb", "a␍b"),
        ("\x9b2J", "\ufffd2J"),
        ("é ü 漢字 👩‍🚒", "é ü 漢字 👩‍🚒"),
        ("a\n\tb", "a\n\tb"),
    ],
)
def test_escapes_are_shown_and_letters_stay(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_has_no_line_ends() -> None:
    assert visible(" a\n\tb \x0b c\u2028d", lines=False) == "a b c d"
