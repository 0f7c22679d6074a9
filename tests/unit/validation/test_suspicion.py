"""Vectors that fit their text least, by the opinion of another model: two swapped ones are found without asking."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.worlds import World

from assay.model.generations import EmbedderIdentity
from assay.ports import Silence, Vector, Vectors
from assay.testing.catalog_samples import page
from assay.validation.integrity import Recheck, audit, most_suspicious
from assay.validation.integrity.suspicion import LEAST

OPINION = MemoryEmbedder(64, None)
WORDS = [f"word{number}" for number in range(400)]
CHUNKS = LEAST + 200


class OtherModel(MemoryEmbedder):
    """Sees what the opinion sees, from another side and with some noise of its own; counts what it is asked."""

    def __init__(self) -> None:
        super().__init__(64, None)
        self._turn = np.linalg.qr(np.random.default_rng(3).standard_normal((64, 64)))[0]
        self.asked = 0

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("paid", "other", 64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        noise = np.random.default_rng(len(text)).standard_normal(64) * 0.05
        turned = OPINION.embed_query(text) @ self._turn + noise
        vector: Vector = (turned / np.linalg.norm(turned)).astype(np.float32)
        return vector


@pytest.fixture(scope="module")
def world() -> World:
    """A generation of one chunk a page, by the other model."""
    world = World()
    world.embedder = OtherModel()
    draw = np.random.default_rng(1)
    texts = [" ".join(draw.choice(WORDS, 12)) for _ in range(CHUNKS)]
    world.build("g1", *(page(f"page-{number:05}", text) for number, text in enumerate(texts)))
    return world


def _suspects(world: World, size: int) -> list[str]:
    generation = world.catalog.generation("g1")
    places = most_suspicious(generation, world.catalog, world.open("g1"), OPINION, size, Silence())
    chunks = list(world.catalog.chunks("g1"))
    return [chunks[place].id for place in places]


def test_swapped_vectors_are_the_first_suspects_and_nobody_paid_is_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = world.embedder
    assert isinstance(model, OtherModel)
    points = world.store._generations["g1"].points
    one, other = sorted(points)[17], sorted(points)[1_003]
    swapped = {one: _with(points[one], points[other].dense), other: _with(points[other], points[one].dense)}
    monkeypatch.setattr(world.store._generations["g1"], "points", {**points, **swapped})
    before = model.asked
    assert set(_suspects(world, 2)) == {one, other}
    assert model.asked == before
    generation = world.catalog.generation("g1")
    places = most_suspicious(generation, world.catalog, world.open("g1"), OPINION, 5, Silence())
    recheck = Recheck(model, vectors=0, suspects=frozenset(places))
    report = audit(generation, world.catalog, world.open("g1"), Silence(), recheck)
    assert report.compared_vectors == 5
    assert report.faults["embeddings"].count == 2
    assert "have each other's vectors" in report.faults["embeddings"].examples[0]


def test_suspects_are_the_same_each_time_and_as_many_as_were_asked_for(world: World) -> None:
    assert _suspects(world, 30) == _suspects(world, 30)
    assert len(set(_suspects(world, 30))) == 30
    assert _suspects(world, 10) == _suspects(world, 30)[:10]
    assert _suspects(world, 0) == []


def test_vectors_without_a_direction_are_no_suspects_for_they_are_faults_already(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = world.store._generations["g1"].points
    first, second, third = sorted(points)[:3]
    broken = {
        first: _with(points[first], np.zeros(64, np.float32)),
        second: _with(points[second], np.full(64, np.nan, np.float32)),
    }
    left = {identity: point for identity, point in points.items() if identity != third}
    monkeypatch.setattr(world.store._generations["g1"], "points", {**left, **broken})
    assert not {first, second, third} & set(_suspects(world, CHUNKS))


def test_of_a_few_chunks_nothing_can_be_said() -> None:
    world = World()
    world.build("g1", *(page(f"page-{number}", f"Some words {number}.") for number in range(20)))
    assert _suspects(world, 5) == []


def _with(point, dense):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - a point, changed
    return type(point)(point.chunk, dense, point.sparse)
