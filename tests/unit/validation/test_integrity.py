"""The audit names every kind of fault that it promises to find, and nothing in a sound generation."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.worlds import World

from assay.model.documents import Chunk
from assay.ports import IndexPoint, Silence, Vector
from assay.testing.catalog_samples import page
from assay.validation.integrity import KINDS, Audit, Fault, audit

NAME = "g1"
PAGES = (
    page("gripper", "The gripper opens.", "The gripper closes.", "The gripper opens."),
    page("camera", "The camera sees."),
    page("wheel", "The wheel turns.", "The wheel stops."),
)


class Damaged(World):
    """A sound generation, and ways to damage what is stored of it."""

    def __init__(self) -> None:
        super().__init__()
        self.build(NAME, *PAGES)

    @property
    def points(self) -> dict[str, IndexPoint]:
        """What the index holds, to be changed."""
        return self.store._generations[NAME].points

    def chunk(self, path: str, position: int) -> Chunk:
        """A chunk as the catalog has it."""
        return next(
            chunk
            for chunk in self.catalog.chunks(NAME)
            if chunk.document.url.endswith(f"/{path}") and chunk.position == position
        )

    def change_chunk(self, path: str, position: int, /, **values: object) -> None:
        """Change a chunk in the catalog and in the index alike."""
        before = self.chunk(path, position)
        after = replace(before, **values)  # type: ignore[arg-type]  # any field
        self.change_chunks(path, lambda chunks: [after if chunk == before else chunk for chunk in chunks])
        point = self.points.pop(before.id)
        self.points[after.id] = replace(point, chunk=after)

    def change_chunks(self, path: str, change: Callable[[list[Chunk]], list[Chunk]]) -> None:
        """Change the chunks of one document in the catalog alone."""
        name, revision = self._revision(path)
        self.catalog._revisions[name] = replace(revision, chunks=tuple(change(list(revision.chunks))))

    def change_document(self, path: str, /, **values: object) -> None:
        """Change one document in the catalog."""
        name, revision = self._revision(path)
        document = replace(revision.document, **values)  # type: ignore[arg-type]  # any field
        self.catalog._revisions[name] = replace(revision, document=document)

    def change_generation(self, **values: object) -> None:
        """Change what the generation says of itself."""
        changed = replace(self.catalog.generation(NAME), **values)  # type: ignore[arg-type]  # any field
        self.catalog.update_generation(changed)

    def change_vector(self, path: str, vector: Vector) -> None:
        """Change the vector of the first chunk of a page."""
        identity = self.chunk(path, 0).id
        self.points[identity] = replace(self.points[identity], dense=vector)

    def _revision(self, path: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - private to the catalog
        return next(
            (name, revision)
            for name, revision in self.catalog._revisions.items()
            if revision.document.info.url.endswith(f"/{path}")
        )

    def audit(self) -> Audit:
        """The audit's report."""
        return audit(self.catalog.generation(NAME), self.catalog, self.open(NAME), Silence())

    def faults(self) -> dict[str, Fault]:
        """The kinds that have a fault."""
        return {kind: fault for kind, fault in self.audit().faults.items() if fault.count}

    def only(self, kind: str, *, changes_content: bool = False) -> str:
        """The examples of a kind that alone has a fault; with the fingerprint, where it is the content that changed."""
        faults = self.faults()
        assert set(faults) == {kind, *(["fingerprint"] if changes_content else [])}
        return "\n".join(faults[kind].examples)


@pytest.fixture
def world() -> Damaged:
    return Damaged()


def _turned(position: int, dimension: int = 64) -> Vector:
    vector = np.zeros(dimension, np.float32)
    vector[position] = 1.0
    return vector


def test_a_sound_generation_has_no_fault_and_everything_was_looked_at(world: Damaged) -> None:
    report = world.audit()
    assert {kind: fault.count for kind, fault in report.faults.items()} == dict.fromkeys(KINDS, 0)
    assert (report.documents, report.chunks) == (3, 6)


# --- index against catalog -----------------------------------------------------------------------------------------


def test_a_point_that_is_missing_from_the_index_is_named(world: Damaged) -> None:
    chunk = world.chunk("camera", 0)
    del world.points[chunk.id]
    found = world.only("agreement")
    assert f"{chunk.id} ({chunk.section_url}) is missing from the index" in found
    assert "the generation says 6 chunks, the catalog has 6, the index 5" in found


def test_a_point_that_only_the_index_has_is_named(world: Damaged) -> None:
    stranger = "00000000-0000-5000-8000-000000000000"
    point = next(iter(world.points.values()))
    world.points[stranger] = replace(point, chunk=replace(point.chunk, id=stranger))
    found = world.only("agreement")
    assert f"{stranger} is in the index only" in found
    assert "the index 7" in found


