"""Whole builds over a provider that fails: every chunk is embedded once, and a build that dies goes on where it was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.peers.cohere import cohere_peer
from tests.peers.process import ROOT, PeerProcess

from assay.app import Assay
from assay.cli.commands.diagnosis import diagnose
from assay.model.generations import State
from assay.model.ranking import Query
from assay.ports import EmbedderCall
from assay.settings import load_settings

KEY = "peer-key"
_PAGES = 20


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(_PAGES):
        sections = "\n\n".join(
            f"## Step {step}\n\nTurn part {number} exactly {step} times before part {number + step} is fitted."
            for step in range(1, 9)
        )
        (folder / f"part-{number}.md").write_text(f"# Part {number}\n\nAll about it.\n\n{sections}\n", encoding="utf-8")
    return folder


def _open(data_dir: Path, docs: Path, url: str, **embedding: object) -> Assay:
    chosen = {"provider": "cohere", "cohere_api_key": KEY, "base_url": url, "inputs_per_minute": 0, **embedding}
    source = {"path": docs, "base_url": "https://docs.example", "name": "docs"}
    chunking = {"max_characters": 200}
    gate = {"embedded_again": 0}  # what a build sends is counted
    settings = {"data_dir": data_dir, "sources": [source], "embedding": chosen, "chunking": chunking, "gate": gate}
    return Assay.open(load_settings(None, settings))


def test_every_chunk_is_embedded_once_though_every_tenth_request_fails(docs: Path, tmp_path: Path) -> None:
    seen: list[EmbedderCall] = []
    with cohere_peer(retry_after=0) as peer, _open(tmp_path / "data", docs, peer.url, batch_texts=2) as assay:
        assay.parts.embedder_observer = seen.append
        peer.faults.at_rate(0.1, ["429", "429-bare", "500", "503", "reset", "cut", "nan", "partial", "malformed"])
        report = assay.builds.ingest()
        peer.faults.at_rate(0.0, [])
        ledger = peer.ledger
        assert sum(ledger.statuses.values()) - ledger.statuses["200"] >= 5
        assert report.embedded == len(ledger.embedded) > 130
        # Only what the provider did without our getting it is done again.
        assert ledger.embedded - ledger.undelivered == dict.fromkeys(ledger.embedded, 1)
        assert sum(call.texts for call in seen if call.status == "ok") == report.embedded
        assert assay.publish().promoted
        assert sum(ledger.embedded.values()) == report.embedded + sum(ledger.undelivered.values())
        hit = assay.search(Query("how many times is part 17 turned before part 20", 1)).hits[0]
        assert "part 17 exactly 3 times" in hit.chunk.text


def test_what_did_not_change_is_not_sent_again(docs: Path, tmp_path: Path) -> None:
    with cohere_peer() as peer:
        with _open(tmp_path / "data", docs, peer.url) as assay:
            assert assay.publish().promoted
        peer.ledger.reset()
        (docs / "part-0.md").write_text("# Part 0\n\nIt was changed.\n", encoding="utf-8")
        with _open(tmp_path / "data", docs, peer.url + "/", calls=1, timeout=9.0) as assay:
            assert assay.publish().promoted
        assert len(peer.ledger.embedded) == 1


@pytest.mark.parametrize("change", [{"model": "embed-multilingual-v3.0"}, {"model": "embed-v4.0", "dimensions": 256}])
def test_another_model_embeds_everything_anew(docs: Path, tmp_path: Path, change: dict[str, object]) -> None:
    with cohere_peer() as peer:
        with _open(tmp_path / "data", docs, peer.url) as assay:
            first = assay.builds.ingest()
        peer.ledger.reset()
        with _open(tmp_path / "data", docs, peer.url, **change) as assay:
            assert assay.builds.ingest().embedded == first.embedded == len(peer.ledger.embedded)


def test_vectors_are_kept_until_they_are_live_and_then_let_go(docs: Path, tmp_path: Path) -> None:
    kept = tmp_path / "data" / "embeddings.sqlite"
    with cohere_peer() as peer:
        with _open(tmp_path / "data", docs, peer.url) as assay:
            candidate = assay.builds.ingest().generation
            assert kept.exists()
            assay.parts.catalog.transition(candidate.id, State.REJECTED, reason="a gate that did not pass")
        with _open(tmp_path / "data", docs, peer.url) as assay:
            report = assay.publish()
            assert report.promoted
            assert (report.build.embedded, report.build.reused) == (0, report.build.generation.chunks)
        assert set(peer.ledger.embedded.values()) == {1}
        assert not kept.exists()


def test_a_rebuild_trusts_nothing_that_was_kept(docs: Path, tmp_path: Path) -> None:
    with cohere_peer() as peer, _open(tmp_path / "data", docs, peer.url) as assay:
        assay.builds.ingest()
        assay.builds.ingest(rebuild=True)
        assert set(peer.ledger.embedded.values()) == {2}


def test_a_provider_that_refuses_fails_the_build_and_keeps_what_it_gave(docs: Path, tmp_path: Path) -> None:
    with cohere_peer() as peer:
        peer.faults.script([*["ok"] * 10, *["402"] * 200])
        with _open(tmp_path / "data", docs, peer.url, batch_texts=5, calls=4) as assay:
            with pytest.raises(Exception, match="payment method"):
                assay.builds.ingest()
            assert [generation.state for generation in assay.generations()] == [State.FAILED]
        given = len(peer.ledger.embedded)
        assert given == 50
        peer.faults.script([])
        with _open(tmp_path / "data", docs, peer.url) as assay:
            report = assay.publish()
            assert report.promoted
            assert report.build.reused >= given
        assert set(peer.ledger.embedded.values()) == {1}


def test_doctor_asks_a_provider_only_when_told_to(docs: Path, tmp_path: Path) -> None:
    with cohere_peer() as peer, _open(tmp_path / "data", docs, peer.url) as assay:
        assert assay.publish().promoted
        peer.ledger.reset()
        unasked = {check.name: check for check in diagnose(assay, ask_provider=False)}
        assert peer.ledger.requests == 0
        assert unasked["embedder"].level == unasked["live generation"].level == "ok"
        assert "--ask-provider" in unasked["embedder"].message
        asked = {check.name: check for check in diagnose(assay, ask_provider=True)}
        assert peer.ledger.requests > 0
        assert asked["embedder"].level == asked["live generation"].level == "ok"
        peer.faults.always("401")
        again = Assay.open(assay.settings)  # the words of before are remembered
        with again:
            refused = {check.name: check for check in diagnose(again, ask_provider=True)}
        assert refused["embedder"].level == "fail"
        assert "COHERE_API_KEY" in refused["embedder"].message


@pytest.mark.timeout(240)
@pytest.mark.parametrize("requests", [3, 20])
def test_a_build_that_is_killed_pays_again_for_no_more_than_was_in_flight(
    docs: Path, tmp_path: Path, requests: int
) -> None:
    calls, batch = 4, 5
    with PeerProcess("cohere", "--latency", "0.05") as peer:
        environment = {
            **os.environ,
            "COHERE_API_KEY": KEY,
            "ASSAY_EMBEDDING__PROVIDER": "cohere",
            "ASSAY_EMBEDDING__BASE_URL": peer.url,
            "ASSAY_EMBEDDING__INPUTS_PER_MINUTE": "0",
            "ASSAY_EMBEDDING__BATCH_TEXTS": str(batch),
            "ASSAY_EMBEDDING__CALLS": str(calls),
            "ASSAY_CHUNKING__MAX_CHARACTERS": "200",
            "ASSAY_GATE__EMBEDDED_AGAIN": "0",
            "ASSAY_DATA_DIR": str(tmp_path / "data"),
            "PYTHONPATH": str(ROOT / "src"),
        }
        command = [sys.executable, "-m", "assay", "publish", str(docs), "--base-url", "https://docs.example"]
        build = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)
        while peer.counts()["requests"] < requests:
            assert build.poll() is None, "the build ended before it could be killed"
            time.sleep(0.005)
        build.send_signal(signal.SIGKILL)
        assert build.wait() == -signal.SIGKILL
        time.sleep(0.2)  # the peer finishes what it was working on
        before = peer.counts(texts=True)["counts"]
        assert 0 < len(before) < 130, "it was not killed in the middle"
        again = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stderr
        after = peer.counts(texts=True)["counts"]
    twice = [text for text, count in after.items() if count > 1]
    assert max(after.values()) <= 2
    assert len(twice) <= calls * batch
    assert set(twice) <= set(before)
    assert len(after) > len(before)
