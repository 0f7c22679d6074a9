"""The limits on labelled queries: each at its border, what unjudged hits leave open, and what to label first."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.validations import chunk_of, hits_of, topic_result

from assay.app import gate_of
from assay.model.evaluation import Anchoring, Category, Finding, Interval, Outcome, TopicType
from assay.model.ranking import Hit
from assay.model.validations import Difference, LatencyFigures, Percentiles, TopicResult
from assay.settings import GateSettings
from assay.validation.gate import MeasureLimit, QualityLimits
from assay.validation.integrity.results import check_hits
from assay.validation.quality import Measured, counted, headline, hits_to_label, quality_findings, with_targets

LIMITS = gate_of(GateSettings()).quality
GOOD = (2, 1, 1, 1, 0)
BAD = (0, 0, 1, 0, 0)
OPEN = (2, 1, None, None, 0)


def _latency(p95_ms: float, samples: int = 30) -> LatencyFigures:
    total = Percentiles(samples, p95_ms / 2, p95_ms / 2, p95_ms, p95_ms, p95_ms, p99_estimated=True)
    return LatencyFigures(total, {"embed": replace(total, p95_ms=p95_ms / 4), "search": total})


def _measured(
    results: Sequence[TopicResult],
    hits: Sequence[Hit] = (),
    p95_ms: float = 20.0,
    drops: dict[MeasureLimit, Difference] | None = None,
) -> Measured:
    return Measured(results, check_hits(hits), _latency(p95_ms), drops or {})


def _topics(*labels: Sequence[int | None]) -> list[TopicResult]:
    return [topic_result(f"t{number}", labels=one) for number, one in enumerate(labels)]


def _finding(check: str, measured: Measured, limits: QualityLimits = LIMITS) -> Finding:
    return next(finding for finding in quality_findings(measured, limits) if finding.check == check)


def _outcome(check: str, measured: Measured, limits: QualityLimits = LIMITS) -> Outcome:
    return _finding(check, measured, limits).outcome


# --- the seed's criteria -------------------------------------------------------------------------------------------


def test_the_defaults_are_seed_001s() -> None:
    assert (LIMITS.precision, LIMITS.precision_share, LIMITS.mrr, LIMITS.p95_ms) == (0.8, 0.8, 0.7, 2_000.0)
    assert (LIMITS.completeness, LIMITS.hashes) == (1.0, 1.0)
    assert (LIMITS.edge_topics, LIMITS.precision_of, LIMITS.measures) == ("count", "at_k", ())


@pytest.mark.parametrize(("good", "outcome"), [(4, Outcome.PASS), (3, Outcome.FAIL)])
def test_four_of_five_topics_have_to_reach_the_precision(good: int, outcome: Outcome) -> None:
    found = _finding("precision", _measured(_topics(*[GOOD] * good, *[BAD] * (5 - good))))
    assert (found.outcome, found.value) == (outcome, good / 5)
    if outcome is Outcome.FAIL:
        assert found.examples == ("t3: P@5 0.20", "t4: P@5 0.20")
        assert found.count == 2


@pytest.mark.parametrize(("labels", "outcome"), [((1, 1, 1, 1, 0), Outcome.PASS), ((1, 1, 1, 0, 0), Outcome.FAIL)])
def test_a_topic_reaches_it_with_four_relevant_hits_of_five(labels: Sequence[int], outcome: Outcome) -> None:
    assert _outcome("precision", _measured(_topics(labels))) is outcome


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
    assert _outcome("MRR", _measured(_topics(*labels))) is outcome


@pytest.mark.parametrize(("p95_ms", "outcome"), [(1_999.9, Outcome.PASS), (2_000.0, Outcome.FAIL)])
def test_p95_has_to_be_under_its_limit(p95_ms: float, outcome: Outcome) -> None:
    found = _finding("latency", _measured(_topics(GOOD), p95_ms=p95_ms))
    assert found.outcome is outcome
    assert ("most of it in search" in found.detail) == (outcome is Outcome.FAIL)


def test_without_a_timed_search_the_latency_is_not_known() -> None:
    measured = replace(_measured(_topics(GOOD)), latency=None)
    assert _outcome("latency", measured) is Outcome.INCONCLUSIVE


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
        assert "1 passages are gone, 1 stand more than once" in found.detail
        assert len(found.examples) == 2


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
    assert _finding("precision", _measured([result]), replace(LIMITS, precision_of="attainable")).value == value
    assert _finding("precision", _measured([result])).value == 0.0


# --- further limits ------------------------------------------------------------------------------------------------


def _limits(**limit: object) -> QualityLimits:
    values = {"measure": "P@5", "group": None, "least": None, "max_drop": None} | limit
    return replace(LIMITS, measures=(MeasureLimit(**values),))  # type: ignore[arg-type]  # the fields of a limit


@pytest.mark.parametrize(("least", "outcome"), [(0.5, Outcome.PASS), (0.51, Outcome.FAIL)])
def test_any_measure_can_have_a_limit(least: float, outcome: Outcome) -> None:
    measured = _measured(_topics(GOOD, BAD))
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
    found = _finding("P@5 against live", _measured(_topics(GOOD), drops={limits.measures[0]: drop}), limits)
    assert found.outcome is outcome
    if outcome is Outcome.INCONCLUSIVE:
        assert "20 topics that show no less than 0.18 are too few for a limit of 0.02" in found.detail


def test_without_anything_live_nothing_can_fall() -> None:
    found = _finding("P@5 against live", _measured(_topics(GOOD)), _limits(max_drop=0.02))
    assert (found.outcome, found.value) == (Outcome.PASS, None)


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
