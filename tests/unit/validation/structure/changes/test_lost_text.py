"""Text that the candidate lost: in pages that were cut or are gone, but not in pages that moved or were edited."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page

_LINES = 10


def _line(word: str, number: int) -> str:
    return f"Step {number} of the {word} is to look at it with care, and to write down what you see."


def _page(word: str, lines: Sequence[int] = range(_LINES), slug: str = "") -> Stored:
    return page(slug or word, "\n\n".join(_line(word, number) for number in lines), title=f"The {word}")


BEFORE = [_page(word) for word in WORDS]
_LOGIN = "Please enter your user name and password to see {0}. Request 12345."


def _found(now: Sequence[Stored], limit: float = 0.2, before: Sequence[Stored] = BEFORE) -> Finding:
    world = World()
    live = world.build("g0", *before)
    verdict = verdict_on(world, world.build("g1", *now, minute=1), replace(LIMITS, max_page_fall=limit), live)
    return finding_of(verdict, "fall in text")


def _changed(change: Callable[[str], Stored], pages: int) -> list[Stored]:
    return [change(word) for word in WORDS[:pages]] + BEFORE[pages:]


def _cut(word: str) -> Stored:
    return _page(word, range(2))


def _log_in(word: str) -> Stored:
    return page(word, _LOGIN.format(word), title=f"The {word}")


def _elsewhere(word: str) -> Stored:
    return _page(word, slug=f"moved/{word}")


@pytest.mark.parametrize(
    ("now", "outcome", "share"),
    [
        (_changed(_cut, 10), Outcome.FAIL, 0.8),
        (_changed(_cut, 3), Outcome.FAIL, 0.24),
        (_changed(_cut, 2), Outcome.PASS, 0.16),
        (_changed(_log_in, 3), Outcome.FAIL, 0.277),
        (BEFORE[3:], Outcome.FAIL, 0.3),
        (BEFORE[:8], Outcome.PASS, 0.2),
        ([*_changed(_log_in, 2)[1:9], _cut(WORDS[9])], Outcome.FAIL, 0.272),
    ],
    ids=["all cut", "some cut", "few cut", "login pages with a name", "gone", "few gone", "of each kind"],
)
def test_as_much_text_may_be_lost_as_the_limit_says(now: list[Stored], outcome: Outcome, share: float) -> None:
    found = _found(now)
    assert found.outcome is outcome
    assert found.value == pytest.approx(share, abs=0.01)


_JOINED = page("all", "\n\n".join(document.text for document, _ in BEFORE), title="All parts")


@pytest.mark.parametrize(
    "now",
    [
        BEFORE,
        _changed(_elsewhere, 10),
        [_JOINED],
        [one for word in WORDS for one in (_page(word, range(4)), _page(word, range(4, _LINES), f"{word}/more"))],
        _changed(lambda word: _page(word, range(5, 15)), 10),
        _changed(lambda word: _page(word, range(6)), 10),
        _changed(lambda word: page(f"new/{word}", BEFORE[WORDS.index(word)][0].text.upper().replace(" ", "  ")), 10),
        _changed(lambda word: _page(word, range(40)), 10),
    ],
    ids=["equal", "moved", "joined", "split", "rewritten", "shortened", "moved and set otherwise", "longer"],
)
def test_text_that_moved_or_was_edited_is_not_lost(now: list[Stored]) -> None:
    found = _found(now, limit=0.0)
    assert (found.outcome, found.value) == (Outcome.PASS, 0.0)


def test_a_page_that_says_the_same_in_fewer_words_lost_the_difference() -> None:
    found = _found(_changed(_log_in, 1), limit=0.0)
    before, now = len(BEFORE[0][0].text), len(_log_in(WORDS[0])[0].text)
    assert found.value == pytest.approx((before - now) / sum(len(one.text) for one, _ in BEFORE))


def test_a_long_page_weighs_more_than_short_ones() -> None:
    long = _page("manual", range(200))
    assert _found(BEFORE, before=[*BEFORE, long]).outcome is Outcome.FAIL
    assert _found([long, *BEFORE[5:]], before=[*BEFORE, long]).outcome is Outcome.PASS


def test_lost_text_is_told_with_the_pages_that_lost_most_and_what_to_do() -> None:
    now = [_page("gripper", range(1)), *_changed(_cut, 4)[1:]]
    found = _found(now)
    before, after = len(BEFORE[0][0].text), len(now[0][0].text)
    assert found.detail.startswith("33.21% of the live generation's text is lost (limit 20%), in 4 pages ")
    assert f"Most of it is from {BEFORE[0][0].info.url} ({before} → {after} characters)," in found.detail
    assert "Check whether the site requires a login, the pages were cut off" in found.detail
    assert "publish or promote with --allow-removals, or raise gate.max_page_fall" in found.detail
    assert (found.count, len(found.examples)) == (4, 4)


def test_what_is_allowed_to_go_may_all_go() -> None:
    assert _found([_log_in("gripper")], limit=1.0).outcome is Outcome.PASS


def test_without_a_live_generation_no_text_is_lost() -> None:
    world = World()
    found = finding_of(verdict_on(world, world.build("g1", *BEFORE)), "fall in text")
    assert (found.outcome, found.value) == (Outcome.PASS, 0.0)


def test_live_pages_without_text_lose_none() -> None:
    empty: list[Stored] = [(replace(document, text=""), []) for document, _ in BEFORE]
    assert _found(BEFORE[:1], before=empty).value == 0.0
