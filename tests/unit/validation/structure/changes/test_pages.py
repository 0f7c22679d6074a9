"""Pages that failed, are gone, or lost what they said: each limit at its border."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, moved, some_pages, verdict_on
from tests.worlds import World

from assay.model.documents import PageFailed, Section
from assay.model.evaluation import Outcome
from assay.model.generations import Generation
from assay.testing.catalog_samples import SITE, Stored, page


def _counted(pages: int, *, failed: int = 0) -> tuple[World, Generation]:
    """A generation that says so many pages, of which a few are really there."""
    world = World()
    generation = world.build("g1", *some_pages(2))
    return world, replace(generation, documents=pages, failed_pages=failed)


@pytest.mark.parametrize(
    ("pages", "failed", "limit", "outcome"),
    [
        (100, 0, 0.0, Outcome.PASS),
        (99, 1, 0.0, Outcome.FAIL),
        (951, 49, 0.05, Outcome.PASS),
        (950, 50, 0.05, Outcome.PASS),
        (949, 51, 0.05, Outcome.FAIL),
        (19, 1, 0.05, Outcome.PASS),
        (18, 1, 0.05, Outcome.FAIL),
        (0, 5, 1.0, Outcome.PASS),
    ],
)
def test_as_many_pages_may_fail_as_the_limit_says(pages: int, failed: int, limit: float, outcome: Outcome) -> None:
    world, generation = _counted(pages, failed=failed)
    found = finding_of(verdict_on(world, generation, replace(LIMITS, max_failed_pages=limit)), "failed pages")
    assert found.outcome is outcome
    assert found.value == pytest.approx(failed / (pages + failed))


def test_failed_pages_are_told_with_the_numbers_and_the_setting() -> None:
    world, generation = _counted(949, failed=51)
    detail = finding_of(verdict_on(world, generation), "failed pages").detail
    assert detail.startswith("51 of 1000 pages could not be read (5.1%; limit 5%).")
    assert "Fix them and run again, or raise gate.max_failed_pages" in detail


def test_failed_pages_are_named_with_their_reasons() -> None:
    world, generation = _counted(96, failed=4)
    failed = tuple(PageFailed(f"{number}.md", "It is not UTF-8.") for number in range(4))
    found = finding_of(
        verdict_on(world, generation, replace(LIMITS, max_failed_pages=0.0), failed=failed), "failed pages"
    )
    assert (
        "limit 0%): 0.md (It is not UTF-8), 1.md (It is not UTF-8), 2.md (It is not UTF-8) and 1 more." in found.detail
    )
    assert (len(found.examples), found.count) == (4, 4)


def _after(before: int, kept: int, added: int = 0) -> tuple[World, Generation, Generation]:
    """A candidate that kept so many of the live generation's pages and has some new ones: both, and their world."""
    world = World()
    live = world.build("g0", *some_pages(before))
    new = [page(f"new-{word}", f"A {word} was added.", title=f"A new {word}") for word in WORDS[:added]]
    return world, world.build("g1", *some_pages(kept), *new, minute=1), live


@pytest.mark.parametrize(
    ("before", "kept", "added", "limit", "outcome"),
    [
        (10, 9, 0, 0.2, Outcome.PASS),
        (10, 8, 0, 0.2, Outcome.PASS),
        (10, 7, 0, 0.2, Outcome.FAIL),
        (10, 7, 9, 0.2, Outcome.FAIL),
        (10, 10, 0, 0.0, Outcome.PASS),
        (10, 9, 1, 0.0, Outcome.FAIL),
        (10, 10, 10, 0.0, Outcome.PASS),
        (10, 0, 10, 1.0, Outcome.PASS),
    ],
)
def test_as_many_pages_may_be_gone_as_the_limit_says_however_many_are_new(
    before: int, kept: int, added: int, limit: float, outcome: Outcome
) -> None:
    world, generation, live = _after(before, kept, added)
    verdict = verdict_on(world, generation, replace(LIMITS, max_page_fall=limit), live)
    assert finding_of(verdict, "fall in pages").outcome is outcome


