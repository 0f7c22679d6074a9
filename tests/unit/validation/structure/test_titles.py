"""Documents that their own title finds."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, some_pages, verdict_on
from tests.worlds import World

from assay.errors import InputError
from assay.model.evaluation import Outcome
from assay.model.generations import Generation
from assay.model.ranking import Query, Ranking
from assay.settings import GateSettings
from assay.testing.catalog_samples import page


def _losing(world: World, generation: Generation, lost: int) -> Callable[[Query], Ranking]:
    """A search that finds nothing for the titles of the first so many pages."""
    titles = {f"The {word}" for word in WORDS[:lost]}
    search = world.searcher(generation.id).search

    def answer(query: Query) -> Ranking:
        ranking = search(query)
        return replace(ranking, hits=()) if query.text in titles else ranking

    return answer


@pytest.mark.parametrize(
    ("lost", "limit", "outcome"),
    [
        (0, 0.0, Outcome.PASS),
        (1, 0.0, Outcome.FAIL),
        (1, 0.2, Outcome.PASS),
        (2, 0.2, Outcome.PASS),
        (3, 0.2, Outcome.FAIL),
        (10, 1.0, Outcome.PASS),
    ],
)
def test_as_many_titles_may_miss_their_page_as_the_limit_says(lost: int, limit: float, outcome: Outcome) -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    verdict = verdict_on(
        world, generation, replace(LIMITS, max_unreachable=limit), search=_losing(world, generation, lost)
    )
    found = finding_of(verdict, "reachable by title")
    assert found.outcome is outcome
    assert found.value == pytest.approx(1.0 - lost / 10)


def test_a_title_that_misses_its_page_is_named_with_the_setting() -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    verdict = verdict_on(world, generation, search=_losing(world, generation, 1))
    found = finding_of(verdict, "reachable by title")
    assert "1 of 10 documents are not found by their own title" in found.detail
    assert "/gripper ('The gripper')" in found.detail
    assert "Other pages of the same version match these titles better" in found.detail
    assert found.detail.endswith("raise gate.max_unreachable")
    assert len(found.examples) == 1


def test_a_short_title_of_a_large_site_may_miss_without_any_setting() -> None:
    world = World()
    generation = world.build(
        "g1", *some_pages(10), *[page(f"p{n}", f"About part {n}.", title=f"Part {n}") for n in range(40)]
    )
    limits = replace(LIMITS, max_unreachable=GateSettings().max_unreachable)
    for lost, outcome in ((1, Outcome.PASS), (2, Outcome.FAIL)):
        verdict = verdict_on(world, generation, limits, search=_losing(world, generation, lost))
        assert finding_of(verdict, "reachable by title").outcome is outcome


def test_documents_that_share_a_title_are_all_found_by_it() -> None:
    world = World()
    same = [page(word, f"How the {word} works.", title="Overview") for word in WORDS]
    generation = world.build("g1", *same)
    assert verdict_on(world, generation, replace(LIMITS, title_top_k=1, max_repeated=1.0)).outcome is Outcome.PASS


def test_a_passage_that_another_page_has_too_counts_for_both() -> None:
    world = World()
    generation = world.build(
        "g1",
        page("a", "The very same text.", title="First name"),
        page("b", "The very same text.", title="Second name"),
    )
    assert verdict_on(world, generation, replace(LIMITS, title_top_k=1)).outcome is Outcome.PASS


def test_old_versions_and_other_locales_are_looked_for_where_they_are() -> None:
    world = World()
    old = page("old", "How it was.", title="As it was", version="1.0", version_is_current=False)
    french = page("fr", "Comme il est.", title="Comme il est", locale="fr", locale_is_default=False)
    generation = world.build("g1", *some_pages(2), old, french)
    assert verdict_on(world, generation).outcome is Outcome.PASS


def test_pages_without_a_title_or_without_text_are_not_looked_for() -> None:
    world = World()
    untitled = page("untitled", "Some text.", title=" ")
    empty = page("empty", "x", title="Empty")
    generation = world.build("g1", *some_pages(1), untitled, (replace(empty[0], text=""), []))
    found = finding_of(verdict_on(world, generation), "reachable by title")
    assert (found.outcome, found.value) == (Outcome.PASS, 1.0)


def test_a_title_in_which_nothing_can_be_searched_for_stops_no_release() -> None:
    world = World()
    generation = world.build("g1", *some_pages(1), page("sign", "Some text.", title="§"))
    with pytest.raises(InputError):
        world.searcher("g1").search(Query("§", 5))
    assert verdict_on(world, generation).outcome is Outcome.PASS


def test_a_sample_of_titles_is_the_same_for_the_same_content() -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    search = world.searcher("g1").search
    asked: list[list[str]] = []
    for _ in range(2):
        asked.append([])

        def answer(query: Query) -> Ranking:
            asked[-1].append(query.text)
            return search(query)

        found = finding_of(
            verdict_on(world, generation, replace(LIMITS, title_sample=4), search=answer), "reachable by title"
        )
        assert "4 of 10 documents" in found.limit
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == 4


# --- as users search ---


def test_a_threshold_that_drops_the_pages_of_most_titles_fails_and_is_named() -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    verdict = verdict_on(world, generation, threshold=0.999)
    found = finding_of(verdict, "titles over the threshold")
    assert (found.outcome, found.value, found.count) == (Outcome.FAIL, 0.0, 10)
    assert found.detail.startswith("search.threshold = 0.999 drops 10 of 10 documents from the hits of their own title")
    assert "Lower it: `assay calibrate`" in found.detail
    assert finding_of(verdict, "reachable by title").outcome is Outcome.PASS, "no other page answers better"


@pytest.mark.parametrize(("dropped", "outcome"), [(0, Outcome.PASS), (5, Outcome.PASS), (6, Outcome.FAIL)])
def test_a_threshold_may_drop_half_of_the_titles(dropped: int, outcome: Outcome) -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    losing, search = _losing(world, generation, dropped), world.searcher(generation.id).search

    def answer(query: Query) -> Ranking:
        return losing(query) if query.threshold else search(query)

    found = finding_of(verdict_on(world, generation, search=answer, threshold=0.05), "titles over the threshold")
    assert (found.outcome, found.value) == (outcome, pytest.approx(1.0 - dropped / 10))


def test_what_other_pages_answer_better_is_not_laid_to_the_threshold() -> None:
    world = World()
    generation = world.build("g1", *some_pages(10))
    verdict = verdict_on(world, generation, search=_losing(world, generation, 6), threshold=0.05)
    assert finding_of(verdict, "reachable by title").count == 6
    assert finding_of(verdict, "titles over the threshold").outcome is Outcome.PASS


def test_without_a_threshold_nothing_is_said_of_one() -> None:
    world = World()
    verdict = verdict_on(world, world.build("g1", *some_pages(3)))
    assert "titles over the threshold" not in {found.check for found in verdict.findings}


@pytest.mark.parametrize(("top_k", "asked"), [(None, 5), (3, 3), (50, 5)])
def test_titles_are_asked_for_no_more_hits_than_users_get(top_k: int | None, asked: int) -> None:
    world = World()
    generation = world.build("g1", *some_pages(3))
    seen = set()
    search = world.searcher(generation.id).search

    def noting(query: Query) -> Ranking:
        seen.add(query.top_k)
        return search(query)

    verdict_on(world, generation, search=noting, top_k=top_k)
    assert seen == {asked}