@pytest.mark.parametrize(
    "change",
    [
        {"text": "The camera lies."},
        {"content_hash": "0" * 64},
        {"position": 7},
        {"start": 3},
        {"section": "Elsewhere"},
        {"heading_path": ("Elsewhere",)},
        {"anchor": "elsewhere"},
        {"previous_id": "x"},
        {"created_at": None},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_payload_that_differs_from_the_catalog_is_named(world: Damaged, change: dict[str, object]) -> None:
    chunk = world.chunk("camera", 0)
    point = world.points[chunk.id]
    world.points[chunk.id] = replace(point, chunk=replace(chunk, **change))  # type: ignore[arg-type]  # any field
    assert f"{chunk.id} ({chunk.section_url}) differs between index and catalog" in world.only("agreement")


def test_a_payload_whose_document_differs_is_named(world: Damaged) -> None:
    chunk = world.chunk("camera", 0)
    other = replace(chunk, document=replace(chunk.document, title="Another title"))
    world.points[chunk.id] = replace(world.points[chunk.id], chunk=other)
    assert "differs between index and catalog" in world.only("agreement")


@pytest.mark.parametrize("says", [5, 7, 0])
def test_a_wrong_number_of_chunks_is_named(world: Damaged, says: int) -> None:
    world.change_generation(chunks=says)
    expected = f"the generation says {says} chunks, the catalog has 6, the index 6"
    assert expected in world.only("agreement")


@pytest.mark.parametrize("says", [2, 4, 0])
def test_a_wrong_number_of_documents_is_named(world: Damaged, says: int) -> None:
    world.change_generation(documents=says)
    assert f"the generation says {says} documents, the catalog has 3" in world.only("agreement")


def test_a_document_that_the_generation_lost_is_named(world: Damaged) -> None:
    lost = [chunk.id for chunk in world.catalog.chunks(NAME) if chunk.document.url.endswith("/wheel")]
    contents = world.catalog._contents[NAME]
    del contents[next(url for url in contents if url.endswith("/wheel"))]
    found = world.only("agreement", changes_content=True)
    assert all(f"{identity} is in the index only" in found for identity in lost)
    assert "the generation says 3 documents, the catalog has 2" in found


def test_chunks_whose_document_is_gone_are_named(world: Damaged, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [each for each in world.catalog.documents(NAME) if not each.info.url.endswith("/wheel")]
    monkeypatch.setattr(world.catalog, "documents", lambda _: iter(documents))
    assert "/wheel, but no such document in its place" in "\n".join(world.faults()["agreement"].examples)


# --- vectors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vector", "told"),
    [
        (np.zeros(64, np.float32), "squared length 0"),
        (np.full(64, np.nan, np.float32), "squared length nan"),
        (np.full(64, np.inf, np.float32), "squared length inf"),
        (_turned(1) * np.float32(1.01), "squared length 1.02"),
        (_turned(2) * np.float32(0.5), "squared length 0.25"),
    ],
    ids=["zero", "NaN", "infinite", "too long", "too short"],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_a_vector_that_is_no_direction_of_length_1_is_named(world: Damaged, vector: Vector, told: str) -> None:
    world.change_vector("camera", vector)
    found = world.only("vectors")
    assert world.chunk("camera", 0).id in found
    assert told in found


def test_one_number_that_is_not_finite_among_sound_ones_is_enough(world: Damaged) -> None:
    vector = _turned(3)
    vector[9] = np.nan
    world.change_vector("camera", vector)
    assert "nan" in world.only("vectors")


def test_a_vector_of_another_dimension_is_named(world: Damaged, monkeypatch: pytest.MonkeyPatch) -> None:
    index = world.open(NAME)
    identity = world.chunk("camera", 0).id
    real = index.stored
    longer = {identity: replace(real([identity])[identity], dense=_turned(0, 65))}
    monkeypatch.setattr(index, "stored", lambda ids: real(ids) | longer)
    report = audit(world.catalog.generation(NAME), world.catalog, index, Silence())
    assert "65 dimensions" in report.faults["vectors"].examples[0]


def test_a_point_without_its_vector_is_named(world: Damaged, monkeypatch: pytest.MonkeyPatch) -> None:
    index = world.open(NAME)
    identity = world.chunk("camera", 0).id
    real = index.stored
    without = {identity: replace(real([identity])[identity], dense=None)}
    monkeypatch.setattr(index, "stored", lambda ids: real(ids) | without)
    report = audit(world.catalog.generation(NAME), world.catalog, index, Silence())
    assert "has no vector" in report.faults["vectors"].examples[0]
    assert identity in report.faults["vectors"].examples[0]


# --- chunks against their document ---------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["url", "title"])
def test_metadata_that_a_document_lacks_is_named(world: Damaged, field: str) -> None:
    info = replace(world.chunk("camera", 0).document, **{field: ""})
    world.change_chunk("camera", 0, document=info)
    world.change_document("camera", info=info)
    assert "lacks " in "\n".join(world.faults()["completeness"].examples)


@pytest.mark.parametrize(
    "change", [{"text": ""}, {"created_at": None}, {"content_hash": ""}], ids=lambda c: next(iter(c))
)
def test_metadata_that_a_chunk_lacks_is_named(world: Damaged, change: dict[str, object]) -> None:
    world.change_chunk("camera", 0, **change)
    found = world.faults()["completeness"]
    assert (found.count, world.chunk("camera", 0).id in found.examples[0]) == (1, True)


def test_a_text_that_does_not_have_its_hash_is_named(world: Damaged) -> None:
    world.change_chunk("camera", 0, text="The camera lies.")
    assert "its text does not have the hash" in "\n".join(world.faults()["hashes"].examples)


def test_a_wrong_hash_is_named_though_catalog_and_index_agree(world: Damaged) -> None:
    world.change_chunk("camera", 0, content_hash="f" * 64)
    assert "does not have the hash ffff" in "\n".join(world.faults()["hashes"].examples)


def test_a_wrong_hash_of_what_is_embedded_is_named_for_the_next_build_would_take_its_vector(world: Damaged) -> None:
    world.change_chunk("camera", 0, embedded_hash="f" * 64)
    assert "its embedded text does not have the hash ffff" in world.only("hashes", changes_content=True)


def test_a_document_whose_text_was_altered_outside_its_chunks_is_named(world: Damaged) -> None:
    text = next(each.text for each in world.catalog.documents(NAME) if each.info.url.endswith("/wheel"))
    world.change_document("wheel", text=f"{text} More.")
    assert "/wheel: its text does not have the hash" in world.only("hashes")


def test_an_id_that_does_not_follow_from_its_text_is_named(world: Damaged) -> None:
    world.change_chunk("camera", 0, id="00000000-0000-5000-8000-000000000000")
    faults = world.faults()
    assert {kind for kind, fault in faults.items() if fault.count} == {"fingerprint", "ids", "vector checksums"}
    assert "should have another id" in faults["ids"].examples[0]


def test_an_id_that_is_there_twice_is_named(world: Damaged) -> None:
    first = world.chunk("gripper", 0)
    world.change_chunks("gripper", lambda chunks: [first, chunks[1], replace(chunks[2], id=first.id)])
    faults = world.faults()
    assert f"{first.id} (" in faults["ids"].examples[0]
    assert any("is in the index only" in example for example in faults["agreement"].examples)


@pytest.mark.parametrize(
    "change", [{"start": 1}, {"end": 5}, {"repeated_before": "| a |"}], ids=lambda c: next(iter(c))
)
def test_a_span_that_does_not_give_the_text_is_named(world: Damaged, change: dict[str, object]) -> None:
    world.change_chunk("wheel", 1, **change)
    assert "of its document" in world.only("spans")


def test_a_repeated_line_belongs_to_the_text(world: Damaged) -> None:
    chunk = world.chunk("wheel", 1)
    cut = {"repeated_before": chunk.text[:4], "start": chunk.start + 4}
    world.change_chunk("wheel", 1, **cut)
    assert world.faults() == {}


@pytest.mark.parametrize(
    "change", [{"position": 5}, {"previous_id": None}, {"next_id": "another"}], ids=lambda c: next(iter(c))
)
def test_positions_and_neighbours_that_do_not_fit_are_named(world: Damaged, change: dict[str, object]) -> None:
    world.change_chunk("gripper", 1, **change)
    assert f"{world.chunk('gripper', change.get('position', 1)).id} (" in world.only("positions")  # type: ignore[arg-type]  # an int


def test_a_gap_in_the_positions_is_named(world: Damaged) -> None:
    world.change_chunks("gripper", lambda chunks: [chunks[0], chunks[2]])
    found = "\n".join(world.faults()["positions"].examples)
    assert "has position 2, expected 1" in found
    assert "/gripper has 2 chunks, not 3" in found


def test_a_document_without_the_chunks_that_it_should_have_is_named(world: Damaged) -> None:
    world.change_chunks("camera", lambda _: [])
    assert "/camera has 0 chunks, not 1" in "\n".join(world.faults()["positions"].examples)


def test_a_document_without_text_needs_no_chunk() -> None:
    world = World()
    empty = page("empty", "x")
    world.build(NAME, *PAGES, (replace(empty[0], text=""), []))
    report = audit(world.catalog.generation(NAME), world.catalog, world.open(NAME), Silence())
    assert [kind for kind, fault in report.faults.items() if fault.count] == []
    assert report.documents == 4


def test_of_many_faults_all_are_counted_and_fifty_are_named() -> None:
    fault = Fault()
    for number in range(51):
        fault.add(f"fault {number}")
    assert (fault.count, len(fault.examples), fault.examples[0]) == (51, 50, "fault 0")


def test_more_chunks_than_are_looked_at_at_once_are_all_looked_at(
    world: Damaged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.validation.integrity.conductor._CHUNKS_AT_ONCE", 2)
    assert world.faults() == {}
    del world.points[world.chunk("camera", 0).id], world.points[world.chunk("wheel", 1).id]
    assert world.faults()["agreement"].count == 3  # each once, and the wrong count
