"""Faults of integrity as findings of the gate."""

from dataclasses import replace

from tests.structures import LIMITS, finding_of, some_pages, verdict_on
from tests.worlds import World

from assay.model.evaluation import Outcome
from assay.testing.catalog_samples import page


def test_a_fault_of_integrity_fails_and_says_how_to_mend_it() -> None:
    world = World()
    generation = world.build("g1", *some_pages(3))
    points = world.store._generations["g1"].points
    del points[next(iter(points))]
    verdict = verdict_on(world, generation, replace(LIMITS, max_unreachable=1.0))
    found = finding_of(verdict, "agreement")
    assert verdict.outcome is Outcome.FAIL
    assert "`assay publish --rebuild`" in found.detail
    assert found.examples[0].endswith("is missing from the index")
    assert [finding.check for finding in verdict.findings if finding.outcome is not Outcome.PASS] == ["agreement"]


def test_a_finding_names_fifty_and_counts_all() -> None:
    world = World()
    generation = world.build("g1", *[page(f"p{n}", f"About part {n}.", title=f"Part {n}") for n in range(60)])
    points = world.store._generations["g1"].points
    for point_id in list(points):
        del points[point_id]
    verdict = verdict_on(world, generation)
    for check, count in (("agreement", 61), ("reachable by title", 60)):  # each is missing, and the number is wrong
        found = finding_of(verdict, check)
        assert (len(found.examples), found.count) == (50, count)
