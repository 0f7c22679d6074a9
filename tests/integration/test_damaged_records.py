"""A damaged record is named: by the validation, which still gives its report, by searches, and by the health."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.peers.qdrant import QdrantPeer
from tests.planting import EdgePoints, ServerPoints, Stores

from assay.app import Assay
from assay.errors import PointCorrupt, PromotionRefused
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.model.ranking import Query
from assay.settings import load_settings
from assay.web.application import create_app

PARTS = ("gripper", "camera", "battery", "lidar", "ankle")
STORES = ("embedded", "qdrant")

Change = Callable[[dict[str, Any]], object]


class Damaged:
    """A live generation of a few pages, to be damaged. store, url: where its index is."""

    def __init__(self, folder: Path, store: str, url: str | None) -> None:
        self.folder = folder
        self._settings = {
            "data_dir": folder / "data",
            "sources": [{"path": folder / "docs", "base_url": "https://docs.example", "name": "docs"}],
            "index": {"store": store},
            "qdrant": {"url": url, "patience_seconds": 1.0} if url else {},
            "validation": {"output_dir": folder / "reports"},
        }
        self._url = url
        self.generation = ""
        """Whose index is changed; "" for the only one."""

    def open(self) -> Assay:
        return Assay.open(load_settings(None, self._settings))

    @property
    def stores(self) -> Stores:
        if self._url:
            return Stores(self.folder / "data", ServerPoints(self._url, self.generation))
        (folder,) = (self.folder / "data" / "generations").glob(f"*{self.generation}")
        return Stores(self.folder / "data", EdgePoints(folder))

    def change_payload(self, title: str, change: Change) -> str:
        """Change the payload of a page's only point; its id."""
        points = self.stores.points
        (point,) = [one for one in points.all().values() if one.payload["title"] == title]
        change(point.payload)
        points.put(point)
        return point.id

    def verdict(self) -> Verdict:
        """What a validation finds; its report is written in every format."""
        with self.open() as assay:
            validation = assay.validate()
            assert set(assay.write_report(validation)) == {"json", "html", "md", "xml"}
        return validation.verdict


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each store, to be copied."""
    folders: dict[str, Path] = {}

    def build(store: str) -> Path:
        if store not in folders:
            folder = folders[store] = tmp_path_factory.mktemp(store)
            (folder / "docs").mkdir()
            for part in PARTS:
                (folder / "docs" / f"{part}.md").write_text(f"# The {part}\n\nCheck the {part} once a week.\n", "utf-8")
            if store == "qdrant":
                with QdrantPeer(folder / "server") as peer:
                    _publish(Damaged(folder, store, peer.url))
            else:
                _publish(Damaged(folder, store, None))
        return folders[store]

    return build


def _publish(made: Damaged) -> None:
    with made.open() as assay:
        assert assay.publish().promoted


@pytest.fixture(params=STORES)
def damaged(request: pytest.FixtureRequest, built: Callable[[str], Path], tmp_path: Path) -> Iterator[Damaged]:
    folder = copy_tree(built(request.param), tmp_path / "copy")
    if request.param == "embedded":
        yield Damaged(folder, request.param, None)
        return
    with QdrantPeer(folder / "server") as peer:
        yield Damaged(folder, request.param, peer.url)


@pytest.fixture
def embedded(built: Callable[[str], Path], tmp_path: Path) -> Damaged:
    return Damaged(copy_tree(built("embedded"), tmp_path / "copy"), "embedded", None)


def _failed(verdict: Verdict) -> dict[str, Finding]:
    return {finding.check: finding for finding in verdict.findings if finding.outcome is not Outcome.PASS}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda payload: payload.pop("url"), "lacks `url`"),
        (lambda payload: payload.update(text=None), "null as `text`"),
        (lambda payload: payload.update(position=["0"]), "a list as `position`"),
        (lambda payload: payload.update(rest="{}"), "lacks `rest.tokenizer`"),
    ],
)
def test_a_damaged_payload_fails_with_its_point_and_field_and_every_other_check_runs(
    damaged: Damaged, change: Change, says: str
) -> None:
    point = damaged.change_payload("The lidar", change)
    verdict = damaged.verdict()
    failed = _failed(verdict)
    assert verdict.outcome is Outcome.FAIL
    assert set(failed) == {"completeness", "reachable by title"}
    for said in (failed["completeness"].examples[0], failed["reachable by title"].detail):
        assert point in said
        assert says in said
    assert len(verdict.findings) >= 18


def test_a_search_that_meets_a_damaged_payload_says_what_to_do_and_the_health_is_not_ok_from_then_on(
    damaged: Damaged,
) -> None:
    point = damaged.change_payload("The lidar", lambda payload: payload.pop("url"))
    with damaged.open() as assay, TestClient(create_app(assay)) as client:
        assay.searches.live.refresh()
        assert client.get("/health").json()["status"] == "ok"
        asked = {
            "/v1/search": {"query": "the lidar"},
            "/search": {"query": "the lidar"},
            "/query": {"query_text": "the lidar"},
            "/api/v1/search": {"query_text": "the lidar"},
        }
        for route, body in asked.items():
            answer = client.post(route, json=body)
            message = str(answer.json())
            assert answer.status_code == 503, route
            assert f"The point {point} of the index is damaged: its payload lacks `url`" in message
            assert "`assay rollback`" in message
            assert "`assay publish --rebuild`" in message
            assert "try again" not in message
        assert client.get("/health").json()["status"] == "degraded"
        assert client.get("/api/v1/health").json()["status"] == "degraded"
        assert client.get("/readyz").status_code == 200  # every other server would have the same index
        assert any(point in problem for problem in assay.searches.health().problems)
        assert assay.publish(rebuild=True).promoted
        assay.searches.live.refresh()
        assert client.get("/health").json()["status"] == "ok"
        assert client.post("/v1/search", json={"query": "the lidar"}).status_code == 200


# --- the catalog ---------------------------------------------------------------------------------------------------

ROWS = [
    ("document_revisions", "text", b"\x00"),
    ("document_revisions", "outline", b"\x00"),
    ("document_revisions", "more", "[]"),
    ("document_revisions", "more", "{"),
    ("document_revisions", "title", b"\xff"),
    ("document_revisions", "chunk_count", "many"),
    ("document_revisions", "text_hash", b"\x01"),
    ("chunks", "heading_path", '"word"'),
    ("chunks", "heading_path", "{"),
    ("chunks", "text", b"\xff\x00"),
    ("chunks", "span_start", "here"),
    ("chunks", "created_at", "yesterday"),
    ("chunks", "embedded_hash", b"\x01"),
]


@pytest.mark.parametrize(("table", "column", "value"), ROWS, ids=str)
def test_a_damaged_row_of_the_catalog_fails_and_a_rebuild_mends_it(
    embedded: Damaged, table: str, column: str, value: object
) -> None:
    where = "id" if table == "document_revisions" else "revision_id"
    (row,) = embedded.stores.sql("SELECT id FROM document_revisions WHERE url LIKE '%lidar%'")
    embedded.stores.sql(f"UPDATE {table} SET {column} = ? WHERE {where} = ?", value, row[0])
    verdict = embedded.verdict()
    assert verdict.outcome is Outcome.FAIL
    assert "catalog" in _failed(verdict)
    assert "lidar" in " ".join(_failed(verdict)["catalog"].examples)
    with embedded.open() as assay:
        report = assay.publish(rebuild=True)
        assert report.verdict is not None
        assert report.promoted, report.verdict.summary


def test_a_live_page_at_two_addresses_does_not_block_its_replacement(embedded: Damaged) -> None:
    (row,) = embedded.stores.sql("SELECT revision_id FROM generation_documents WHERE url LIKE '%lidar%'")
    embedded.stores.sql("UPDATE generation_documents SET url = url || 'x' WHERE revision_id = ?", row[0])
    page = embedded.folder / "docs" / f"{PARTS[0]}.md"
    page.write_text(f"{page.read_text('utf-8')}\nOne more sentence.\n", "utf-8")
    with embedded.open() as assay:
        report = assay.publish()
        assert report.verdict is not None
        assert report.promoted, report.verdict.summary


# --- indexes that cannot be opened, peers that are gone ------------------------------------------------------------


def test_an_index_that_is_gone_or_cut_short_is_a_report_that_fails(embedded: Damaged) -> None:
    folder = embedded.stores.index_folder
    largest = max((path for path in folder.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:100])
    failed = _failed(embedded.verdict())
    assert failed["index"].outcome is Outcome.FAIL
    shutil.rmtree(folder)
    failed = _failed(embedded.verdict())
    assert failed["index"].outcome is Outcome.FAIL
    assert "There is no index" in " ".join(failed["index"].examples)


def test_a_server_that_is_gone_is_a_report_that_is_inconclusive_and_rejects_nothing(
    built: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = copy_tree(built("qdrant"), tmp_path / "copy")
    with QdrantPeer(folder / "server") as peer:
        made = Damaged(folder, "qdrant", peer.url)
        (folder / "docs" / "wrist.md").write_text("# The wrist\n\nCheck the wrist once a week.\n", "utf-8")
        with made.open() as assay:
            candidate = assay.builds.ingest().generation
    verdict = made.verdict()
    assert verdict.generation == candidate.id
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert {finding.outcome for finding in _failed(verdict).values()} == {Outcome.INCONCLUSIVE}
    with QdrantPeer(folder / "server") as peer:
        there = Damaged(folder, "qdrant", peer.url)
        with there.open() as assay:
            assert assay.promote(candidate.id).id == candidate.id


def test_a_candidate_with_a_damaged_point_is_not_promoted(damaged: Damaged) -> None:
    (damaged.folder / "docs" / "wrist.md").write_text("# The wrist\n\nCheck the wrist once a week.\n", "utf-8")
    with damaged.open() as assay:
        candidate = assay.builds.ingest().generation
        assert assay.validate(candidate.id).verdict.outcome is Outcome.PASS
    damaged.generation = candidate.id
    damaged.change_payload("The wrist", lambda payload: payload.pop("url"))
    with damaged.open() as assay, pytest.raises(PromotionRefused, match="lacks `url`"):
        assay.promote(candidate.id)


def test_searching_names_the_damage_in_process_too(embedded: Damaged) -> None:
    point = embedded.change_payload("The lidar", lambda payload: payload.pop("url"))
    with embedded.open() as assay, pytest.raises(PointCorrupt, match=f"{point} .* lacks `url`"):
        assay.search(Query("the lidar", 5))
