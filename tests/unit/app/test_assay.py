"""What an Assay builds, and when."""

from pathlib import Path

from assay.app import Assay
from assay.settings import Settings

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


def test_the_named_generation_live_follows_promotions_as_no_name_does(tmp_path: Path) -> None:
    with Assay.open(Settings(data_dir=tmp_path), generation="live") as assay:
        assay.parts.open_catalog(create=True)
        assay.searches.live.refresh()
        assert assay.searches.live.generation() is None
