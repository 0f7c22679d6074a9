"""docs/measures.md defines every measure."""

import re

from assay.validation.metrics import FAMILIES, MAX_CUTOFF, OVERLAP
from assay.validation.statistics import RESAMPLES, bootstrap_interval
from assay.validation.statistics.permutation import MOST_EXACT
from tests.docs.pages import DOCS

PAGE = (DOCS / "measures.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_measure_of_a_topic_has_its_row_and_no_other_has() -> None:
    told = [name.strip("`") for name, *_ in rows("For each topic")]
    assert told == [family.name for family in FAMILIES]


def test_every_row_says_when_the_measure_misleads() -> None:
    for heading in ("For each topic", "For each pair of topics"):
        assert all(len(row) == 4 and len(row[3]) > 30 for row in rows(heading))


def test_the_measure_of_pairs_has_its_row() -> None:
    assert [row[0] for row in rows("For each pair of topics")] == [f"`{OVERLAP}`"]


def test_the_measures_without_a_bound_are_named() -> None:
    told = re.search(r"`bpref` leaves such hits out, and (.*?) have no bound", PAGE)
    assert told
    without = {family.name for family in FAMILIES if family.bound is None}
    assert without == {"bpref", *re.findall(r"`(.+?)`", told[1])}


def test_the_largest_cutoff_is_told() -> None:
    assert f"k is from 1 to {MAX_CUTOFF:,}" in PAGE


def test_the_numbers_of_the_statistics_are_told() -> None:
    section = PAGE.partition("\n## Statistics\n")[2]
    assert f"{RESAMPLES:,} resamples" in section
    assert f"up to {MOST_EXACT} topics differ, else {RESAMPLES:,} random ones" in section


def test_the_interval_of_equal_values_is_as_told() -> None:
    interval = bootstrap_interval([1.0] * 20, bounds=(0.0, 1.0))
    assert interval is not None
    assert f"20 topics with P@5 = 1 give {interval.low:.2f} to {interval.high:g}" in PAGE
