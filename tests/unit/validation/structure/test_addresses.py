"""Pages with and without real addresses."""

from dataclasses import replace

from tests.structures import LIMITS, finding_of, moved, some_pages, verdict_on
from tests.worlds import World

from assay.model.evaluation import Outcome
from assay.model.generations import Generation
from assay.testing.catalog_samples import page


def _without_address(world: World, name: str, minute: int = 0) -> Generation:
    placed = moved(page("wheel", "How the wheel works.", title="The wheel"), "https://docs.invalid/docs/wheel")
    return world.build(name, placed, minute=minute)


def test_pages_without_an_address_pass_with_a_word_as_long_as_none_has_one() -> None:
    world = World()
    first, second = _without_address(world, "g0"), _without_address(world, "g1", minute=1)
    verdict = verdict_on(world, second, live=first)
    assert finding_of(verdict, "addresses").outcome is Outcome.PASS
    assert any("1 page has no real address" in note for note in verdict.notes)


def test_a_source_that_never_had_an_address_may_go_on_beside_one_that_has() -> None:
    world = World()
    notes = [moved(page(name, source="notes"), f"https://docs.invalid/notes/{name}") for name in ("note", "newer")]
    live = world.build("g0", *some_pages(2), notes[0])
    allowed = verdict_on(world, world.build("g1", *some_pages(2), *notes, minute=1), live=live)
    assert finding_of(allowed, "addresses").outcome is Outcome.PASS
    lost = [moved(one, f"https://docs.invalid/{n}") for n, one in enumerate(some_pages(2))]
    finding = finding_of(verdict_on(world, world.build("g2", *lost, *notes, minute=2), live=live), "addresses")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 2)


def test_pages_without_an_address_never_take_the_place_of_real_ones() -> None:
    world = World()
    live = world.build("g0", *some_pages(1))
    verdict = verdict_on(world, _without_address(world, "g1", minute=1), replace(LIMITS, max_page_fall=1.0), live)
    finding = finding_of(verdict, "addresses")
    assert finding.outcome is Outcome.FAIL
    assert "--base-url" in finding.detail
    assert finding.examples == ("https://docs.invalid/docs/wheel",)


def test_a_generation_whose_pages_no_search_finds_by_default_fails() -> None:
    world = World()
    old = page("a", "How it works.", title="A", version="1.0", version_is_current=False, locale="en")
    other = page("de/a", "Wie es geht.", title="A", locale="de", locale_is_default=False)
    verdict = verdict_on(world, world.build("g1", old, other))
    finding = finding_of(verdict, "searched by default")
    assert finding.outcome is Outcome.FAIL
    assert "none of the 2 pages has both" in finding.detail
    assert "current_version" in finding.detail
