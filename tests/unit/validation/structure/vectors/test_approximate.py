"""Dense search that loses neighbours is found; one that does not, passes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.structures import LIMITS
from tests.worlds import World

from assay.errors import RequestForbidden
from assay.model.evaluation import Outcome
from assay.model.generations import Generation
from assay.ports import IndexAnswer, IndexQuery, Silence, VectorIndex
from assay.testing.catalog_samples import page
from assay.validation.structure import CheckContext
from assay.validation.structure.vectors.approximate import recall_of_dense_search

WORDS = (
    "gripper",
    "camera",
    "battery",
    "wheel",
    "motor",
    "sensor",
    "radio",
    "screen",
    "cable",
    "frame",
    "lamp",
    "valve",
)


@dataclass
class Approximate:
    """An index whose usual search leaves out the hits at some places; exact search finds all, or is refused."""

    index: VectorIndex
    lost: Sequence[int] = ()
    refused: bool = False

    def search(self, query: IndexQuery) -> IndexAnswer:
        if query.exact and self.refused:
            raise RequestForbidden("Exact search disabled!")
        found = self.index.search(replace(query, limit=query.limit + len(self.lost)))
        if query.exact:
            return replace(found, dense=found.dense[: query.limit])
        kept = [one for place, one in enumerate(found.dense) if place not in self.lost]
        return replace(found, dense=tuple(kept[: query.limit]))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any attribute of an index
        return getattr(self.index, name)


@pytest.fixture(scope="module")
def built() -> tuple[World, Generation]:
    world = World()
    pairs = [(one, other) for one in WORDS for other in WORDS if one < other]
    pages = [page(f"p{n}", f"The {one} holds the {other}. {n}") for n, (one, other) in enumerate(pairs)]
    return world, world.build("g1", *pages)


def _check(built: tuple[World, Generation], chunks: int = 2_000, **index: Any) -> Any:  # noqa: ANN401 - a finding or None
    world, generation = built
    searcher = world.searcher(generation.id)
    context = CheckContext(
        replace(generation, chunks=chunks),
        None,
        world.catalog,
        Approximate(searcher.index, **index),  # type: ignore[arg-type]  # as much of an index as is asked
        searcher.search,
        world.embedder.prefetch_queries,
    )
    return next(iter(recall_of_dense_search(context, LIMITS, Silence())), None)


def test_a_search_that_finds_all_passes_with_its_recall(built: tuple[World, Generation]) -> None:
    found = _check(built)
    assert found.outcome is Outcome.PASS
    assert found.value == 1.0
    assert found.examples == ()


@pytest.mark.parametrize(("lost", "outcome"), [((4,), Outcome.FAIL), ((12,), Outcome.PASS)])
def test_only_a_neighbour_of_the_top_ten_counts(
    built: tuple[World, Generation], lost: tuple[int, ...], outcome: Outcome
) -> None:
    found = _check(built, lost=lost)
    assert found.outcome is outcome
    if outcome is Outcome.FAIL:
        # Place 0 is the chunk itself, so that 4 is one of its ten neighbours, unless others tie with the tenth.
        assert 0.89 <= found.value < 0.95
        assert "gate.min_recall" in found.detail
        assert found.examples


def test_a_small_index_is_not_measured(built: tuple[World, Generation]) -> None:
    assert _check(built, chunks=1_999, lost=(1, 2, 3)) is None


def test_a_store_that_forbids_exact_search_is_named_and_does_not_block(built: tuple[World, Generation]) -> None:
    found = _check(built, refused=True)
    assert (found.outcome, found.value) == (Outcome.PASS, None)
    assert "forbids exact search" in found.limit
