"""The structural gate: every limit at its border, and findings that say what to do."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.worlds import World

from assay.app import gate_of
from assay.errors import EmbedderUnavailable, InputError, StoreUnavailable
from assay.model.evaluation import Finding, Outcome, Verdict, worst
from assay.model.generations import Generation
from assay.model.ids import chunk_id
from assay.model.ranking import Query, Ranking
from assay.ports import Silence
from assay.settings import GateSettings
from assay.testing.catalog_samples import SITE, Stored, page
from assay.validation.gate import NO_TEST_SET, Gate, MeasureLimit, limit_notes, verdict
from assay.validation.integrity import KINDS, Recheck
from assay.validation.structure import Judged, StructuralLimits, structure_findings, structure_notes

LIMITS = StructuralLimits(
    max_failed_pages=0.05, max_page_fall=0.2, title_top_k=5, max_unreachable=0.0, title_sample=1_000
)
QUALITY = gate_of(GateSettings()).quality
WORDS = ("gripper", "camera", "battery", "wheel", "motor", "sensor", "radio", "screen", "cable", "frame")


def _pages(count: int) -> list[Stored]:
    return [page(word, f"How the {word} works.", title=f"The {word}") for word in WORDS[:count]]


def _verdict(
    world: World,
    generation: Generation,
    limits: StructuralLimits = LIMITS,
    live: Generation | None = None,
    search: Callable[[Query], Ranking] | None = None,
) -> Verdict:
    searcher = world.searcher(generation.id)
    asked = search or searcher.search, world.embedder.expect_queries
    recheck = Recheck(world.embedder, world.encoder)
    judged = Judged(generation, live, world.catalog, searcher.index, *asked, recheck)
    findings = structure_findings(judged, limits, Silence())
    return verdict(
        generation.id, generation.content_fingerprint, Gate(limits, QUALITY), findings, structure_notes(judged)
    )


def _finding(verdict: Verdict, check: str) -> Finding:
    return next(finding for finding in verdict.findings if finding.check == check)


def _counted(pages: int, *, failed: int = 0) -> tuple[World, Generation]:
    """A generation that says so many pages, of which a few are really there."""
    world = World()
    generation = world.build("g1", *_pages(2))
    return world, replace(generation, documents=pages, failed_pages=failed)


# --- the verdict ---------------------------------------------------------------------------------------------------


def test_a_generation_whose_pages_no_search_finds_by_default_fails() -> None:
    world = World()
    old = page("a", "How it works.", title="A", version="1.0", version_is_current=False, locale="en")
    other = page("de/a", "Wie es geht.", title="A", locale="de", locale_is_default=False)
    verdict = _verdict(world, world.build("g1", old, other))
    finding = _finding(verdict, "searched by default")
    assert finding.outcome is Outcome.FAIL
    assert "none of the 2 pages is" in finding.detail
    assert "current_version" in finding.detail


def test_a_sound_generation_passes_every_check() -> None:
    world = World()
    generation = world.build("g1", *_pages(4))
    verdict = _verdict(world, generation)
    assert verdict.outcome is Outcome.PASS
    assert [finding.check for finding in verdict.findings] == [
        *KINDS,
        "failed pages",
        "fall in pages",
        "lost content",
        "addresses",
        "reachable by title",
    ]
    assert {finding.detail for finding in verdict.findings} == {""}
    assert verdict.summary == "PASS: all 18 checks passed."


def test_a_verdict_names_its_generation_its_content_and_its_limits() -> None:
    world = World()
    generation = world.build("g1", *_pages(1))
    verdict = _verdict(world, generation)
    assert (verdict.generation, verdict.content_fingerprint) == ("g1", generation.content_fingerprint)
    assert verdict.gate == Gate(LIMITS, QUALITY).fingerprint
    assert (verdict.test_set, verdict.notes[0]) == (None, NO_TEST_SET)


@pytest.mark.parametrize(
    "change",
    [
        {"max_failed_pages": 0.1},
        {"max_page_fall": 0.1},
        {"title_top_k": 6},
        {"max_unreachable": 0.1},
        {"title_sample": 9},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_limits_have_another_fingerprint(change: dict[str, float]) -> None:
    gate = Gate(LIMITS, QUALITY)
    assert replace(gate, structure=replace(LIMITS, **change)).fingerprint != gate.fingerprint  # type: ignore[arg-type]  # any
    assert Gate(replace(LIMITS), replace(QUALITY)).fingerprint == gate.fingerprint


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], Outcome.PASS),
        ([Outcome.PASS], Outcome.PASS),
        ([Outcome.PASS, Outcome.INCONCLUSIVE], Outcome.INCONCLUSIVE),
        ([Outcome.INCONCLUSIVE, Outcome.FAIL, Outcome.PASS], Outcome.FAIL),
    ],
)
def test_the_worst_outcome_decides(outcomes: Sequence[Outcome], expected: Outcome) -> None:
    assert worst(outcomes) is expected


def test_a_check_that_could_not_run_is_no_verdict() -> None:
    world = World()
    generation = world.build("g1", *_pages(1))

    def fail(_: Query) -> Ranking:
        raise StoreUnavailable("The store is gone.")

    with pytest.raises(StoreUnavailable):
        _verdict(world, generation, search=fail)


# --- integrity -----------------------------------------------------------------------------------------------------


def test_a_fault_of_integrity_fails_and_says_how_to_mend_it() -> None:
    world = World()
    generation = world.build("g1", *_pages(3))
    points = world.store._generations["g1"].points
    del points[next(iter(points))]
    verdict = _verdict(world, generation, replace(LIMITS, max_unreachable=1.0))
    found = _finding(verdict, "agreement")
    assert verdict.outcome is Outcome.FAIL
    assert "`assay publish --rebuild`" in found.detail
    assert found.examples[0].endswith("is missing from the index")
    assert [finding.check for finding in verdict.findings if finding.outcome is not Outcome.PASS] == ["agreement"]


def test_a_finding_names_fifty_and_counts_all() -> None:
    world = World()
    generation = world.build("g1", *[page(f"p{n}", f"About part {n}.", title=f"Part {n}") for n in range(60)])
    points = world.store._generations["g1"].points
    for point_id in list(points):
        del points[point_id]
    verdict = _verdict(world, generation)
    for check, count in (("agreement", 61), ("reachable by title", 60)):  # each is missing, and the number is wrong
        found = _finding(verdict, check)
        assert (len(found.examples), found.count) == (50, count)


# --- failed pages --------------------------------------------------------------------------------------------------


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
    found = _finding(_verdict(world, generation, replace(LIMITS, max_failed_pages=limit)), "failed pages")
    assert found.outcome is outcome
    assert found.value == pytest.approx(failed / (pages + failed))


def test_failed_pages_are_told_with_the_numbers_and_the_setting() -> None:
    world, generation = _counted(949, failed=51)
    detail = _finding(_verdict(world, generation), "failed pages").detail
    assert detail.startswith("51 of 1000 pages could not be read (5.1%; 5% are allowed).")
    assert "Mend them and run again, or raise gate.max_failed_pages" in detail


# --- fall in pages -------------------------------------------------------------------------------------------------


def _after(before: int, kept: int, added: int = 0) -> tuple[World, Generation, Generation]:
    """A candidate that kept so many of the live generation's pages and has some new ones: both, and their world."""
    world = World()
    live = world.build("g0", *_pages(before))
    new = [page(f"new-{word}", f"A {word} was added.", title=f"A new {word}") for word in WORDS[:added]]
    return world, world.build("g1", *_pages(kept), *new, minute=1), live


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
    verdict = _verdict(world, generation, replace(LIMITS, max_page_fall=limit), live)
    assert _finding(verdict, "fall in pages").outcome is outcome