def test_without_a_live_generation_nothing_has_fallen() -> None:
    world = World()
    generation = world.build("g1", *some_pages(1))
    assert finding_of(verdict_on(world, generation), "fall in pages").outcome is Outcome.PASS


def test_a_fall_is_told_with_the_numbers_the_pages_and_what_to_do() -> None:
    world, generation, live = _after(10, 7, 3)
    finding = finding_of(verdict_on(world, generation, live=live), "fall in pages")
    assert finding.detail.startswith("3 of the live generation's 10 pages are gone (30%; limit 20%), such as https://")
    assert "Check that the folder or site and its address are the same as before." in finding.detail
    assert "publish or promote with --allow-removals, or raise gate.max_page_fall" in finding.detail
    assert len(finding.examples) == 3


def test_a_fall_names_the_versions_of_which_no_page_is_left() -> None:
    world = World()
    old = [page(f"1.0/{word}", f"How the old {word} worked.", title=f"Old {word}", version="1.0") for word in WORDS[:2]]
    older = page("0.9/cable", "How the oldest cable worked.", title="Oldest cable", version="0.9", source="hardware")
    without = page("blog", "What is new.", title="News", version=None)
    live = world.build("g0", *some_pages(4), *old, older, without)
    found = finding_of(verdict_on(world, world.build("g1", *some_pages(3), minute=1), live=live), "fall in pages")
    assert "No page is left of version 1.0 of docs (2 pages), version 0.9 of hardware (1 page). " in found.detail
    only_old = world.build("g2", *some_pages(3), *old[:1], minute=2)
    found = finding_of(verdict_on(world, only_old, live=live), "fall in pages")
    assert "No page is left of version 0.9 of hardware (1 page). " in found.detail


def test_a_fall_names_a_version_without_its_source_if_there_is_one_source_only() -> None:
    world = World()
    old = page("1.0/gripper", "How the old gripper worked.", title="Old gripper", version="1.0")
    live = world.build("g0", *some_pages(1), old)
    found = finding_of(verdict_on(world, world.build("g1", *some_pages(1), minute=1), live=live), "fall in pages")
    assert "No page is left of version 1.0 (1 page). " in found.detail


def test_a_fall_names_no_version_while_a_page_of_it_is_left() -> None:
    world, generation, live = _after(10, 7)
    assert "No page is left" not in finding_of(verdict_on(world, generation, live=live), "fall in pages").detail


@pytest.mark.parametrize(
    ("before", "now"),
    [(f"{SITE}/docs/", "https://new.example/docs/"), (f"{SITE}/docs/", f"{SITE}/"), (f"{SITE}/a/", f"{SITE}/b/")],
    ids=["another host", "a shorter path", "another path"],
)
def test_pages_that_all_have_another_address_are_told_as_moved(before: str, now: str) -> None:
    world = World()

    def at(base: str) -> list[Stored]:
        return [moved(one, f"{base}{word}") for one, word in zip(some_pages(4), WORDS, strict=False)]

    live = world.build("g0", *at(before))
    finding = finding_of(verdict_on(world, world.build("g1", *at(now), minute=1), live=live), "fall in pages")
    assert (finding.outcome, finding.value) == (Outcome.FAIL, 1.0)
    assert f"All addresses now begin with {now}, and began with {before} before: check --base-url." in finding.detail


def test_pages_that_get_their_first_real_address_are_not_gone() -> None:
    world = World()
    nowhere = [moved(one, f"https://docs.invalid/{word}") for one, word in zip(some_pages(5), WORDS, strict=False)]
    live = world.build("g0", *nowhere)
    verdict = verdict_on(world, world.build("g1", *some_pages(5), minute=1), live=live)
    assert verdict.outcome is Outcome.PASS
    fewer = verdict_on(world, world.build("g2", *some_pages(3), minute=2), live=live)
    finding = finding_of(fewer, "fall in pages")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 2)


