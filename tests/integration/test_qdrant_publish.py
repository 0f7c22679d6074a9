"""Publishing to a Qdrant server and serving from it: build, gate, promote, search, go back, clear up, and outages.

Tests without faults run against a real server too, if the environment names one.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient, models
from tests.peers.qdrant import QdrantPeer
from tests.real_qdrant import Server, real_server

from assay.app import Assay
from assay.cli.commands.diagnosis import diagnose
from assay.errors import AssayError, ConfigurationError, IndexNotFound, StoreUnavailable
from assay.model.generations import State
from assay.model.ranking import Mode, Query
from assay.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor", "radio", "screen", "cable", "frame")
KEY = "publish-key"
ON_EACH_SERVER = pytest.mark.parametrize("server", ["peer", "real"], indirect=True)


class Workshop:
    """A folder of pages, a server, and the Assay that publishes one to the other."""

    def __init__(self, folder: Path, url: str, key: str | None = KEY, ca_file: Path | None = None) -> None:
        self.docs = folder / "docs"
        self.data = folder / "data"
        self.url = url
        self.key = key
        self.ca_file = ca_file
        self.docs.mkdir()
        for part in PARTS:
            self.write(part, f"The {part} is checked every {len(part)} days.")

    def write(self, part: str, body: str) -> None:
        (self.docs / f"{part}.md").write_text(f"# About the {part}\n\n{body}\n", encoding="utf-8")

    def settings(self, **qdrant: object) -> dict[str, Any]:
        source = {"path": self.docs, "base_url": "https://docs.example", "name": "docs", "convention": "plain"}
        server = {"url": self.url, "api_key": self.key, "ca_file": self.ca_file, "patience_seconds": 0.5, **qdrant}
        return {
            "data_dir": self.data,
            "sources": [source],
            "index": {"store": "qdrant"},
            "qdrant": server,
            "release": {"keep": 2},
        }

    def open(self, **qdrant: object) -> Assay:
        return Assay.open(load_settings(None, self.settings(**qdrant)))


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server", api_key=KEY) as peer:
        yield peer


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    """The peer, or the real server."""
    if getattr(request, "param", "peer") == "real":
        return real_server()
    return Server(request.getfixturevalue("peer").url, KEY)


@pytest.fixture
def workshop(tmp_path: Path, server: Server) -> Workshop:
    return Workshop(tmp_path, server.url, server.key, server.ca_file)


@pytest.fixture
def assay(workshop: Workshop) -> Iterator[Assay]:
    with workshop.open() as opened:
        yield opened


@pytest.fixture
def outside(server: Server) -> Iterator[QdrantClient]:
    """Another system on the same server."""
    with server.client() as client:
        yield client


def collections(client: QdrantClient) -> list[str]:
    return sorted(one.name for one in client.get_collections().collections)


def alias(client: QdrantClient) -> str | None:
    return next((one.collection_name for one in client.get_aliases().aliases if one.alias_name == "assay"), None)


def first_url(assay: Assay, text: str) -> str:
    return assay.search(Query(text, 3)).hits[0].chunk.document.url


def check(assay: Assay, name: str) -> tuple[str, str]:
    found = next(one for one in diagnose(assay, ask_provider=False) if one.name == name)
    return found.level, found.message


# --- releases ---


@ON_EACH_SERVER
def test_a_publish_goes_live_answers_and_leads_outside_readers_there(assay: Assay, outside: QdrantClient) -> None:
    report = assay.publish()
    assert report.promoted
    generation = report.promoted.id
    assert report.verdict
    assert report.verdict.summary.startswith("PASS:")
    assert collections(outside) == [f"assay-{generation}"]
    assert alias(outside) == f"assay-{generation}"
    assert first_url(assay, "when is the gripper checked") == "https://docs.example/gripper"
    payload = outside.scroll("assay", limit=1)[0][0].payload
    assert payload
    assert payload["text"].startswith(("# About", "The "))
    assert payload["url"].startswith("https://docs.example/")


@ON_EACH_SERVER
def test_a_publish_without_changes_makes_no_collection_and_mends_the_alias(assay: Assay, outside: QdrantClient) -> None:
    first = assay.publish().build.generation.id
    gone = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name="assay"))
    outside.update_collection_aliases([gone])
    second = assay.publish()
    assert (second.build.unchanged, second.build.embedded, second.promoted) == (True, 0, None)
    assert collections(outside) == [f"assay-{first}"]
    assert alias(outside) == f"assay-{first}"


@ON_EACH_SERVER
def test_a_changed_page_alone_is_embedded_again(workshop: Workshop, assay: Assay) -> None:
    first = assay.publish().build.generation
    with assay.searches.live.lease() as searcher:
        before = searcher.index.vectors(list(searcher.index.ids()))
    workshop.write("camera", "The camera focuses itself.")
    build = assay.publish().build
    assert (build.embedded, build.reused) == (1, len(PARTS) - 1)
    assay.searches.live.refresh()
    with assay.searches.live.lease() as searcher:
        assert searcher.generation.id != first.id
        after = searcher.index.vectors(list(searcher.index.ids()))
    shared = after.keys() & before.keys()
    assert len(shared) == len(PARTS) - 1
    assert all(after[chunk_id].tobytes() == before[chunk_id].tobytes() for chunk_id in shared)


@ON_EACH_SERVER
def test_a_rollback_leads_back_and_old_collections_are_removed(
    workshop: Workshop, assay: Assay, outside: QdrantClient
) -> None:
    outside.create_collection("theirs", vectors_config=models.VectorParams(size=4, distance=models.Distance.DOT))
    ids = []
    for number in range(4):
        workshop.write("frame", f"The frame has {number} corners.")
        ids.append(assay.publish().build.generation.id)
    kept = [f"assay-{generation}" for generation in ids[-2:]]
    assert collections(outside) == [*kept, "theirs"]
    assert alias(outside) == kept[1]
    assert assay.rollback().id == ids[2]
    assert alias(outside) == kept[0]
    assay.searches.live.refresh()
    assert "2 corners" in assay.search(Query("how many corners has the frame", 1)).hits[0].chunk.text
    assert assay.promote(ids[3]).id == ids[3]
    assert alias(outside) == kept[1]


@ON_EACH_SERVER
def test_a_candidate_that_fails_its_gate_is_gone_with_the_next_build(
    workshop: Workshop, assay: Assay, outside: QdrantClient
) -> None:
    live = assay.publish().build.generation.id
    for part in PARTS[:4]:
        (workshop.docs / f"{part}.md").write_bytes(b"\xff")
    rejected = assay.publish()
    assert rejected.promoted is None
    assert alias(outside) == f"assay-{live}"
    for part in PARTS[:4]:
        workshop.write(part, f"The {part} is mended, and {len(part)} people have looked at it.")
    mended = assay.publish().promoted
    assert mended
    assert collections(outside) == sorted([f"assay-{live}", f"assay-{mended.id}"])


def test_an_alias_that_cannot_follow_does_not_stop_a_release(
    peer: QdrantPeer, assay: Assay, outside: QdrantClient, caplog: pytest.LogCaptureFixture
) -> None:
    peer.fail("403", path="aliases", times=None)
    promoted = assay.publish().promoted
    assert promoted
    assert "The alias does not name" in caplog.text
    peer.heal()
    level, message = check(assay, "vector store")
    assert (level, alias(outside)) == ("ok", None)
    assert "nothing yet" in message
    assay.publish()
    assert alias(outside) == f"assay-{promoted.id}"


@ON_EACH_SERVER
def test_a_live_collection_that_was_removed_is_built_anew(assay: Assay, outside: QdrantClient) -> None:
    first = assay.publish().build.generation.id
    outside.delete_collection(f"assay-{first}")
    with pytest.raises(IndexNotFound):
        assay.search(Query("gripper", 1))
    assert assay.publish().promoted
    assay.searches.live.refresh()
    assert first_url(assay, "when is the gripper checked") == "https://docs.example/gripper"


# --- interrupted builds ---


def test_a_server_that_goes_away_in_an_upload_leaves_live_as_it_was_and_the_next_run_succeeds(
    peer: QdrantPeer, workshop: Workshop, outside: QdrantClient
) -> None:
    with workshop.open(upload_batch=1) as assay:
        live = assay.publish().build.generation.id
        workshop.write("camera", "The camera focuses itself.")
        peer.fail("reset", method="PUT", path="/points", skip=3, times=None)
        with pytest.raises(StoreUnavailable):
            assay.publish()
        peer.heal()
        assert assay.parts.catalog.live_id() == live
        assert first_url(assay, "when is the gripper checked") == "https://docs.example/gripper"
        assert {one.state for one in assay.generations()} == {State.LIVE, State.FAILED}
        report = assay.publish()
        assert report.promoted
        assert collections(outside) == sorted([f"assay-{live}", f"assay-{report.promoted.id}"])


def test_a_server_that_restarts_while_a_candidate_is_checked_does_not_stop_the_publish(
    peer: QdrantPeer, workshop: Workshop
) -> None:
    with workshop.open(patience_seconds=60.0) as assay:
        peer.fail("reset", path="/points/query", skip=3, times=5)
        assert assay.publish().promoted


def test_a_publish_waits_for_a_server_that_is_restarting_when_it_begins(peer: QdrantPeer, workshop: Workshop) -> None:
    with workshop.open(patience_seconds=60.0) as assay:
        first = assay.publish().build.generation.id
        workshop.write("camera", "The camera focuses itself.")
        peer.fail("reset", times=5)
        assert assay.publish().promoted
        assert assay.parts.catalog.live_id() != first


def test_a_killed_build_leaves_nothing_after_the_next_run(
    peer: QdrantPeer, workshop: Workshop, outside: QdrantClient
) -> None:
    outside.create_collection("theirs", vectors_config=models.VectorParams(size=4, distance=models.Distance.DOT))
    peer.slow = 30.0
    peer.fail("slow", method="PUT", path="/points", skip=2, times=None)
    config = workshop.docs.parent / "assay.toml"
    source = f'[[sources]]\npath = {json.dumps(str(workshop.docs))}\nname = "docs"\nconvention = "plain"\n'
    config.write_text(f'{source}base_url = "https://docs.example"\n[qdrant]\nupload_batch = 1\n', encoding="utf-8")
    environment = {**os.environ, "QDRANT_URL": peer.url, "QDRANT_API_KEY": KEY}
    command = [sys.executable, "-m", "assay", "publish", "--config", str(config), "--data-dir", str(workshop.data)]
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: sum(n for what, n in peer.counts.items() if what.endswith("/points")) >= 3, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    peer.heal()
    (leftover,) = [name for name in collections(outside) if name.startswith("assay-")]
    with workshop.open() as assay:
        promoted = assay.publish().promoted
        assert promoted
        assert collections(outside) == [f"assay-{promoted.id}", "theirs"]
        assert leftover != f"assay-{promoted.id}"


@ON_EACH_SERVER
def test_another_installation_on_the_server_is_reported_and_never_cleared_away(
    workshop: Workshop, assay: Assay, outside: QdrantClient, tmp_path: Path
) -> None:
    first = assay.publish().build.generation.id
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = Workshop(elsewhere, workshop.url, workshop.key, workshop.ca_file)
    with other.open() as second:
        promoted = second.publish().promoted
        assert promoted
        assert collections(outside) == sorted([f"assay-{first}", f"assay-{promoted.id}"])
        level, message = check(second, "vector store")
    assert level == "warn"
    assert first in message
    assert first_url(assay, "when is the gripper checked") == "https://docs.example/gripper"
    level, message = check(assay, "vector store")
    assert f"the alias for other programs points to {promoted.id}, but {first} is live" in message


# --- outages ---


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Give something half a minute to happen."""
    for _ in range(600):
        if ready():
            return
        assert process is None or process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)
    raise AssertionError("it did not happen")


