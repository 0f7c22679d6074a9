"""Words that are nearly right are told from others."""

import pytest

from assay.model.spelling import did_you_mean, nearest


@pytest.mark.parametrize(("word", "near"), [("treshold", "threshold"), ("threshold", "threshold"), ("mode", None)])
def test_the_most_similar_known_word_is_found(word: str, near: str | None) -> None:
    assert nearest(word, ("threshold", "top_k")) == near


def test_the_cutoff_sets_the_minimum_similarity() -> None:
    assert nearest("tops", ("top_k",), cutoff=0.5) == "top_k"
    assert nearest("tops", ("top_k",), cutoff=0.9) is None


def test_capitals_do_not_hide_the_word_that_is_meant() -> None:
    assert did_you_mean("TOP_K", ("top_k",), "it can be top_k") == "did you mean `top_k`?"
    assert did_you_mean("zzz", ("top_k",), "it can be top_k") == "it can be top_k"