def test_another_folder_under_the_same_address_is_not_told_as_moved() -> None:
    world, generation, live = _after(10, 0, 9)
    detail = finding_of(verdict_on(world, generation, live=live), "fall in pages").detail
    assert "10 of the live generation's 10 pages are gone (100%" in detail
    assert "Check that the folder or site and its address are the same as before." in detail


def test_a_site_of_several_hosts_has_no_beginning_to_tell() -> None:
    world = World()
    live = world.build("g0", *some_pages(2))
    placed = [moved(one, f"https://{host}.example/a") for one, host in zip(some_pages(2), ("one", "two"), strict=True)]
    detail = finding_of(verdict_on(world, world.build("g1", *placed, minute=1), live=live), "fall in pages").detail
    assert "Check that the folder or site and its address are the same as before." in detail


def _replaced(title: str, text: str, pages: int) -> tuple[World, Generation, Generation]:
    """A candidate in which so many of ten pages are another one: both generations, and their world."""
    world = World()
    live = world.build("g0", *some_pages(10))
    others = [page(word, text.format(word), title=title.format(word)) for word in WORDS[:pages]]
    return world, world.build("g1", *others, *some_pages(10)[pages:], minute=1), live


@pytest.mark.parametrize(
    ("title", "text", "pages", "outcome"),
    [
        ("Sign in", "Please sign in.", 10, Outcome.FAIL),
        ("Sign in", "Please sign in to read {}.", 3, Outcome.FAIL),
        ("Sign in", "Please sign in.", 2, Outcome.PASS),
        ("All about the {}", "Another text on the {}.", 10, Outcome.PASS),
        ("The {}", "It is {} days.", 10, Outcome.PASS),
        ("All about the {}", "Please sign in.", 10, Outcome.FAIL),
    ],
)
def test_pages_that_all_became_one_page_do_not_go_live(title: str, text: str, pages: int, outcome: Outcome) -> None:
    world, generation, live = _replaced(title, text, pages)
    finding = finding_of(verdict_on(world, generation, live=live), "lost content")
    assert finding.outcome is outcome
    if outcome is Outcome.FAIL:
        assert f"{pages} of the live generation's 10 pages" in finding.detail
        assert ("became empty or identical ('Sign in') (" in finding.detail) == (title == "Sign in")
        assert "closed for maintenance" in finding.detail
    allowed = verdict_on(world, generation, replace(LIMITS, max_page_fall=1.0), live)
    assert finding_of(allowed, "lost content").outcome is Outcome.PASS


_FEATURES = ("is made of steel", "sees in the dark", "lasts a day", "turns by itself", "counts its steps")
_LOGIN = "Please enter your user name and password to see the {0}. Request {1}. The {0} is for members."


@pytest.mark.parametrize(
    ("before", "now", "outcome"),
    [
        ("The {0} {2}.", _LOGIN, Outcome.FAIL),
        ("The {0} {2}.", "The {0} {2} at last.", Outcome.PASS),
        ("The {0} {2}.", "Since {1}, the {0} {2}.", Outcome.PASS),
        ("Function {0}, since version {1}.", "Function {0}, added in version {1}.", Outcome.PASS),
    ],
    ids=["a login page with names and numbers", "edited", "with a number", "a reference made from a template"],
)
def test_pages_that_became_one_template_with_their_names_do_not_go_live(
    before: str, now: str, outcome: Outcome
) -> None:
    world = World()

    def pages(text: str) -> list[Stored]:
        named = enumerate(zip(WORDS, _FEATURES, strict=False))
        return [
            page(word, text.format(word, number * 7919, what), title=f"The {word}") for number, (word, what) in named
        ]

    live = world.build("g0", *pages(before))
    found = finding_of(verdict_on(world, world.build("g1", *pages(now), minute=1), live=live), "lost content")
    assert found.outcome is outcome
    assert found.count == (5 if outcome is Outcome.FAIL else 0)


