"""Pages that several releases lost together, each of them less than its limit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, moved, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.model.generations import Generation
from assay.release.promotion import verdict_record
from assay.testing.catalog_samples import NOON, SITE, Stored, page

PAGES = [page(word, f"How the {word} works.", title=f"The {word}") for word in WORDS]


class _Nights:
    """Releases one after the other, each with so many of the pages."""

    def __init__(self) -> None:
        self._world = World()
        self._count = 0
        self._live: Generation | None = None

    def found(self, pages: int, limit: float = 0.2, host: str = SITE) -> Finding:
        """What is said of a candidate with so many pages, which then goes live."""
        return self.found_of(PAGES[:pages], limit, host)

    def found_of(self, pages: Sequence[Stored], limit: float = 0.2, host: str = SITE) -> Finding:
        """What is said of a candidate with these pages at a host, which then goes live."""
        self._count += 1
        world = self._world
        placed = [moved(one, one[0].info.url.replace(SITE, host)) for one in pages]
        candidate = world.build(f"g{self._count}", *placed, minute=self._count)
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


NOWHERE, PUBLIC = "https://docs.invalid", "https://docs.realco.com"


@pytest.mark.parametrize(
    "hosts",
    [(NOWHERE, NOWHERE, NOWHERE), (SITE, PUBLIC, PUBLIC), (NOWHERE, PUBLIC, PUBLIC), (NOWHERE, SITE, PUBLIC)],
)
def test_pages_without_a_public_address_are_added_up_too(hosts: Sequence[str]) -> None:
    nights = _Nights()
    for pages, host in zip((10, 9), hosts, strict=False):
        nights.found(pages, host=host)
    found = nights.found(7, host=hosts[2])
    assert (found.outcome, found.value, found.count) == (Outcome.FAIL, 0.3, 3)


def test_a_source_that_gets_its_public_address_lost_nothing_next_to_one_that_has_none() -> None:
    intranet = [moved(one, one[0].info.url.replace(SITE, "http://10.0.0.5/handbook")) for one in PAGES[5:]]
    nights = _Nights()
    for host in ("http://localhost:3000", "http://localhost:3000"):
        nights.found_of([*PAGES[:5], *intranet], host=host)
    found = nights.found_of([*PAGES[:5], *intranet], host=PUBLIC)
    assert (found.outcome, found.value) == (Outcome.PASS, 0.0)


def test_a_page_that_moved_its_file_after_it_got_its_address_is_not_lost() -> None:
    nights = _Nights()
    nights.found(10, host=NOWHERE)
    nights.found(10, host=PUBLIC)
    elsewhere = [(replace(d, info=replace(d.info, source_path=f"new/{d.info.slug}.md")), chunks) for d, chunks in PAGES]
    assert nights.found_of(elsewhere, host=PUBLIC).value == 0.0
