"""One title for many pages, and passages on many pages: each limit at its border."""

from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page
from assay.validation.structure import StructuralLimits

NOTICE = "We use cookies to make this site better for you, and you may choose which of them we are allowed to set."
ROOMY = replace(LIMITS, max_alike_pages=1.0, max_unreachable=1.0)


def _pages(count: int) -> list[Stored]:
    return [
        page(word, f"How the {word} works on a robot, told at length.", title=f"The {word}") for word in WORDS[:count]
    ]


def _finding(check: str, *pages: Stored, limits: StructuralLimits = ROOMY) -> Finding:
    world = World()
    return finding_of(verdict_on(world, world.build("g1", *pages), limits), check)


@pytest.mark.parametrize(("equal", "outcome"), [(0, Outcome.PASS), (3, Outcome.PASS), (4, Outcome.FAIL)])
def test_too_many_pages_of_one_title_fail(equal: int, outcome: Outcome) -> None:
    untitled = [page(f"u-{word}", f"Facts about the {word}.", title="Documentation") for word in WORDS[:equal]]
    found = _finding("titles alike", *_pages(10 - equal), *untitled)
    assert (found.outcome, found.value) == (outcome, equal / 10)


def test_the_title_is_named_with_its_pages_and_what_to_do() -> None:
    found = _finding("titles alike", *[page(word, f"Facts about {word}.", title="Docs") for word in WORDS])
    assert found.detail.startswith("10 pages of ")
    assert "'Docs' (100%; limit 30%)" in found.detail
    assert "gate.max_repeated" in found.detail


def test_two_pages_of_one_title_are_no_repetition() -> None:
    assert _finding("titles alike", *[page(word, f"Of {word}.", title="Docs") for word in WORDS[:2]]).value == 0.0


def test_copies_of_a_page_in_several_folders_are_no_repetition() -> None:
    copies = [
        page(f"v{number}/start", "The same in each version, word for word.", title="Start") for number in range(5)
    ]
    assert _finding("titles alike", *copies).outcome is Outcome.PASS
    assert _finding("passages alike", *copies).outcome is Outcome.PASS


def test_a_notice_that_is_more_than_the_content_fails_and_is_named() -> None:
    swallowed = [page(word, NOTICE, f"The {word}.", title=f"The {word}") for word in WORDS]
    found = _finding("passages alike", *swallowed)
    assert found.outcome is Outcome.FAIL
    assert found.value > 0.8
    assert "We use cookies" in found.detail
    assert "gate.max_repeated" in found.detail


def test_a_short_notice_on_every_page_passes() -> None:
    noted = [
        page(word, "Beta.", f"How the {word} works on a robot, told at length.", title=f"The {word}") for word in WORDS
    ]
    found = _finding("passages alike", *noted)
    assert found.outcome is Outcome.PASS
    assert 0.0 < found.value < 0.2
