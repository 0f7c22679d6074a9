"""What a person is told to do, and when nothing is said."""

from collections.abc import Sequence
from dataclasses import asdict, replace

import pytest
from tests import validations
from tests.validations import SITE, chunk_of, percentiles, topic_result

from assay.model.evaluation import Anchoring, TopicType
from assay.model.ranking import Hit
from assay.model.validations import LatencyFigures, TopicResult
from assay.settings import GateSettings
from assay.validation.gate.policy import QualityLimits
from assay.validation.report.advice import advice

LIMITS = GateSettings().options(QualityLimits, completeness=1.0, hashes=1.0)
GOOD = (2, 1, 1, 1, 0)


def advise(
    *results: TopicResult, latency: LatencyFigures | None = None, limits: QualityLimits = LIMITS
) -> tuple[str, ...]:
    return advice(results, latency, limits)


def took(p95_ms: float, p99_ms: float) -> LatencyFigures:
    figures = replace(percentiles(2_000, 100.0, p95_ms), p99_ms=p99_ms)
    return LatencyFigures(**asdict(figures), stages={})


def test_nothing_is_said_of_a_good_topic() -> None:
    assert advise(topic_result(labels=GOOD), latency=took(100.0, 200.0)) == ()


def test_nothing_is_said_of_no_topics() -> None:
    assert advise() == ()


@pytest.mark.contract("001.40")
def test_an_edge_query_without_relevant_results_is_expected_in_the_seeds_words() -> None:
    edge = topic_result(
        text="quantum computing", kind=TopicType.EDGE, labels=(0,) * 5, relevant=0, expects_answer=False
    )
    assert advise(edge) == ("Query 'quantum computing' returned no relevant results (expected - out of domain)",)


def test_an_empty_query_without_results_is_expected() -> None:
    empty = topic_result(text="", kind=TopicType.EDGE, labels=(), relevant=0, expects_answer=False)
    assert advise(empty) == ("Query '' returned no relevant results (expected - empty query)",)


def test_a_query_without_relevant_results_is_told_with_what_is_known() -> None:
    line = advise(topic_result(text="What is URDF?", labels=(0, 0, 0, 0, None)))[0]
    assert line == (
        "Query 'What is URDF?' returned no relevant results, though 6 of the index's chunks are labelled relevant; 1 "
        "of its 5 results is not judged"
    )


def test_a_query_whose_relevant_passages_are_gone_is_not_told_that_the_index_has_them() -> None:
    gone = topic_result(text="What is URDF?", labels=(0, 0), relevant=2, lost=(Anchoring.ORPHANED,) * 2)
    (line,) = (one for one in advise(replace(gone, lost=2, relevant=2)) if "no relevant results" in one)
    assert line.endswith("no relevant results, because no passage that is labelled relevant is in the index any more")
    left = topic_result(text="What is URDF?", labels=(0, 0), relevant=2, lost=(Anchoring.ORPHANED,))
    (line,) = (one for one in advise(replace(left, lost=1, relevant=2)) if "no relevant results" in one)
    assert line.endswith("though 1 of the 2 passages labelled relevant is in the index")
    one = topic_result(text="What is URDF?", labels=(0, 0), relevant=1)
    assert any("1 of the index's chunks is labelled relevant" in line for line in advise(one))


def test_a_query_that_finds_nothing_at_all_is_told() -> None:
    assert advise(topic_result(labels=())) == (
        "Query 'How do nodes exchange messages over topics?' returned nothing at all",
    )


def test_a_query_that_failed_is_told_once_for_each_reason() -> None:
    failed = [topic_result(f"t{number}", f"query {number}", error="It is down.") for number in range(3)]
    other = topic_result("t9", "query 9", error="It is slow.")
    assert advise(*failed, other) == (
        "Query 'query 0' and 2 others failed: It is down.",
        "Query 'query 9' failed: It is slow.",
    )


def test_orphaned_judgments_are_told_by_page() -> None:
    one = topic_result(labels=GOOD, relevant=8, lost=(Anchoring.ORPHANED,))
    other = topic_result("other", "other", labels=GOOD, relevant=8, lost=(Anchoring.ORPHANED,))
    (line,) = advise(one, other)
    assert line.startswith(
        f"2 judgments on {SITE}/sensing/sensors are orphaned (its words are not on the page any more)"
    )
    assert "`assay testset repair`" in line


def test_what_to_do_about_lost_judgments_is_said_once_and_their_page_is_not_repeated() -> None:
    lost = [topic_result(str(n), str(n), GOOD, relevant=8, first=n, lost=(Anchoring.ORPHANED,)) for n in range(2)]
    gone = [
        replace(
            one,
            resolutions=tuple(
                replace(found, reason=f"There is no page {found.url}.") if found.reason else found
                for found in one.resolutions
            ),
        )
        for one in lost
    ]
    first, second = (line for line in advise(*gone) if "orphaned" in line)
    assert first.startswith(
        f"1 judgment on {SITE}/sensing/sensors is orphaned (there is no page): `assay testset repair`"
    )
    assert second == f"1 judgment on {SITE}/glossary is orphaned (there is no page)"


