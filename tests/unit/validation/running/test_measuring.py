"""From rankings and labels to values: whose hits count for which measure, and what a mean stands on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.validations import hits_of

from assay.errors import InputError
from assay.model.evaluation import MeasureValue, ResolvedTopic, Run, Topic, TopicRun
from assay.model.validations import TopicResult
from assay.validation.running.measuring import DEFAULT_MEASURES, Measures, measure_topics, overlapping, summarize

HITS = hits_of(0, 10)
IDS = [hit.chunk.id for hit in HITS]
MEASURES = Measures.parse()


def _topic(name: str, labels: Mapping[int, int], **fields: object) -> ResolvedTopic:
    """labels: by the rank of the hit in HITS, from 1; rank 0 is a chunk that no ranking has."""
    found = {IDS[rank - 1] if rank else "not found": label for rank, label in labels.items()}
    topic = Topic(id=name, text=name, **fields)  # type: ignore[arg-type]  # the fields of a topic
    return ResolvedTopic(topic, (), found)


def _answer(name: str, count: int = 10, error: str | None = None) -> TopicRun:
    return TopicRun(name, HITS[:count], None, error)


def _measured(topics: Sequence[ResolvedTopic], *answers: TopicRun) -> list[TopicResult]:
    given = answers or tuple(_answer(topic.topic.id) for topic in topics)
    return measure_topics(Run("g1", 10, given), topics, MEASURES)


def _value(values: Sequence[MeasureValue], name: str) -> MeasureValue:
    return next(value for value in values if value.name == name)


def test_every_report_has_the_same_measures_and_further_ones_once() -> None:
    assert MEASURES.names == DEFAULT_MEASURES
    assert Measures.parse(["ndcg_cut_10", "nDCG@20", "P@5"]).names == (*DEFAULT_MEASURES, "nDCG@20")
    with pytest.raises(InputError, match="Did you mean"):
        Measures.parse(["nDGC@10"])


def test_a_topic_has_the_values_of_its_whole_ranking() -> None:
    (result,) = _measured([_topic("a", {1: 1, 3: 2, 0: 1})])
    assert result.values["P@5"] == 0.4
    assert result.values["Recall@10"] == pytest.approx(2 / 3)
    assert result.values["judged@5"] == 0.4
    assert result.labels == (1, None, 2, *[None] * 7)
    assert (result.relevant, result.rank_of_best) == (3, 3)


def test_the_best_hit_is_sought_among_those_that_the_topic_shows() -> None:
    labels = {1: 1, 8: 2}
    (shown,) = _measured([_topic("a", labels, top_k=5)])
    (whole,) = _measured([_topic("a", labels, top_k=10)])
    assert (shown.values["mrr"], shown.rank_of_best) == (1.0, 1)
    assert (whole.values["mrr"], whole.rank_of_best) == (0.125, 8)
    assert shown.values["RR"] == whole.values["RR"] == 1.0
    assert shown.values["nDCG@10"] == whole.values["nDCG@10"]


def test_a_hit_with_the_text_of_a_judged_chunk_has_its_label() -> None:
    topic = replace(_topic("a", {0: 2}), same_text={IDS[1]: "not found"})
    (result,) = _measured([topic])
    assert result.labels[:3] == (None, 2, None)
    assert (result.values["RR"], result.values["Recall@10"]) == (0.5, 1.0)


def test_a_topic_that_failed_has_no_values_and_is_in_no_mean() -> None:
    topics = [_topic("good", {1: 2}), _topic("failed", {1: 2})]
    results = _measured(topics, _answer("good"), _answer("failed", 0, "no answer"))
    assert set(results[1].values.values()) == {None}
    assert (results[1].rank_of_best, results[1].error) == (None, "no answer")
    value = _value(summarize(results, {one.topic.id: one for one in topics}, MEASURES), "mrr")
    assert (value.value, value.measured, value.topics) == (1.0, 1, 2)


def test_a_topic_that_found_nothing_is_a_zero_and_in_every_mean() -> None:
    topics = [_topic("good", {1: 2}), _topic("empty", {1: 2})]
    results = _measured(topics, _answer("good"), _answer("empty", 0))
    value = _value(summarize(results, {one.topic.id: one for one in topics}, MEASURES), "P@5")
    assert (value.value, value.measured) == (0.1, 2)


def test_a_mean_says_what_unjudged_hits_could_make_of_it() -> None:
    topics = [_topic("a", {1: 2, 2: 0})]
    values = summarize(_measured(topics), {"a": topics[0]}, MEASURES)
    assert (_value(values, "P@5").value, _value(values, "P@5").upper) == (0.2, 0.8)
    assert _value(values, "judged@5").upper is None


def test_a_mean_says_what_equal_scores_leave_open() -> None:
    topic = _topic("a", {2: 2})
    (result,) = _measured([topic])
    by_topic = {"a": topic}
    assert _value(summarize([result], by_topic, MEASURES), "RR").tied is None
    alike = replace(result, hits=tuple(replace(hit, rank_score=1.0) for hit in result.hits))
    assert _value(summarize([alike], by_topic, MEASURES), "RR").tied == (0.1, 1.0)
    assert _value(summarize([alike], by_topic, MEASURES), "mrr").tied == (0.2, 1.0)


def test_one_topic_has_no_interval_and_several_have_one() -> None:
    topics = [_topic(f"t{number}", {number: 2}) for number in range(1, 7)]
    by_topic = {one.topic.id: one for one in topics}
    results = _measured(topics)
    assert _value(summarize(results[:1], by_topic, MEASURES), "RR").interval is None
    value = _value(summarize(results, by_topic, MEASURES), "RR")
    assert value.interval is not None
    assert value.value is not None
    assert value.interval.low < value.value < value.interval.high


def test_a_paraphrase_shares_the_pages_of_its_original() -> None:
    topics = [_topic("one", {}), _topic("other", {}, paraphrase_of="one"), _topic("lost", {}, paraphrase_of="nobody")]
    results = _measured(topics)
    shifted = replace(results[1], hits=HITS[2:])
    assert overlapping([results[0], shifted, results[2]]) == {"other": pytest.approx(1 / 3)}
    values = summarize([results[0], shifted, results[2]], {one.topic.id: one for one in topics}, MEASURES)
    assert (_value(values, "overlap@3").measured, _value(values, "overlap@3").topics) == (1, 1)


def test_who_sees_only_hits_knows_nothing_of_what_was_not_found() -> None:
    assert set(MEASURES.computable_from_hits().names) == {"P@5", "mrr", "RR", "Success@5", "judged@5"}
