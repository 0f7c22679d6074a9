"""Pages that say nothing or all the same, and chunks with markup that nobody read: each limit at its border."""

from dataclasses import replace

import pytest
from tests.structures import LIMITS, WORDS, finding_of, some_pages, verdict_on
from tests.worlds import World

from assay.model.documents import Chunk
from assay.model.evaluation import Finding, Outcome
from assay.testing.catalog_samples import Stored, page
from assay.validation.structure import StructuralLimits

SHORT = replace(LIMITS, max_empty_pages=0.2)
LOGIN = "Please sign in with your account to read the documentation."
GREEK = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lamda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon",
)  # fmt: skip


def _speaking(count: int) -> list[Stored]:
    return [page(word, f"How the {word} works on a robot.", title=f"The {word}") for word in GREEK[:count]]


def _of_source(source: str, stored: Stored) -> Stored:
    document, chunks = stored
    info = replace(document.info, source=source)
    moved: list[Chunk] = [replace(chunk, document=info) for chunk in chunks]
    return replace(document, info=info), moved


def _finding(check: str, *pages: Stored, limits: StructuralLimits = SHORT) -> Finding:
    world = World()
    return finding_of(verdict_on(world, world.build("g1", *pages), limits), check)


# --- pages with text ---


@pytest.mark.parametrize(("empty", "outcome"), [(0, Outcome.PASS), (4, Outcome.PASS), (5, Outcome.FAIL)])
def test_too_many_pages_that_say_nothing_fail_at_the_first_build(empty: int, outcome: Outcome) -> None:
    silent = [page(word, "Please wait…", title=word) for word in WORDS[:empty]]
    found = _finding("pages with text", *_speaking(20 - empty), *silent)
    assert (found.outcome, found.value, found.count) == (outcome, empty / 20, empty)


def test_the_finding_names_pages_says_what_they_say_and_what_to_do() -> None:
    silent = [page(word, "Loading...", title=word) for word in WORDS[:3]]
    found = _finding("pages with text", *_speaking(3), *silent)
    assert found.detail.startswith("3 of 6 pages have almost no text (50%; limit 20%): https://")
    assert "'Loading...'" in found.detail
    assert "JavaScript" in found.detail
    assert "gate.max_empty_pages" in found.detail
    assert len(found.examples) == 3


def test_a_single_page_that_says_nothing_fails_and_a_bare_start_page_among_others_does_not() -> None:
    silent = page("start", "Please wait...", title="Docs")
    assert _finding("pages with text", silent).outcome is Outcome.FAIL
    assert _finding("pages with text", silent, *_speaking(2)).outcome is Outcome.PASS


def test_a_large_source_does_not_hide_a_small_one_that_says_nothing() -> None:
    silent = [_of_source("shell", page(word, "Please wait...", title=word)) for word in WORDS[:2]]
    found = _finding("pages with text", *_speaking(18), *silent)
    assert (found.outcome, found.value) == (Outcome.FAIL, 1.0)
    assert "2 of 2 pages of shell have almost no text" in found.detail


# --- pages alike ---


@pytest.mark.parametrize(("equal", "outcome"), [(2, Outcome.PASS), (3, Outcome.FAIL), (5, Outcome.FAIL)])
def test_equal_pages_fail_at_the_first_build(equal: int, outcome: Outcome) -> None:
    logins = [page(word, LOGIN, title=f"Sign in to read of the {word}") for word in WORDS[:equal]]
    found = _finding("pages alike", *_speaking(20 - equal), *logins)
    assert (found.outcome, found.count) == (outcome, 0 if equal < 3 else equal)


