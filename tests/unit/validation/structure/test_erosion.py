"""Pages that several releases lost together, each of them less than its limit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.model.generations import Generation
from assay.release.promotion import verdict_record
from assay.testing.catalog_samples import NOON, page

PAGES = [page(word, f"How the {word} works.", title=f"The {word}") for word in WORDS]


class _Nights:
    """Releases one after the other, each with so many of the pages."""

    def __init__(self) -> None:
        self._world = World()
        self._count = 0
        self._live: Generation | None = None

    def found(self, pages: int, limit: float = 0.2) -> Finding:
        """What is said of a candidate with so many pages, which then goes live."""
        self._count += 1
        world = self._world
        candidate = world.build(f"g{self._count}", *PAGES[:pages], minute=self._count)
        candidate = replace(candidate, parent=self._live.id if self._live else None)
        world.catalog.update_generation(candidate)
        verdict = verdict_on(world, candidate, replace(LIMITS, max_page_fall=limit), self._live)
        world.catalog.update_generation(replace(candidate, verdict=verdict_record(verdict)))
        self._live = world.catalog.promote(candidate.id, NOON)
        return finding_of(verdict, "erosion")

    def damage(self, verdict: Mapping[str, object]) -> None:
        """Give the live release another verdict."""
        assert self._live is not None
        self._live = replace(self._live, verdict=verdict)
        self._world.catalog.update_generation(self._live)

    def rollback(self, name: str) -> None:
        """Make an earlier release live again."""
        self._live = self._world.catalog.promote(name, NOON)

    def forget(self, name: str) -> None:
        """A release that is kept no longer."""
        self._world.catalog.forget(name)


def _nights(*pages: int) -> _Nights:
    nights = _Nights()
    for count in pages:
        nights.found(count)
    return nights


def test_two_losses_under_the_limit_are_added_up() -> None:
    found = _nights(10, 9).found(7)
    assert (found.outcome, found.value, found.count) == (Outcome.FAIL, 0.3, 3)
    assert "3 of the 10 pages of g1, an earlier live generation, are gone (30%; limit 20%)" in found.detail
    assert "--allow-removals" in found.detail


@pytest.mark.parametrize("pages", [[10], [10, 9], [9, 10], [10, 10]])
def test_as_many_pages_may_be_lost_together_as_by_one_release(pages: Sequence[int]) -> None:
    assert _nights(*pages).found(8).outcome is Outcome.PASS


def test_a_first_release_lost_nothing() -> None:
    assert _Nights().found(5).value == 0.0


def test_a_release_that_lost_more_than_the_limit_was_meant_and_is_where_counting_begins() -> None:
    nights = _nights(10, 5)
    assert nights.found(5).value == 0.0


def test_a_release_whose_limit_was_lifted_is_where_counting_begins() -> None:
    nights = _nights(10, 9)
    assert nights.found(8, limit=1.0).value == 0.2
    assert nights.found(7).value == 0.0
    assert nights.found(6).value == 0.25


def test_releases_that_were_rolled_back_or_are_kept_no_longer_are_not_counted() -> None:
    rolled_back = _nights(8, 10)
    rolled_back.rollback("g1")
    assert rolled_back.found(7).value == 0.0
    forgotten = _nights(10, 9, 8)
    forgotten.forget("g1")
    assert forgotten.found(8).value == pytest.approx(1 / 9)


def test_a_release_that_lost_most_pages_itself_is_named_as_the_cause() -> None:
    assert "this release alone lost 7 of 9, see `fall in pages`" in _nights(10, 9).found(2).detail
    assert "several releases lost some each" in _nights(10, 9, 8).found(7).detail


@pytest.mark.parametrize("findings", [[{"x": 1}], [1], "findings", [{"check": "fall in pages", "limit": 1}]])
def test_a_damaged_verdict_of_an_earlier_release_allows_no_removals(findings: object) -> None:
    nights = _nights(10, 9)
    nights.damage({"findings": findings})
    found = nights.found(7)
    assert (found.outcome, found.value) == (Outcome.FAIL, 0.3)
