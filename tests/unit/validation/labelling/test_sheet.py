"""Which hits are asked about, and in which order."""

from dataclasses import replace

import pytest
from tests.validations import topic_result

from assay.app import gate_of
from assay.errors import InputError
from assay.model.evaluation import Judgment, Passage, TestSet
from assay.model.labelling import Standing, ToLabel
from assay.model.validations import TopicResult
from assay.settings import GateSettings
from assay.validation.labelling.sheet import chosen, owners, standings, to_label

LIMITS = gate_of(GateSettings()).quality
JUDGED = (Judgment(Passage(url="https://docs.example/a"), 2),)


def test_set_of(*results: TopicResult) -> TestSet:
    return TestSet("s", tuple(result.topic for result in results), "f")


test_set_of.__test__ = False  # type: ignore[attr-defined]


def texts(items: list[ToLabel]) -> list[str]:
    return [item.chunk.content_hash for item in items]


def own(result: TopicResult, **changes: object) -> TopicResult:
    return replace(result, topic=replace(result.topic, **changes))  # type: ignore[arg-type]


def test_exactly_the_unjudged_hits_to_the_depth_are_asked() -> None:
    result = topic_result("t", labels=(2, None, 0, None, None, None, 1))
    for depth, places in ((5, {1, 3, 4}), (7, {1, 3, 4, 5}), (1, set())):
        items = to_label(test_set_of(result), [result], LIMITS, depth)
        assert set(texts(items)) == {result.hits[place].chunk.content_hash for place in places}


def test_within_a_topic_the_order_is_by_lot_and_always_the_same() -> None:
    result = topic_result("t", labels=(None,) * 10)
    by_rank = [hit.chunk.content_hash for hit in result.hits]
    first = texts(to_label(test_set_of(result), [result], LIMITS, 10))
    assert first != by_rank
    assert sorted(first) == sorted(by_rank)
    assert texts(to_label(test_set_of(result), [result], LIMITS, 10)) == first


def test_topics_and_test_sets_have_orders_of_their_own() -> None:
    result, other = topic_result("t", labels=(None,) * 10), topic_result("u", labels=(None,) * 10)
    one = texts(to_label(test_set_of(result), [result], LIMITS, 10))
    assert texts(to_label(test_set_of(other), [other], LIMITS, 10)) != one
    assert texts(to_label(replace(test_set_of(result), name="z"), [result], LIMITS, 10)) != one


def test_a_session_that_is_taken_up_again_goes_on_in_the_same_order() -> None:
    before = topic_result("t", labels=(None,) * 8)
    order = texts(to_label(test_set_of(before), [before], LIMITS, 8))
    judged = set(order[:3])
    labels = tuple(0 if hit.chunk.content_hash in judged else None for hit in before.hits)
    after = replace(before, labels=labels)
    assert texts(to_label(test_set_of(after), [after], LIMITS, 8)) == order[3:]


def test_the_order_does_not_follow_the_rank() -> None:
    """Over many topics, the first that is asked has each rank about equally often."""
    ranks = []
    for number in range(400):
        result = topic_result(f"t{number}", labels=(None,) * 5)
        first = to_label(test_set_of(result), [result], LIMITS, 5)[0]
        ranks.append(next(hit.rank for hit in result.hits if hit.chunk.id == first.chunk.id))
    assert all(50 <= ranks.count(rank) <= 110 for rank in range(1, 6))


def test_the_topic_whose_labels_decide_most_comes_first() -> None:
    decided = topic_result("decided", labels=(2, 2, 1, 1, None), first=0)
    close = topic_result("close", labels=(2, 1, 1, None, None), first=20)
    far = topic_result("far", labels=(None,) * 5, first=40, relevant=0)
    items = to_label(test_set_of(decided, far, close), [decided, far, close], LIMITS, 5)
    assert list(dict.fromkeys(item.topic.id for item in items)) == ["close", "far", "decided"]
    assert "would bring the topic to P@5" in items[0].why


def test_a_topic_that_failed_has_nothing_to_label() -> None:
    failed = topic_result("t", error="The embedder did not answer.")
    assert to_label(test_set_of(failed), [failed], LIMITS, 5) == []


def test_paraphrases_that_share_judgments_are_asked_once_under_their_original() -> None:
    original = own(topic_result("o", labels=(2, None, None)), judgments=JUDGED)
    paraphrase = own(topic_result("p", labels=(2, None, None, None)), judgments=JUDGED, paraphrase_of="o")
    items = to_label(test_set_of(original, paraphrase), [original, paraphrase], LIMITS, 5)
    assert {item.topic.id for item in items} == {"o"}
    assert len(items) == 3  # the two that both found, and the one that only the paraphrase did


def test_a_paraphrase_with_judgments_of_its_own_is_asked_by_itself() -> None:
    original = own(topic_result("o", labels=(2, None)), judgments=JUDGED)
    equal = tuple(replace(one) for one in JUDGED)
    paraphrase = own(topic_result("p", labels=(2, None)), judgments=equal, paraphrase_of="o")
    items = to_label(test_set_of(original, paraphrase), [original, paraphrase], LIMITS, 5)
    assert sorted(item.topic.id for item in items) == ["o", "p"]


def test_paraphrases_of_paraphrases_belong_to_the_first() -> None:
    topics = [
        own(topic_result("o"), judgments=()).topic,
        own(topic_result("p"), judgments=(), paraphrase_of="o").topic,
        own(topic_result("q"), judgments=(), paraphrase_of="p").topic,
        own(topic_result("n"), judgments=(), paraphrase_of="o", expects_answer=False).topic,
    ]
    assert {one: owner.id for one, owner in owners(topics).items()} == {"o": "o", "p": "o", "q": "o", "n": "n"}


def test_topics_are_chosen_with_those_that_share_their_judgments() -> None:
    original = own(topic_result("o"), judgments=JUDGED)
    paraphrase = own(topic_result("p"), judgments=JUDGED, paraphrase_of="o")
    other = topic_result("x")
    everything = test_set_of(original, paraphrase, other)
    assert [topic.id for topic in chosen(everything, ["p"]).topics] == ["o", "p"]
    assert chosen(everything, []) is everything
    with pytest.raises(InputError, match="no topic with the id nodes"):
        chosen(everything, ["x", "nodes"])


def test_a_topic_is_decided_where_the_missing_labels_make_no_difference() -> None:
    results = [
        topic_result("reached", labels=(2, 2, 1, 1, None)),
        topic_result("missed", labels=(2, 0, 0, None, None)),
        topic_result("open", labels=(2, 1, None, None, 0)),
        topic_result("failed", error="no"),
    ]
    assert standings(results, LIMITS) == {
        "reached": Standing.REACHED,
        "missed": Standing.MISSED,
        "open": Standing.OPEN,
    }
