"""Anchors that pages lost: by their headings' ids, with the text the same, and not by an edit of a page or two."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.documents import Section
from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page


def _page(word: str, anchors: Mapping[str, str | None], slug: str = "") -> Stored:
    """A page with a section for each heading."""
    document, chunks = page(slug or word, f"How the {word} works.", title=f"The {word}")
    ends = [*range(1, len(anchors)), len(document.text)]
    sections = [
        Section(2, heading, anchor, (heading,), start, end)
        for (heading, anchor), start, end in zip(anchors.items(), [0, *ends], ends, strict=False)
    ]
    return replace(document, sections=tuple(sections)), chunks


def _sound(word: str) -> Stored:
    return _page(word, {"Uses": f"{word}-uses", "Care": f"{word}-care"})


def _without_ids(word: str) -> Stored:
    return _page(word, {"Uses": "uses", "Care": None})


BEFORE = [_sound(word) for word in WORDS]


def _found(now: Sequence[Stored], limit: float = 0.2, before: Sequence[Stored] = BEFORE) -> Finding:
    world = World()
    live = world.build("g0", *before)
    verdict = verdict_on(world, world.build("g1", *now, minute=1), replace(LIMITS, max_anchor_fall=limit), live)
    return finding_of(verdict, "fall in anchors")


@pytest.mark.parametrize(("pages", "outcome"), [(10, Outcome.FAIL), (3, Outcome.FAIL)])
def test_ids_of_headings_that_are_lost_fail_though_the_text_is_the_same(pages: int, outcome: Outcome) -> None:
    found = _found([_without_ids(word) for word in WORDS[:pages]] + BEFORE[pages:])
    assert (found.outcome, found.value, found.count) == (outcome, pages / 10, 2 * pages)
    assert f"{2 * pages} anchors on {pages} remaining pages are gone" in found.detail
    assert f"{2 * pages} of them had a heading that is still there" in found.detail
    assert "#battery-care" in found.detail
    assert "gate.max_anchor_fall" in found.detail


def test_as_many_anchors_may_be_gone_as_the_limit_says() -> None:
    lost = [_without_ids(word) for word in WORDS[:4]] + BEFORE[4:]
    assert _found(lost, 0.4).outcome is Outcome.PASS
    assert _found(lost, 0.39).outcome is Outcome.FAIL


def test_two_pages_whose_headings_were_edited_lost_nothing() -> None:
    few = BEFORE[:5]
    assert _found([_without_ids(word) for word in WORDS[:2]] + few[2:], before=few).value == 0.0


def test_anchors_of_pages_that_are_gone_or_moved_are_not_counted() -> None:
    moved = [_page(word, {"Uses": "uses"}, f"moved/{word}") for word in WORDS[:5]]
    assert _found(moved + BEFORE[5:]).value == 0.0


def test_a_heading_that_is_reworded_under_the_same_anchor_loses_none() -> None:
    assert _found([_page(word, {"How to use": f"{word}-uses", "Care": f"{word}-care"}) for word in WORDS]).value == 0.0


def test_a_page_that_was_stored_before_sections_were_kept_is_not_judged() -> None:
    unknown = [(replace(document, sections=()), chunks) for document, chunks in BEFORE]
    assert _found([_without_ids(word) for word in WORDS], before=unknown).outcome is Outcome.PASS
