"""The list of names, and the words of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.vocabulary import Name, NameList, words_of

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_NAMES = st.lists(st.builds(Name, _TEXT, st.from_regex(r"https://[a-z/#]*", fullmatch=True), st.booleans()))


@given(_NAMES)
def test_names_come_back_in_their_order_with_single_spaces(names: list[Name]) -> None:
    kept = NameList.of(names)
    expected = [Name(" ".join(name.text.split()), name.url, name.is_title) for name in names]
    assert list(kept) == expected
    assert kept[:2] == expected[:2]
    assert NameList(kept.texts, kept.urls, kept.titles.decode()) == kept


@pytest.mark.parametrize("columns", [("a\nb", "u", "1"), ("a", "u\nv", "1"), ("a", "u", "10"), ("a\n", "u", "")])
def test_columns_of_different_lengths_are_refused(columns: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="lines"):
        NameList(*columns)


def test_words_are_folded_and_keep_their_apostrophes() -> None:
    assert words_of("Don’t use snake_case, Straße 2.0 or `useState()`!") == {
        *("don't", "use", "snake", "case", "strasse", "2", "0", "or", "usestate")
    }
