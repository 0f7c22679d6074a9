"""Lines that most pages repeat: a banner, a menu or a footer that was taken for content."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page

_BANNER = "We use cookies to make this site better for you, since 2024."
_ROOMY = replace(LIMITS, max_alike_pages=1.0, max_repeated=1.0, max_unreachable=1.0, max_boilerplate=0.1)


def _said(word: str) -> str:
    return " ".join(f"The {word} is looked at in step {word}{letter} of the plan." for letter in "abcdefg")


def _pages(banners: int, banner: str = _BANNER, of: int = 10, **info: object) -> list[Stored]:
    """Pages of which some begin with a banner."""
    return [
        page(word, *([banner] if number < banners else []), _said(word), title=word, **info)
        for number, word in enumerate(WORDS[:of])
    ]


def _found(pages: Sequence[Stored], limit: float = 0.1) -> Finding:
    world = World()
    verdict = verdict_on(world, world.build("g1", *pages), replace(_ROOMY, max_boilerplate=limit))
    return finding_of(verdict, "boilerplate")


def test_a_banner_on_every_page_fails_from_the_first_build_and_is_named() -> None:
    found = _found(_pages(10))
    assert found.outcome is Outcome.FAIL
    assert found.value == pytest.approx(0.14, abs=0.01)
    assert found.count == 1
    assert "in 1 line that more than half of its pages have (limit 10%): 'We use cookies" in found.detail
    assert "gate.max_boilerplate" in found.detail


@pytest.mark.parametrize(("banners", "outcome"), [(6, Outcome.FAIL), (5, Outcome.PASS)])
def test_a_line_is_boilerplate_on_more_than_half_of_the_pages(banners: int, outcome: Outcome) -> None:
    assert _found(_pages(banners), limit=0.05).outcome is outcome


def test_a_short_line_on_every_page_passes_with_its_share() -> None:
    found = _found(_pages(10, "Beta."))
    assert found.outcome is Outcome.PASS
    assert 0.0 < found.value < 0.02


def test_as_much_may_be_repeated_as_the_limit_says() -> None:
    share = _found(_pages(10)).value
    assert share is not None
    assert _found(_pages(10), limit=share).outcome is Outcome.PASS


def test_four_pages_are_too_few_to_tell_a_template_by() -> None:
    assert _found(_pages(4, of=4)).value == 0.0
    assert _found(_pages(5, of=5)).outcome is Outcome.FAIL


def test_each_version_and_locale_is_held_against_its_own_pages() -> None:
    english = _pages(0, of=5)
    german = [page(f"de/{word}", _BANNER, _said(f"{word}en"), title=word, locale="de") for word in WORDS[:5]]
    assert _found(english + german).outcome is Outcome.FAIL


def test_punctuation_alone_is_no_line() -> None:
    assert _found(_pages(10, "--- *** ---" * 5)).value == 0.0


def test_pages_of_one_sentence_are_too_short_to_tell_a_template_by() -> None:
    assert _found([page(word, f"This is page {number}.", title=word) for number, word in enumerate(WORDS)]).value == 0.0


def test_headings_that_all_pages_have_are_no_boilerplate() -> None:
    assert _found(_pages(10, "## Parameters of the function that this page describes")).value == 0.0
