"""The limits on labelled queries: each at its border, what unjudged hits leave open, and what to label first."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from tests.validations import chunk_of, hits_of, topic_result

from assay.app import gate_of
from assay.model.evaluation import Anchoring, Category, Finding, Interval, Outcome, TopicType
from assay.model.ranking import Hit
from assay.model.validations import Difference, LatencyFigures, Percentiles, TopicResult
from assay.settings import GateSettings
from assay.validation.gate.against_live import AgainstLive, Fall, measure_falls, measure_worse, topics_that_fell
from assay.validation.gate.lost_answers import orphan_notes
from assay.validation.gate.policy import MeasureLimit, QualityLimits
from assay.validation.gate.quality import (
    Measured,
    counted,
    headline,
    hits_to_label,
    in_group,
    quality_findings,
    with_targets,
)
from assay.validation.integrity.results import check_hits

LIMITS = gate_of(GateSettings()).quality
GOOD = (2, 1, 1, 1, 0)
BAD = (0, 0, 1, 0, 0)
OPEN = (2, 1, None, None, 0)


def _latency(p95_ms: float, samples: int = 59) -> LatencyFigures:
    total = Percentiles(samples, p95_ms / 2, p95_ms / 2, p95_ms, p95_ms, p95_ms, p99_estimated=True)
    stages = {"embed": replace(total, p95_ms=p95_ms / 4), "search": total}
    return LatencyFigures(**asdict(total), stages=stages)


def _measured(
    results: Sequence[TopicResult],
    hits: Sequence[Hit] = (),
    p95_ms: float = 20.0,
    against_live: AgainstLive | None = None,
) -> Measured:
    return Measured(results, check_hits(hits), _latency(p95_ms), against_live or AgainstLive())


def _topics(*labels: Sequence[int | None]) -> list[TopicResult]:
    return [_told(topic_result(f"t{number}", labels=one)) for number, one in enumerate(labels)]


def _told(result: TopicResult) -> TopicResult:
    """The result with all that is told of the first five hits."""
    labels = result.labels[:5]
    judged = sum(label is not None for label in labels) / len(labels) if labels else None
    success = float(any(label for label in labels))
    return replace(
        result,
        values={**result.values, "Success@5": success, "judged@5": judged},
        upper={**result.upper, "Success@5": 1.0 if None in labels else success},
    )


def _finding(check: str, measured: Measured, limits: QualityLimits = LIMITS) -> Finding:
    return next(finding for finding in quality_findings(measured, limits) if finding.check == check)


def _outcome(check: str, measured: Measured, limits: QualityLimits = LIMITS) -> Outcome:
    return _finding(check, measured, limits).outcome


# --- the seed's criteria -------------------------------------------------------------------------------------------


@pytest.mark.contract("001.53")
def test_the_defaults_are_seed_001s() -> None:
    assert (LIMITS.min_precision, LIMITS.min_precision_share, LIMITS.min_mrr, LIMITS.max_p95_ms) == (
        0.8,
        0.8,
        0.7,
        2_000.0,
    )
    assert (LIMITS.completeness, LIMITS.hashes) == (1.0, 1.0)
    assert (LIMITS.edge_topics, LIMITS.precision, LIMITS.measures) == ("count", "at_k", ())


@pytest.mark.contract("001.49")
@pytest.mark.parametrize(("good", "outcome"), [(4, Outcome.PASS), (3, Outcome.FAIL)])
def test_four_of_five_topics_have_to_reach_the_precision(good: int, outcome: Outcome) -> None:
    found = _finding("precision", _measured(_topics(*[GOOD] * good * 3, *[BAD] * (5 - good) * 3)))
    assert (found.outcome, found.value) == (outcome, good / 5)
    if outcome is Outcome.FAIL:
        assert found.examples[:2] == ("t9: P@5 0.20", "t10: P@5 0.20")
        assert found.count == 6


@pytest.mark.contract("001.49")
@pytest.mark.parametrize(("labels", "outcome"), [((1, 1, 1, 1, 0), Outcome.PASS), ((1, 1, 1, 0, 0), Outcome.FAIL)])
def test_a_topic_reaches_it_with_four_relevant_hits_of_five(labels: Sequence[int], outcome: Outcome) -> None:
    assert _outcome("precision", _measured(_topics(*[labels] * 14))) is outcome


@pytest.mark.contract("001.50")
@pytest.mark.parametrize(
    ("labels", "outcome"),
    [
        ([(2, 0), (0, 2), (0, 0, 2)], Outcome.FAIL),  # 1, 1/2, 1/3
        ([(2, 0), (0, 2), (2, 0)], Outcome.PASS),  # 1, 1/2, 1
        ([(1, 2), (2, 0), (2, 0), (2, 0)], Outcome.PASS),  # the best hit counts, and it is the second: 1/2
        ([(1, 2), (1, 2), (1, 2)], Outcome.FAIL),
    ],
)
def test_mrr_is_by_the_best_hit(labels: Sequence[Sequence[int]], outcome: Outcome) -> None:
    assert _outcome("MRR", _measured(_topics(*[*labels] * 3))) is outcome


@pytest.mark.contract("001.52")
@pytest.mark.parametrize(("p95_ms", "outcome"), [(1_999.9, Outcome.PASS), (2_000.0, Outcome.FAIL)])
def test_p95_has_to_be_under_its_limit(p95_ms: float, outcome: Outcome) -> None:
    found = _finding("latency", _measured(_topics(GOOD), p95_ms=p95_ms))
    assert found.outcome is outcome
    assert ("most of it in search" in found.detail) == (outcome is Outcome.FAIL)


def test_without_a_timed_search_the_latency_is_not_known() -> None:
    measured = replace(_measured(_topics(GOOD)), latency=None)
    assert _outcome("latency", measured) is Outcome.INCONCLUSIVE


@pytest.mark.contract("001.51")
def test_one_hit_without_a_field_or_with_another_hash_fails() -> None:
    sound = hits_of(0, 3)
    nameless = replace(chunk_of(4).document, title="")
    for check, chunk in (
        ("metadata of hits", chunk_of(4, document=nameless)),
        ("hashes of hits", chunk_of(4, content_hash="0" * 64)),
    ):
        found = _finding(check, _measured(_topics(GOOD), hits=[*sound, replace(sound[0], chunk=chunk)]))
        assert (found.outcome, found.value, found.count) == (Outcome.FAIL, 0.75, 1)
        assert chunk.id in found.examples[0]
        assert _outcome(check, _measured(_topics(GOOD), hits=sound)) is Outcome.PASS
    assert "there were no hits" in _finding("hashes of hits", _measured(_topics(GOOD))).limit


# --- what is not known ---------------------------------------------------------------------------------------------


def test_a_limit_that_unjudged_hits_could_reach_is_undecided_and_not_failed() -> None:
    found = _finding("precision", _measured(_topics(GOOD, OPEN)))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "`assay label`" in found.detail


def test_unjudged_hits_do_not_save_what_they_could_not_reach() -> None:
    assert _outcome("precision", _measured(_topics(GOOD, (2, None, 0, 0, 0)))) is Outcome.FAIL


def test_a_topic_that_failed_is_named_and_is_in_no_figure() -> None:
    failed = topic_result("broken", labels=(), error="the provider does not answer")
    measured = _measured([*_topics(GOOD), failed])
    found = _finding("topics asked", measured)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.examples == ("broken: the provider does not answer",)
    assert _finding("precision", measured).value == 1.0
    assert _finding("MRR", measured).value == 1.0


def test_when_every_topic_failed_nothing_passes_for_want_of_values() -> None:
    measured = _measured([topic_result("broken", labels=(), error="gone")])
    assert {_outcome(check, measured) for check in ("topics asked", "precision", "MRR")} == {Outcome.INCONCLUSIVE}


@pytest.mark.parametrize("labels", [(0, 0, 0, 0, 0), (0, None, 0, 0, 0)])
def test_a_topic_without_a_known_answer_is_named(labels: Sequence[int | None]) -> None:
    found = _finding("known answers", _measured([*_topics(GOOD), topic_result("zeros", labels=labels, relevant=0)]))
    assert (found.outcome, found.examples) == (Outcome.INCONCLUSIVE, ("zeros",))
    assert "For zeros, no answer is labelled: label some (`assay label`)" in found.detail


def test_topics_without_a_known_answer_are_told_by_what_became_of_it() -> None:
    none = topic_result("none", labels=(0,), relevant=0)
    gone = [topic_result(f"gone{number}", labels=(None,), relevant=1, lost=[Anchoring.ORPHANED]) for number in range(6)]
    twice = topic_result("twice", labels=(None,), relevant=1, lost=[Anchoring.AMBIGUOUS])
    detail = _finding("known answers", _measured([none, *gone, twice, *_topics(GOOD)])).detail
    assert detail.startswith(
        "no relevant passage is known for 8 of 9 topics. For gone0, gone1, gone2, gone3, gone4 and"
    )
    assert "and 1 more, the passages that answer them are gone: restore the pages" in detail
    assert "--allow-removals, or delete the topics. For twice, each passage that answers them occurs" in detail
    assert detail.count("label some") == 1


def test_causes_come_first_and_what_follows_from_them_last() -> None:
    limits = replace(_limits(max_drop=0.02), no_worse_than_live=True)
    checks = [one.check for one in quality_findings(_measured(_topics(GOOD)), limits)]
    assert checks[:3] == ["topics asked", "judgments found", "precision"]
    assert checks[-2:] == ["no worse than live", "known answers"]


def test_topics_of_type_edge_or_without_an_answer_need_none() -> None:
    edge = topic_result("edge", labels=(0,) * 5, relevant=0, kind=TopicType.EDGE)
    unanswered = topic_result("none", labels=(0,) * 5, relevant=0, expects_answer=False)
    assert _outcome("known answers", _measured([*_topics(GOOD), edge, unanswered])) is Outcome.PASS


@pytest.mark.parametrize(("lost", "outcome"), [(1, Outcome.PASS), (2, Outcome.INCONCLUSIVE)])
def test_more_than_a_tenth_of_lost_judgments_leaves_it_open(lost: int, outcome: Outcome) -> None:
    kinds = [Anchoring.ORPHANED, Anchoring.AMBIGUOUS][:lost]
    result = topic_result(labels=GOOD, relevant=10, lost=kinds)
    found = _finding("judgments found", _measured([result]))
    assert found.outcome is outcome
    if outcome is not Outcome.PASS:
        assert "1 passage is gone, 1 occurs more than once" in found.detail
        assert len(found.examples) == 2
        assert "`assay testset repair` lists them" in found.detail


def test_judgments_that_earlier_releases_lost_count_too() -> None:
    measured = _measured([topic_result(labels=GOOD, relevant=10, lost=[Anchoring.ORPHANED])])
    assert _outcome("judgments found", replace(measured, left_out=1)) is Outcome.INCONCLUSIVE
    detail = _finding("judgments found", replace(measured, left_out=1)).detail
    assert detail.startswith("2 of 11 judgments do not count: 1 passage is gone, 1 was gone before")


def test_lost_judgments_name_a_command_that_works_and_removals_where_pages_are_gone() -> None:
    result = topic_result(labels=GOOD, relevant=4, lost=[Anchoring.ORPHANED] * 4)
    repair = "assay testset repair questions.yaml --generation g7"
    for url, told in ((None, True), ("https://docs.example/wheel", False)):
        on_page = replace(result, resolutions=tuple(replace(one, url=url) for one in result.resolutions))
        detail = _finding("judgments found", replace(_measured([on_page]), repair=repair)).detail
        assert f"`{repair}` lists them" in detail
        assert ("4 passages are gone (4 with their page)" in detail) is told
        assert ("removed on purpose, publish or promote with --allow-removals" in detail) is told


# --- topics that nothing answers -----------------------------------------------------------------------------------


def _edge(similarity: float, **criteria: object) -> TopicResult:
    result = topic_result("sourdough", labels=(0, 0), relevant=0, expects_answer=False, expected_criteria=criteria)
    return replace(result, hits=tuple(replace(hit, similarity=similarity) for hit in result.hits))


def test_they_count_as_all_others_unless_they_are_judged_by_abstention() -> None:
    results = [*_topics(GOOD), _edge(0.1, min_score=0.3)]
    assert _finding("precision", _measured(results)).value == 0.5
    abstaining = replace(LIMITS, edge_topics="abstain")
    assert _finding("precision", _measured(results), abstaining).value == 1.0
    assert _outcome("abstention", _measured(results), abstaining) is Outcome.PASS
    assert "abstention" not in {finding.check for finding in quality_findings(_measured(results), LIMITS)}


@pytest.mark.parametrize(("similarity", "outcome"), [(0.299, Outcome.PASS), (0.3, Outcome.FAIL)])
def test_a_hit_as_similar_as_the_least_score_is_an_answer(similarity: float, outcome: Outcome) -> None:
    abstaining = replace(LIMITS, edge_topics="abstain")
    measured = _measured([*_topics(GOOD), _edge(similarity, min_score=0.3)])
    assert _outcome("abstention", measured, abstaining) is outcome
    by_setting = replace(abstaining, abstain_below=0.3)
    assert _outcome("abstention", _measured([*_topics(GOOD), _edge(similarity)]), by_setting) is outcome


def test_without_a_least_score_abstention_is_not_known() -> None:
    found = _finding("abstention", _measured([_edge(0.9)]), replace(LIMITS, edge_topics="abstain"))
    assert (found.outcome, found.examples) == (Outcome.INCONCLUSIVE, ("sourdough",))


@pytest.mark.parametrize(
    ("labels", "relevant", "value"), [((1, 1, 0, 0, 0), 2, 1.0), ((1, 0, 0, 0, 0), 2, 0.0), ((0,) * 5, 0, 0.0)]
)
def test_attainable_precision_divides_by_what_there_is(labels: Sequence[int], relevant: int, value: float) -> None:
    result = topic_result(labels=labels, relevant=relevant)
    assert _finding("precision", _measured([result]), replace(LIMITS, precision="attainable")).value == value
    assert _finding("precision", _measured([result])).value == 0.0


# --- further limits ------------------------------------------------------------------------------------------------


def _limits(**limit: object) -> QualityLimits:
    values = {"measure": "P@5", "group": None, "least": None, "max_drop": None} | limit
    return replace(LIMITS, measures=(MeasureLimit(**values),))  # type: ignore[arg-type]  # the fields of a limit


@pytest.mark.parametrize(("least", "outcome"), [(0.5, Outcome.PASS), (0.51, Outcome.FAIL)])
def test_any_measure_can_have_a_limit(least: float, outcome: Outcome) -> None:
    measured = _measured(_topics(*[GOOD, BAD] * 3))
    found = _finding("P@5", measured, _limits(least=least))
    assert (found.outcome, found.value) == (outcome, 0.5)


def test_a_limit_of_a_type_or_category_looks_at_its_topics_alone() -> None:
    broad = topic_result("broad", labels=BAD, kind=TopicType.BROAD, category=Category.FACTUAL)
    measured = _measured([*_topics(GOOD), broad])
    for group in ("broad", "factual"):
        assert _finding(f"P@5 of {group} topics", measured, _limits(least=0.5, group=group)).value == 0.2
    nobody = _finding("P@5 of contextual topics", measured, _limits(least=0.5, group="contextual"))
    assert nobody.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("fall", "p", "outcome"),
    [
        (0.0, 1.0, Outcome.PASS),
        (0.02, 0.001, Outcome.PASS),
        (0.021, 0.001, Outcome.FAIL),
        (0.2, 0.06, Outcome.INCONCLUSIVE),
        (-0.2, 0.001, Outcome.PASS),
    ],
)
def test_a_fall_against_live_fails_only_where_chance_does_not_explain_it(
    fall: float, p: float, outcome: Outcome
) -> None:
    limits = _limits(max_drop=0.02)
    drop = Difference("P@5", 20, 0.8, 0.8 - fall, -fall, Interval(-0.3, 0.1), p, p, 0.18)
    against_live = AgainstLive(falls={limits.measures[0]: Fall(drop, 0, 0.0)})
    found = _finding("P@5 against live", _measured(_topics(GOOD), against_live=against_live), limits)
    assert found.outcome is outcome
    if outcome is Outcome.INCONCLUSIVE:
        assert "20 topics (they detect drops from 0.18) are too few for a limit of 0.02" in found.detail


@pytest.mark.parametrize(("from_lost", "outcome"), [(0.021, Outcome.FAIL), (0.02, Outcome.INCONCLUSIVE)])
def test_chance_does_not_explain_a_fall_that_lost_judgments_make_up(from_lost: float, outcome: Outcome) -> None:
    limits = _limits(max_drop=0.02)
    drop = Difference("P@5", 20, 0.8, 0.77, -0.03, None, 0.4, 0.4, 0.18)
    against_live = AgainstLive(falls={limits.measures[0]: Fall(drop, 3, from_lost)})
    found = _finding("P@5 against live", _measured(_topics(GOOD), against_live=against_live), limits)
    assert found.outcome is outcome
    assert ("3 judgments" in found.detail) == (outcome is Outcome.FAIL)


def test_a_fall_is_taken_apart_into_what_was_lost_and_the_rest() -> None:
    limit = _limits(max_drop=0.0).measures[0]
    before = _topics(GOOD, GOOD, GOOD, GOOD)
    after = [replace(one, lost=number == 1) for number, one in enumerate(_topics(BAD, BAD, GOOD, GOOD))]
    fall = measure_falls([limit], before, after, in_group)[limit]
    assert (fall.difference.difference, fall.from_lost, fall.lost) == (pytest.approx(-0.3), pytest.approx(0.15), 1)


def test_several_limits_on_a_fall_are_adjusted_together() -> None:
    before, after = _topics(*[GOOD] * 8), _topics(*[BAD] * 8)
    measures = [MeasureLimit(name, None, None, 0.0) for name in ("P@5", "mrr", "RR")]
    [alone] = measure_falls(measures[:1], before, after, in_group).values()
    together = measure_falls(measures, before, after, in_group)[measures[0]]
    assert alone.difference.adjusted_p == alone.difference.p
    assert together.difference.adjusted_p > together.difference.p


def test_without_anything_live_nothing_can_fall() -> None:
    found = _finding("P@5 against live", _measured(_topics(GOOD)), _limits(max_drop=0.02))
    assert (found.outcome, found.value) == (Outcome.PASS, None)


def test_a_live_generation_that_cannot_be_asked_leaves_its_limits_open() -> None:
    measured = _measured(_topics(GOOD), against_live=AgainstLive(problem="another model made it."))
    limits = replace(_limits(max_drop=0.02), no_worse_than_live=True)
    for check in ("P@5 against live", "no worse than live"):
        found = _finding(check, measured, limits)
        assert found.outcome is Outcome.INCONCLUSIVE
        assert found.detail.startswith("another model made it. If that is intended")


# --- no worse than live --------------------------------------------------------------------------------------------

NO_WORSE = replace(LIMITS, no_worse_than_live=True)


def _beside(before: Sequence[TopicResult], after: Sequence[TopicResult], *, derived: bool = False) -> Measured:
    worse, unsure = measure_worse(("RR", "P@5"), before, after, derived=derived)
    fell = topics_that_fell(("RR", "P@5"), before, after)
    return replace(_measured(after, against_live=AgainstLive(worse=worse, open=unsure, fell=fell)), derived=derived)


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ([GOOD] * 20, [BAD] * 20, Outcome.FAIL),
        ([GOOD] * 20, [GOOD] * 19 + [BAD], Outcome.PASS),
        ([BAD] * 20, [GOOD] * 20, Outcome.PASS),
        ([GOOD] * 20, [GOOD] * 20, Outcome.PASS),
    ],
)
def test_only_a_significant_fall_is_worse_than_live(
    before: list[tuple[int, ...]], after: list[tuple[int, ...]], outcome: Outcome
) -> None:
    found = _finding("no worse than live", _beside(_topics(*before), _topics(*after)), NO_WORSE)
    assert found.outcome is outcome
    assert ("fell from" in found.detail) == (outcome is Outcome.FAIL)


def test_a_fall_names_its_topics_and_the_report_not_a_candidate_that_is_rejected() -> None:
    found = _finding("no worse than live", _beside(_topics(*[GOOD] * 20), _topics(*[BAD] * 19, GOOD)), NO_WORSE)
    assert found.examples[0] == "t0: RR 1.000 → 0.333"
    assert found.count == 2 * 19
    assert "`assay compare live REPORT.json`" in found.detail
    assert "candidate" not in found.detail


def test_a_fall_that_labels_could_take_away_is_open_except_on_a_derived_test_set() -> None:
    before, after = _topics(*[GOOD] * 20), _topics(*[(None, None, 1, 1, 0)] * 20)
    assert _outcome("no worse than live", _beside(before, after), NO_WORSE) is Outcome.INCONCLUSIVE
    assert _outcome("no worse than live", _beside(before, after, derived=True), NO_WORSE) is Outcome.FAIL


@pytest.mark.parametrize(("lost", "outcome"), [(20, Outcome.FAIL), (2, Outcome.INCONCLUSIVE)])
def test_a_fall_is_not_open_for_hits_unjudged_because_judged_passages_are_gone(lost: int, outcome: Outcome) -> None:
    before, after = _topics(*[GOOD] * 20), _topics(*[(None, None, 1, 1, 0)] * 20)
    after = [replace(one, lost=int(number < lost)) for number, one in enumerate(after)]
    assert _outcome("no worse than live", _beside(before, after), NO_WORSE) is outcome


@pytest.mark.parametrize(
    ("setting", "of_derived", "of_others"), [(None, True, False), (True, True, True), (False, False, False)]
)
def test_a_derived_test_set_is_held_against_live_unless_a_setting_says_otherwise(
    setting: bool | None, of_derived: bool, of_others: bool
) -> None:
    limits = gate_of(GateSettings(no_worse_than_live=setting)).quality
    for derived, asked in ((True, of_derived), (False, of_others)):
        measured = replace(_measured(_topics(GOOD)), derived=derived)
        checks = {finding.check for finding in quality_findings(measured, limits)}
        assert ("no worse than live" in checks) is asked


# --- derived test sets ---------------------------------------------------------------------------------------------

FEW_KNOWN = (1, None, None, None, None)
NOTHING = (None,) * 5


def _derived(*labels: Sequence[int | None]) -> Measured:
    return replace(_measured(_topics(*labels)), derived=True)


def test_a_derived_test_set_is_judged_by_what_it_can_show() -> None:
    measured = _derived(*[FEW_KNOWN] * 20)
    checks = {finding.check: finding.outcome for finding in quality_findings(measured, LIMITS)}
    assert "precision" not in checks
    assert "MRR" not in checks
    assert set(checks.values()) == {Outcome.PASS}
    assert {"RR", "Success@5", "no worse than live"} <= set(checks)
    assert headline(measured, LIMITS) == "RR 1.000 and Success@5 1.000 over 20 derived topics."


def test_unjudged_hits_do_not_save_a_derived_test_set() -> None:
    found = _finding("Success@5", _derived(*[NOTHING] * 18, *[FEW_KNOWN] * 2))
    assert (found.outcome, found.value) == (Outcome.FAIL, pytest.approx(0.1))
    assert "(95% interval" in found.detail


def test_a_miss_within_the_interval_is_undecided_on_a_derived_test_set() -> None:
    assert _outcome("Success@5", _derived(*[NOTHING] * 6, *[FEW_KNOWN] * 5)) is Outcome.INCONCLUSIVE


# --- samples that are too small ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("check", "needed"), [("precision", 14), ("MRR", 9)])
def test_fewer_topics_than_could_prove_the_limit_leave_it_open(check: str, needed: int) -> None:
    assert _outcome(check, _measured(_topics(*[GOOD] * needed))) is Outcome.PASS
    found = _finding(check, _measured(_topics(*[GOOD] * (needed - 1))))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.detail.endswith("14 topics can")


def test_all_limits_that_few_topics_leave_open_name_the_same_number() -> None:
    findings = quality_findings(_measured(_topics(GOOD)), LIMITS)
    said = {one.detail for one in findings if one.check in {"precision", "MRR"}}
    assert said == {"reached, but 1 topic cannot prove it at 95% confidence, even with a perfect result: 14 topics can"}


def test_labels_that_rule_the_limit_out_are_named_first_with_the_setting() -> None:
    one_each = [replace(one, relevant=1) for one in _topics(*[(2, 0, 0, 0, 0)] * 12)]
    detail = _finding("precision", _measured(one_each)).detail
    assert detail.startswith("the labels allow P@5 of at most 0.20 for 12 of 12 topics: set [gate] precision = ")
    assert "the labels allow" not in _finding("precision", replace(_measured(one_each), only_hits=True)).detail
    assert "the labels allow" not in _finding("precision", _measured(_topics(*[BAD] * 12))).detail
    attainable = replace(LIMITS, precision="attainable", min_precision_share=0.7)
    assert _outcome("precision", _measured(one_each), attainable) is Outcome.PASS


@pytest.mark.parametrize("check", ["precision", "MRR"])
def test_a_small_sample_that_misses_a_limit_fails(check: str) -> None:
    assert _outcome(check, _measured(_topics((0,) * 5, (0,) * 5))) is Outcome.FAIL


@pytest.mark.parametrize(
    ("samples", "outcome"), [(1, Outcome.INCONCLUSIVE), (58, Outcome.INCONCLUSIVE), (59, Outcome.PASS)]
)
def test_a_p95_takes_59_searches(samples: int, outcome: Outcome) -> None:
    found = _finding("latency", replace(_measured(_topics(GOOD)), latency=_latency(20.0, samples)))
    assert found.outcome is outcome
    assert ("59 searches can" in found.detail) == (outcome is Outcome.INCONCLUSIVE)


@pytest.mark.parametrize(("least", "topics"), [(0.5, 5), (0.9, 29)])
def test_a_limit_on_a_group_needs_topics_enough_in_the_group(least: float, topics: int) -> None:
    for count, outcome in ((topics, Outcome.PASS), (topics - 1, Outcome.INCONCLUSIVE)):
        results = [*_topics(*[GOOD] * 40), *(_broad(number) for number in range(count))]
        limits = _limits(measure="Success@5", least=least, group="broad")
        assert _outcome("Success@5 of broad topics", _measured(results), limits) is outcome


def _broad(number: int) -> TopicResult:
    return _told(topic_result(f"broad-{number}", labels=GOOD, kind=TopicType.BROAD))


# --- what a person is told -----------------------------------------------------------------------------------------


def test_the_headline_is_the_seeds() -> None:
    measured = _measured(_topics(*[GOOD] * 12, *[BAD] * 3))
    assert headline(measured, LIMITS) == (
        "12/15 queries (80%) achieved precision@5 >= 0.80. MRR 0.87 exceeds target 0.70."
    )


def test_topics_say_whether_they_reached_their_target() -> None:
    failed = topic_result("broken", labels=(), error="gone")
    reached = with_targets([*_topics(GOOD, BAD), failed], LIMITS)
    assert [one.reached for one in reached] == [True, False, None]


def test_failed_topics_and_those_judged_by_abstention_do_not_count() -> None:
    results = [*_topics(GOOD), topic_result("broken", labels=(), error="gone"), _edge(0.1)]
    assert [one.topic.id for one in counted(results, LIMITS)] == ["t0", "sourdough"]
    assert [one.topic.id for one in counted(results, replace(LIMITS, edge_topics="abstain"))] == ["t0"]


def test_the_hits_to_label_first_are_those_that_decide_the_most() -> None:
    results = [
        topic_result("settled", labels=(2, 1, 1, 1, None)),
        topic_result("top unknown", labels=(None, 1, 1, 1, 1)),
        topic_result("two missing", labels=(2, 1, None, None, None)),
        topic_result("one missing", labels=(2, 1, 1, 0, None)),
        topic_result("hopeless", labels=(0, None, 0, 0, 0)),
        topic_result("unanswered", labels=(None,) * 5, relevant=0, expects_answer=False),
    ]
    listed = [(one.topic_id, one.rank) for one in hits_to_label(results, LIMITS)]
    assert listed == [
        ("one missing", 5),
        ("two missing", 3),
        ("two missing", 4),
        ("two missing", 5),
        ("top unknown", 1),
        ("hopeless", 2),
        ("settled", 5),
    ]
    assert len(hits_to_label(results, LIMITS, most=2)) == 2


def test_pages_whose_judgments_lost_their_passage_are_named_most_judgments_first() -> None:
    result = topic_result(labels=GOOD, relevant=4, lost=[Anchoring.ORPHANED] * 3)
    lost = [one for one in result.resolutions if one.anchoring is Anchoring.ORPHANED]
    urls = iter(["https://docs.example/a", "https://docs.example/b", "https://docs.example/b"])
    named = tuple(replace(one, url=next(urls)) if one in lost else one for one in result.resolutions)
    (note,) = orphan_notes([replace(result, resolutions=named)])
    assert (
        note == "3 judgments lost their passages, on 2 pages: https://docs.example/b (2), https://docs.example/a (1)."
    )
    assert orphan_notes([topic_result(labels=GOOD, relevant=4)]) == []
