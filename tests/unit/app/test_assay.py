"""What an Assay builds, and when."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Any

import pytest

from assay.adapters.catalog.catalog import SqlCatalog
from assay.app import Assay, parts
from assay.app.locked_property import LockedProperty
from assay.app.parts import Parts
from assay.app.searching import Searches
from assay.app.systems import Systems
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


def in_threads(call: Callable[[], object]) -> list[object]:
    """The results of calls at the same time."""
    barrier = Barrier(8)

    def after_all_have_started(_: int) -> object:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(after_all_have_started, range(8)))


@pytest.mark.parametrize("kind", [Assay, Parts, Searches, Systems])
def test_what_is_built_on_first_use_is_built_by_one_thread(kind: type) -> None:
    """functools.cached_property has no lock from Python 3.12 on."""
    cached = [one for one in vars(kind).values() if isinstance(one, cached_property)]
    assert cached
    assert all(isinstance(one, LockedProperty) for one in cached)


def test_a_locked_property_is_computed_once_for_each_object() -> None:
    class Slow:
        def __init__(self) -> None:
            self.computed = 0

        @LockedProperty
        def value(self) -> object:
            self.computed += 1
            sleep(0.05)
            return object()

    one, other = Slow(), Slow()
    assert len(set(map(id, in_threads(lambda: one.value)))) == 1
    assert one.computed == 1
    assert one.value is not other.value


def test_threads_that_open_the_catalog_first_share_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[SqlCatalog] = []

    class Slow:
        @staticmethod
        def open(*arguments: Any, **named: Any) -> SqlCatalog:  # noqa: ANN401 - passed on
            sleep(0.05)
            opened.append(catalog := SqlCatalog.open(*arguments, **named))
            return catalog

    with Assay.open(Settings(data_dir=tmp_path)) as assay:
        assay.parts.open_catalog(create=True).close()
    monkeypatch.setattr(parts, "SqlCatalog", Slow)
    closed: list[object] = []
    monkeypatch.setattr(SqlCatalog, "close", lambda catalog: closed.append(catalog))  # noqa: PLW0108 - a method
    with Assay.open(Settings(data_dir=tmp_path)) as assay:
        kept = in_threads(lambda: assay.parts.catalog)
        assert len(set(map(id, kept))) == 1
        assert set(map(id, closed)) == set(map(id, opened)) - {id(kept[0])}
