"""Keys, certificates and addresses of a Qdrant server: a mistake is answered with the setting to change.

Tests of certificates and keys run against a real server too, if the environment names one with these.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from ssl import create_default_context
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from qdrant_client import models
from tests.certificates import self_signed
from tests.integration.test_qdrant_publish import Workshop, alias
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import LOADING, qdrant_store
from tests.real_qdrant import Server, real_server

from assay.adapters.stores.qdrant.store import QdrantStore
from assay.errors import ConfigurationError, IndexCorrupt, StorageFull, StoreUnavailable, VectorStoreError
from assay.model.ranking import Query
from assay.testing.index_samples import SPEC, direction, filled, points

KEY, READ_ONLY = "sk-access-4711", "sk-reader-4712"
ON_EACH_SERVER = pytest.mark.parametrize("server", ["peer", "real"], indirect=True)
FOR_EVER = 86_400.0
"""Patience of a store whose failures are not retried: a test that hangs shows that they were."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server", api_key=KEY, read_only_key=READ_ONLY) as peer:
        yield peer


@pytest.fixture
def tls_peer(tmp_path: Path, certificate: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server", certificate=certificate) as peer:
        yield peer


def opened(server: Server, **access: Any) -> QdrantStore:  # noqa: ANN401 - fields of Access
    known = {"api_key": server.key, "ca_file": server.ca_file, "grpc_port": server.grpc_port}
    return qdrant_store(server.url, **known | access)


# --- certificates ---


def real_tls_server() -> Server:
    server = real_server()
    if server.ca_file is None:
        pytest.skip("needs a real Qdrant server with TLS: set ASSAY_TEST_QDRANT_CA_FILE")
    return server


@pytest.fixture
def tls_server(request: pytest.FixtureRequest, certificate: Path) -> Server:
    if request.param == "real":
        return real_tls_server()
    return Server(request.getfixturevalue("tls_peer").url, None, ca_file=certificate)


BOTH_WITH_TLS = pytest.mark.parametrize("tls_server", ["peer", "real"], indirect=True)


@BOTH_WITH_TLS
def test_a_server_whose_certificate_no_public_ca_signed_is_used_with_its_ca(tls_server: Server) -> None:
    store = opened(tls_server)
    assert filled(store, points(5)).count() == 5
    store.delete("g1")
    store.close()


def test_a_server_whose_certificate_no_public_ca_signed_is_used_with_its_ca_over_grpc() -> None:
    store = opened(real_tls_server(), grpc=True)
    assert filled(store, points(5)).count() == 5
    store.delete("g1")
    store.close()


@BOTH_WITH_TLS
def test_an_unknown_ca_names_the_setting_and_is_not_waited_for(tls_server: Server) -> None:
    store = opened(tls_server, ca_file=None, patience_seconds=FOR_EVER)
    with pytest.raises(StoreUnavailable, match="certificate") as raised:
        store.create("g1", SPEC)
    assert "[qdrant] ca_file" in raised.value.hint
    store.close()


@BOTH_WITH_TLS
def test_plain_http_to_a_port_with_tls_names_https(tls_server: Server) -> None:
    store = qdrant_store(tls_server.url.replace("https://", "http://"), api_key=tls_server.key)
    with pytest.raises(StoreUnavailable) as raised:
        store.open("g1", SPEC)
    assert "https://" in raised.value.hint
    store.close()


@pytest.mark.parametrize("grpc", [False, True])
def test_a_port_of_the_other_protocol_is_named_as_that(grpc: bool) -> None:
    server = real_tls_server()
    address = urlsplit(server.url)
    other = address.port if grpc else server.grpc_port
    url = server.url if grpc else f"https://{address.hostname}:{other}"
    store = opened(replace(server, url=url, grpc_port=other or 443), grpc=grpc)
    with pytest.raises(StoreUnavailable) as raised:
        store.open("g1", SPEC)
    assert "grpc_port" in raised.value.hint
    store.close()


def test_https_to_a_plain_port_names_http_and_is_not_waited_for(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url.replace("http://", "https://"), patience_seconds=FOR_EVER)
    with pytest.raises(StoreUnavailable) as raised:
        store.create("g1", SPEC)
    assert "http://" in raised.value.hint
    store.close()


def test_a_name_that_the_certificate_lacks_is_named_as_that(tls_peer: QdrantPeer, certificate: Path) -> None:
    url = f"https://127.0.0.1:{urlsplit(tls_peer.url).port}"
    store = qdrant_store(url, ca_file=certificate, patience_seconds=FOR_EVER)
    with pytest.raises(StoreUnavailable) as raised:
        store.create("g1", SPEC)
    assert "host name" in raised.value.hint
    store.close()


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_a_ca_file_that_cannot_be_used_is_a_wrong_setting(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="ca_file") as raised:
        qdrant_store("https://localhost", ca_file=path)
    assert str(path) in raised.value.message


# --- keys ---


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    """A server with a key that may only read."""
    if request.param == "peer":
        return Server(request.getfixturevalue("peer").url, KEY, read_only_key=READ_ONLY)
    server = real_server()
    if server.read_only_key is None:
        pytest.skip("needs a real Qdrant server with keys: set ASSAY_TEST_QDRANT_READ_ONLY_KEY")
    return server


@ON_EACH_SERVER
def test_a_key_that_may_only_read_answers_and_says_that_it_cannot_publish(server: Server, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path, server.url, server.key, server.ca_file)
    with workshop.open() as assay:
        first = assay.publish().build.generation.id
        workshop.write("camera", "The camera focuses itself.")
        second = assay.publish().build.generation.id
    assert server.read_only_key
    workshop.key = server.read_only_key
    with workshop.open() as reader:
        reader.searches.start_serving()
        assert len(reader.search(Query("when is the gripper checked", 3)).hits) == 3
        assert reader.searches.health().vector_store
        assert reader.evaluation.validate().verdict.summary.startswith("PASS")
        assert reader.auditor.audit().sound
        workshop.write("camera", "The camera has two lenses.")
        with pytest.raises(VectorStoreError, match="the API key may not write") as raised:
            reader.publish()
        assert "QDRANT_API_KEY" in raised.value.hint
        assert not any(key and key in str(raised.value) for key in (server.key, server.read_only_key))
        assert reader.rollback().id == first
    with server.client() as outside:
        assert alias(outside) == f"assay-{second}"


# --- addresses ---


def test_a_404_of_a_wrong_path_is_not_taken_for_a_missing_collection(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY)
    filled(store, points(5))
    peer.fail("404-bare", times=None)
    for use in (lambda: store.open("g1", SPEC), lambda: store.delete("g1"), store.generations):
        with pytest.raises(StoreUnavailable, match="404, but not like Qdrant") as raised:
            use()
        assert "path" in raised.value.hint
    peer.heal()
    assert store.open("g1", SPEC).count() == 5
    store.close()


def test_a_404_of_a_real_servers_wrong_path_is_not_taken_for_a_missing_collection() -> None:
    server = real_server()
    store = opened(replace(server, url=f"{server.url.rstrip('/')}/elsewhere"))
    for use in (lambda: store.open("g1", SPEC), lambda: store.delete("g1"), store.generations):
        with pytest.raises(StoreUnavailable, match="404, but not like Qdrant"):
            use()
    store.close()


# --- strict mode ---


@pytest.fixture
def any_server(request: pytest.FixtureRequest) -> Server:
    return real_server() if request.param == "real" else Server(request.getfixturevalue("peer").url, KEY)


@pytest.mark.parametrize("any_server", ["peer", "real"], indirect=True)
def test_ids_are_listed_in_pages_that_strict_mode_allows(any_server: Server) -> None:
    store = opened(any_server)
    index = filled(store, points(60))
    with any_server.client() as outside:
        limits = models.StrictModeConfig(enabled=True, max_query_limit=7, search_allow_exact=False)
        outside.update_collection("assay-g1", strict_mode_config=limits)
    assert list(index.ids()) == sorted(one.chunk.id for one in points(60))
    assert index.count() == 60
    store.close()


def test_a_build_waits_for_a_rate_limit_that_a_search_does_not_wait_for(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY)
    filled(store, points(5))
    ids = [points(1)[0].chunk.id]
    patient, brief = store.open("g1", SPEC, patient=True), store.open("g1", SPEC)
    peer.fail("429-bare", path="/points", times=3)
    with pytest.raises(StoreUnavailable, match="limits the rate"):
        brief.vectors(ids)
    peer.fail("429-bare", path="/points", times=3)
    assert list(patient.vectors(ids)) == ids
    store.close()


@pytest.mark.parametrize("any_server", ["real"], indirect=True)
def test_a_request_above_a_rate_limits_capacity_names_the_setting_and_is_not_waited_for(any_server: Server) -> None:
    store = opened(any_server, patience_seconds=FOR_EVER)
    writer = store.create("g1", SPEC)
    with any_server.client() as outside:
        limits = models.StrictModeConfig(enabled=True, write_rate_limit=3)
        outside.update_collection("assay-g1", strict_mode_config=limits)
    with pytest.raises(VectorStoreError, match="a single request exceeds its rate limit") as raised:
        writer.add(points(60))
    assert "[qdrant] upload_batch" in raised.value.hint
    store.close()


def test_a_build_whose_patience_ended_does_not_wait_as_long_again(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY, patience_seconds=1.0, retries=0)
    filled(store, points(5))
    index, ids = store.open("g1", SPEC, patient=True), [points(1)[0].chunk.id]
    peer.fail("503", path="/points", times=None)
    peer.counts.clear()
    with pytest.raises(StoreUnavailable):
        index.vectors(ids)
    assert peer.counts.total() > 1
    peer.counts.clear()
    with pytest.raises(StoreUnavailable):
        index.vectors(ids)
    assert peer.counts.total() == 1
    store.close()


@pytest.mark.parametrize(
    ("limit", "advice"),
    [
        ({"max_points_count": 5}, "max_points_count"),
        ({"max_collection_vector_size_bytes": 10}, "max_collection_vector_size_bytes"),
        ({"max_collection_payload_size_bytes": 10}, "max_collection_payload_size_bytes"),
    ],
    ids=str,
)
def test_a_limit_of_a_real_servers_collection_is_named(limit: dict[str, Any], advice: str) -> None:
    server = real_server()
    known = {"api_key": server.key, "ca_file": server.ca_file}
    store = qdrant_store(server.url, loading=replace(LOADING, upload_batch=1), **known)
    writer = store.create("g1", SPEC)
    with server.client() as outside:
        limits = models.StrictModeConfig(enabled=True, **limit)
        outside.update_collection("assay-g1", strict_mode_config=limits)
    with pytest.raises(VectorStoreError, match="a limit of its strict mode") as raised:
        writer.add(points(90))  # the server looks at every 32nd request
    assert advice in raised.value.hint
    store.close()


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("Max points count limit of 5 reached!", "max_points_count"),
        ("Max vector storage size limit of 0.5MB reached!", "max_collection_vector_size_bytes"),
        ("Max payload storage size limit of 0.5MB reached!", "max_collection_payload_size_bytes"),
        ("Collection already has the maximum number of payload indices (0). Help: Please", "max_payload_index_count"),
        ("Condition size limit reached (10 > 1). Help: Reduce the size of your condition", "condition_max_size"),
    ],
)
def test_a_limit_in_the_servers_words_is_explained(peer: QdrantPeer, words: str, advice: str) -> None:
    store = qdrant_store(peer.url, api_key=KEY)
    index = filled(store, points(5))
    peer.nasty = f"Bad request: {words}"
    peer.fail("nasty", times=None)
    with pytest.raises(VectorStoreError, match="a limit of its strict mode") as raised:
        index.compare(direction(1), [points(1)[0].chunk.id], {})
    assert advice in raised.value.hint
    store.close()