def test_ambiguous_judgments_ask_for_more_words() -> None:
    (line,) = advise(topic_result(labels=GOOD, relevant=8, lost=(Anchoring.AMBIGUOUS,)))
    assert line == (
        f"1 judgment on {SITE}/sensing/sensors is ambiguous (its words stand on the page 3 times): add a `prefix` or "
        "`suffix` to distinguish the places"
    )


def test_a_judgment_that_was_found_again_needs_nothing() -> None:
    assert advise(topic_result(labels=GOOD, relevant=8, lost=(Anchoring.RE_ANCHORED,))) == ()


def test_a_topic_for_which_nothing_relevant_is_known_is_told() -> None:
    (line,) = advise(topic_result(labels=(0, 0, 0, 0, 0), relevant=0))
    assert "has no judgment of 1 or 2, so no ranking can be good for it" in line


def types(kind: TopicType, labels: Sequence[int], count: int) -> list[TopicResult]:
    return [topic_result(f"{kind}-{number}", f"{kind} {number}", labels, kind=kind) for number in range(count)]


def test_a_type_that_scores_far_under_the_others_is_told_with_its_worst_query() -> None:
    low = types(TopicType.PARAPHRASE, (2, 0, 0, 0, 0), 3)
    low[1] = topic_result("worst", "the worst one", (0, 0, 0, 0, 0, 1), kind=TopicType.PARAPHRASE)
    lines = advise(*types(TopicType.SPECIFIC, (2, 1, 1, 1, 1), 4), *low)
    assert lines[0] == (
        "Queries of type paraphrase score low: P@5 0.13 over 3 of them, 1.00 over the others; 'the worst one' is the "
        "worst"
    )


@pytest.mark.parametrize(
    ("labels", "count", "told"),
    [((2, 0, 0, 0, 0), 2, False), ((2, 0, 0, 0, 0), 3, True), ((2, 1, 1, 1, 1), 3, False)],
    ids=["too few of them", "enough", "no difference"],
)
def test_a_type_is_not_called_low_for_little(labels: Sequence[int], count: int, told: bool) -> None:
    lines = advise(*types(TopicType.SPECIFIC, (2, 1, 1, 1, 1), 4), *types(TopicType.BROAD, labels, count))
    assert any(line.startswith("Queries of type broad score low") for line in lines) is told


def test_edge_queries_are_not_called_low() -> None:
    edges = [
        topic_result(f"e{n}", f"edge {n}", (0,) * 5, kind=TopicType.EDGE, relevant=0, expects_answer=False)
        for n in range(4)
    ]
    assert not [line for line in advise(*types(TopicType.SPECIFIC, GOOD, 4), *edges) if "score low" in line]


def test_a_topic_that_cannot_reach_its_limit_is_told() -> None:
    low = topic_result(text="What is URDF?", labels=(2, 1, 0, 0, 0), relevant=2)
    ways_out = 'label more, or set gate.precision = "attainable"'
    reason = f"can reach P@5 0.40 at most; required: 0.80. 2 chunks are labelled relevant: {ways_out}"
    assert advise(low) == (f"Query 'What is URDF?' {reason}",)
    assert advise(low, low, low) == (f"Query 'What is URDF?' and 2 others {reason}",)


def test_a_ceiling_does_not_matter_where_precision_is_measured_against_it() -> None:
    attainable = replace(LIMITS, precision="attainable")
    assert advise(topic_result(labels=(2, 1, 0, 0, 0), relevant=2), limits=attainable) == ()


def test_four_relevant_chunks_are_enough_for_the_limit() -> None:
    assert advise(topic_result(labels=GOOD, relevant=4)) == ()


PASSAGE = " ".join(f"word{number}" for number in range(60))


def hit(rank: int, place: int, text: str) -> Hit:
    return Hit(rank, chunk_of(place, text), 0.5, 1.0 / rank)


def crowded(*texts: str) -> TopicResult:
    one = topic_result(labels=(1, 0, 0, 0, 0))
    return replace(one, hits=tuple(hit(rank, rank, text) for rank, text in enumerate(texts, start=1)))


def test_pages_that_say_nearly_the_same_are_told_by_name() -> None:
    lines = advise(crowded(PASSAGE, "something else altogether", f"{PASSAGE} and more", "four", "five"))
    (line,) = [line for line in lines if "nearly the same" in line]
    assert line == (
        f"{SITE}/communication/qos and {SITE}/robot-description have nearly the same text and take more than one of "
        "the first 5 places for 1 query: leave one of the pages out"
    )


