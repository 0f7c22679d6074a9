"""What an Assay builds, and when."""

from pathlib import Path

import pytest

from assay.app import Assay
from assay.errors import CatalogUnavailable, InputError
from assay.model.ranking import Query
from assay.settings import Settings
from assay.testing.catalog_samples import generation

BUILT = {"embedder", "store", "embedding_cache", "encoder", "sources", "keys"}


def test_to_open_and_close_builds_nothing(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path / "data")) as assay:
        pass
    assert BUILT.isdisjoint(vars(assay.parts))
    assert not (tmp_path / "data").exists()


def test_a_listing_builds_no_model_and_no_store(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path)) as assay:
        assay.parts.open_catalog(create=True)
        assert assay.generations() == []
        assert BUILT.isdisjoint(vars(assay.parts))


def test_a_closed_assay_refuses_and_opens_nothing_again(tmp_path: Path) -> None:
    assay = Assay.open(Settings(data_dir=tmp_path))
    assay.parts.open_catalog(create=True)
    assay.close()
    for call in (lambda: assay.search("nodes"), assay.generations):
        with pytest.raises(CatalogUnavailable, match="This Assay is closed"):
            call()
    assay.close()


def test_a_query_takes_no_further_options(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path)) as assay, pytest.raises(TypeError, match=r"takes no top_k, mode: set"):
        assay.search(Query("nodes", 5), 3, mode="dense")  # type: ignore[call-overload]  # what the types forbid


def test_the_named_generation_live_follows_promotions_as_no_name_does(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path), generation="live") as assay:
        assay.parts.open_catalog(create=True)
        assay.searches.live.refresh()
        assert assay.searches.live.generation() is None


def test_the_path_of_a_test_set_may_be_text(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path)) as assay:
        catalog = assay.parts.open_catalog(create=True)
        catalog.add_generation(generation("g1"))
        with pytest.raises(InputError, match=r"none\.yaml"):
            assay.validate("g1", str(tmp_path / "none.yaml"))
