"""The commands over a collection that Assay did not make."""

import signal
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from qdrant_client import QdrantClient, models
from tests.adopted import BASE_URL, make, make_seed, passages, seed_payload, vectors
from tests.folders import plant
from tests.integration.cli.commands import PROGRAM, Run, environment, runner
from tests.peers.qdrant import QdrantPeer

QUESTION = "what happens when the emergency stop is pressed"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return plant(tmp_path / "here", {"docs/a.md": "# A\n\nA page.\n"})


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server") as peer:
        yield peer


@pytest.fixture
def client(peer: QdrantPeer) -> Iterator[QdrantClient]:
    client = QdrantClient(url=peer.url, check_compatibility=False)
    yield client
    client.close()


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path, peer: QdrantPeer) -> Run:
    """Runs commands in a folder with no more than the server's address."""
    run = runner(monkeypatch, capsys, folder)
    monkeypatch.setenv("QDRANT_URL", peer.url)
    return run


def adopt(folder: Path, peer: QdrantPeer, more: str = "") -> None:
    text = f'[qdrant]\nurl = "{peer.url}"\n\n[index]\nadopt = "docs"\n{more}'
    (folder / "assay.toml").write_text(text, encoding="utf-8")


def checks_of(body: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401 - JSON
    return {check["check"]: check for check in body["checks"]}


def by_hand(client: QdrantClient) -> None:
    """A payload that no preset knows, its positions from 1."""
    payloads = [{"body": {"raw": one.text}, "where": f"{one.page}.md", "n": one.position + 1} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])


# --- the doctor ----------------------------------------------------------------------------------------------------


def test_the_doctor_says_in_words_what_there_is_and_what_to_set(assay: Run, client: QdrantClient) -> None:
    make_seed(client)
    said = assay("doctor", "--adopt", "docs")
    assert said.code == 0
    words = " ".join(said.out.split())
    assert f"collection: docs, {len(passages())} points; dense without a name: 256 dimensions, Cosine." in words
    assert "it looks like validation_report (100% of 100 sampled points)" in words
    assert f"chunk_id in {len(passages())} (results have the point's id)" in words
    assert "keyword search: not possible: there are no sparse vectors" in words
    assert "all are sound" in words
    assert "64 texts embedded again, cosine with the stored vectors 1.000" in words
    assert "To serve it, assay.toml needs:" in words


