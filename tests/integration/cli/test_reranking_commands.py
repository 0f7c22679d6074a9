"""Rerankers on the command line: compared, judged, checked, and switched off for one search."""

from pathlib import Path

import pytest
import yaml
from tests.conftest import ROOT
from tests.integration.cli.commands import Run, runner
from tests.peers.serving import Peer

from assay.app import Assay
from assay.model.evaluation import Outcome
from assay.settings import load_settings

TESTS = ROOT / "examples" / "handbook.testset.yaml"
SEARCH = ("search", "Which QoS profile for sensor topics?", "--generation", "candidate")


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory, tei: Peer) -> Path:
    """A folder with the handbook as its candidate, and a reranker in its assay.toml; no test changes it."""
    folder = tmp_path_factory.mktemp("handbook")
    (folder / "assay.toml").write_text(
        f'[[sources]]\npath = "{ROOT / "examples" / "handbook"}"\nbase_url = "https://handbook.example"\n'
        f'[rerank]\nprovider = "tei"\nmodel = "overlap"\nbase_url = "{tei.url}"\n',
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with Assay.open(load_settings()) as assay:
            assay.builds.ingest()
    topics = yaml.safe_load(TESTS.read_text(encoding="utf-8"))["topics"][:5]
    (folder / "few.yaml").write_text(yaml.safe_dump({"name": "few", "topics": topics}), encoding="utf-8")
    return folder


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], handbook: Path) -> Run:
    return runner(monkeypatch, capsys, handbook)


@pytest.fixture
def few(assay: Run, handbook: Path) -> Path:
    """A test set of five topics."""
    return handbook / "few.yaml"


def _opened(**tables: object) -> Assay:
    return Assay.open(load_settings(None, tables))


def test_compare_shows_what_the_reranker_changes(assay: Run, peer: Peer) -> None:
    body = assay("compare", "rerank=false", "rerank.depth=30", "--testset", str(TESTS), "--json").body
    assert body["differing"] == {
        "search.rerank": {"a": "–", "b": "tei overlap"},
        "search.rerank_depth": {"a": "–", "b": "30"},
    }
    assert body["measures"]["nDCG@10"]["difference"] != 0.0
    assert body["changed"]
    assert peer.ledger.requests >= body["topics"]


def test_compare_names_the_reason_if_the_reranker_fails(assay: Run, peer: Peer) -> None:
    peer.faults.always("401")
    said = assay("compare", "rerank=false", "rerank.depth=30", "--testset", str(TESTS))
    assert said.code == 2
    assert "36 topics left out that failed on one side" in said.err
    assert "it answered 401: the peer was told to answer 401" in " ".join(said.err.split())


def test_a_search_is_reranked_unless_it_says_otherwise(assay: Run) -> None:
    reranked, plain = (assay(*SEARCH, *more, "--json").body for more in ((), ("--no-rerank",)))
    assert (reranked["reranked"], plain["reranked"]) == (True, False)
    assert reranked["timings_ms"]["rerank"] > 0.0 == plain["timings_ms"]["rerank"]
    assert "reranked" in assay(*SEARCH).out


def test_a_search_whose_reranker_is_down_says_so_and_has_the_plain_order(assay: Run, peer: Peer) -> None:
    plain = assay(*SEARCH, "--no-rerank", "--json").body
    peer.faults.always("503")
    said = assay(*SEARCH, "--json")
    assert said.code == 0
    assert (said.body["reranked"], said.body["rerank_failed"]) == (False, True)
    assert "The reranker failed" in said.body["warnings"][0]
    assert [hit["chunk_id"] for hit in said.body["results"]] == [hit["chunk_id"] for hit in plain["results"]]


def test_a_validation_never_falls_back(few: Path, peer: Peer) -> None:
    peer.faults.always("401")
    with _opened() as opened:
        validation = opened.validate(test_set=few)
    assert validation.verdict.outcome is not Outcome.PASS
    errors = [one.error or "" for one in validation.topics]
    assert "refused: it answered 401" in errors[0]
    assert errors[-1].startswith("Skipped after 3 failures in a row")
    assert peer.ledger.requests <= 4  # one of them before the first topic


def test_a_report_names_the_reranker_and_has_its_time(few: Path) -> None:
    with _opened() as opened:
        validation = opened.validate(test_set=few)
    search = validation.provenance.search
    assert (search["rerank"], search["rerank_depth"]) == ("tei overlap", 30)
    assert validation.latency is not None
    assert validation.latency.stages["rerank"].p50_ms > 0.0
    assert [one.error for one in validation.topics] == [None] * len(validation.topics)


@pytest.mark.usefixtures("few")
def test_the_structural_checks_ask_no_reranker(peer: Peer) -> None:
    peer.ledger.reset()
    with _opened(validation={"testset": False}) as opened:
        opened.validate()
    assert peer.ledger.requests == 0


def test_doctor_names_the_reranker_and_tries_it_only_if_asked(assay: Run, peer: Peer) -> None:
    peer.ledger.reset()
    (check,) = [one for one in assay("doctor", "--json").body["checks"] if one["check"] == "reranker"]
    assert (check["level"], peer.ledger.requests) == ("ok", 0)
    assert "tei, overlap, orders 30 hits; not tested" in check["message"]
    (check,) = [one for one in assay("doctor", "--ask-provider", "--json").body["checks"] if one["check"] == "reranker"]
    assert (check["level"], peer.ledger.requests) == ("ok", 1)
    peer.faults.always("503")
    (check,) = [one for one in assay("doctor", "--ask-provider", "--json").body["checks"] if one["check"] == "reranker"]
    assert check["level"] == "fail"
    assert "it answered 503" in check["message"]