@pytest.mark.parametrize("grpc", [False, True])
def test_a_quota_of_a_real_servers_disk_is_named_and_not_waited_for(grpc: bool) -> None:
    server = real_server()
    store = opened(server, grpc=grpc, patience_seconds=FOR_EVER)
    writer = store.create("g1", SPEC)
    headers = {"api-key": server.key} if server.key else {}
    trusted = create_default_context(cafile=server.ca_file) if server.ca_file else True
    with httpx.Client(base_url=server.url, headers=headers, verify=trusted) as outside:
        limited = outside.put("/quotas", json={"enabled": True, "max_disk_usage_percent": 1})
        if limited.status_code == 404:
            pytest.skip("the server has no quotas: they came with 1.19")
        try:
            with pytest.raises(StorageFull, match="its quota is used up") as raised:
                writer.add(points(5))
        finally:
            outside.put("/quotas", json={"enabled": False}).raise_for_status()
    assert "max_disk_usage_percent" in raised.value.hint
    store.close()


# --- what others do to the server ---


@pytest.mark.parametrize("any_server", ["peer", "real"], indirect=True)
def test_a_search_of_a_collection_that_another_program_replaced_says_so(any_server: Server) -> None:
    store = opened(any_server)
    index = filled(store, points(5))
    with any_server.client() as outside:
        outside.delete_collection("assay-g1")
        dense = models.VectorParams(size=4, distance=models.Distance.COSINE)
        outside.create_collection("assay-g1", vectors_config={"dense": dense})
    with pytest.raises(IndexCorrupt, match="another program replaced") as raised:
        index.compare(direction(1), [points(1)[0].chunk.id], {})
    assert "assay publish" in raised.value.hint
    store.close()