@pytest.mark.parametrize("known", [True, False])
def test_what_the_doctor_says_to_set_serves_the_collection_in_a_folder_with_nothing_else(
    assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    if known:
        make_seed(client)
    else:
        by_hand(client)
        more = '[index.mapping]\ntext = "body.raw"\nurl = ["link", "where"]\nposition = "n"\nfirst_position = 1\n'
        adopt(folder, peer, f'{more}base_url = "{BASE_URL}"\n[embedding]\nbatch_texts = 7\n')
    said = assay("doctor", "--adopt", "docs")
    indented = [line[4:] for line in said.out.split("assay.toml needs:")[1].splitlines()]
    settings = "\n".join(indented)
    assert settings.strip() == assay("doctor", "--adopt", "docs", "--json").body["adopted"]["settings"].strip()
    expected = assay("search", QUESTION, "--mode", "dense", "--json") if not known else None
    (folder / "assay.toml").write_text(settings, encoding="utf-8")
    monkeypatch.delenv("QDRANT_URL")
    found = assay("search", QUESTION, "--json")
    assert (found.code, found.body["warnings"], found.body["mode"]) == (0, [], "dense")
    if expected is not None:
        assert found.body["results"] == expected.body["results"]
        assert found.body["results"][0]["url"].startswith(BASE_URL)
        assert tomllib.loads(settings)["embedding"]["batch_texts"] == 7


def test_the_doctor_never_shows_the_servers_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    with QdrantPeer(tmp_path / "server", api_key="a-secret-key") as peer:
        run = runner(monkeypatch, capsys, folder)
        monkeypatch.setenv("QDRANT_URL", peer.url)
        monkeypatch.setenv("QDRANT_API_KEY", "a-secret-key")
        with pytest.warns(UserWarning, match="insecure"):
            client = QdrantClient(url=peer.url, api_key="a-secret-key", check_compatibility=False)
        make_seed(client)
        client.close()
        for arguments in (("doctor", "--adopt", "docs"), ("doctor", "--adopt", "docs", "--json")):
            said = run(*arguments)
            assert said.code == 0
            assert "a-secret-key" not in said.out + said.err
        monkeypatch.setenv("QDRANT_API_KEY", "another-key")
        said = run("doctor", "--adopt", "docs")
        assert said.code == 1
        assert "QDRANT_API_KEY" in said.out
        assert "another-key" not in said.out + said.err


def test_the_doctor_names_what_to_map_where_it_knows_no_preset(assay: Run, client: QdrantClient) -> None:
    by_hand(client)
    said = assay("doctor", "--adopt", "docs", "--json")
    assert said.code == 1
    assert "The points have: body.raw, n, where." in checks_of(said.body)["payload"]["message"]
    assert 'text = ""' in said.body["adopted"]["settings"]


def test_the_doctor_names_those_that_are_there(assay: Run, client: QdrantClient) -> None:
    make_seed(client, "wiki")
    said = assay("doctor", "--adopt", "docs", "--json")
    assert said.code == 1
    assert "It has: wiki." in checks_of(said.body)["collection"]["message"]


def test_the_doctor_names_the_models_that_make_vectors_of_that_length(assay: Run, client: QdrantClient) -> None:
    client.create_collection("docs", vectors_config=models.VectorParams(size=1024, distance=models.Distance.COSINE))
    client.upsert("docs", [models.PointStruct(id=1, vector=[1.0] * 1024, payload=seed_payload(passages()[0]))])
    said = assay("doctor", "--adopt", "docs", "--json")
    assert said.code == 1
    assert "embed-english-v3.0" in checks_of(said.body)["dimensions"]["message"]
    assert "embed-english-v3.0" in said.body["adopted"]["settings"]


def test_the_doctor_finds_planted_faults_and_counts_them(assay: Run, client: QdrantClient) -> None:
    make_seed(client)
    first, second, third = (seed_payload(one) for one in passages()[:3])
    vector = vectors([first["content"]])[0]
    client.upsert(
        "docs",
        [
            models.PointStruct(id=1, vector=vector, payload=first | {"content_hash": "0" * 64}),
            models.PointStruct(id=2, vector=vector, payload=second | {"title": "Another"}),
            models.PointStruct(id=9_001, vector=vector, payload=third),
            models.PointStruct(id=9_002, vector=vector, payload={"url": BASE_URL}),
        ],
    )
    said = assay("doctor", "--adopt", "docs", "--json")
    survey = said.body["adopted"]["survey"]
    assert said.code == 0
    assert {kind: fault["count"] for kind, fault in survey["faults"].items()} == {
        "hashes": 1,
        "titles": 1,
        "duplicates": 1,
        "positions": 1,
    }
    assert survey["missing"]["text"] == 1
    checks = checks_of(said.body)
    assert (checks["points"]["level"], checks["fields"]["level"]) == ("warn", "warn")


def test_the_doctor_sees_that_two_models_made_the_vectors(assay: Run, client: QdrantClient) -> None:
    make_seed(client)
    backwards = [
        models.PointStruct(id=number, vector=vectors([one.text])[0][::-1], payload=seed_payload(one))
        for number, one in enumerate(passages(), 1)
        if number % 3 == 0
    ]
    client.upsert("docs", backwards)
    said = assay("doctor", "--adopt", "docs", "--json")
    assert said.code == 1
    assert said.body["adopted"]["model"]["verdict"] == "mixed"
    assert "Embed the whole collection again" in checks_of(said.body)["model"]["message"]


def test_the_doctor_looks_at_no_more_points_than_it_is_told(assay: Run, client: QdrantClient, peer: QdrantPeer) -> None:
    make_seed(client)
    said = assay("doctor", "--adopt", "docs", "--sample", "1", "--json")
    assert (said.body["adopted"]["survey"]["points"], said.body["adopted"]["survey"]["whole"]) == (1, False)
    assert "1 point on 1 page (a part of the collection)" in checks_of(said.body)["points"]["message"]
    assert assay("doctor", "--adopt", "docs", "--sample", "0").code == 2


# --- what changes nothing, and what would --------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("ingest", "docs"), ("publish", "docs"), ("promote",), ("rollback",)])
def test_what_would_change_it_is_refused_and_says_what_to_do(
    assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer, command: tuple[str, ...]
) -> None:
    make_seed(client)
    adopt(folder, peer)
    peer.counts.clear()
    said = assay(*command)
    assert (said.code, said.out) == (2, "")
    assert "Assay never changes the adopted collection docs" in said.err
    assert "remove adopt and build an index with `assay publish`" in said.err
    assert not peer.counts
    assert not (folder / ".assay").exists()


def test_the_collection_is_listed_as_live(assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer) -> None:
    make_seed(client)
    adopt(folder, peer)
    (listed,) = assay("generations", "--json").body["generations"]
    assert (listed["generation"], listed["live"], listed["chunks"]) == ("adopted-docs", True, len(passages()))
    assert listed["sources"] == [f"collection docs at {peer.url}"]
    assert not (folder / ".assay").exists()


def test_the_collection_is_searched(assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer) -> None:
    make_seed(client)
    adopt(folder, peer)
    said = assay("search", passages()[7].text[:80], "--top-k", "3", "--json")
    assert said.code == 0
    assert said.body["results"][0]["content"] == passages()[7].text
    assert "Keyword search was skipped" in said.body["warnings"][0]
    refused = assay("search", "gripper", "--mode", "sparse")
    assert (refused.code, "Use mode `dense`" in refused.err) == (2, True)


def test_a_process_serves_it_in_every_shape_with_a_log_of_searches_only(
    client: QdrantClient, folder: Path, peer: QdrantPeer
) -> None:
    make_seed(client)
    adopt(folder, peer)
    text = passages()[7].text[:200]
    server = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(ASSAY_SERVER__DRAIN_SECONDS="0"),
    )
    try:
        assert server.stdout
        address = server.stdout.readline().removeprefix("Assay answers at ").strip()
        found = [
            httpx.post(address + route, json={query: text, "top_k": 1}).json()["results"][0][content]
            for route, query, content in (
                ("/v1/search", "query", "content"),
                ("/query", "query_text", "content"),
                ("/search", "query", "snippet"),
                ("/api/v1/search", "query_text", "content"),
            )
        ]
        health = [httpx.get(address + route).status_code for route in ("/health", "/api/v1/health", "/readyz")]
        live = httpx.get(f"{address}/metrics").text
        server.send_signal(signal.SIGTERM)
        _, log = server.communicate(timeout=60)
    finally:
        server.kill()
    assert found == [passages()[7].text] * 4
    assert health == [200, 200, 200]
    assert "adopted-docs" in live
    assert log.count("path='/search'") == 1
    assert "HTTP Request" not in log


