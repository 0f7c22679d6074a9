"""Comparing two systems: who is joined, what may be concluded, and what makes a comparison unfair."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.validations import passed

from assay.errors import InputError
from assay.model.comparisons import Comparison, Conclusion, Side
from assay.model.validations import StoredTopic
from assay.validation.comparing import compare_sides, measures_to_compare, stored_topic, worse

PROVENANCE = passed().provenance


def _topic(
    identity: str,
    value: float | None,
    *,
    judged: float = 1.0,
    most: float | None = None,
    rank: int | None = 1,
    text: str = "",
    error: str | None = None,
    lost: int = 0,
) -> StoredTopic:
    values = {"nDCG@10": value, "P@5": value, "judged@5": judged, "ceiling P@5": 1.0}
    bounds = dict.fromkeys(values, value if most is None else most)
    return StoredTopic(
        identity,
        text or f"What is {identity}?",
        "specific",
        values,
        bounds,
        rank,
        latency_ms=1.0,
        error=error,
        lost=lost,
    )


def _side(name: str, *topics: StoredTopic, test_set: str = "f1", search: Mapping[str, object] | None = None) -> Side:
    told = replace(PROVENANCE, test_set_fingerprint=test_set, search=search or PROVENANCE.search)
    return Side(name, {topic.id: topic for topic in topics}, None, told)


def _sides(
    before: float, after: float, topics: int = 12, *, judged: float = 1.0, most: float | None = None
) -> tuple[Side, Side]:
    """Two sides whose values differ by the same on every topic, apart from a little that keeps them apart."""
    return (
        _side("A", *(_topic(f"t{n}", before + n / 1_000) for n in range(topics))),
        _side("B", *(_topic(f"t{n}", after + n / 500, judged=judged, most=most) for n in range(topics))),
    )


def _conclusion(comparison: Comparison, measure: str = "nDCG@10") -> Conclusion:
    return next(one.conclusion for one in comparison.measures if one.difference.measure == measure)


# --- conclusions ---------------------------------------------------------------------------------------------------


def test_a_difference_that_chance_does_not_explain_is_called_better_or_worse() -> None:
    a, b = _sides(0.4, 0.6)
    assert _conclusion(compare_sides(a, b)) is Conclusion.BETTER
    assert _conclusion(compare_sides(b, a)) is Conclusion.WORSE


def test_the_words_name_the_side_that_is_better() -> None:
    comparison = compare_sides(*_sides(0.4, 0.6))
    assert comparison.measures[0].words == "B is better"


def test_too_few_topics_show_nothing_and_the_words_say_how_much_would_show() -> None:
    comparison = compare_sides(*_sides(0.4, 0.6, topics=3))
    assert _conclusion(comparison) is Conclusion.NOT_SHOWN
    assert comparison.measures[0].words.startswith("no significant difference; 3 topics detect differences from 0.")


def test_one_topic_says_not_even_how_much_would_show() -> None:
    comparison = compare_sides(*_sides(0.4, 0.6, topics=1))
    assert "too few to estimate a detectable difference" in comparison.measures[0].words


def test_the_same_values_everywhere_are_equal_and_not_undecided() -> None:
    a, _ = _sides(0.5, 0.5)
    assert _conclusion(compare_sides(a, replace(a, name="B"))) is Conclusion.EQUAL


def test_p_is_adjusted_over_the_measures_that_are_compared() -> None:
    a, b = _sides(0.4, 0.6, topics=6)  # p is 2 / 2^6: below 0.05 alone, above it for two measures
    assert _conclusion(compare_sides(a, b, ["nDCG@10"])) is Conclusion.BETTER
    assert _conclusion(compare_sides(a, b, ["nDCG@10", "P@5"])) is Conclusion.NOT_SHOWN


# --- unjudged hits -------------------------------------------------------------------------------------------------


def test_who_loses_for_want_of_labels_has_not_lost() -> None:
    a, b = _sides(0.6, 0.4, judged=0.5, most=0.9)
    comparison = compare_sides(a, b)
    assert _conclusion(comparison) is Conclusion.UNFAIR
    assert worse(comparison, "any") is Conclusion.UNFAIR
    assert any("may be better than its values" in warning for warning in comparison.warnings)


@pytest.mark.parametrize(
    ("lost_a", "lost_b", "topics", "conclusion"),
    [
        (0, 2, 12, Conclusion.WORSE),
        (0, 2, 9, Conclusion.WORSE),
        (0, 2, 3, Conclusion.UNFAIR),
        (2, 2, 12, Conclusion.UNFAIR),
        (2, 0, 12, Conclusion.UNFAIR),
    ],
    ids=["all", "most", "few", "on both sides", "on the other side"],
)
def test_hits_unjudged_because_judged_passages_are_gone_leave_nothing_open(
    lost_a: int, lost_b: int, topics: int, conclusion: Conclusion
) -> None:
    sides = [
        replace(side, topics={k: replace(one, lost=lost if n < topics else 0) for n, (k, one) in enumerate(items)})
        for side, lost in zip(_sides(0.6, 0.4, judged=0.5, most=0.9), (lost_a, lost_b), strict=True)
        for items in [side.topics.items()]
    ]
    comparison = compare_sides(*sides)
    assert _conclusion(comparison) is conclusion
    assert comparison.lost == (lost_a * topics, lost_b * topics)
    told = [one for one in comparison.warnings if "judged passages" in one]
    named = "B lost" if lost_b > lost_a else "A lost"
    assert [one.split(" judged")[0] for one in told] == ([f"{named} {2 * topics}"] if lost_a != lost_b else [])
    labels = [one for one in comparison.warnings if "`assay label`" in one]
    assert bool(labels) is (lost_b <= lost_a or topics < 12)


def test_who_would_lose_even_if_all_unjudged_hits_were_relevant_has_lost() -> None:
    a, b = _sides(0.6, 0.4, judged=0.5, most=0.55)
    assert _conclusion(compare_sides(a, b)) is Conclusion.WORSE


def test_who_wins_with_fewer_labels_has_won() -> None:
    a, b = _sides(0.4, 0.6, judged=0.5, most=0.9)
    assert _conclusion(compare_sides(a, b)) is Conclusion.BETTER


def _counting(side: Side, relevant: int | None, passages: float | None = None) -> Side:
    """The side with so many relevant chunks in each topic."""
    topics = {
        one.id: replace(
            one,
            relevant=relevant,
            values=one.values if passages is None else {**one.values, "passages@10": passages},
        )
        for one in side.topics.values()
    }
    return replace(side, topics=topics)


@pytest.mark.parametrize(("of_a", "of_b", "conclusion"), [(20, 10, "unfair"), (20, 20, "better"), (10, 20, "better")])
def test_a_side_with_far_fewer_relevant_chunks_is_not_better_by_what_divides_by_them(
    of_a: int, of_b: int, conclusion: str
) -> None:
    a, b = _sides(0.4, 0.6)
    comparison = compare_sides(_counting(a, of_a), _counting(b, of_b))
    assert _conclusion(comparison).value == conclusion
    assert _conclusion(comparison, "P@5") is Conclusion.BETTER
    notes = [one for one in comparison.warnings if "relevant chunks" in one]
    assert bool(notes) is (of_a != of_b)
    if notes:
        assert f"{12 * of_a} for A and {12 * of_b} for B" in notes[0]


def test_where_relevant_chunks_differ_passages_are_compared_too() -> None:
    a, b = _sides(0.4, 0.6)
    same = compare_sides(_counting(a, 20, 0.5), _counting(b, 20, 0.5))
    other = compare_sides(_counting(a, 20, 0.5), _counting(b, 10, 0.5))
    assert "passages@10" not in {one.difference.measure for one in same.measures}
    assert _conclusion(other, "passages@10") is Conclusion.EQUAL


def test_a_report_that_does_not_say_how_much_is_relevant_is_compared_as_it_is() -> None:
    a, b = _sides(0.4, 0.6)
    comparison = compare_sides(_counting(a, None), _counting(b, 10))
    assert _conclusion(comparison) is Conclusion.BETTER
    assert not [one for one in comparison.warnings if "relevant chunks" in one]


def test_a_small_gap_in_what_is_judged_is_neither_told_nor_held_against_anybody() -> None:
    a, b = _sides(0.6, 0.4, judged=0.95, most=0.9)
    comparison = compare_sides(a, b)
    assert _conclusion(comparison) is Conclusion.WORSE
    assert comparison.warnings == ()


# --- joining -------------------------------------------------------------------------------------------------------


def test_topics_are_joined_by_id_and_what_is_left_out_is_said() -> None:
    a = _side("A", _topic("both", 0.5), _topic("mine", 0.5), _topic("other", 0.1, text="one thing"))
    b = _side("B", _topic("both", 0.7), _topic("yours", 0.5), _topic("other", 0.9, text="another thing"))
    comparison = compare_sides(a, b)
    assert comparison.topics == 1
    assert [one.difference.topics for one in comparison.measures] == [1, 1]
    assert comparison.left_out == (
        "1 topic left out that only A has: mine",
        "1 topic left out that only B has: yours",
        "1 topic left out with a different text on each side: other",
    )


def test_a_topic_that_failed_on_one_side_is_left_out_and_not_a_zero() -> None:
    a = _side("A", _topic("good", 0.5), _topic("bad", 0.9))
    b = _side("B", _topic("good", 0.5), _topic("bad", None, error="the embedder is away"))
    comparison = compare_sides(a, b)
    assert comparison.measures[0].difference.difference == 0.0
    assert comparison.left_out == ("1 topic left out that failed on one side: bad (the first: the embedder is away)",)


def test_nothing_in_common_is_refused_with_what_each_has() -> None:
    with pytest.raises(InputError, match="no topic in common") as refused:
        compare_sides(_side("A", _topic("one", 0.5)), _side("B", _topic("two", 0.5)))
    assert "only A has: one" in refused.value.hint


def test_another_test_set_is_said_aloud() -> None:
    a, b = _sides(0.5, 0.5)
    other = replace(b, provenance=replace(b.provenance, test_set_fingerprint="f2"))
    assert "measured with different test sets" in compare_sides(a, other).warnings[0]


def test_what_the_systems_differ_in_is_told_and_nothing_else() -> None:
    a = _side("A", _topic("t", 0.5), search={"mode": "sparse", "depth": 100})
    b = _side("B", _topic("t", 0.5), search={"mode": "hybrid", "depth": 100, "rrf_k": 60})
    assert compare_sides(a, b).differing == {"search.mode": ("sparse", "hybrid"), "search.rrf_k": ("–", "60")}


# --- topics that changed -------------------------------------------------------------------------------------------


def test_topics_come_by_the_size_of_their_change_with_the_rank_of_the_best_hit() -> None:
    a = _side(
        "A", _topic("small", 0.5), _topic("same", 0.5), _topic("one fell", 0.9, rank=1), _topic("a rose", 0.1, rank=4)
    )
    b = _side("B", _topic("small", 0.6), _topic("same", 0.5), _topic("one fell", 0.2, rank=None), _topic("a rose", 0.6))
    changed = compare_sides(a, b).changed
    assert [one.id for one in changed] == ["one fell", "a rose", "small"]
    assert (changed[0].rank_a, changed[0].rank_b) == (1, None)
    assert changed[0].change == pytest.approx(-0.7)


def test_a_topic_whose_best_hit_moved_has_changed_though_its_value_has_not() -> None:
    a, b = _side("A", _topic("moved", 0.5, rank=1)), _side("B", _topic("moved", 0.5, rank=3))
    assert [one.id for one in compare_sides(a, b).changed] == ["moved"]


# --- measures ------------------------------------------------------------------------------------------------------


def test_without_a_wish_the_headline_measures_that_both_have_are_compared() -> None:
    assert measures_to_compare([], *_sides(0.5, 0.5)) == ("nDCG@10", "P@5")


def test_all_measures_are_those_that_speak_of_quality() -> None:
    assert measures_to_compare(["all"], *_sides(0.5, 0.5)) == ("P@5", "nDCG@10")


def test_a_measure_may_be_spelled_as_anywhere_else() -> None:
    assert measures_to_compare(["ndcg_cut_10"], *_sides(0.5, 0.5)) == ("nDCG@10",)


@pytest.mark.parametrize("name", ["nDCG@20", "F1"])
def test_a_measure_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        measures_to_compare([name], *_sides(0.5, 0.5))


def test_worse_looks_at_the_measure_that_was_named() -> None:
    a, b = _sides(0.6, 0.4)
    comparison = compare_sides(a, b, ["nDCG@10"])
    assert worse(comparison, "ndcg@10") is Conclusion.WORSE
    with pytest.raises(InputError, match="not among the compared measures"):
        worse(comparison, "P@5")


def test_better_is_not_worse() -> None:
    assert worse(compare_sides(*_sides(0.4, 0.6)), "any") is Conclusion.NOT_SHOWN


def test_a_topic_just_measured_is_compared_as_one_of_a_report() -> None:
    result = passed().topics[0]
    stored = stored_topic(result)
    assert (stored.id, stored.values, stored.rank_of_best) == (result.topic.id, result.values, result.rank_of_best)
    assert len(stored.chunk_ids) == len(stored.labels) == min(len(result.hits), result.topic.top_k)
