"""Generations found by an id, by `live` or `candidate`, or by no name."""

import pytest
from tests.unit.release.test_promotion import Desk

from assay.errors import GenerationError, GenerationNotFound, NoLiveGeneration
from assay.model.generations import State
from assay.release.generation_names import CANDIDATE, LIVE, resolve_generation


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_an_id_is_found_whatever_its_state(desk: Desk) -> None:
    desk.candidate("g1")
    desk.catalog.transition("g1", State.REJECTED, reason="a test")
    assert resolve_generation(desk.catalog, "g1").state is State.REJECTED
    with pytest.raises(GenerationNotFound, match="nobody"):
        resolve_generation(desk.catalog, "nobody")


def test_the_newest_candidate_is_the_candidate(desk: Desk) -> None:
    with pytest.raises(GenerationNotFound, match=r"no candidate.*assay ingest"):
        resolve_generation(desk.catalog, CANDIDATE)
    desk.publish("g1")
    desk.candidate("g2")
    desk.candidate("g3")
    assert resolve_generation(desk.catalog, CANDIDATE).id == "g3"


def test_live_is_the_promoted_generation_and_never_a_candidate(desk: Desk) -> None:
    desk.candidate("g1")
    with pytest.raises(GenerationNotFound, match=r"Nothing is live.*assay promote"):
        resolve_generation(desk.catalog, LIVE)
    desk.publish("g2")
    assert resolve_generation(desk.catalog, LIVE).id == "g2"


def test_no_name_is_the_first_default_that_exists(desk: Desk) -> None:
    with pytest.raises(NoLiveGeneration, match=r"no candidate, and nothing is live.*assay ingest"):
        resolve_generation(desk.catalog, None)
    desk.candidate("g1")
    assert resolve_generation(desk.catalog, None).id == "g1"
    desk.publish("g2")
    assert resolve_generation(desk.catalog, None).id == "g2"
    assert resolve_generation(desk.catalog, None, default=(CANDIDATE, LIVE)).id == "g1"


def test_no_name_with_a_single_default_says_what_that_one_lacks(desk: Desk) -> None:
    desk.publish("g1")
    with pytest.raises(GenerationNotFound, match=r"no candidate.*assay ingest"):
        resolve_generation(desk.catalog, None, default=(CANDIDATE,))


def test_a_generation_without_a_whole_index_is_refused_where_one_is_needed(desk: Desk) -> None:
    desk.candidate("g1")
    assert resolve_generation(desk.catalog, "g1", sealed=True).id == "g1"
    desk.catalog.transition("g1", State.REJECTED, reason="a test")
    with pytest.raises(GenerationError, match=r"g1 is rejected, and has no whole index.*assay generations"):
        resolve_generation(desk.catalog, "g1", sealed=True)