def test_pages_that_say_nothing_any_more_do_not_go_live() -> None:
    world = World()
    live = world.build("g0", *some_pages(10))
    empty: list[Stored] = [(replace(document, text=""), []) for document, _ in some_pages(10)[:3]]
    generation = world.build("g1", *empty, *some_pages(10)[3:], minute=1)
    finding = finding_of(verdict_on(world, generation, live=live), "lost content")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 3)


def test_pages_of_another_source_are_told_by_its_name() -> None:
    world, candidate, live = _after(10, 0, added=5)
    other = replace(candidate, sources=("repository",))
    detail = finding_of(verdict_on(world, other, live=replace(live, sources=("docs",))), "fall in pages").detail
    assert "The source has changed to repository; the live generation was read from docs." in detail


# --- addresses that were corrected ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        (SITE, "https://docs.acme.dev", Outcome.PASS),
        ("http://localhost:3000", "https://docs.acme.dev", Outcome.PASS),
        (SITE, "https://other.example", Outcome.FAIL),
        ("https://docs.acme.dev", SITE, Outcome.FAIL),
        ("https://docs.acme.dev", "https://docs.acme.com", Outcome.FAIL),
    ],
)
def test_pages_may_move_from_an_address_that_leads_nowhere_to_a_public_one(
    old: str, new: str, outcome: Outcome
) -> None:
    world = World()
    sides = [[moved(one, one[0].info.url.replace(SITE, base)) for one in some_pages(10)] for base in (old, new)]
    live = world.build("g0", *sides[0])
    candidate = world.build("g1", *sides[1], minute=1)
    verdict = verdict_on(world, candidate, live=live)
    assert finding_of(verdict, "fall in pages").outcome is outcome
    said = any("10 pages moved from" in note and "not counted as gone" in note for note in verdict.notes)
    assert said == (outcome is Outcome.PASS)


_PROVISIONAL, _PUBLIC = "https://docs.example.org/", "https://docs.kestrel-robots.com/"
_CODE = "\n".join(f"    configure_joint(number={number}, speed=0.{number}, limit=12)" for number in range(12))


def _with_code(word: str) -> Stored:
    text = f"How the {word} works, in some words of its own.\n\n```python\n# of the {word}\n{_CODE}\n```\n"
    document, chunks = page(word, text, title=f"The {word}")
    return replace(document, sections=(Section(2, "Uses", f"{word}-uses", ("Uses",), 0, len(text)),)), chunks


def _at_public(stored: Stored) -> Stored:
    return moved(stored, stored[0].info.url.replace(SITE, _PUBLIC.rstrip("/")))


def _at_provisional(stored: Stored) -> Stored:
    return moved(stored, stored[0].info.url.replace(SITE, _PROVISIONAL.rstrip("/")))


@pytest.mark.parametrize(
    ("now", "check"),
    [
        (lambda word: page(word, f"How the {word} works, in some words of its own.", title=f"The {word}"), "kinds"),
        (lambda word: (replace(_with_code(word)[0], sections=()), _with_code(word)[1]), "anchors"),
        (lambda word: page(word, "Sign in to read this.", title="Sign in"), "lost content"),
        (lambda word: page(word, f"Sign in for {word}.", title=f"The {word}"), "text"),
    ],
)
def test_a_page_that_got_its_public_address_is_still_compared(now: Callable[[str], Stored], check: str) -> None:
    world = World()
    live = world.build("g0", *map(_at_provisional, map(_with_code, WORDS)))
    same = world.build("g1", *map(_at_public, map(_with_code, WORDS)), minute=1)
    passed = [one.check for one in verdict_on(world, same, live=live).findings if one.outcome is Outcome.PASS]
    assert {"fall in pages", "lost content", "fall in text", "fall in anchors"} <= set(passed)
    assert "fall in kinds of content" in passed
    worse = world.build("g2", *(_at_public(now(word)) for word in WORDS), minute=2)
    failed = [one.check for one in verdict_on(world, worse, live=live).findings if one.outcome is Outcome.FAIL]
    assert any(check in one for one in failed), failed
    assert "fall in pages" not in failed
