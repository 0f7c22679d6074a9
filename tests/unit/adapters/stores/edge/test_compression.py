"""The compressed copy of an embedded index: what it loses, what rescoring restores, and that the gate sees it."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from tests.structures import LIMITS
from tests.worlds import World

from assay.adapters.stores.edge import index as edge_index
from assay.adapters.stores.edge import writer as edge_writer
from assay.adapters.stores.edge.engine import Compression
from assay.adapters.stores.edge.store import EdgeStore
from assay.model.evaluation import Finding, Outcome
from assay.model.generations import Generation
from assay.ports import IndexSpec, Silence
from assay.testing.catalog_samples import page
from assay.validation.structure import CheckContext
from assay.validation.structure.vectors.approximate import recall_of_dense_search

_MEASURED_FROM = 2_000
"""Chunks of a generation from which the gate measures recall."""


@pytest.fixture(scope="module")
def built() -> tuple[World, Generation]:
    """A generation of 300 chunks."""
    world = World()
    words = [f"{first}{second}" for first in "bdfglmnprs" for second in ("ago", "eri", "omo", "uti")]
    pairs = [(one, other) for one in words for other in words if one < other]
    return world, world.build("g1", *(page(f"p{n}", f"{one} {other}.") for n, (one, other) in enumerate(pairs[:300])))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(edge_writer, "COMPRESSED_FROM", 0)
    monkeypatch.setattr(edge_index, "_MIN_LIMIT", 1)
    return tmp_path / "index"


def write(built: tuple[World, Generation], root: Path, compression: Compression) -> None:
    """Write an embedded index of the generation."""
    world, generation = built
    chunks = list(world.catalog.chunks("g1"))
    spec = IndexSpec.of(generation)
    writer = EdgeStore(root, hnsw_threshold=10**9, compression=compression).create("g1", spec)
    writer.add(world._points(chunks, world._counts(chunks)))
    writer.seal()


def judge(built: tuple[World, Generation], root: Path, compression: Compression) -> Finding:
    """The gate's finding on the embedded index, searched with this compression's oversampling."""
    world, generation = built
    index = EdgeStore(root, hnsw_threshold=10**9, compression=compression).open("g1", IndexSpec.of(generation))
    measured = replace(generation, chunks=_MEASURED_FROM)
    search, prefetch = world.searcher("g1").search, world.embedder.prefetch_queries
    context = CheckContext(measured, None, world.catalog, index, search, prefetch)
    (found,) = recall_of_dense_search(context, LIMITS, Silence())
    index.close()
    return found


def test_the_gate_fails_a_binary_index_that_loses_neighbours_and_names_the_setting_that_helps(
    built: tuple[World, Generation], root: Path
) -> None:
    write(built, root, Compression("binary"))
    lossy = judge(built, root, Compression("binary", oversampling=1.0))
    assert lossy.outcome is Outcome.FAIL
    assert lossy.value is not None
    assert lossy.value < LIMITS.min_recall
    assert "[index] oversampling" in lossy.detail
    better = judge(built, root, Compression("binary", oversampling=4.0))
    assert better.value is not None
    assert better.value > lossy.value
    rescored = judge(built, root, Compression("binary", oversampling=20.0))
    assert (rescored.outcome, rescored.value) == (Outcome.PASS, 1.0)


@pytest.mark.parametrize("quantization", ["none", "scalar"])
def test_the_other_kinds_find_every_neighbour_without_oversampling(
    built: tuple[World, Generation], root: Path, quantization: Literal["none", "scalar"]
) -> None:
    compression = Compression(quantization, oversampling=1.0)
    write(built, root, compression)
    assert any("quantized" in path.name for path in root.rglob("*")) == (quantization != "none")
    found = judge(built, root, compression)
    assert (found.outcome, found.value) == (Outcome.PASS, 1.0)
