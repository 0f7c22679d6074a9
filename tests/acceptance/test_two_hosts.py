"""Two hosts that publish into one Postgres and one Qdrant server, each from a folder of its own."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.acceptance.test_killed_publish import ROOT, _answers, _open, _write_docs
from tests.acceptance.test_killed_publish_postgres import PUBLISHING
from tests.integration.web.conftest import running_server, settings_for, write_pages
from tests.integration.web.wire import ask, until
from tests.peers.qdrant import QdrantPeer
from tests.postgres import PostgresServer

from assay.app import Assay
from assay.errors import BuildInProgress
from assay.model.generations import State


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("ends", ["killed", "finished"])
def test_of_two_hosts_that_publish_at_once_one_is_told_of_the_other_and_what_a_killed_one_leaves_is_removed(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for host in (first, second):
        host.mkdir()
        _write_docs(host / "docs", changed=False)
    with QdrantPeer(tmp_path / "qdrant") as peer:
        monkeypatch.setenv("DATABASE_URL", postgres.new_database())
        monkeypatch.setenv("QDRANT_URL", peer.url)
        with _open(second / "data", second / "docs") as assay:
            assert assay.publish().promoted
            before = _answers(second / "data", second / "docs")
            _write_docs(first / "docs", changed=True)
            command = [sys.executable, "-c", PUBLISHING, str(first / "data"), str(first / "docs")]
            building = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert building.stdout is not None
            assert building.stdout.readline() == "building\n"
            with pytest.raises(BuildInProgress, match=rf"process {building.pid}, since 20.*Z, on .* is running"):
                assay.publish()
            assert _answers(first / "data", first / "docs") == before
            if ends == "killed":
                building.kill()
                building.wait(60)
            else:
                building.communicate("\n", timeout=120)
                assert building.returncode == 0
            (second / "docs" / "news.md").write_text("# News\n\nThe gripper is calibrated twice now.\n", "utf-8")
            promoted = assay.publish().promoted
            assert promoted
            states = [generation.state for generation in assay.generations()]
            assert states == [State.LIVE] + [State.RETIRED] * (1 if ends == "killed" else 2)
            assert sorted(assay.parts.store.generations()) == sorted(one.id for one in assay.generations())
        assert _answers(first / "data", first / "docs")[1] == promoted.id


@pytest.mark.slow
def test_a_promotion_reaches_all_replicas_over_one_postgres_and_one_qdrant(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = tmp_path / "builder"
    pages = write_pages(builder / "pages")
    with QdrantPeer(tmp_path / "qdrant") as peer, ExitStack() as running:
        monkeypatch.setenv("DATABASE_URL", postgres.new_database())
        monkeypatch.setenv("QDRANT_URL", peer.url)
        assay = running.enter_context(Assay.open(settings_for(builder)))
        first = assay.publish().promoted
        assert first
        replicas = [running.enter_context(running_server(tmp_path / f"replica-{number}")) for number in (1, 2)]
        answers = [ask(replica.port, "/v1/search", {"query": "What are nodes?"}) for replica in replicas]
        assert [answer.body["generation"] for answer in answers] == [first.id] * 2
        assert answers[0].body["results"] == answers[1].body["results"]
        (pages / "nodes.md").write_text("# Nodes\n\nNodes are now called agents of the robot.\n", "utf-8")
        second = assay.publish().promoted
        assert second
        for replica in replicas:
            until(lambda port=replica.port: _generation(port) == second.id)


def _generation(port: int) -> str:
    answer = ask(port, "/v1/search", {"query": "What are nodes?"})
    assert answer.status == 200
    generation: str = answer.body["generation"]
    return generation
