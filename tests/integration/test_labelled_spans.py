"""Labelled spans of three real texts, under other chunkings and after edits.

`python -m benchmarks.judgments` has all five texts with 790 spans, more chunkings and more edits.
"""

from pathlib import Path

import pytest
from benchmarks import judgments
from benchmarks.judgments import Labelled

from assay.model.documents import Document

EDITS = 60
LARGE = 200_000
"""Characters; the time of a resolution grows with the text, not with the spans."""


@pytest.fixture(scope="module")
def collection(shared: Path) -> tuple[dict[str, Document], list[Labelled]]:
    if not (shared / "collections" / "chunking-evaluation").is_dir():
        pytest.skip("the labelled spans are not in the shared folder")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgments, "shared_folder", lambda: shared)
        found = judgments.collection()
    assert found is not None
    documents, labelled = found
    assert len(labelled) == 790
    small = {url: document for url, document in documents.items() if len(document.text) < LARGE}
    return small, [one for one in labelled if one.url in small]


def test_every_span_is_found_in_its_place_under_every_chunking(
    collection: tuple[dict[str, Document], list[Labelled]],
) -> None:
    documents, labelled = collection
    faults = {
        (size, overlap): list(judgments.chunking_faults(documents, labelled, size, overlap))
        for size, overlap in ((300, 60), (2_000, 0))
    }
    assert {cutting: some[:3] for cutting, some in faults.items() if some} == {}


@pytest.mark.parametrize("remembers", [False, True])
def test_after_edits_no_span_is_found_in_a_wrong_place_and_those_that_can_be_are_found(
    collection: tuple[dict[str, Document], list[Labelled]], remembers: bool
) -> None:
    documents, labelled = collection
    tally = judgments.edit_round(documents, labelled, EDITS, seed=1_000, remembers=remembers)
    assert tally.wrong == []
    assert tally.recoverable > 250
    assert tally.recovered >= 0.95 * tally.recoverable
    assert tally.unique_recovered >= 0.95 * tally.unique
    assert tally.outcomes["orphaned"] > 25
