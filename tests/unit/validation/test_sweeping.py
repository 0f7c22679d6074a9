"""Sweeping: rows are compared with the first one and with the best, and no winner is made up."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.validations import passed, percentiles, topic_result

from assay.errors import InputError
from assay.model.comparisons import SweptRow
from assay.model.validations import TopicResult
from assay.validation.report.sweep_page import to_html
from assay.validation.sweeping import MeasuredRow, SweepFindings, find, is_significant, shown_measures

MEASURES = ("nDCG@10", "P@5")


def _result(identity: str, value: float | None, *, judged: float, most: float | None, error: str | None) -> TopicResult:
    one = topic_result(identity, f"What is {identity}?", (1,))
    values = {"nDCG@10": value, "P@5": value, "judged@5": None if value is None else judged}
    return replace(one, values=values, upper=dict.fromkeys(values, value if most is None else most), error=error)


def _row(
    name: str,
    values: Sequence[float | None],
    *,
    judged: float = 1.0,
    most: float | None = None,
    lost: int = 0,
    ms: float = 2.0,
) -> MeasuredRow:
    results = [
        _result(f"t{n}", value, judged=judged, most=most, error="away" if value is None else None)
        for n, value in enumerate(values)
    ]
    return MeasuredRow(name, {"mode": name}, 100, results, percentiles(200, ms, ms * 2), lost)


def _around(mean: float, topics: int = 16) -> list[float]:
    """Values around a mean, in an order of their own for each mean, so that no two rows differ by a constant."""
    return [mean + ((n * round(mean * 100)) % 7 - 3) / 100 for n in range(topics)]


def _marked(findings: SweepFindings) -> list[str]:
    return [row.name for row in findings.rows if row.tied_with_best]


def _significant(row: SweptRow) -> bool:
    mean = row.mean("nDCG@10")
    return mean is not None and is_significant(mean)


# --- the best row --------------------------------------------------------------------------------------------------


def test_a_row_that_all_others_are_significantly_below_is_the_best() -> None:
    found = find([_row("low", _around(0.3)), _row("high", _around(0.8)), _row("middle", _around(0.5))], MEASURES)
    assert (found.best, _marked(found)) == ("high", ["high"])
    assert found.words[0] == "high is the best on nDCG@10: every other row is significantly lower."


def test_rows_that_cannot_be_told_apart_have_no_winner() -> None:
    found = find([_row("a", _around(0.50)), _row("b", _around(0.51)), _row("low", _around(0.2))], MEASURES)
    assert set(_marked(found)) == {"a", "b"}
    assert found.words[0].startswith(
        "There is no winner: 2 of 3 rows do not differ significantly on nDCG@10 (a, b); 16 topics"
    )
    assert found.detectable is not None


def test_of_rows_that_cannot_be_told_apart_the_quickest_is_named() -> None:
    found = find([_row("slow", _around(0.5), ms=9.0), _row("quick", _around(0.5), ms=1.0)], MEASURES)
    assert "The fastest of these is quick, with a median of 1 ms." in found.words


def test_one_row_is_no_contest() -> None:
    assert find([_row("alone", _around(0.5))], MEASURES).words == ()


def test_a_low_row_with_few_labels_is_open_and_neither_worse_nor_beaten() -> None:
    rows = [_row("labelled", _around(0.8)), _row("new", _around(0.5), judged=0.5, most=0.95)]
    found = find(rows, MEASURES)
    assert found.rows[1].open_to_best
    assert found.rows[1].open_to_first
    assert found.words == ("labelled is the highest on nDCG@10. new may be as good: too few of their hits are judged.",)
    assert "Fewer of the first hits of some rows are judged (new 50%, against 100%)" in found.notes[0]


def test_a_low_row_that_labels_could_not_lift_is_worse() -> None:
    rows = [_row("labelled", _around(0.8)), _row("new", _around(0.5), judged=0.5, most=0.7)]
    found = find(rows, MEASURES)
    assert not found.rows[1].open_to_best
    assert "Significantly worse than labelled on nDCG@10: new." in found.words


def test_a_high_row_with_few_labels_is_the_best_and_not_open() -> None:
    found = find([_row("labelled", _around(0.5)), _row("new", _around(0.8), judged=0.5, most=0.95)], MEASURES)
    assert not any(row.open_to_best or row.open_to_first for row in found.rows)
    assert "Significantly better than labelled on nDCG@10: new." in found.words


# --- against the first row -----------------------------------------------------------------------------------------


def test_the_first_row_is_compared_with_nothing() -> None:
    found = find([_row("a", _around(0.5)), _row("b", _around(0.8))], MEASURES)
    assert found.rows[0].means[0].against_first is None
    assert _significant(found.rows[1])


def test_p_is_adjusted_over_all_rows_and_measures() -> None:
    weak = [0.5 + 0.01 * n for n in range(6)]  # alone, p is 2 / 2^6
    two = [_row("first", [0.4] * 6), _row("b", weak)]
    assert _significant(find(two, ("nDCG@10",)).rows[1])
    many = [*two, *(_row(f"r{n}", weak) for n in range(6))]
    assert not _significant(find(many, ("nDCG@10",)).rows[1])


def test_a_row_that_is_the_same_is_not_significant() -> None:
    found = find([_row("a", _around(0.5)), _row("b", _around(0.5))], MEASURES)
    assert not _significant(found.rows[1])
    assert "No row differs significantly from a on nDCG@10." in found.words


# --- topics --------------------------------------------------------------------------------------------------------


def test_only_topics_that_every_row_answered_count_and_the_others_are_named() -> None:
    found = find([_row("a", [0.2, 0.4, 0.9]), _row("b", [0.2, 0.4, None])], MEASURES)
    assert [row.topics for row in found.rows] == [2, 2]
    assert found.rows[0].means[0].value == pytest.approx(0.3)
    assert "1 of 3 topics are in no figure, because rows failed: b (1)." in found.notes


def test_nothing_that_all_rows_answered_is_an_error() -> None:
    with pytest.raises(InputError, match="Every topic failed"):
        find([_row("a", [0.2, None]), _row("b", [None, 0.2])], MEASURES)


def test_judgments_that_only_a_row_lost_are_told() -> None:
    found = find([_row("a", _around(0.5), lost=1), _row("b", _around(0.5), lost=4)], MEASURES)
    assert "More judgments are lost than in the first row: b (4)." in found.notes


def test_the_measure_that_decides_comes_first_and_once() -> None:
    assert shown_measures("recall@10")[0] == "Recall@10"
    assert len(set(shown_measures("P@5"))) == len(shown_measures("P@5")) == 4
    assert shown_measures("AP")[0] == "AP"


# --- the page ------------------------------------------------------------------------------------------------------


def test_names_of_rows_cannot_become_part_of_the_page() -> None:
    from assay.model.comparisons import Sweep

    found = find([_row("<script>alert(1)</script>", _around(0.5)), _row("b & c", _around(0.8))], MEASURES)
    told = passed().provenance
    sweep = Sweep(
        passed().started_at,
        1.0,
        str(told.generation),
        told.documents,
        "handbook",
        "f" * 64,
        "nDCG@10",
        found.rows,
        found.best,
        found.detectable,
        found.words,
        found.notes,
    )
    page = to_html(sweep)
    assert "<script" not in page
    assert "b &amp; c" in page
    assert page.count("<svg") == 2
    assert "http" not in page.replace("http-equiv", "")