def test_chunks_that_differ_are_not_called_the_same() -> None:
    halves = PASSAGE[: len(PASSAGE) // 2], PASSAGE[len(PASSAGE) // 2 :]
    assert not [line for line in advise(crowded(PASSAGE, *halves, "four", "five")) if "nearly the same" in line]


def test_near_duplicates_do_not_matter_where_the_topic_reaches_its_limit() -> None:
    good = replace(crowded(PASSAGE, f"{PASSAGE} too"), values={"P@5": 1.0})
    assert not [line for line in advise(good) if "nearly the same" in line]


def test_a_paraphrase_that_finds_other_pages_is_told() -> None:
    original = topic_result("nodes-talk", labels=GOOD)
    for apart, told in ((0, False), (1, False), (2, True), (5, True)):
        one = topic_result(
            "p", "robot messaging", GOOD, kind=TopicType.PARAPHRASE, first=apart, paraphrase_of="nodes-talk"
        )
        shared = max(3 - apart, 0)
        words = f"paraphrases nodes-talk, and shares {shared} of 3 pages with it in the first 3 hits"
        assert advise(original, one) == ((f"Query 'robot messaging' {words}",) if told else ())


def test_a_paraphrase_whose_hits_are_all_of_the_page_that_its_original_finds_is_not_told() -> None:
    original = topic_result("nodes-talk", labels=GOOD)
    page = original.hits[0]
    hits = tuple(replace(page, rank=rank) for rank in (1, 2, 3))
    same = topic_result("p", "robot messaging", GOOD, kind=TopicType.PARAPHRASE, paraphrase_of="nodes-talk")
    lines = advise(replace(original, hits=hits), replace(same, hits=hits))
    assert not [line for line in lines if "paraphrases" in line]


def test_a_query_that_should_find_nothing_and_finds_something_similar_is_told() -> None:
    edge = topic_result(
        text="quantum", kind=TopicType.EDGE, labels=(0,), relevant=0, expects_answer=False,
        expected_criteria={"min_score": 0.2},
    )  # fmt: skip
    assert advise(edge)[0] == (
        f"Query 'quantum' should find nothing, and {SITE}/communication/nodes-and-topics#nodes has similarity 0.24, "
        "over its min_score of 0.20: `assay calibrate` finds a better one"
    )
    assert len(advise(replace(edge, topic=replace(edge.topic, expected_criteria={"min_score": 0.3})))) == 1


def test_many_unjudged_results_are_told() -> None:
    lines = advise(topic_result(labels=(2, None, None, 1, 1)))
    assert lines == (
        "2 of 5 results are not judged (40%) and count as not relevant: `assay label` shows them one by one",
    )
    assert advise(topic_result(labels=(2, 1, 1, 1, None))) == ()


@pytest.mark.contract("001.40")
def test_latency_near_its_limit_is_told_in_the_seeds_words() -> None:
    assert advise(latency=took(900.0, 1_800.0)) == (
        "p99 latency 1800ms within acceptable range but approaching limit 2000ms",
    )
    assert advise(latency=took(1_700.0, 2_400.0)) == (
        "p95 latency 1700ms within acceptable range but approaching limit 2000ms",
        "p99 latency 2400ms is over the limit of 2000ms that p95 keeps",
    )
    assert advise(latency=took(1_500.0, 1_599.0)) == ()
    assert advise(latency=LatencyFigures(**asdict(percentiles(0, 0, 0)), stages={})) == ()


def test_latency_over_its_limit_is_left_to_the_gate() -> None:
    assert advise(latency=took(2_000.0, 2_400.0)) == ()


def test_at_most_five_of_a_kind_are_told_and_how_many_more_there_are() -> None:
    lines = advise(*(topic_result(f"t{n}", f"query {n}", (0,) * 5) for n in range(9)))
    told = [line for line in lines if "returned no relevant results" in line]
    assert len(told) == 5
    assert lines[len(told)] == "… and 4 more of this kind"


def test_a_long_query_is_cut_and_stays_on_one_line() -> None:
    (line,) = advise(topic_result(text=f"What\nis {'x' * 200}?", labels=()))
    assert line.startswith("Query 'What is xxx")
    assert "x…' returned" in line
    assert len(line) < 130


def test_the_made_up_failure_is_advised_upon() -> None:
    lines = advise(*validations.failed().topics, latency=validations.failed().latency)
    assert any(" failed: " in line for line in lines)
    assert any("orphaned" in line for line in lines)
    assert any("ambiguous" in line for line in lines)
    assert any("expected - out of domain" in line for line in lines)
    assert any("approaching limit" in line for line in lines)


def test_a_derived_test_set_gets_no_advice_on_p5_or_on_labels() -> None:
    of_one = [topic_result(f"t{n}", labels=(1, *[None] * 4), relevant=1, kind=TopicType.BROAD) for n in range(9)]
    low = [topic_result(f"low{n}", labels=(0, *[None] * 4), relevant=1) for n in range(9)]
    told = " ".join(advise(*of_one, *low))
    for words in ("can reach P@5", "score low", "are not judged ("):
        assert words in told
    said = advice([*of_one, *low], None, LIMITS, derived=True)
    assert said
    assert all("returned no relevant results" in line or "more of this kind" in line for line in said)
