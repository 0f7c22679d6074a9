"""What one generation lost counts as not found, in every measure, beside the generation that has it."""

from dataclasses import replace

import pytest

from assay.model.evaluation import Anchoring, Judgment, Passage, Quote, Resolution, ResolvedTopic, TestSet, Topic
from assay.validation.judgments.denominators import (
    Removed,
    removal_notes,
    removed_on_purpose,
    with_lost,
    without_removed,
)
from assay.validation.metrics import parse_measure
from assay.validation.running.measuring import found_passages

SITE = "https://docs.example.org"
LOST = Resolution(Anchoring.ORPHANED, url=f"{SITE}/a")
GONE = Resolution(Anchoring.ORPHANED)


def _quote(name: str, label: int = 1) -> Judgment:
    return Judgment(Passage(url=f"{SITE}/{name}", quote=Quote(name)), label)


def _page(name: str, label: int = 1) -> Judgment:
    return Judgment(Passage(url=f"{SITE}/{name}"), label)


def _there(*chunks: str) -> Resolution:
    return Resolution(Anchoring.EXACT, url=f"{SITE}/a", chunk_ids=chunks)


def _topic(judged: list[tuple[Judgment, Resolution]]) -> ResolvedTopic:
    labels: dict[str, int] = {}
    for judgment, resolution in judged:
        for chunk in resolution.chunk_ids:
            labels[chunk] = max(labels.get(chunk, 0), judgment.label)
    topic = Topic("t", "?", judgments=tuple(judgment for judgment, _ in judged))
    return ResolvedTopic(topic, tuple(resolution for _, resolution in judged), labels)


def _beside(
    before: list[tuple[Judgment, Resolution]], after: list[tuple[Judgment, Resolution]], *, same_chunker: bool = True
) -> tuple[ResolvedTopic, ResolvedTopic]:
    (one,), (other,) = with_lost([[_topic(before)], [_topic(after)]], same_chunker=same_chunker)
    return one, other


@pytest.mark.parametrize(
    "measure", ["Recall@10", "AP", "nDCG@10", "nDCG_exp@10", "bpref", "mrr", "RR", "P@5", "Success@5"]
)
@pytest.mark.parametrize("label", [1, 2])
def test_losing_what_was_not_found_raises_no_measure(measure: str, label: int) -> None:
    """The ranking is the same, and the passage that it never found is gone."""
    before = [(_quote("a", 2), _there("a")), (_quote("b", label), _there("b"))]
    after = [before[0], (before[1][0], LOST)]
    of_before, of_after = _beside(before, after)
    value = parse_measure(measure).of
    assert value(["a", "x"], of_after.counted) == value(["a", "x"], of_before.counted)
    alone = _topic(after)
    if measure in {"Recall@10", "AP", "nDCG@10"}:  # the fault: on its own denominator it is higher
        assert (value(["a", "x"], alone.counted) or 0.0) > (value(["a", "x"], of_before.counted) or 0.0)


def test_a_passage_that_the_old_generation_lacks_counts_there_too() -> None:
    of_before, of_after = _beside([(_quote("a"), LOST)], [(_quote("a"), _there("a"))])
    assert (list(of_before.counted.values()), of_before.lost) == ([1], {0})
    assert (of_after.missing, of_after.lost) == ({}, frozenset())


def test_what_no_generation_has_counts_nowhere() -> None:
    for topic in _beside([(_quote("a"), LOST)], [(_quote("a"), LOST)]):
        assert (topic.counted, topic.lost) == ({}, frozenset())


def test_a_chunk_that_another_judgment_still_has_is_not_missing() -> None:
    before = [(_quote("a"), _there("c")), (_quote("b"), _there("c"))]
    of_before, of_after = _beside(before, [(before[0][0], LOST), before[1]])
    assert len(of_after.counted) == len(of_before.counted) == 1


def test_the_best_label_of_a_chunk_is_missing_though_a_lower_one_is_left() -> None:
    before = [(_quote("a", 2), _there("c")), (_quote("b", 1), _there("c"))]
    _, of_after = _beside(before, [(before[0][0], LOST), before[1]])
    assert sorted(of_after.counted.values()) == [1, 2]


def test_a_judged_page_that_lost_most_of_its_text_still_counts_as_a_whole() -> None:
    before = [(_page("a"), _there("a0", "a1", "a2", "a3"))]
    of_before, of_after = _beside(before, [(before[0][0], _there("login"))])
    assert len(of_before.counted) == len(of_after.counted) == 4
    assert of_after.lost == frozenset()  # it is there, and shorter


def test_a_quote_that_falls_on_fewer_chunks_lost_nothing() -> None:
    _, of_after = _beside([(_quote("a"), _there("a0", "a1"))], [(_quote("a"), _there("a2"))])
    assert of_after.missing == {}


@pytest.mark.parametrize(("same_chunker", "missing"), [(True, 4), (False, 2)])
def test_what_was_lost_is_scaled_to_chunks_of_another_size(same_chunker: bool, missing: int) -> None:
    kept, lost = _quote("a"), _quote("b")
    fine = [(kept, _there("a0", "a1", "a2", "a3")), (lost, _there("b0", "b1", "b2", "b3"))]
    _, of_coarse = _beside(fine, [(kept, _there("A0", "A1")), (lost, LOST)], same_chunker=same_chunker)
    assert len(of_coarse.missing) == missing


def test_a_label_of_zero_stays_in_the_denominator_too() -> None:
    _, of_after = _beside([(_quote("a", 0), _there("a"))], [(_quote("a", 0), LOST)])
    assert list(of_after.counted.values()) == [0]


def test_passages_are_counted_by_judgment_and_not_by_chunk() -> None:
    judged = [
        (_quote("a"), _there("a0", "a1")),
        (_quote("b"), _there("b")),
        (_quote("c"), LOST),
        (_quote("d", 0), LOST),
    ]
    before = [*judged[:2], (judged[2][0], _there("c")), judged[3]]
    of_before, of_after = _beside(before, judged)
    assert found_passages(of_after, ["a1"]) == pytest.approx(1 / 3)
    assert found_passages(of_before, ["a0", "a1", "c"]) == pytest.approx(2 / 3)
    assert found_passages(_topic(judged), ["a1"]) == pytest.approx(1 / 2)


def test_only_judgments_whose_whole_page_is_gone_were_removed_on_purpose() -> None:
    before = [(_quote(name), replace(_there(name), url=f"{SITE}/{name}")) for name in "abc"]
    after = [(before[0][0], GONE), (before[1][0], LOST), before[2]]
    assert removed_on_purpose([_topic(after)], [_topic(before)]) == [Removed("t", 0, f"{SITE}/a")]


def test_removed_judgments_are_excluded_and_topics_without_an_answer_dropped() -> None:
    kept = Topic("kept", "?", judgments=(_quote("a"), _quote("b")))
    emptied = Topic("emptied", "?", judgments=(_quote("a"), _quote("b", 0)))
    edge = Topic("edge", "?", judgments=(_quote("a", 0),), expects_answer=False)
    removed = [Removed(one, 0, f"{SITE}/a") for one in ("kept", "emptied", "edge")]
    left = without_removed(TestSet("s", (kept, emptied, edge), "f"), removed)
    assert [topic.id for topic in left.topics] == ["kept", "edge"]
    assert left.topics[0].judgments == (_quote("b"),)
    assert left.topics[0].excluded == (_quote("a").passage,)
    assert left.fingerprint == "f"
    [note] = removal_notes(removed)
    assert note.startswith("3 judgments are left out on both sides")
    assert f"{SITE}/a" in note
    assert removal_notes([]) == []
