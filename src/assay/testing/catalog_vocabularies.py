"""Tests of a catalog's vocabularies."""
# ruff: noqa: D102 - the name of a test is a sentence

from array import array

import pytest

from assay.errors import GenerationNotFound
from assay.model.generations import State
from assay.model.vocabulary import Name, NameList, Vocabulary
from assay.ports import Catalog
from assay.testing.catalog_samples import built, generation, page

_ONE = Vocabulary(
    {"store": 3, "naïve": 1, "検索": 2},
    array("I", [1, 7, 4_294_967_295]),
    NameList.of(
        [
            Name("Configure the store 🤖", "https://d.example/a", is_title=True),
            Name("設定", "https://d.example/a#x", is_title=False),
        ]
    ),
)


class VocabularyConformance:
    """Part of CatalogConformance."""

    def test_a_vocabulary_comes_back_as_it_was_kept_and_can_be_replaced(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        assert catalog.vocabulary("g1") is None
        catalog.keep_vocabulary("g1", Vocabulary({}, array("I"), NameList.of([])))
        assert catalog.vocabulary("g1") == Vocabulary({}, array("I"), NameList.of([]))
        catalog.keep_vocabulary("g1", _ONE)
        assert catalog.vocabulary("g1") == _ONE

    def test_a_vocabulary_is_of_one_generation_and_goes_with_it(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a", "one"))
        built(catalog, "g2", page("a", "one"))
        catalog.keep_vocabulary("g2", _ONE)
        assert catalog.vocabulary("g1") is None
        catalog.transition("g2", State.REJECTED)
        catalog.forget("g2")
        assert catalog.vocabulary("g2") is None
        with pytest.raises(GenerationNotFound):
            catalog.keep_vocabulary("g2", _ONE)
