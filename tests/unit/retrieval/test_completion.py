"""Completion of unfinished words and correction of misspelt ones."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.stores.bm25 import Bm25Encoder
from assay.model.ranking import Correction
from assay.model.vocabulary import WORD, Name, NameList, Vocabulary, folded, words_of
from assay.retrieval.completion import Completer

ENCODER = Bm25Encoder("english")
TITLES = ("Configure the store", "configureStore", "Testing overview", "Testing", "Port numbers", "createAsyncThunk")
COMMON_WORDS = {"stare", "poster", "sub", "comm"}
HEADINGS = ("Testing reducers", "Store setup", "Éléments de menu", "Posting a comment")
COMMON = "reducer reduce reducers post port posts middleware middleware selector subscribe naïve настройка 検索 404"


def completer(*extra: str) -> Completer:
    names = [Name(title, f"https://d.example/{at}", is_title=True) for at, title in enumerate(TITLES)]
    names += [Name(heading, f"https://d.example/h#{at}", is_title=False) for at, heading in enumerate(HEADINGS)]
    words: dict[str, int] = {}
    for text in (*TITLES, *HEADINGS, COMMON, *extra):
        for word in WORD.findall(folded(text)):
            words[word] = words.get(word, 0) + 1
    terms = {term for word in words for term in ENCODER.term_counts([word])[0].indices}
    ranked = sorted(names, key=lambda name: (len(words_of(name.text)), not name.is_title))
    return Completer(
        Vocabulary(words, array("I", sorted(terms)), NameList.of(ranked)), ENCODER, COMMON_WORDS.__contains__
    )


COMPLETER = completer()


def rewritten(text: str, *, typing: bool = False) -> str:
    return COMPLETER.rewrite(text, typing=typing).text


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("Tetsing overview", "Testing overview"),  # swapped
        ("middlewre", "middleware"),  # missing
        ("sellector", "selector"),  # doubled
        ("midleware configuration of the sotre", "middleware configuration of the store"),
        ("subscirbee", "subscribe"),  # two errors in a long word
        ("storemiddleware", "store middleware"),  # written as one
        ("createAsyncThunck", "createAsyncThunk"),  # as the title writes it
        ("нсатройка", "настройка"),
    ],
)
def test_a_misspelt_word_becomes_the_known_one(typed: str, searched: str) -> None:
    assert folded(rewritten(typed)).replace("configuration", "") == folded(searched).replace("configuration", "")


@pytest.mark.parametrize("typing", [False, True])
@pytest.mark.parametrize("letters", [51, 2_000])
def test_a_word_longer_than_any_real_one_is_not_compared_with_others(letters: int, typing: bool) -> None:
    long = completer("m" * letters)
    typed = "m" * 20 + "n" + "m" * (letters - 21)

    assert long.rewrite(typed, typing=typing).corrections == ()
    assert long.rewrite(f"{typed} stroe", typing=False).text == f"{typed} store"
    assert long.suggest(typed, 5) == []


@pytest.mark.parametrize(
    "query",
    [
        "reducer",
        "reduce",
        "port",
        "post",
        "How do I configure the store?",
        "subscribed",  # another form of a known word
        "naive",  # without its accent
        "the of and",
        "検索",
        "v18 0x4f 422",
        "stare",  # a common word of the language
        "bore",  # another first letter
        "stork",  # another last letter
        "selectorx",  # a last letter too many
        "ports'",
        "xqzvkj",  # nothing is near
        '"middlewre" and `sellector`',  # quoted
        "«нсатройка» “sotre”",
        "error 40",  # a number is no beginning of another
        "posting a sub",  # a common word at the end of a question
        "",
        "?",
    ],
)
def test_known_words_and_those_without_a_neighbour_stay(query: str) -> None:
    rewriting = COMPLETER.rewrite(query, typing=False)
    assert rewriting.text == query
    assert not rewriting.corrections
    assert not rewriting.names


def test_the_word_that_stands_in_a_name_with_the_others_is_preferred() -> None:
    one = completer("poster poster poster")
    assert one.rewrite("posing a comment", typing=False).text.casefold() == "posting a comment"


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        ("Testing overv", "Testing overview"),
        ("Configure the st", "Configure the store"),
        ("midd", "middleware"),
        ("sel", "selector"),
        ("éléments de men", "éléments de menu"),
        ("posting a comm", "posting a comment"),  # a common word, but a name has it
    ],
)
def test_an_unfinished_last_word_is_completed(typed: str, searched: str) -> None:
    assert rewritten(typed) == searched


def test_a_known_last_word_stays_and_adds_the_names_that_it_may_become_only_while_somebody_types() -> None:
    assert COMPLETER.rewrite("Testing", typing=False).names == ()
    rewriting = COMPLETER.rewrite("port", typing=True)
    assert rewriting.text == "port"
    assert not rewriting.corrections
    typing = COMPLETER.rewrite("testing red", typing=True)
    assert typing.names == ("Testing reducers",)
    assert typing.text == "testing reducers"


def test_a_common_word_and_a_number_are_completed_while_somebody_types() -> None:
    assert rewritten("posting a sub", typing=True) == "posting a subscribe"
    assert rewritten("error 40", typing=True) == "error 404"


def test_an_open_quote_does_not_keep_its_words() -> None:
    assert rewritten('"sotre middlewre') == '"store middleware'


def test_a_finished_last_word_is_corrected_and_not_completed() -> None:
    assert rewritten("testing overv ", typing=True) == "testing overv "
    assert rewritten("testing overvieww ", typing=True) == "testing overview "


def test_corrections_name_the_typed_word_and_its_place() -> None:
    rewriting = COMPLETER.rewrite("the sotre and the middlewre", typing=False)
    assert rewriting.corrections == (Correction("sotre", "store", 4), Correction("middlewre", "middleware", 18))


def test_a_pasted_text_is_searched_as_it_is() -> None:
    text = "sotre " * 40
    assert rewritten(text) == text


def test_an_empty_vocabulary_changes_nothing() -> None:
    empty = Completer(Vocabulary({}, array("I"), NameList.of([])), ENCODER, COMMON_WORDS.__contains__)
    assert empty.rewrite("sotre overv", typing=True).text == "sotre overv"
    assert empty.suggest("st", 5) == []


@given(st.text(max_size=60), st.booleans())
def test_every_text_can_be_rewritten_and_known_words_never_change(text: str, typing: bool) -> None:
    rewriting = COMPLETER.rewrite(text, typing=typing)
    known = set(WORD.findall(folded(" ".join((*TITLES, *HEADINGS, COMMON)))))
    for one in rewriting.corrections:
        assert text[one.start : one.start + len(one.typed)] == one.typed
        assert folded(one.typed) not in known
        assert set(WORD.findall(folded(one.used))) <= known
    COMPLETER.suggest(text, 5)


@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("te", "Testing"),
        ("testing o", "Testing overview"),
        ("overview test", "Testing overview"),
        ("store", "Store setup"),
        ("tetsing over", "Testing overview"),
        ("configures", "configureStore"),
    ],
)
def test_names_are_suggested_by_the_beginnings_of_their_words(typed: str, best: str) -> None:
    assert COMPLETER.suggest(typed, 3)[0].text == best


def test_suggestions_are_limited_and_a_title_comes_before_a_heading() -> None:
    assert len(COMPLETER.suggest("t", 2)) <= 2
    assert [name.is_title for name in COMPLETER.suggest("testing", 5)] == [True, True, False]
    assert COMPLETER.suggest("nothing like this", 5) == []


def test_the_name_with_the_word_itself_comes_before_longer_words() -> None:
    names = ["Caching", "Colours", "C", "Client", "The C language"]
    of = NameList.of([Name(name, f"https://d.example/{name}", is_title=True) for name in names])
    one = Completer(Vocabulary(dict.fromkeys(words_of(" ".join(names)), 1), array("I"), of), ENCODER, bool)
    assert [name.text for name in one.suggest("c", 3)] == ["C", "The C language", "Caching"]
    assert [name.text for name in one.suggest("c", 1)] == ["C"]


def test_a_name_of_very_many_words_is_counted() -> None:
    words = [f"w{at}" for at in range(70_000)]
    of = NameList.of([Name(" ".join(words), "https://d.example/", is_title=True)])
    one = Completer(Vocabulary(dict.fromkeys(words, 1), array("I"), of), ENCODER, bool)
    assert len(one.suggest("w69999", 1)) == 1