def test_without_a_live_generation_nothing_has_fallen() -> None:
    world = World()
    generation = world.build("g1", *_pages(1))
    assert _finding(_verdict(world, generation), "fall in pages").outcome is Outcome.PASS


def test_a_fall_is_told_with_the_numbers_the_pages_and_what_to_do() -> None:
    world, generation, live = _after(10, 7, 3)
    finding = _finding(_verdict(world, generation, live=live), "fall in pages")
    assert finding.detail.startswith("3 of the live generation's 10 pages are gone (30%; 20% are allowed), https://")
    assert "Is it the same folder or site, at the same address?" in finding.detail
    assert "run it again with --allow-removals, or raise gate.max_page_fall" in finding.detail
    assert len(finding.examples) == 3


def _moved(stored: Stored, url: str) -> Stored:
    document, chunks = stored
    info = replace(document.info, url=url)
    return replace(document, info=info), [
        replace(chunk, document=info, id=chunk_id(url, chunk.content_hash, 0)) for chunk in chunks
    ]


@pytest.mark.parametrize(
    ("before", "now"),
    [(f"{SITE}/docs/", "https://new.example/docs/"), (f"{SITE}/docs/", f"{SITE}/"), (f"{SITE}/a/", f"{SITE}/b/")],
    ids=["another host", "a shorter path", "another path"],
)
def test_pages_that_all_have_another_address_are_told_as_moved(before: str, now: str) -> None:
    world = World()

    def at(base: str) -> list[Stored]:
        return [_moved(one, f"{base}{word}") for one, word in zip(_pages(4), WORDS, strict=False)]

    live = world.build("g0", *at(before))
    finding = _finding(_verdict(world, world.build("g1", *at(now), minute=1), live=live), "fall in pages")
    assert (finding.outcome, finding.value) == (Outcome.FAIL, 1.0)
    assert f"All addresses now begin with {now}, and began with {before} before: is --base-url right?" in finding.detail


