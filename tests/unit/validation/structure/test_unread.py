"""Documentation that no reader took is held against its limit."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.structures import LIMITS, some_pages, verdict_on
from tests.worlds import World

from assay.model.evaluation import Finding, Outcome


def unread(documents: Mapping[str, int] | None, limit: float = 0.2) -> Finding | None:
    """The finding on a generation of four pages with so many unread documents."""
    world = World()
    generation = replace(world.build("g1", *some_pages(4)), unread_documents=documents)
    findings = verdict_on(world, generation, replace(LIMITS, max_unread_files=limit)).findings
    return next((found for found in findings if found.check == "unread files"), None)


@pytest.mark.parametrize(
    ("documents", "limit", "share", "outcome"),
    [
        ({}, 0.0, 0.0, Outcome.PASS),
        ({"rst": 1}, 0.0, 0.2, Outcome.FAIL),
        ({"rst": 1}, 0.2, 0.2, Outcome.PASS),
        ({"rst": 1, "adoc": 1}, 0.2, 1 / 3, Outcome.FAIL),
        ({"Hugo (hugo.toml)": 400}, 1.0, 400 / 404, Outcome.PASS),
    ],
)
def test_as_many_documents_may_be_unread_as_the_limit_says(
    documents: dict[str, int], limit: float, share: float, outcome: Outcome
) -> None:
    found = unread(documents, limit)
    assert found is not None
    assert (found.outcome, found.value) == (outcome, pytest.approx(share))


def test_they_are_named_by_format_with_the_setting() -> None:
    found = unread({"adoc": 5, "ipynb": 1, "Hugo (hugo.toml)": 9})
    assert found is not None
    assert "15 of 19 documents" in found.detail
    assert "9 made for Hugo (hugo.toml), 5 .adoc, 1 .ipynb (78.95%; limit 20%)" in found.detail
    assert "gate.max_unread_files" in found.detail


def test_a_generation_that_did_not_count_them_has_no_such_finding() -> None:
    assert unread(None) is None