def test_the_limit_is_a_share_of_the_pages() -> None:
    logins = [page(word, LOGIN, title=word) for word in WORDS[:4]]
    pages = [*_speaking(16), *logins]
    assert _finding("pages alike", *pages, limits=replace(SHORT, max_alike_pages=0.2)).outcome is Outcome.PASS
    found = _finding("pages alike", *pages, limits=replace(SHORT, max_alike_pages=0.19))
    assert found.outcome is Outcome.FAIL
    assert "4 of 20 pages have nearly the same text" in found.detail
    assert "(20%; limit 19%): 4 with the text of https://" in found.detail
    assert "gate.max_alike_pages" in found.detail
    assert "nearly the same text, apart from headings, addresses and long numbers" in found.detail
    assert "If a generator made the pages from one template" in found.detail


def test_versions_and_locales_may_say_the_same() -> None:
    copies = [
        page(f"{version}/{word}", LOGIN, title=word, version=version, locale=locale, version_is_current=version == "2")
        for version, locale, word in [("1", "en", "a"), ("2", "en", "b"), ("1", "de", "c"), ("2", "de", "d")]
    ]
    assert _finding("pages alike", *copies, *_speaking(2)).outcome is Outcome.PASS


# --- leftover markup ---


def _with_markup(count: int, text: str, of: int = 20) -> list[Stored]:
    marked = [page(word, f"How the {word} works on a robot. {text}", title=f"The {word}") for word in GREEK[:count]]
    return [*marked, *_speaking(of)[count:]]


@pytest.mark.parametrize(("count", "outcome"), [(0, Outcome.PASS), (2, Outcome.PASS), (3, Outcome.FAIL)])
def test_too_many_chunks_with_leftovers_fail(count: int, outcome: Outcome) -> None:
    limits = replace(SHORT, max_leftovers=0.1)
    found = _finding("leftover markup", *_with_markup(count, "{% note %}"), limits=limits)
    assert (found.outcome, found.value, found.count) == (outcome, count / 20, count)


def test_what_prose_may_mean_counts_from_the_third_chunk_on() -> None:
    assert _finding("leftover markup", *_with_markup(2, "{{ site.title }}")).value == 0.0
    assert _finding("leftover markup", *_with_markup(3, "{{ site.title }}")).value == 0.15


def test_a_single_merge_conflict_fails_and_says_what_to_do() -> None:
    text = "<<<<<<< HEAD It has one arm. ======= It has two arms. >>>>>>> feature"
    found = _finding("leftover markup", *_with_markup(1, text), limits=replace(SHORT, max_leftovers=0.9))
    assert found.outcome is Outcome.FAIL
    assert "1 chunks have merge conflicts, such as `<<<<<<< HEAD` at https://" in found.detail
    assert "resolve it in the source" in found.detail
    assert "gate.max_leftovers = 1" in found.detail
    meant = _finding("leftover markup", *_with_markup(1, text), limits=replace(SHORT, max_leftovers=1.0))
    assert meant.outcome is Outcome.PASS
    assert meant.count == 1
    in_code = _finding("leftover markup", *_with_markup(1, f"\n\n```\n{text}\n```"), limits=SHORT)
    assert in_code.outcome is Outcome.PASS


def test_leftovers_are_told_by_kind_with_an_example_of_each_also_where_they_pass() -> None:
    pages = [
        *_with_markup(4, "{% note %}", of=16),
        page("other", "See ![[diagram.png]] there, on the wall.", title="O"),
    ]
    for most, outcome in ((1.0, Outcome.PASS), (0.1, Outcome.FAIL)):
        found = _finding("leftover markup", *pages, limits=replace(SHORT, max_leftovers=most))
        assert found.outcome is outcome
        assert [example.split(",")[0] for example in found.examples] == [
            "template tags: 4 chunks",
            "Obsidian embeds: 1 chunk",
        ]
        assert "`{% note %}` at https://" in found.examples[0]
    assert "template tags: 4 chunks" in found.detail
    assert "gate.max_leftovers" in found.detail


def test_a_sound_manual_shows_nothing() -> None:
    for check in ("pages with text", "pages alike", "leftover markup"):
        found = _finding(check, *_speaking(12), *some_pages(4))
        assert (found.outcome, found.value, found.examples) == (Outcome.PASS, 0.0, ())