def test_pages_that_get_their_first_real_address_are_not_gone() -> None:
    world = World()
    nowhere = [_moved(one, f"https://docs.invalid/{word}") for one, word in zip(_pages(5), WORDS, strict=False)]
    live = world.build("g0", *nowhere)
    verdict = _verdict(world, world.build("g1", *_pages(5), minute=1), live=live)
    assert verdict.outcome is Outcome.PASS
    fewer = _verdict(world, world.build("g2", *_pages(3), minute=2), live=live)
    finding = _finding(fewer, "fall in pages")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 2)


def test_another_folder_under_the_same_address_is_not_told_as_moved() -> None:
    world, generation, live = _after(10, 0, 9)
    detail = _finding(_verdict(world, generation, live=live), "fall in pages").detail
    assert "10 of the live generation's 10 pages are gone (100%" in detail
    assert "Is it the same folder or site, at the same address?" in detail


def test_a_site_of_several_hosts_has_no_beginning_to_tell() -> None:
    world = World()
    live = world.build("g0", *_pages(2))
    moved = [_moved(one, f"https://{host}.example/a") for one, host in zip(_pages(2), ("one", "two"), strict=True)]
    detail = _finding(_verdict(world, world.build("g1", *moved, minute=1), live=live), "fall in pages").detail
    assert "Is it the same folder or site, at the same address?" in detail


# --- lost content --------------------------------------------------------------------------------------------------


def _replaced(title: str, text: str, pages: int) -> tuple[World, Generation, Generation]:
    """A candidate in which so many of ten pages are another one: both generations, and their world."""
    world = World()
    live = world.build("g0", *_pages(10))
    others = [page(word, text.format(word), title=title.format(word)) for word in WORDS[:pages]]
    return world, world.build("g1", *others, *_pages(10)[pages:], minute=1), live


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
    finding = _finding(_verdict(world, generation, live=live), "lost content")
    assert finding.outcome is outcome
    if outcome is Outcome.FAIL:
        assert f"{pages} of the live generation's 10 pages" in finding.detail
        assert ("one and the same ('Sign in') (" in finding.detail) == (title == "Sign in")
        assert "closed for maintenance" in finding.detail
    allowed = _verdict(world, generation, replace(LIMITS, max_page_fall=1.0), live)
    assert _finding(allowed, "lost content").outcome is Outcome.PASS


def test_pages_that_say_nothing_any_more_do_not_go_live() -> None:
    world = World()
    live = world.build("g0", *_pages(10))
    empty: list[Stored] = [(replace(document, text=""), []) for document, _ in _pages(10)[:3]]
    generation = world.build("g1", *empty, *_pages(10)[3:], minute=1)
    finding = _finding(_verdict(world, generation, live=live), "lost content")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 3)


# --- addresses -----------------------------------------------------------------------------------------------------