@pytest.mark.parametrize("any_server", ["peer", "real"], indirect=True)
def test_an_alias_that_another_program_uses_is_reported_and_not_switched(any_server: Server) -> None:
    store = opened(any_server)
    filled(store, points(5))
    with any_server.client() as outside:
        outside.create_collection("theirs", vectors_config=models.VectorParams(size=4, distance=models.Distance.DOT))
        named = models.CreateAlias(alias_name="assay", collection_name="theirs")
        outside.update_collection_aliases([models.CreateAliasOperation(create_alias=named)])
        report = store.describe()
        with pytest.raises(VectorStoreError, match="which is not Assay's") as raised:
            store.switch_alias("g1")
        assert alias(outside) == "theirs"
    assert any("points to the collection theirs, which is not Assay's" in problem for problem in report.problems)
    assert report.shown is None
    assert "Remove the alias" in raised.value.hint
    store.close()


def test_a_shard_without_a_replica_that_answers_is_explained(peer: QdrantPeer) -> None:
    store = qdrant_store(peer.url, api_key=KEY)
    index = filled(store, points(5))
    peer.nasty = "Service internal error: 1 of 1 read operations failed: Tonic status error: status: Unavailable"
    peer.fail("nasty", times=None)
    with pytest.raises(StoreUnavailable, match="read operations failed") as raised:
        index.compare(direction(1), [points(1)[0].chunk.id], {})
    assert "replication_factor" in raised.value.hint
    store.close()