class PeerProcess:
    """The peer in a process of its own, to be killed and started again on the same port and folder."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = folder
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        options = ["--port", str(self.port), "--dir", str(self.folder), "--api-key", KEY]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.peers.qdrant", *options], cwd=ROOT, stderr=subprocess.PIPE, text=True
        )
        wait_until(self._answers, self.process)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1.0).close()
        except OSError:
            return False
        return True


@pytest.fixture
def process(tmp_path: Path) -> Iterator[PeerProcess]:
    process = PeerProcess(tmp_path / "server")
    yield process
    process.kill()


def test_searches_fail_while_a_killed_server_is_away_and_work_again_when_it_is_back(
    process: PeerProcess, tmp_path: Path
) -> None:
    workshop = Workshop(tmp_path, process.url)
    with workshop.open() as assay:
        assay.publish()
        assay.searches.start_serving()
        query = Query("when is the gripper checked", 5)
        whole = assay.search(query).hits
        assert assay.searches.health().vector_store
        for _ in range(2):
            process.kill()
            with ThreadPoolExecutor(10) as threads:
                failures = list(threads.map(lambda _: failure(assay, query), range(20)))
            assert set(failures) == {StoreUnavailable}
            assert not assay.searches.health().vector_store
            process.start()
            with ThreadPoolExecutor(10) as threads:
                answers = list(threads.map(lambda _: assay.search(query).hits, range(20)))
            assert all(hits == whole for hits in answers)
            assert assay.searches.health().vector_store


def failure(assay: Assay, query: Query) -> type[AssayError] | None:
    try:
        assay.search(query)
    except AssayError as error:
        return type(error)
    return None


def test_what_a_killed_server_confirmed_is_there_when_it_is_back(process: PeerProcess, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, process.url)
    with workshop.open() as assay:
        first = assay.publish().promoted
        process.kill()
        process.start()
        workshop.write("camera", "The camera focuses itself.")
        second = assay.publish()
        assert (second.build.embedded, second.build.reused) == (1, len(PARTS) - 1)
        assert first
        assert assay.rollback().id == first.id


# --- settings and doctor ---


def test_the_seeds_variables_choose_the_server(monkeypatch: pytest.MonkeyPatch, workshop: Workshop) -> None:
    monkeypatch.chdir(workshop.docs.parent)
    monkeypatch.setenv("QDRANT_URL", workshop.url)
    monkeypatch.setenv("QDRANT_API_KEY", KEY)
    monkeypatch.setenv("QDRANT_COLLECTION_NAME", "textbook")
    sources = workshop.settings()["sources"]
    with Assay.open(load_settings(None, {"data_dir": workshop.data, "sources": sources})) as assay:
        generation = assay.publish().build.generation.id
        level, message = check(assay, "vector store")
    assert level == "ok"
    assert "Qdrant 1.19.0" in message
    assert f"alias textbook → textbook-{generation}" in message
    assert KEY not in message
    assert KEY not in repr(assay.settings)


def test_the_embedded_store_can_be_kept_although_there_is_a_server(
    monkeypatch: pytest.MonkeyPatch, workshop: Workshop, peer: QdrantPeer
) -> None:
    monkeypatch.chdir(workshop.docs.parent)
    monkeypatch.setenv("QDRANT_URL", workshop.url)
    settings = {**workshop.settings(), "index": {"store": "embedded"}, "qdrant": {}}
    with Assay.open(load_settings(None, settings)) as assay:
        assert assay.publish().promoted
        level, message = check(assay, "vector store")
    assert (level, "embedded" in message) == ("ok", True)
    assert not peer.counts


def test_a_server_without_an_address_is_a_wrong_setting(workshop: Workshop) -> None:
    with pytest.raises(ConfigurationError) as raised, workshop.open(url=None) as assay:
        assay.parts.store.check()
    assert "QDRANT_URL" in raised.value.hint


def test_a_missing_client_says_what_to_install(monkeypatch: pytest.MonkeyPatch, workshop: Workshop) -> None:
    for name in [name for name in sys.modules if name.startswith("assay.adapters.stores.qdrant.store")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    with pytest.raises(ConfigurationError, match="qdrant_client") as raised, workshop.open() as assay:
        assay.parts.store.check()
    assert ".[qdrant]" in raised.value.hint


def test_a_server_that_is_away_is_told_by_doctor(peer: QdrantPeer, assay: Assay) -> None:
    assay.publish()
    peer.stop()
    level, message = check(assay, "vector store")
    assert level == "fail"
    assert peer.url in message


# --- the same as embedded ---


@ON_EACH_SERVER
def test_server_and_embedded_store_give_the_same_hits(shared: Path, server: Server, tmp_path: Path) -> None:
    corpus = shared / "corpora" / "redux-toolkit" / "docs" / "rtk-query"
    source = {"path": corpus, "base_url": "https://redux-toolkit.js.org/rtk-query", "name": "rtk"}
    # Each shard computes IDF from its own points.
    access = {"url": server.url, "api_key": server.key, "ca_file": server.ca_file, "shard_number": 1}
    both = []
    for store in ("embedded", "qdrant"):
        settings = {"data_dir": tmp_path / store, "sources": [source], "index": {"store": store}, "qdrant": access}
        assay = Assay.open(load_settings(None, settings))
        assert assay.publish().promoted, store
        both.append(assay)
    embedded, remote = both
    live = embedded.parts.catalog.live_id()
    assert live
    titles = [one.info.title for one in embedded.parts.catalog.documents(live)]
    queries = [
        *titles[::2],
        "how do I invalidate a cached query",
        "immutable updates",
        "typed hooks",
        "thunk error handling",
    ]
    assert len(queries) > 15
    compared = 0
    for text in queries:
        for mode in Mode:
            query = Query(text, 10, mode=mode)
            ours, theirs = embedded.search(query).hits, remote.search(query).hits
            assert [hit.chunk.id for hit in theirs] == [hit.chunk.id for hit in ours], (text, mode)
            for mine, yours in zip(ours, theirs, strict=True):
                assert yours.similarity == pytest.approx(mine.similarity, abs=1e-6)
                assert yours.rank_score == pytest.approx(mine.rank_score, abs=1e-5)
                assert yours.chunk.text == mine.chunk.text
                compared += 1
    assert compared > 400
    for assay in both:
        assay.close()
