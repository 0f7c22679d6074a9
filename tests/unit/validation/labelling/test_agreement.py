"""The agreement of judges: Cohen's kappa, and the passages on which they differ."""

from datetime import UTC, datetime, timedelta

import pytest

from assay.model.evaluation import Passage, Quote
from assay.model.labelling import LabelEntry
from assay.validation.labelling.agreement import agreements, cohens_kappa

BEGAN = datetime(2026, 3, 2, tzinfo=UTC)


def entry(judge: str, text: str, label: int | None, *, at: int = 0) -> LabelEntry:
    passage = Passage(url="https://docs.example/a", quote=Quote(f"words of {text}"))
    return LabelEntry(f"{judge}{text}{at}", BEGAN + timedelta(seconds=at), judge, "topic", text, passage, label)


def test_kappa_of_a_published_table() -> None:
    """Fifty applications that two readers accept or refuse: agreement .70, of which .50 by chance."""
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert cohens_kappa(pairs) == pytest.approx(0.4)


def test_weighted_kappa_takes_a_near_miss_for_less() -> None:
    """Worked by hand: 4 of 10 differ, three by one grade and one by two."""
    pairs = [(2, 2)] * 3 + [(0, 0)] * 3 + [(1, 2), (1, 0), (0, 1), (0, 2)]
    weighted = cohens_kappa(pairs, lambda a, b: float(abs(a - b)))
    observed = 5.0
    expected = sum(abs(a - b) for a, _ in pairs for _, b in pairs) / 10
    assert weighted == pytest.approx(1 - observed / expected)
    plain = cohens_kappa(pairs)
    assert plain is not None
    assert weighted is not None
    assert weighted != pytest.approx(plain)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [([], None), ([(1, 1)] * 5, None), ([(0, 0), (2, 2)], 1.0), ([(0, 2), (2, 0)], -1.0)],
)
def test_the_ends_of_kappa(pairs: list[tuple[int, int]], kappa: float | None) -> None:
    assert cohens_kappa(pairs) == kappa


def test_only_passages_that_both_labelled_are_compared_by_their_last_labels() -> None:
    entries = [
        entry("ada", "a", 0),
        entry("ada", "a", 2, at=1),
        entry("ada", "b", 1),
        entry("ada", "c", 0),
        entry("ada", "d", 1),
        entry("bob", "a", 2),
        entry("bob", "b", 0),
        entry("bob", "d", None),
        entry("", "a", 1),
    ]
    (found,) = agreements(entries)
    assert (found.judges, found.both, found.equal) == (("ada", "bob"), 2, 1)
    (differing,) = found.differing
    assert (differing.topic_id, differing.quote, differing.labels) == ("topic", "words of b", (1, 0))


def test_three_judges_make_three_pairs() -> None:
    found = agreements([entry(judge, "a", 1) for judge in ("cleo", "ada", "bob")])
    assert [one.judges for one in found] == [("ada", "bob"), ("ada", "cleo"), ("bob", "cleo")]


def test_judges_without_a_common_passage_have_no_agreement() -> None:
    assert agreements([entry("ada", "a", 1), entry("bob", "b", 1)]) == []