def _without_address(world: World, name: str, minute: int = 0) -> Generation:
    moved = _moved(page("wheel", "How the wheel works.", title="The wheel"), "https://docs.invalid/docs/wheel")
    return world.build(name, moved, minute=minute)


def test_pages_without_an_address_pass_with_a_word_as_long_as_none_has_one() -> None:
    world = World()
    first, second = _without_address(world, "g0"), _without_address(world, "g1", minute=1)
    verdict = _verdict(world, second, live=first)
    assert _finding(verdict, "addresses").outcome is Outcome.PASS
    assert any("1 pages have no real address" in note for note in verdict.notes)


def test_a_source_that_never_had_an_address_may_go_on_beside_one_that_has() -> None:
    world = World()
    notes = [_moved(page(name, source="notes"), f"https://docs.invalid/notes/{name}") for name in ("note", "newer")]
    live = world.build("g0", *_pages(2), notes[0])
    allowed = _verdict(world, world.build("g1", *_pages(2), *notes, minute=1), live=live)
    assert _finding(allowed, "addresses").outcome is Outcome.PASS
    lost = [_moved(one, f"https://docs.invalid/{n}") for n, one in enumerate(_pages(2))]
    finding = _finding(_verdict(world, world.build("g2", *lost, *notes, minute=2), live=live), "addresses")
    assert (finding.outcome, finding.count) == (Outcome.FAIL, 2)


def test_pages_without_an_address_never_take_the_place_of_real_ones() -> None:
    world = World()
    live = world.build("g0", *_pages(1))
    verdict = _verdict(world, _without_address(world, "g1", minute=1), replace(LIMITS, max_page_fall=1.0), live)
    finding = _finding(verdict, "addresses")
    assert finding.outcome is Outcome.FAIL
    assert "--base-url" in finding.detail
    assert finding.examples == ("https://docs.invalid/docs/wheel",)


# --- titles --------------------------------------------------------------------------------------------------------


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
    generation = world.build("g1", *_pages(10))
    verdict = _verdict(
        world, generation, replace(LIMITS, max_unreachable=limit), search=_losing(world, generation, lost)
    )
    found = _finding(verdict, "reachable by title")
    assert found.outcome is outcome
    assert found.value == pytest.approx(1.0 - lost / 10)


def test_a_title_that_misses_its_page_is_named_with_the_setting() -> None:
    world = World()
    generation = world.build("g1", *_pages(10))
    verdict = _verdict(world, generation, search=_losing(world, generation, 1))
    found = _finding(verdict, "reachable by title")
    assert "1 of 10 documents are not found by their own title" in found.detail
    assert "/gripper ('The gripper')" in found.detail
    assert "Other pages of the same version answer these titles better" in found.detail
    assert found.detail.endswith("raise gate.max_unreachable")
    assert len(found.examples) == 1


def test_a_short_title_of_a_large_site_may_miss_without_any_setting() -> None:
    world = World()
    generation = world.build(
        "g1", *_pages(10), *[page(f"p{n}", f"About part {n}.", title=f"Part {n}") for n in range(40)]
    )
    limits = replace(LIMITS, max_unreachable=GateSettings().max_unreachable)
    for lost, outcome in ((1, Outcome.PASS), (2, Outcome.FAIL)):
        verdict = _verdict(world, generation, limits, search=_losing(world, generation, lost))
        assert _finding(verdict, "reachable by title").outcome is outcome


def test_documents_that_share_a_title_are_all_found_by_it() -> None:
    world = World()
    same = [page(word, f"How the {word} works.", title="Overview") for word in WORDS]
    generation = world.build("g1", *same)
    assert _verdict(world, generation, replace(LIMITS, title_top_k=1)).outcome is Outcome.PASS


def test_a_passage_that_another_page_has_too_counts_for_both() -> None:
    world = World()
    generation = world.build(
        "g1",
        page("a", "The very same text.", title="First name"),
        page("b", "The very same text.", title="Second name"),
    )
    assert _verdict(world, generation, replace(LIMITS, title_top_k=1)).outcome is Outcome.PASS


def test_old_versions_and_other_locales_are_looked_for_where_they_are() -> None:
    world = World()
    old = page("old", "How it was.", title="As it was", version="1.0", version_is_current=False)
    french = page("fr", "Comme il est.", title="Comme il est", locale="fr", locale_is_default=False)
    generation = world.build("g1", *_pages(2), old, french)
    assert _verdict(world, generation).outcome is Outcome.PASS


