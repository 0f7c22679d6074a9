"""Every kind of fault, planted into a real generation by real means, is found by `assay audit` and named.

The catalog is changed by SQL, the embedded index by the engine, the collection of a Qdrant server by its client.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.copies import copy_tree
from tests.peers.qdrant import QdrantPeer
from tests.planting import EdgePoints, ServerPoints, Stores
from tests.real_qdrant import real_server
from tests.sabotages.in_catalog import IN_THE_CATALOG, Plant, another_fingerprint
from tests.sabotages.in_index import (
    IN_THE_FILES,
    IN_THE_INDEX,
    a_missing_point,
    a_payload_that_cannot_be_read,
    an_extra_point,
    another_weight_of_a_keyword,
    one_byte_of_a_payload,
    one_number_of_a_vector,
    the_vectors_of_another_model,
)

from assay.app import Assay, AuditReport, shipped_folder
from assay.errors import PromotionRefused
from assay.settings import load_settings

STORES = ("embedded", "qdrant")
READ_FROM_A_SERVER = (
    one_byte_of_a_payload,
    a_payload_that_cannot_be_read,
    a_missing_point,
    an_extra_point,
    one_number_of_a_vector,
    another_weight_of_a_keyword,
)
"""A fault of each thing that the adapter of a server reads; the audit judges both stores by the same code."""


def _settings(data: Path, store: str, url: str | None) -> dict[str, Any]:
    docs = shipped_folder("examples") / "handbook" / "docs" / "03-communication"
    source = {"path": docs, "base_url": "https://docs.example", "name": "handbook", "convention": "plain"}
    server = {"url": url} if url else {}
    chunking = {"max_characters": 600}
    return {"data_dir": data, "sources": [source], "index": {"store": store}, "qdrant": server, "chunking": chunking}


@dataclass
class Planted:
    """A generation that may have been damaged, and the audit of it."""

    stores: Stores
    store: str
    url: str | None

    def open(self) -> Assay:
        return Assay.open(load_settings(None, _settings(self.stores.data, self.store, self.url)))

    def audit(self, **asked: Any) -> AuditReport:  # noqa: ANN401 - what Assay.audit takes
        with self.open() as assay:
            return assay.auditor.audit(**asked)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each store with a live generation in `data`, and the server's files in `server`; to be copied."""
    folders: dict[str, Path] = {}

    def build(store: str) -> Path:
        if store not in folders:
            folder = folders[store] = tmp_path_factory.mktemp(store)
            if store == "qdrant":
                with QdrantPeer(folder / "server") as peer:
                    _publish(folder / "data", store, peer.url)
            else:
                _publish(folder / "data", store, None)
        return folders[store]

    return build


def _publish(data: Path, store: str, url: str | None) -> None:
    with Assay.open(load_settings(None, _settings(data, store, url))) as assay:
        assert assay.publish().promoted


@pytest.fixture
def planted(request: pytest.FixtureRequest, built: Callable[[str], Path], tmp_path: Path) -> Iterator[Planted]:
    """A copy to be damaged, in the store that a test names."""
    store = request.param
    if store == "qdrant" and os.environ.get("ASSAY_TEST_QDRANT_URL"):
        url = real_server().url
        _publish(tmp_path / "data", store, url)
        yield Planted(Stores(tmp_path / "data", ServerPoints(url)), store, url)
        return
    copy_tree(built(store), tmp_path / "copy")
    data = tmp_path / "copy" / "data"
    if store == "embedded":
        (folder,) = (data / "generations").iterdir()
        yield Planted(Stores(data, EdgePoints(folder)), store, None)
        return
    with QdrantPeer(tmp_path / "copy" / "server") as peer:
        yield Planted(Stores(data, ServerPoints(peer.url)), store, peer.url)


def _found(report: AuditReport) -> dict[str, str]:
    """Each kind of which there are faults, with all that is said of them."""
    faults = report.audit.faults
    return {kind: "\n".join([*fault.examples, fault.cause]) for kind, fault in faults.items() if fault.count}


# --- the tests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", STORES, indirect=True)
def test_nothing_is_found_where_nothing_is_planted(planted: Planted) -> None:
    report = planted.audit()
    audit = report.audit
    assert _found(report) == {}
    assert audit.chunks == audit.compared_vectors == audit.compared_keywords == report.generation.chunks > 20
    assert audit.skipped == {}


def _check(planted: Planted, plant: Plant) -> None:
    expected = plant(planted.stores)
    found = _found(planted.audit())
    assert set(found) == set(expected)
    for kind, words in expected.items():
        for said in words:
            assert said in found[kind], f"{kind}: {found[kind]}"


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
@pytest.mark.parametrize("plant", [*IN_THE_CATALOG, *IN_THE_FILES], ids=lambda plant: plant.__name__)
def test_a_fault_in_the_catalog_or_the_files_is_found_and_named(planted: Planted, plant: Plant) -> None:
    _check(planted, plant)


@pytest.mark.parametrize(
    ("planted", "plant"),
    [*(("embedded", plant) for plant in IN_THE_INDEX), *(("qdrant", plant) for plant in READ_FROM_A_SERVER)],
    indirect=["planted"],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_fault_in_the_index_is_found_and_named(planted: Planted, plant: Plant) -> None:
    _check(planted, plant)


@pytest.mark.parametrize("planted", ["qdrant"], indirect=True)
def test_a_collection_that_is_gone_is_a_fault_and_the_catalog_is_looked_at_all_the_same(planted: Planted) -> None:
    points = planted.stores.points
    assert isinstance(points, ServerPoints)
    points.client.delete_collection(points.collection)
    planted.stores.sql("UPDATE chunks SET span_start = span_start + 1 WHERE chunk_id = ?", planted.stores.chunk())
    assert set(_found(planted.audit())) == {"index", "spans"}


# --- samples -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_a_stale_model_shows_in_a_small_sample(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    report = planted.audit(sample=5)
    assert report.audit.compared_vectors == 5
    assert report.audit.faults["embeddings"].count == 5
    assert "another model, or another version of it, made them" in report.audit.faults["embeddings"].cause


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_a_sample_is_the_same_each_time_and_another_for_other_content(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    first, again = (planted.audit(sample=5).audit.faults["embeddings"].examples for _ in range(2))
    another_fingerprint(planted.stores)
    other = planted.audit(sample=5).audit.faults["embeddings"].examples
    assert first == again != other


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_one_of_a_swapped_pair_in_the_sample_names_the_other_outside_of_it(planted: Planted) -> None:
    points = planted.stores.points.all()
    the_vectors_of_another_model(planted.stores)
    (sampled,) = planted.audit(sample=1).audit.faults["embeddings"].examples
    inside = sampled.split(" ")[0]
    one, other = points[inside], points[next(chunk for chunk in sorted(points) if chunk != inside)]
    one.dense, other.dense = other.dense, one.dense
    planted.stores.points.put(*points.values())
    (example,) = planted.audit(sample=1).audit.faults["embeddings"].examples
    assert inside in example
    assert other.id in example
    assert "have each other's vectors" in example


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_the_gate_refuses_a_candidate_with_vectors_of_another_model(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    planted.stores.sql("UPDATE generations SET state = 'candidate'")
    planted.stores.sql("UPDATE live SET generation_id = NULL")
    with planted.open() as assay, pytest.raises(PromotionRefused, match=r"embeddings: (\d+) faults in \1 chunks"):
        assay.promote()