def test_a_server_that_is_away_is_said_to_be(assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer) -> None:
    make_seed(client)
    adopt(folder, peer)
    peer.stop()
    for command in (("search", "gripper"), ("generations",)):
        said = assay(*command)
        assert (said.code, said.out) == (4, "")
        assert peer.url in said.err
    assert assay("doctor").code == 1


def test_keys_for_the_server_are_kept_as_without_an_adopted_collection(
    assay: Run, folder: Path, peer: QdrantPeer
) -> None:
    adopt(folder, peer)
    assert assay("keys", "add", "readers").code == 0
    assert "readers" in assay("keys", "list").out
    assert not peer.counts


def test_the_demo_has_an_index_of_its_own(assay: Run, folder: Path, peer: QdrantPeer, tmp_path: Path) -> None:
    adopt(folder, peer)
    said = assay("demo", "--data-dir", str(tmp_path / "demo"), "--json")
    assert (said.code, said.body["state"]) == (0, "live")
    assert not peer.counts


# --- the audit -----------------------------------------------------------------------------------------------------


def test_an_audit_of_an_adopted_collection_looks_at_every_point(
    assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer
) -> None:
    make_seed(client)
    adopt(folder, peer)
    said = assay("audit")
    assert said.code == 0
    assert f"{len(passages())} points" in said.out
    assert "The collection docs is sound" in said.out
    body = assay("audit", "--json").body
    assert (body["sound"], body["adopted"]["survey"]["whole"]) == (True, True)


def test_an_audit_of_an_adopted_collection_names_what_is_wrong_with_exit_code_1(
    assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer
) -> None:
    make_seed(client)
    adopt(folder, peer)
    (record,) = client.scroll("docs", limit=1, with_vectors=True)[0]
    payload = {**(record.payload or {}), "content_hash": "0" * 64}
    client.upsert("docs", [models.PointStruct(id=record.id, vector=record.vector, payload=payload)])  # type: ignore[arg-type]
    said = assay("audit")
    assert said.code == 1
    assert "hashes: 1 violation of" in said.out
    assert str(record.id) in said.out
    assert "The collection docs is not sound" in said.out
    assert assay("audit", "--json").body["sound"] is False
    assert assay("audit", "--generation", "candidate").code == 2


def test_an_audit_of_a_collection_on_a_server_that_is_away_is_exit_code_4(
    assay: Run, client: QdrantClient, folder: Path, peer: QdrantPeer
) -> None:
    make_seed(client)
    adopt(folder, peer)
    peer.stop()
    assert assay("audit").code == 4
