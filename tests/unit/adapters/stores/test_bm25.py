"""BM25 vectors are the engine's own, for every kind of writing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_edge import Bm25, Bm25Config, TokenizerType

from assay.adapters.stores.bm25 import Bm25Encoder
from assay.errors import ConfigurationError, InputError
from assay.ports import SparseVector

ENGLISH = Bm25Encoder("english")

WORDS = st.text(alphabet=st.sampled_from("abcdefghij ABC 0123 .,-_/()<>'\"\n\t#@+=:"), max_size=400)


def engine(average_length: float, language: str = "english") -> Bm25:
    """The engine's encoder with its own length normalization."""
    folding = language == "english"
    config = Bm25Config(
        k=1.2, b=0.75, avg_len=average_length, tokenizer=TokenizerType.Word, language=language, ascii_folding=folding
    )
    return Bm25(config)


NAMES = 2**31
"""Where the ids of names begin."""


def words(text: str, encoder: Bm25Encoder = ENGLISH) -> tuple[int, ...]:
    """The terms of a text, whatever it is called."""
    return encoder.term_counts([text])[0].indices


def as_dict(vector: SparseVector) -> dict[int, float]:
    return dict(zip(vector.indices, vector.values, strict=True))


@given(texts=st.lists(WORDS, max_size=4), average=st.floats(0.5, 2_000.0))
def test_weights_are_those_of_the_engine_to_single_precision(texts: list[str], average: float) -> None:
    weighed = ENGLISH.weigh(ENGLISH.term_counts(texts), average)
    for text, vector in zip(texts, weighed, strict=True):
        expected = engine(average).embed_document(text)
        assert as_dict(vector) == pytest.approx(
            dict(zip(expected.indices, expected.values, strict=True)), rel=2 * float(np.finfo(np.float32).eps)
        )


@given(text=WORDS)
def test_query_terms_are_those_of_the_engine(text: str) -> None:
    expected = tuple(sorted(engine(80.0).embed_query(text).indices))
    found = ENGLISH.encode_query(text).indices
    assert found[: len(expected)] == expected
    assert all(term < NAMES for term in expected)
    assert all(term >= NAMES for term in found[len(expected) :])


@given(text=st.text(max_size=200))
def test_any_text_has_ascending_terms_and_a_query_has_the_same(text: str) -> None:
    (counts,) = ENGLISH.term_counts([text])
    assert list(counts.indices) == sorted(set(counts.indices))
    query = ENGLISH.encode_query(text)
    assert list(query.indices) == sorted(set(query.indices))
    assert tuple(term for term in query.indices if term < NAMES) == counts.indices
    assert bool(counts.indices) == bool(query.indices)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("naïve café", "naive cafe"),
        ("\uff21\uff30\uff29", "API"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("e\u0301te", "\u00e9te"),
        ("ﬁle", "file"),
        ("snake_case", "snake case"),
        ("foo.bar()", "foo bar"),
        ("--flag-name", "flag name"),
        ("Running RUNS run", "run run run"),
    ],
)
def test_two_ways_to_write_one_thing_have_the_same_terms(one: str, other: str) -> None:
    assert ENGLISH.term_counts([one]) == ENGLISH.term_counts([other])


@pytest.mark.parametrize(
    ("text", "terms"),
    [("createSlice", 1), ("@reduxjs/toolkit", 2), ("v2.0", 2), ("422", 1), ("猫", 1), ("検索", 1), ("検索する", 3)],
)
def test_a_text_has_so_many_terms(text: str, terms: int) -> None:
    assert len(words(text)) == terms


def test_words_beside_writing_without_blanks_keep_their_terms() -> None:
    assert set(words("createSlice reducer 建立")) <= set(words("用createSlice建立reducer"))


@pytest.mark.parametrize(
    ("language", "text"), [("french", "été même des"), ("german", "und über den"), ("spanish", "también estás")]
)
def test_stop_words_with_accents_are_left_out_in_their_language(language: str, text: str) -> None:
    assert Bm25Encoder(language).encode_query(text) == SparseVector((), ())
    assert ENGLISH.encode_query(text) != SparseVector((), ())


def test_without_a_language_no_word_is_left_out_and_none_is_cut() -> None:
    plain = Bm25Encoder("none")
    assert len(words("the running of the bulls", plain)) == 4
    assert plain.encode_query("running") != plain.encode_query("run")


@pytest.mark.parametrize("language", ["klingon", "", "English", "eng"])
def test_a_language_that_the_engine_lacks_is_named(language: str) -> None:
    with pytest.raises(ConfigurationError, match=repr(language)):
        Bm25Encoder(language)


def test_what_is_not_unicode_is_refused() -> None:
    for use in (ENGLISH.encode_query, lambda text: ENGLISH.term_counts(["good", text])):
        with pytest.raises(InputError, match="unpaired surrogate"):
            use("half \ud800")


def test_the_identity_names_language_parameters_and_the_engine() -> None:
    identity = Bm25Encoder("german").identity(80.5)
    assert (identity.language, identity.k, identity.b, identity.average_length) == ("german", 1.2, 0.75, 80.5)
    assert "qdrant-edge-py 0.9" in identity.revision
