"""A kind of content that pages lost is found, whichever it is; edits, splits and removals are not."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page

Change = Callable[[str], str]


def _body(word: str) -> str:
    return (
        f"# The {word}\n\nHow the {word} is mounted, and what to look at when it is new on the robot.\n\n"
        f"## Parts of a {word}\n\n"
        f"| part | count |\n| --- | --- |\n| {word} arm | 2 |\n| {word} foot | 1 |\n\n"
        f"- Take the {word}.\n- Put the {word} back.\n\n"
        f"```python\nimport {word}\n{word}.start(speed=3)\n{word}.stop(at_once=True)\n```\n\n"
        f"## Care of a {word}\n\nKeep it dry."
    )


def _pages(count: int = 10, change: Change | None = None, changed: int = 0) -> list[Stored]:
    """So many pages of every kind of content, the first few of them changed."""
    bodies = [(word, _body(word)) for word in WORDS[:count]]
    return [
        page(word, change(body) if change and n < changed else body, title=f"The {word}")
        for n, (word, body) in enumerate(bodies)
    ]


def _without(pattern: str) -> Change:
    return lambda body: re.sub(pattern, "", body, flags=re.MULTILINE | re.DOTALL)


def _as_code(body: str) -> str:
    return f"```\n{body.replace('```python', '').replace('```', '')}\n```"


LOSSES: dict[str, Change] = {
    "characters of code": _without(r"^```.*?^```$"),
    "table rows": _without(r"^\|[^\n]*\n"),
    "headings": lambda body: re.sub(r"^#+ ", "", body, flags=re.MULTILINE),
    "list items": lambda body: re.sub(r"^- ", "", body, flags=re.MULTILINE),
    "characters outside of code to code": _as_code,
}


def _found(before: list[Stored], after: list[Stored], most: float = 0.2) -> Finding:
    world = World()
    live = world.build("g0", *before)
    candidate = world.build("g1", *after, minute=1)
    verdict = verdict_on(world, candidate, replace(LIMITS, max_page_fall=most), live)
    return finding_of(verdict, "fall in kinds of content")


@pytest.mark.parametrize("kind", LOSSES)
def test_a_kind_that_most_pages_lost_fails_and_is_named_with_pages_and_what_to_do(kind: str) -> None:
    found = _found(_pages(), _pages(change=LOSSES[kind], changed=10))
    assert found.outcome is Outcome.FAIL
    assert found.value == pytest.approx(1.0, abs=0.25)
    assert f"{kind} (" in found.detail
    assert "on 10 pages, such as https://" in found.detail
    assert "--allow-removals" in found.detail
    assert found.count >= 10


@pytest.mark.parametrize("kind", LOSSES)
@pytest.mark.parametrize(("changed", "outcome"), [(2, Outcome.PASS), (4, Outcome.FAIL)])
def test_the_limit_is_a_share_of_what_there_was(kind: str, changed: int, outcome: Outcome) -> None:
    found = _found(_pages(), _pages(change=LOSSES[kind], changed=changed), most=0.25)
    assert found.outcome is outcome, found.detail


@pytest.mark.parametrize("kind", LOSSES)
def test_a_loss_that_is_meant_passes(kind: str) -> None:
    assert _found(_pages(), _pages(change=LOSSES[kind], changed=10), most=1.0).outcome is Outcome.PASS


@pytest.mark.parametrize("kind", LOSSES)
def test_more_of_a_kind_is_no_loss(kind: str) -> None:
    if kind.endswith("to code"):
        return
    assert _found(_pages(change=LOSSES[kind], changed=10), _pages()).outcome is Outcome.PASS


def test_pages_whose_every_line_was_edited_lost_nothing() -> None:
    assert _found(_pages(), _pages(change=lambda body: body.replace("a", "o"), changed=10)).outcome is Outcome.PASS


def test_what_moved_to_another_page_is_not_lost() -> None:
    """Each page gives its code, its table and its list to a page of their own."""
    stay, move = [], []
    for word in WORDS:
        head, middle, tail = _body(word).partition(f"| {word} arm")
        kept = head.rpartition("| part")[0]
        stay.append(page(word, kept, title=f"The {word}"))
        move.append(
            page(f"{word}-parts", f"| part | count |\n| --- | --- |\n{middle}{tail}", title=f"Parts of a {word}")
        )
    assert _found(_pages(), [*stay, *move]).outcome is Outcome.PASS


def test_other_pages_do_not_make_up_for_a_loss() -> None:
    added = [page(f"new-{word}", _body(word).replace(word, f"{word}s"), title=f"{word}s") for word in WORDS]
    changed = _pages(change=LOSSES["table rows"], changed=10)
    assert _found(_pages(), [*changed, *added]).outcome is Outcome.FAIL


def test_two_pages_that_lost_a_kind_are_edits() -> None:
    assert _found(_pages(4), _pages(4, LOSSES["table rows"], 2)).outcome is Outcome.PASS


def test_pages_that_are_gone_are_left_to_another_check() -> None:
    assert _found(_pages(), _pages(5)).outcome is Outcome.PASS


def test_what_looks_like_a_kind_within_code_is_code() -> None:
    shell = "```sh\n# not a heading\n- no item\n| no | row |\n```"
    before = [page(word, f"{_body(word)}\n\n{shell}", title=word) for word in WORDS]
    after = [page(word, f"{_body(word)}\n\nNothing.", title=word) for word in WORDS]
    found = _found(before, after)
    assert "characters of code" in found.detail
    assert not any(kind in found.detail for kind in ("of 60 headings", "table rows (", "list items ("))


def test_without_a_live_generation_nothing_is_lost() -> None:
    world = World()
    verdict = verdict_on(world, world.build("g0", *_pages()))
    assert finding_of(verdict, "fall in kinds of content").outcome is Outcome.PASS
