"""Pages that came in masses: held against those of the same source, version and locale."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page

BEFORE = [page(word, f"How the {word} works.", title=f"The {word}") for word in WORDS]


def _junk(count: int, **info: object) -> list[Stored]:
    return [
        page(f"day-{number}", f"Nothing is on day {number}.", title=f"Day {number}", **info) for number in range(count)
    ]


def _found(now: Sequence[Stored], most: float | None = 3.0, before: Sequence[Stored] = BEFORE) -> Finding:
    world = World()
    live = world.build("g0", *before) if before else None
    limits = replace(LIMITS, max_page_rise=most, max_unreachable=1.0)
    return finding_of(verdict_on(world, world.build("g1", *now, minute=1), limits, live), "rise in pages")


@pytest.mark.parametrize(
    ("new", "most", "outcome", "rise"),
    [
        (49, 3.0, Outcome.PASS, 0.0),
        (50, 3.0, Outcome.FAIL, 5.0),
        (60, 6.0, Outcome.PASS, 6.0),
        (61, 6.0, Outcome.FAIL, 6.1),
        (61, None, Outcome.PASS, 6.1),
    ],
)
def test_new_pages_may_be_so_many_times_the_live_ones(
    new: int, most: float | None, outcome: Outcome, rise: float
) -> None:
    found = _found(BEFORE + _junk(new), most)
    assert (found.outcome, found.value) == (outcome, rise)


def test_the_new_pages_are_named_with_what_to_do() -> None:
    found = _found(BEFORE + _junk(60))
    assert "60 pages of docs, version 2.0, locale en are new, 6 times the 10 live ones (limit 3 times" in found.detail
    assert "https://docs.example.org/day-0" in found.detail
    assert "--allow-additions" in found.detail
    assert found.count == 60


@pytest.mark.parametrize("place", [{"source": "blog"}, {"version": "1.0"}, {"locale": "ja"}])
def test_a_source_version_or_locale_that_was_set_up_newly_is_no_rise(place: dict[str, object]) -> None:
    assert _found(BEFORE + _junk(60, **place)).value == 0.0


def test_the_first_build_is_no_rise() -> None:
    assert _found(_junk(60), before=()).outcome is Outcome.PASS
