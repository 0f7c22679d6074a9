"""The 790 labelled spans of real texts, under other chunkings and after edits."""

from pathlib import Path

import pytest
from benchmarks import judgments
from benchmarks.judgments import Labelled

from assay.model.documents import Document

EDITS = 60


@pytest.fixture(scope="module")
def collection(shared: Path) -> tuple[dict[str, Document], list[Labelled]]:
    if not (shared / "collections" / "chunking-evaluation").is_dir():
        pytest.skip("the labelled spans are not in the shared folder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgments, "shared_folder", lambda: shared)
        found = judgments.collection()
    assert found is not None
    return found


def test_every_span_is_found_in_its_place_under_every_chunking(
    collection: tuple[dict[str, Document], list[Labelled]],
) -> None:
    documents, labelled = collection
    assert len(labelled) == 790
    faults = {
        (size, overlap): list(judgments.chunking_faults(documents, labelled, size, overlap))
        for size, overlap in ((300, 60), (800, 160), (2_000, 0))
    }
    assert {cutting: some[:3] for cutting, some in faults.items() if some} == {}


@pytest.mark.parametrize("remembers", [False, True])
def test_after_edits_no_span_is_found_in_a_wrong_place_and_those_that_can_be_are_found(
    collection: tuple[dict[str, Document], list[Labelled]], remembers: bool
) -> None:
    documents, labelled = collection
    tally = judgments.edit_round(documents, labelled, EDITS, seed=1_000, remembers=remembers)
    assert tally.wrong == []
    assert tally.recoverable > 500
    assert tally.recovered >= 0.95 * tally.recoverable
    assert tally.unique_recovered >= 0.95 * tally.unique
    assert tally.outcomes["orphaned"] > 50
