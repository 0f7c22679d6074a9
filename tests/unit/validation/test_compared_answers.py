"""Lost topics between two reports, which hold labels and no texts."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.validations import passed

from assay.model.comparisons import Side
from assay.model.evaluation import Outcome
from assay.model.validations import StoredTopic
from assay.validation.compared_answers import check_lost_topics

PROVENANCE = passed().provenance


def _side(generation: str, ranks: Sequence[int | None], **fields: object) -> Side:
    topics = [
        StoredTopic(f"t{n}", f"What is {n}?", "specific", {}, {}, rank, chunk_ids=tuple(f"c{n}{k}" for k in range(9)))
        for n, rank in enumerate(ranks)
    ]
    changed = {one.id: replace(one, **fields) for one in topics}  # type: ignore[arg-type]
    return Side(generation, changed, None, replace(PROVENANCE, generation=generation))


@pytest.mark.parametrize(
    ("before", "after", "count", "outcome"),
    [
        ((1, 5, 1), (None, None, 1), 2, Outcome.FAIL),
        ((1, 1, 1), (None, 1, 9), 1, Outcome.PASS),
        ((6, 6, 1), (None, None, 1), 0, Outcome.PASS),
        ((None, 1, 1), (1, 1, 1), 0, Outcome.PASS),
    ],
)
def test_a_report_without_a_relevant_hit_lost_the_topics_that_another_answers(
    before: Sequence[int | None], after: Sequence[int | None], count: int, outcome: Outcome
) -> None:
    found = check_lost_topics(_side("old", before), _side("new", after), 0.05)
    assert found is not None
    assert (found.count, found.outcome) == (count, outcome)


def test_two_settings_of_one_generation_lose_nothing() -> None:
    assert check_lost_topics(_side("same", (1, 1)), _side("same", (None, None)), 0.05) is None


def test_a_topic_that_failed_or_asks_something_else_is_not_lost() -> None:
    before = _side("old", (1, 1))
    for other in ({"error": "timed out"}, {"text": "Another question?"}):
        found = check_lost_topics(before, _side("new", (None, None), **other), 0.05)
        assert found is not None
        assert found.count == 0
