"""A vector that is not the one that was paid for is named, is not promoted, and gets into no later index."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.copies import copy_tree
from tests.peers.openai import OpenAIDialect
from tests.peers.qdrant import QdrantPeer
from tests.peers.serving import Peer, PeerRules
from tests.planting import EdgePoints, Points, ServerPoints, Stored, rotated
from tests.sabotages.vectors import rotate_by_one

from assay.app import Assay, shipped_folder
from assay.errors import PromotionRefused
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.settings import load_settings

CHECK = "vector checksums"
STORES = ("embedded", "qdrant")


@dataclass
class Bought:
    """A generation whose vectors a provider made, in a copy that may be damaged."""

    folder: Path
    store: str
    peer: Peer
    server: QdrantPeer | None

    def open(self) -> Assay:
        values: dict[str, Any] = {
            "data_dir": self.folder / "data",
            "sources": [{"path": self.folder / "docs", "base_url": "https://docs.example", "name": "handbook"}],
            "index": {"store": self.store},
            "qdrant": {"url": self.server.url} if self.server else {},
            "embedding": {
                "provider": "openai",
                "model": "peer-model",
                "openai_api_key": "peer-key",
                "base_url": f"{self.peer.url}/v1",
                "dimensions": 256,
            },
            "gate": {"embedded_again": 0},
        }
        return Assay.open(load_settings(None, values))

    def points(self, generation: str) -> Points:
        if self.server is not None:
            return ServerPoints(self.server.url, generation)
        return EdgePoints(self.folder / "data" / "generations" / generation)

    def damage(self, change: Callable[[list[Stored]], Sequence[Stored]]) -> set[str]:
        """Change vectors of the only generation; returns the ids of the chunks."""
        with self.open() as assay:
            (generation,) = assay.generations()
        points = self.points(generation.id)
        changed = change([point for _, point in sorted(points.all().items())])
        points.put(*changed)
        return {point.id for point in changed}

    def edit_a_page(self) -> None:
        page = min((self.folder / "docs").rglob("*.md"))
        page.write_text(f"{page.read_text(encoding='utf-8')}\nOne more sentence.\n", encoding="utf-8")

    def sql(self, statement: str) -> None:
        with sqlite3.connect(self.folder / "data" / "catalog.sqlite") as connection:
            connection.execute(statement)
        connection.close()

    def verdict(self) -> Verdict:
        with self.open() as assay:
            return assay.validate().verdict


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    peer = Peer(OpenAIDialect(), PeerRules(dimension=256)).start()
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def originals(peer: Peer, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each store with a candidate that has its PASS; to be copied."""
    made: dict[str, Path] = {}

    def original(store: str) -> Path:
        if store not in made:
            folder = made[store] = tmp_path_factory.mktemp(store)
            shutil.copytree(shipped_folder("examples") / "handbook", folder / "docs")
            with ExitStack() as opened:
                server = opened.enter_context(QdrantPeer(folder / "server")) if store == "qdrant" else None
                with Bought(folder, store, peer, server).open() as assay:
                    assay.builds.ingest()
                    assert assay.validate().verdict.outcome is Outcome.PASS
        return made[store]

    return original


@pytest.fixture(params=STORES)
def bought(
    request: pytest.FixtureRequest, originals: Callable[[str], Path], peer: Peer, tmp_path: Path
) -> Iterator[Bought]:
    store = request.param
    copy_tree(originals(store), tmp_path / "copy")
    with ExitStack() as opened:
        server = opened.enter_context(QdrantPeer(tmp_path / "copy" / "server")) if store == "qdrant" else None
        yield Bought(tmp_path / "copy", store, peer, server)


only_embedded = pytest.mark.parametrize("bought", ["embedded"], indirect=True)


def _finding(verdict: Verdict) -> Finding:
    (found,) = [finding for finding in verdict.findings if finding.check == CHECK]
    return found


# --- ways to damage vectors ----------------------------------------------------------------------------------------


def one_of_another_text(points: list[Stored]) -> Sequence[Stored]:
    points[0].dense = points[1].dense
    return points[:1]


def two_swapped(points: list[Stored]) -> Sequence[Stored]:
    points[0].dense, points[1].dense = points[1].dense, points[0].dense
    return points[:2]


def all_rotated(points: list[Stored]) -> Sequence[Stored]:
    rotate_by_one(points)
    return points


def one_of_another_model(points: list[Stored]) -> Sequence[Stored]:
    points[3].dense = rotated(points[3].dense)
    return points[3:4]


def one_with_a_little_noise(points: list[Stored]) -> Sequence[Stored]:
    noise = np.random.default_rng(5).normal(size=len(points[2].dense))
    points[2].dense = (np.asarray(points[2].dense) + 0.002 * noise / np.linalg.norm(noise)).tolist()
    return points[2:3]


def one_number_of_one(points: list[Stored]) -> Sequence[Stored]:
    points[4].dense[17] += 0.001
    return points[4:5]


DAMAGES = (
    one_of_another_text,
    two_swapped,
    all_rotated,
    one_of_another_model,
    one_with_a_little_noise,
    one_number_of_one,
)