def test_pages_without_a_title_or_without_text_are_not_looked_for() -> None:
    world = World()
    untitled = page("untitled", "Some text.", title=" ")
    empty = page("empty", "x", title="Empty")
    generation = world.build("g1", *_pages(1), untitled, (replace(empty[0], text=""), []))
    found = _finding(_verdict(world, generation), "reachable by title")
    assert (found.outcome, found.value) == (Outcome.PASS, 1.0)


def test_a_title_in_which_nothing_can_be_searched_for_stops_no_release() -> None:
    world = World()
    generation = world.build("g1", *_pages(1), page("sign", "Some text.", title="§"))
    with pytest.raises(InputError):
        world.searcher("g1").search(Query("§", 5))
    assert _verdict(world, generation).outcome is Outcome.PASS


def test_a_sample_of_titles_is_the_same_for_the_same_content() -> None:
    world = World()
    generation = world.build("g1", *_pages(10))
    search = world.searcher("g1").search
    asked: list[list[str]] = []
    for _ in range(2):
        asked.append([])

        def answer(query: Query) -> Ranking:
            asked[-1].append(query.text)
            return search(query)

        found = _finding(
            _verdict(world, generation, replace(LIMITS, title_sample=4), search=answer), "reachable by title"
        )
        assert "4 of 10 documents" in found.limit
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == 4


# --- what costs something ------------------------------------------------------------------------------------------


def test_titles_are_undecided_where_the_embedder_is_gone_and_few_are_tried() -> None:
    world = World()
    generation = world.build("g1", *_pages(8))
    asked: list[Query] = []
    announced: list[Sequence[str]] = []

    def down(query: Query) -> Ranking:
        asked.append(query)
        raise EmbedderUnavailable("openai failed: it answered 503.")

    searcher = world.searcher(generation.id)
    judged = Judged(generation, None, world.catalog, searcher.index, down, announced.append)
    finding = structure_findings(judged, LIMITS, Silence())[-1]
    assert (finding.check, finding.outcome, finding.value) == ("reachable by title", Outcome.INCONCLUSIVE, None)
    assert "openai failed: it answered 503." in finding.detail
    assert "Run it again" in finding.detail
    assert (len(asked), announced) == (1, [])


def test_all_titles_but_the_first_are_announced() -> None:
    world = World()
    generation = world.build("g1", *_pages(8))
    announced: list[str] = []
    searcher = world.searcher(generation.id)
    judged = Judged(generation, None, world.catalog, searcher.index, searcher.search, announced.extend)
    assert structure_findings(judged, LIMITS, Silence())[-1].outcome is Outcome.PASS
    assert len(announced) == 7


def test_a_note_says_where_vectors_were_not_made_anew_or_only_some_were() -> None:
    world = World()
    generation = world.build("g1", *_pages(4))
    index = world.searcher(generation.id).index

    def notes(recheck: Recheck) -> list[str]:
        return structure_notes(
            Judged(generation, None, world.catalog, index, world.searcher("g1").search, lambda _: None, recheck)
        )

    assert notes(Recheck(world.embedder, world.encoder, vectors=1_000)) == []
    (unasked,) = notes(Recheck(None, world.encoder))
    assert f"No vector was made anew to compare, for {generation.embedder.model} is paid" in unasked
    assert "`assay audit --sample 500`" in unasked
    (sampled,) = notes(Recheck(world.embedder, world.encoder, vectors=3))
    assert sampled == f"The vectors of 3 of {generation.chunks} chunks were made anew; `assay audit` makes every one."


# --- limits that say nothing ---------------------------------------------------------------------------------------


def test_a_minimum_of_0_is_named() -> None:
    assert limit_notes(QUALITY) == []
    limits = replace(
        QUALITY,
        mrr=0.0,
        measures=(MeasureLimit("nDCG@10", "factual", 0.0, None), MeasureLimit("Recall@10", None, None, 0.0)),
    )
    assert limit_notes(limits) == [
        "A minimum of 0 is always reached, and says nothing: min_mrr, factual.nDCG@10 in [gate]."
    ]
