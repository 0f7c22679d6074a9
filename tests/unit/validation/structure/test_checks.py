"""The structural verdict as a whole, and what its checks cost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from tests.structures import LIMITS, QUALITY, finding_of, some_pages, verdict_on
from tests.worlds import World

from assay import errors
from assay.errors import EmbedderUnavailable, IndexCorrupt, StoreUnavailable, VectorStoreError
from assay.model.evaluation import Finding, Outcome, worst
from assay.model.ranking import Query, Ranking
from assay.ports import Silence
from assay.validation.gate.policy import NO_TEST_SET, Gate, MeasureLimit, limit_notes
from assay.validation.integrity import KINDS, Recheck
from assay.validation.structure import CheckContext, checks, notes, structure_findings, structure_notes

CHECKED = [
    *KINDS,
    "failed pages",
    "fall in pages",
    "erosion",
    "rise in pages",
    "lost content",
    "fall in text",
    "fall in kinds of content",
    "fall in anchors",
    "pages with text",
    "pages alike",
    "titles alike",
    "passages alike",
    "boilerplate",
    "leftover markup",
    "addresses",
    "reachable by title",
    "distinct vectors",
    "spread of vectors",
]


def test_a_sound_generation_passes_every_check() -> None:
    world = World()
    generation = world.build("g1", *some_pages(4))
    verdict = verdict_on(world, generation)
    assert verdict.outcome is Outcome.PASS
    assert [finding.check for finding in verdict.findings] == CHECKED
    assert {finding.detail for finding in verdict.findings} == {""}
    assert verdict.summary == f"PASS: all {len(CHECKED)} checks passed."


def test_a_verdict_names_its_generation_its_content_and_its_limits() -> None:
    world = World()
    generation = world.build("g1", *some_pages(1))
    verdict = verdict_on(world, generation)
    assert (verdict.generation, verdict.content_fingerprint) == ("g1", generation.content_fingerprint)
    assert verdict.gate == Gate(LIMITS, QUALITY).fingerprint
    assert (verdict.test_set, verdict.notes[0]) == (None, NO_TEST_SET)


@pytest.mark.parametrize(
    "change",
    [
        {"max_failed_pages": 0.1},
        {"max_unread_files": 0.1},
        {"max_page_fall": 0.1},
        {"title_top_k": 6},
        {"max_unreachable": 0.1},
        {"title_sample": 9},
        {"max_empty_pages": 0.1},
        {"max_alike_pages": 0.2},
        {"max_leftovers": 0.1},
        {"max_repeated": 0.1},
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


PEERS = {"CatalogUnavailable", "EmbedderRefused", "EmbedderUnavailable", "StorageFull", "StoreUnavailable"}
TREE = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.AssayError)]


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_a_check_that_cannot_run_is_a_finding_and_the_others_run(
    kind: type[errors.AssayError], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    generation = world.build("g1", *some_pages(2))

    def half_done(*_: object) -> Iterator[Finding]:
        yield Finding("first half", Outcome.PASS, 1.0, "some limit")
        raise kind("It broke.", hint="Mend it.")

    monkeypatch.setattr(checks, "CHECKS", (half_done, *checks.CHECKS))
    verdict = verdict_on(world, generation)
    whole, broken, *others = verdict.findings
    assert (whole.check, whole.outcome, broken.check, broken.value) == ("first half", Outcome.PASS, "half done", None)
    assert broken.outcome is (Outcome.INCONCLUSIVE if kind.__name__ in PEERS else Outcome.FAIL)
    assert broken.detail.startswith("the check could not run: It broke. Mend it.")
    assert [finding.check for finding in others] == CHECKED
    assert {finding.outcome for finding in others} == {Outcome.PASS}


def test_a_bug_in_a_check_or_note_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    generation = world.build("g1", *some_pages(2))

    def wrong(*_: object) -> Iterator[Finding]:
        yield Finding("first half", Outcome.PASS, 1.0, "some limit")
        raise KeyError("https://docs.example/x")

    monkeypatch.setattr(checks, "CHECKS", (wrong, *checks.CHECKS))
    monkeypatch.setattr(notes, "NOTES", (wrong, lambda _: ["A later note."]))
    verdict = verdict_on(world, generation)
    whole, broken, *others = verdict.findings
    assert (whole.check, broken.check, broken.outcome) == ("first half", "wrong", Outcome.FAIL)
    assert broken.detail.startswith("the check could not run: KeyError: 'https://docs.example/x'.")
    assert [finding.check for finding in others] == CHECKED
    assert verdict.notes[-1] == "A later note."
    assert [bool(record.exc_info) for record in caplog.records] == [True, True]


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_process_that_has_to_end_is_not_kept_by_a_check(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    generation = world.build("g1", *some_pages(1))

    def ending(*_: object) -> Iterator[Finding]:
        raise error

    monkeypatch.setattr(checks, "CHECKS", (ending,))
    with pytest.raises(error):
        verdict_on(world, generation)


def test_a_store_that_is_gone_leaves_the_titles_undecided() -> None:
    world = World()
    generation = world.build("g1", *some_pages(1))

    def fail(_: Query) -> Ranking:
        raise StoreUnavailable("The store is gone.")

    verdict = verdict_on(world, generation, search=fail)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "The store is gone." in finding_of(verdict, "reachable by title").detail


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(StoreUnavailable("It is away."), Outcome.INCONCLUSIVE), (IndexCorrupt("It is damaged."), Outcome.FAIL)],
)
def test_an_index_that_cannot_be_opened_is_a_finding_and_the_catalog_is_checked(
    error: VectorStoreError, outcome: Outcome
) -> None:
    world = World()
    generation = world.build("g1", *some_pages(2))

    def fail(_: Query) -> Ranking:
        raise error

    recheck = Recheck(world.embedder, world.encoder)
    judged = CheckContext(generation, None, world.catalog, None, fail, world.embedder.prefetch_queries, recheck, error)
    found = {one.check: one for one in structure_findings(judged, LIMITS, Silence())}
    assert found["index"].outcome is outcome
    assert error.message in found["index"].detail + "".join(found["index"].examples)
    assert found["reachable by title"].outcome is outcome
    assert found["hashes"].outcome is found["failed pages"].outcome is Outcome.PASS
    assert worst(one.outcome for one in found.values()) is outcome


def _by_title(judged: CheckContext) -> Finding:
    return next(one for one in structure_findings(judged, LIMITS, Silence()) if one.check == "reachable by title")


def test_titles_are_undecided_where_the_embedder_is_gone_and_few_are_tried() -> None:
    world = World()
    generation = world.build("g1", *some_pages(8))
    asked: list[Query] = []
    announced: list[Sequence[str]] = []

    def down(query: Query) -> Ranking:
        asked.append(query)
        raise EmbedderUnavailable("openai failed: it answered 503.")

    searcher = world.searcher(generation.id)
    judged = CheckContext(generation, None, world.catalog, searcher.index, down, announced.append)
    finding = _by_title(judged)
    assert (finding.check, finding.outcome, finding.value) == ("reachable by title", Outcome.INCONCLUSIVE, None)
    assert "openai failed: it answered 503." in finding.detail
    assert "run again" in finding.detail
    assert (len(asked), announced) == (1, [])


def test_all_titles_but_the_first_are_announced() -> None:
    world = World()
    generation = world.build("g1", *some_pages(8))
    announced: list[str] = []
    searcher = world.searcher(generation.id)
    judged = CheckContext(generation, None, world.catalog, searcher.index, searcher.search, announced.extend)
    assert _by_title(judged).outcome is Outcome.PASS
    assert len(announced) == 7


def test_a_note_says_where_vectors_were_not_made_anew_or_only_some_were() -> None:
    world = World()
    generation = world.build("g1", *some_pages(4))
    index = world.searcher(generation.id).index

    def notes(recheck: Recheck) -> list[str]:
        return structure_notes(
            CheckContext(generation, None, world.catalog, index, world.searcher("g1").search, lambda _: None, recheck)
        )

    assert notes(Recheck(world.embedder, world.encoder, vectors=1_000)) == []
    (unasked,) = notes(Recheck(None, world.encoder))
    assert f"Most vectors were not recomputed, because {generation.embedder.model} charges" in unasked
    assert "`assay audit --sample 500`" in unasked
    (sampled,) = notes(Recheck(world.embedder, world.encoder, vectors=3))
    assert sampled == f"The vectors of 3 of {generation.chunks} chunks were recomputed; `assay audit` recomputes all."


def test_a_minimum_of_0_is_named() -> None:
    assert limit_notes(QUALITY) == []
    limits = replace(
        QUALITY,
        min_mrr=0.0,
        measures=(MeasureLimit("nDCG@10", "factual", 0.0, None), MeasureLimit("Recall@10", None, None, 0.0)),
    )
    assert limit_notes(limits) == ["A minimum of 0 lets everything pass: min_mrr, factual.nDCG@10 in [gate]."]
