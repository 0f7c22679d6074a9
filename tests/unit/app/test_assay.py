"""What an Assay builds, and when."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.app import Assay
from assay.errors import CatalogUnavailable, GenerationNotFound, InputError
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
    calls = (
        *(lambda: assay.search("nodes"), assay.generations, assay.publish, assay.validate, assay.promote),
        *(assay.rollback, assay.builds.ingest, assay.__enter__),
    )
    for call in calls:
        with pytest.raises(CatalogUnavailable, match="This Assay is closed"):
            call()
    assay.close()


def test_a_closed_assay_does_not_change_what_is_live(tmp_path: Path) -> None:
    assay = Assay.open(Settings(data_dir=tmp_path))
    assay.parts.open_catalog(create=True)
    with pytest.raises(GenerationNotFound):
        assay.rollback()
    assay.close()
    with pytest.raises(CatalogUnavailable, match="This Assay is closed"):
        assay.releases.rollback()
    with pytest.raises(CatalogUnavailable, match="This Assay is closed"):
        _ = assay.parts.lifecycle


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda assay: assay.search(None), "query: it must be text or a Query, not None"),
        (lambda assay: assay.search(5), "query: it must be text or a Query, not int"),
        (lambda assay: assay.search(b"x"), "query: it must be text or a Query, not bytes"),
        (lambda assay: assay.validate(5), "generation_id: it must be the id of a generation, `live` or `candidate`"),
        (lambda assay: assay.validate(None, 5), "test_set: it must be text or a path, not int"),
        (lambda assay: assay.promote(["a"]), "generation_id: it must be .*, not list"),
        (lambda assay: assay.promote(test_set=b"x"), "test_set: .*, not bytes"),
        (lambda assay: assay.write_report(None), r"validation: it must be what validate\(\) returns, not None"),
    ],
)
def test_an_argument_of_another_type_is_named(tmp_path: Path, call: Callable[[Any], object], named: str) -> None:
    with Assay.open(Settings(data_dir=tmp_path)) as assay, pytest.raises(InputError, match=named):
        call(assay)


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