# --- the tests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bought", "damage"),
    [*(("embedded", one) for one in DAMAGES), ("qdrant", two_swapped), ("qdrant", one_with_a_little_noise)],
    indirect=["bought"],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_vectors_that_were_changed_are_counted_and_named(
    bought: Bought, damage: Callable[[list[Stored]], Sequence[Stored]]
) -> None:
    changed = bought.damage(damage)
    with bought.open() as assay:
        found = assay.auditor.audit().audit
    assert found.compared_vectors == 0  # nothing was paid for it
    fault = found.faults[CHECK]
    assert fault.count == len(changed)
    assert {example.split(" ")[0] for example in fault.examples} <= changed
    finding = _finding(bought.verdict())
    assert (finding.outcome, finding.count) == (Outcome.FAIL, len(changed))
    assert "`assay publish --rebuild`" in finding.detail


@only_embedded
def test_vectors_that_were_rotated_after_the_pass_are_not_promoted(bought: Bought) -> None:
    bought.damage(all_rotated)
    with bought.open() as assay, pytest.raises(PromotionRefused, match=CHECK):
        assay.promote()


def test_a_candidate_as_it_was_built_is_promoted(bought: Bought) -> None:
    with bought.open() as assay:
        assert assay.auditor.audit().audit.faults[CHECK].count == 0
        assert CHECK not in assay.auditor.audit().audit.skipped
        assay.promote()


def test_a_wrong_vector_gets_into_no_later_index(bought: Bought, caplog: pytest.LogCaptureFixture) -> None:
    with bought.open() as assay:
        live = assay.promote()  # from here on no paid vector is kept outside of the index
    changed = bought.damage(two_swapped)
    bought.edit_a_page()
    with bought.open() as assay:
        build = assay.builds.ingest()
        catalog = assay.parts.catalog
        before, after = (
            {chunk.embedded_hash for chunk in catalog.chunks(one)} for one in (live.id, build.generation.id)
        )
        assert build.embedded == len(after - before) + len(changed)
        assert build.reused == build.generation.chunks - build.embedded
        assert assay.auditor.audit("candidate", everything=True).audit.count == 0
        assert assay.validate().verdict.outcome is Outcome.PASS
    assert "2 vectors of the previous index are damaged" in caplog.text


@only_embedded
def test_a_generation_without_checksums_is_judged_without_them_and_the_next_has_them(bought: Bought) -> None:
    bought.sql("UPDATE generation_documents SET vector_checksums = NULL")
    with bought.open() as assay:
        verdict = assay.validate().verdict
        assert verdict.outcome is Outcome.PASS
        assert CHECK not in {finding.check for finding in verdict.findings}
        (note,) = [note for note in verdict.notes if "no recorded checksum" in note]
        assert note.startswith(f"{assay.generations()[0].chunks} vectors have no recorded checksum")
        assert "was recorded" in assay.auditor.audit().audit.skipped[CHECK]
        bought.edit_a_page()
        assert assay.builds.ingest().reused > 100
        verdict = assay.validate().verdict
        assert _finding(verdict).outcome is Outcome.PASS
        assert not [note for note in verdict.notes if "no recorded checksum" in note]


@only_embedded
def test_a_page_whose_checksums_are_gone_is_named_where_others_have_them(bought: Bought) -> None:
    one = "(SELECT min(url) FROM generation_documents)"
    bought.sql(f"UPDATE generation_documents SET vector_checksums = NULL WHERE url = {one}")
    found = _finding(bought.verdict())
    assert found.outcome is Outcome.FAIL
    assert all("the checksum of its vector is missing" in example for example in found.examples)


@only_embedded
def test_damaged_checksums_are_a_fault_of_the_catalog_and_the_others_are_looked_at(bought: Bought) -> None:
    one = "(SELECT min(url) FROM generation_documents)"
    bought.sql(f"UPDATE generation_documents SET vector_checksums = substr(vector_checksums, 2) WHERE url = {one}")
    with bought.open() as assay:
        faults = assay.auditor.audit().audit.faults
        assert faults["catalog"].count == 1
        assert "checksums of the vectors of https://docs.example/" in faults["catalog"].examples[0]
        assert faults[CHECK].count == 0
    bought.damage(all_rotated)
    with bought.open() as assay:
        faults = assay.auditor.audit().audit.faults
        assert faults["catalog"].count == 1
        assert faults[CHECK].count > 100


def all_one(points: list[Stored]) -> Sequence[Stored]:
    for point in points:
        point.dense = points[0].dense
    return points


@only_embedded
def test_an_audit_looks_at_the_vectors_by_themselves_too(bought: Bought) -> None:
    with bought.open() as assay:
        report = assay.auditor.audit()
    assert report.sound
    assert [(one.check, one.outcome) for one in report.vectors] == [
        ("distinct vectors", Outcome.PASS),
        ("spread of vectors", Outcome.PASS),
    ]
    bought.damage(all_one)
    bought.sql("UPDATE generation_documents SET vector_checksums = NULL")  # as of an earlier version
    with bought.open() as assay:
        report = assay.auditor.audit()
    assert report.audit.count == 0
    assert not report.sound
    assert {one.check for one in report.vectors if one.outcome is Outcome.FAIL} == {
        "distinct vectors",
        "spread of vectors",
    }
