"""Serving a collection that others made: over real sockets, against a peer that has only what they wrote."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient, models
from starlette.testclient import TestClient
from tests.adopted import (
    BASE_URL,
    adopting,
    embedder,
    make,
    make_seed,
    passages,
    seed_payload,
    vectors,
)
from tests.integration.cli.commands import environment
from tests.openapi_requests import OpenApi
from tests.peers.qdrant import QdrantPeer
from tests.qdrant_stores import qdrant_store
from tests.real_qdrant import peer_or_real

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.app import Assay
from assay.errors import (
    ConfigurationError,
    GenerationNotFound,
    IdentityMismatch,
    IndexNotFound,
    IndexNotOurs,
    InputError,
    StoreUnavailable,
    VectorStoreError,
)
from assay.model.evaluation import Anchoring, Outcome
from assay.model.ranking import Filters, Mode, Query, Ranking
from assay.ports import IndexPoint, IndexSpec
from assay.testing.index_samples import points
from assay.web.application import create_app

QUESTION = "what happens when the emergency stop is pressed"
READING = {
    ("GET", ""),
    ("GET", "/exists"),
    ("POST", "/points"),
    ("POST", "/points/count"),
    ("POST", "/points/query/batch"),
    ("POST", "/points/scroll"),
}
"""Every request on a collection that reads, and changes nothing."""


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with peer_or_real(tmp_path / "server") as peer:
        yield peer


@pytest.fixture
def client(peer: QdrantPeer) -> Iterator[QdrantClient]:
    client = QdrantClient(url=peer.url, check_compatibility=False)
    yield client
    client.close()


def nearest(text: str, count: int) -> list[tuple[str, float]]:
    """The passages nearest to a text, by the definition."""
    cosines = np.array(vectors([one.text for one in passages()])) @ embedder().embed_query(text)
    order = np.argsort(-cosines, kind="stable")[:count]
    return [(passages()[place].text, float(max(cosines[place], 0.0))) for place in order]


def ranked(ranking: Ranking) -> list[tuple[str, float]]:
    return [(hit.chunk.text, hit.similarity) for hit in ranking.hits]


def assert_same(found: list[tuple[str, float]], expected: list[tuple[str, float]]) -> None:
    assert [text for text, _ in found] == [text for text, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)


# --- what is found -------------------------------------------------------------------------------------------------


@pytest.mark.contract("adopted.2")
def test_a_search_finds_the_nearest_passages_with_their_true_cosines(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        ranking = assay.search(Query(QUESTION, 10, Mode.DENSE))
    assert_same(ranked(ranking), nearest(QUESTION, 10))
    assert ranking.warnings == ()
    best = ranking.hits[0].chunk
    expected = next(one for one in passages() if one.text == best.text)
    assert (best.document.url, best.document.title, best.position) == (expected.url, expected.title, expected.position)


@pytest.mark.parametrize("distance", ["DOT", "EUCLID", "MANHATTAN"])
def test_whatever_distance_the_server_has_similarity_is_the_cosine(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, distance: str
) -> None:
    make_seed(client, distance=models.Distance[distance], scale=3.5)
    with adopting(peer, tmp_path) as assay:
        found = ranked(assay.search(Query(QUESTION, 5, Mode.DENSE)))
    expected = dict(nearest(QUESTION, len(passages())))
    assert [score for _, score in found] == pytest.approx([expected[text] for text, _ in found], abs=1e-5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    if distance in ("DOT", "EUCLID"):
        assert_same(found, nearest(QUESTION, 5))


def test_a_vector_that_is_all_zero_is_near_nothing(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    make_seed(client, distance=models.Distance.DOT)
    client.upsert("docs", [models.PointStruct(id=9_999, vector=[0.0] * 256, payload=seed_payload(passages()[0]))])
    with adopting(peer, tmp_path) as assay:
        assert len(assay.search(Query(QUESTION, 100, Mode.DENSE)).hits) == 100


def test_a_passage_with_its_own_vector_is_given_on_request(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        (hit,) = assay.search(Query(QUESTION, 1, Mode.DENSE, with_vectors=True)).hits
    assert hit.vector == pytest.approx(vectors([hit.chunk.text])[0], abs=1e-6)


def test_points_without_text_are_never_found_and_leave_no_gap(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    texts = [one.text for one in passages()]
    hidden = {text for text, _ in nearest(QUESTION, 60)[::2]}
    payloads = [seed_payload(one) | ({"content": None} if one.text in hidden else {}) for one in passages()]
    make(client, "docs", payloads, texts)
    expected = [pair for pair in nearest(QUESTION, 100) if pair[0] not in hidden][:20]
    with adopting(peer, tmp_path) as assay:
        assert_same(ranked(assay.search(Query(QUESTION, 20, Mode.DENSE))), expected)


def test_a_chunk_id_that_many_points_have_is_returned_once(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [{"text": one.text, "url": one.url, "chunk_id": one.url} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 10, Mode.DENSE)).hits
    assert len({hit.chunk.id for hit in hits}) == len(hits) == 10
    assert hits[0].chunk.text == nearest(QUESTION, 1)[0][0]


@pytest.mark.parametrize("kind", ["number", "huge", "uuid", "payload", "number in the payload", "huge in the payload"])
def test_chunks_are_found_again_by_their_ids_also_by_a_process_that_never_searched(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, kind: str
) -> None:
    ids: list[Any] | None = None
    if kind == "uuid":
        ids = [f"{number:032x}" for number in range(1, len(passages()) + 1)]
    if kind == "huge":
        ids = [2**64 - 1 - number for number in range(len(passages()))]
    payloads = [seed_payload(one) for one in passages()]
    if kind == "payload":
        payloads = [one | {"chunk_id": f"{one['url']}_{one['chunk_index']}"} for one in payloads]
    if kind.endswith("in the payload"):
        first = 2**63 - 1 - len(payloads) if kind.startswith("huge") else 7_000
        payloads = [one | {"chunk_id": first + number} for number, one in enumerate(payloads)]
    make(client, "docs", payloads, [one.text for one in passages()], ids=ids)
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 10, Mode.DENSE)).hits
    expected = {hit.chunk.id: hit.chunk for hit in hits}
    assert len(expected) == 10
    with adopting(peer, tmp_path) as assay, assay.searches.live.lease() as searcher:
        assert searcher.index.chunks([*expected, "no-such-chunk", str(2**64), "9" * 40]) == expected
        assert set(searcher.index.ids()) >= set(expected)
        assert searcher.index.count() == len(passages())


def test_what_its_owner_writes_and_removes_is_seen_at_once(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        first, second = (hit.chunk for hit in assay.search(Query(QUESTION, 2, Mode.DENSE)).hits)
        client.delete("docs", models.PointIdsList(points=[int(first.id)]))
        assert assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk == second
        new = replace(passages()[0], text=QUESTION)
        client.upsert("docs", [models.PointStruct(id=9_999, vector=vectors([QUESTION])[0], payload=seed_payload(new))])
        assert assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk.text == QUESTION


def test_a_chunk_that_is_gone_between_two_requests_is_left_out(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay, assay.searches.live.lease() as searcher:
        best = searcher.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk.id
        search = searcher.index.search

        def remove_then(query: Any) -> Any:  # noqa: ANN401 - handed on
            answer = search(query)
            client.delete("docs", models.PointIdsList(points=[int(best)]))
            return answer

        monkeypatch.setattr(searcher.index, "search", remove_then)
        assert_same(ranked(searcher.search(Query(QUESTION, 3, Mode.DENSE))), nearest(QUESTION, 4)[1:])


# --- filters -------------------------------------------------------------------------------------------------------


def test_a_url_prefix_holds_at_path_borders_and_however_few_pages_are_below_it(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [seed_payload(one) for one in passages()]
    payloads[0]["url"], payloads[1]["url"] = f"{BASE_URL}/a/b/", f"{BASE_URL}/a/bc#part"
    make(client, "docs", payloads, [one.text for one in passages()])
    with adopting(peer, tmp_path) as assay:

        def below(prefix: str) -> set[str]:
            ranking = assay.search(Query(QUESTION, 100, Mode.DENSE, filters=Filters(url_prefix=prefix)))
            return {hit.chunk.text for hit in ranking.hits}

        assert below(f"{BASE_URL}/a/b") == {passages()[0].text}
        assert below(f"{BASE_URL}/a") == {passages()[0].text, passages()[1].text}
        assert below(f"{BASE_URL}/nothing") == set()
        assert len(below(BASE_URL)) == 100


def test_a_url_prefix_finds_urls_that_are_stored_in_another_spelling(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [seed_payload(one) for one in passages()]
    payloads[0]["url"] = "HTTPS://handbook.example:443/der Arm/beugen/"
    payloads[1]["url"] = "https://handbook.example/der%20Arm/strecken#ganz"
    make(client, "docs", payloads, [one.text for one in passages()])
    below = Filters(url_prefix="https://handbook.example/der%20Arm")
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 100, Mode.DENSE, filters=below)).hits
        assert {hit.chunk.text for hit in hits} == {passages()[0].text, passages()[1].text}
        below = Filters(url_prefix="https://handbook.example/der%20Arm/beugen")
        assert len(assay.search(Query(QUESTION, 100, Mode.DENSE, filters=below)).hits) == 1


@pytest.mark.parametrize("key", ["section", "Header 2"])
def test_sections_filter_where_the_payload_has_them(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, key: str
) -> None:
    payloads = [
        {"page_content": one.text, "metadata": {"source": one.url, key: one.title.upper()}} for one in passages()
    ]
    make(client, "docs", payloads, [one.text for one in passages()])
    wanted = passages()[40].title.upper()
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 100, Mode.DENSE, filters=Filters(sections=(wanted, "no such")))).hits
    assert {hit.chunk.text for hit in hits} == {one.text for one in passages() if one.title.upper() == wanted}


def test_pages_without_a_version_are_found_next_to_the_named_versions(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    versions: list[dict[str, object]] = [{"version": "1.0"}, {"version": "2.0"}, {"version": None}, {}]
    stored = passages()[:40]
    make(
        client,
        "docs",
        [seed_payload(one) | versions[n % 4] for n, one in enumerate(stored)],
        [one.text for one in stored],
    )
    expected = {one.text for n, one in enumerate(stored) if n % 4 != 1}
    filters = Filters(versions=("1.0",), include_unversioned=True)
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 100, Mode.DENSE, filters=filters)).hits
    assert {hit.chunk.text for hit in hits} == expected


@pytest.mark.parametrize("filters", [Filters(sections=("Setup",)), Filters(versions=("2",)), Filters(locales=("de",))])
def test_a_filter_by_what_no_point_has_is_refused_and_not_answered_with_nothing(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, filters: Filters
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay, pytest.raises(InputError, match=r"filters\.\w+: no .*\[index\.mapping\]"):
        assay.search(Query(QUESTION, 5, Mode.DENSE, filters=filters))


def test_a_field_that_only_later_points_have_can_be_filtered_by(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [{"page_content": one.text, "metadata": {"source": one.url}} for one in passages()]
    payloads[-1]["metadata"]["section"] = "Last"  # type: ignore[index]
    make(client, "docs", payloads, [one.text for one in passages()])
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 5, Mode.DENSE, filters=Filters(sections=("Last",)))).hits
    assert [hit.chunk.text for hit in hits] == [passages()[-1].text]


def test_the_collection_is_the_source_of_what_names_no_other(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        assert len(assay.search(Query(QUESTION, 5, Mode.DENSE, filters=Filters(sources=("docs",)))).hits) == 5
        assert not assay.search(Query(QUESTION, 5, Mode.DENSE, filters=Filters(sources=("wiki",)))).hits


def test_a_strict_server_that_forbids_a_filter_is_explained(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    peer.strict = {"enabled": True, "unindexed_filtering_retrieve": False}
    make_seed(client)
    filters = Filters(url_prefix=BASE_URL)
    with adopting(peer, tmp_path) as assay:
        assert assay.search(Query(QUESTION, 5, Mode.DENSE)).hits
        with pytest.raises(InputError, match="strict mode forbids to filter by 'url'"):
            assay.search(Query(QUESTION, 5, Mode.DENSE, filters=filters))


def test_a_strict_server_that_gives_few_points_at_a_time_is_read_to_the_end(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    peer.strict = {"enabled": True, "max_query_limit": 30}
    make_seed(client)
    with adopting(peer, tmp_path, search={"depth": 30}) as assay, assay.searches.live.lease() as searcher:
        assert_same(ranked(assay.search(Query(QUESTION, 10, Mode.DENSE))), nearest(QUESTION, 10))
        assert len(list(searcher.index.ids())) == len(passages())
        assert assay.generations()[0].documents == len({one.url for one in passages()})
        with pytest.raises(VectorStoreError, match=r"max_query_limit|\[search\] depth"):
            assay.search(Query(QUESTION, 100, Mode.DENSE))


# --- keyword search ------------------------------------------------------------------------------------------------


def make_hybrid(client: QdrantClient, *, idf: bool = True, shift: int = 0) -> None:
    """A collection as LangChain's hybrid mode has it. shift: added to each term, so that they are another encoder's."""
    encoder = Bm25Encoder("english")
    texts = [one.text for one in passages()]
    terms = encoder.weigh(encoder.term_counts(texts), 40.0)
    client.create_collection(
        "docs",
        vectors_config={"": models.VectorParams(size=256, distance=models.Distance.COSINE)},
        sparse_vectors_config={
            "langchain-sparse": models.SparseVectorParams(modifier=models.Modifier.IDF if idf else None)
        },
    )
    client.upsert(
        "docs",
        [
            models.PointStruct(
                id=number,
                vector={
                    "": vector,
                    "langchain-sparse": models.SparseVector(
                        indices=[index + shift for index in sparse.indices], values=list(sparse.values)
                    ),
                },
                payload={"page_content": one.text, "metadata": {"source": one.url}},
            )
            for number, (one, vector, sparse) in enumerate(zip(passages(), vectors(texts), terms, strict=True))
        ],
    )


def test_hybrid_and_keyword_search_work_on_sparse_vectors_of_the_same_terms(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_hybrid(client)
    with adopting(peer, tmp_path) as assay:
        sparse = assay.search(Query("lithium battery charger", 5, Mode.SPARSE))
        hybrid = assay.search(Query("lithium battery charger", 5))
    assert sparse.hits
    assert "charge" in sparse.hits[0].chunk.text.lower()
    assert hybrid.query.mode is Mode.HYBRID
    assert hybrid.warnings == sparse.warnings == ()
    expected = dict(nearest("lithium battery charger", len(passages())))
    assert [hit.similarity for hit in sparse.hits] == pytest.approx(
        [expected[hit.chunk.text] for hit in sparse.hits], abs=1e-5
    )


@pytest.mark.parametrize(("idf", "shift"), [(False, 0), (True, 1)])
def test_sparse_vectors_that_are_not_bm25s_are_not_asked(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, idf: bool, shift: int
) -> None:
    make_hybrid(client, idf=idf, shift=shift)
    with adopting(peer, tmp_path) as assay:
        ranking = assay.search(Query(QUESTION, 5))
        assert_same(ranked(ranking), nearest(QUESTION, 5))
        assert ranking.query.mode is Mode.DENSE
        assert len(ranking.warnings) == 1
        assert "Keyword search was skipped" in ranking.warnings[0]
        with pytest.raises(InputError, match=r"mode: this index has no keyword vectors"):
            assay.search(Query(QUESTION, 5, Mode.SPARSE))


def test_an_index_that_another_assay_built_can_be_adopted_with_its_keywords(peer: QdrantPeer, tmp_path: Path) -> None:
    store = qdrant_store(peer.url)
    texts = [one.chunk.text for one in points(30)]
    made = embedder().embed_documents(texts)
    encoder = Bm25Encoder("english")
    terms = encoder.weigh(encoder.term_counts(texts), 10.0)
    writer = store.create("g1", IndexSpec(256))
    writer.add([IndexPoint(*parts) for parts in zip((one.chunk for one in points(30)), made, terms, strict=True)])
    writer.seal()
    store.close()
    with adopting(peer, tmp_path, "assay-g1", index={"vector": "dense"}) as assay:
        ranking = assay.search(Query(texts[3], 3))
        assert ranking.hits[0].chunk.id == points(30)[3].chunk.id
        assert ranking.query.mode is Mode.HYBRID
        assert ranking.hits[0].chunk.document.url == points(30)[3].chunk.document.url


# --- what cannot be served -----------------------------------------------------------------------------------------


def opening(peer: QdrantPeer, folder: Path, name: str = "docs", **settings: Any) -> None:  # noqa: ANN401 - settings
    with adopting(peer, folder, name, **settings) as assay:
        assay.searches.served_generation()


def test_vectors_of_another_length_are_refused_with_the_models_that_make_them(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    client.create_collection("docs", vectors_config=models.VectorParams(size=1024, distance=models.Distance.COSINE))
    client.upsert("docs", [models.PointStruct(id=1, vector=[1.0] * 1024, payload=seed_payload(passages()[0]))])
    with pytest.raises(IdentityMismatch, match=r"1024 dimensions .* 256.*\[embedding\].*embed-english-v3\.0"):
        opening(peer, tmp_path)


def test_a_collection_that_is_not_there_is_said_not_to_be_with_those_that_are(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client, "wiki")
    with pytest.raises(IndexNotFound, match=r"no collection docs .* It has: wiki\. Set \[index\] adopt"):
        opening(peer, tmp_path)


def test_an_empty_collection_is_said_to_be_empty(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    client.create_collection("docs", vectors_config=models.VectorParams(size=256, distance=models.Distance.COSINE))
    with pytest.raises(IndexNotFound, match="is empty"):
        opening(peer, tmp_path)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"datatype": "uint8"}, "integers from 0 to 255"),
        ({"multivector_config": {"comparator": "max_sim"}}, "several vectors per point"),
    ],
)
def test_vectors_that_have_no_cosine_are_refused(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, params: dict[str, Any], words: str
) -> None:
    vector = models.VectorParams.model_validate({"size": 256, "distance": "Cosine", **params})
    client.create_collection("docs", vectors_config=vector)
    with pytest.raises(ConfigurationError, match=words):
        opening(peer, tmp_path)


@pytest.mark.parametrize(
    "params",
    [
        {"datatype": "float16"},
        {"quantization_config": {"scalar": {"type": "int8"}}},
        {"quantization_config": {"binary": {}}, "on_disk": True},
    ],
)
def test_half_precision_and_quantized_vectors_are_searched(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, params: dict[str, Any]
) -> None:
    vector = models.VectorParams.model_validate({"size": 256, "distance": "Cosine", **params})
    client.create_collection("docs", vectors_config=vector)
    texts = [one.text for one in passages()]
    rows = enumerate(zip(vectors(texts), passages(), strict=True))
    client.upsert("docs", [models.PointStruct(id=n, vector=made, payload=seed_payload(one)) for n, (made, one) in rows])
    peer.record = True
    with adopting(peer, tmp_path) as assay:
        assert_same(ranked(assay.search(Query(QUESTION, 5, Mode.DENSE))), nearest(QUESTION, 5))
    if "quantization_config" in params:
        (search,) = next(sent.body for sent in peer.recorded if sent.path.endswith("query/batch"))["searches"]
        assert search["params"]["quantization"]["rescore"] is True


def test_of_several_dense_vectors_one_has_to_be_named(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    both = {
        name: models.VectorParams(size=size, distance=models.Distance.COSINE) for name, size in (("a", 256), ("b", 8))
    }
    client.create_collection("docs", vectors_config=both)
    texts = [one.text for one in passages()]
    client.upsert(
        "docs",
        [
            models.PointStruct(id=n, vector={"a": made, "b": [1.0] * 8}, payload=seed_payload(one))
            for n, (made, one) in enumerate(zip(vectors(texts), passages(), strict=True))
        ],
    )
    with pytest.raises(ConfigurationError, match=r"several dense vectors: 'a' \(256\), 'b' \(8\).*\[index\] vector"):
        opening(peer, tmp_path)
    with pytest.raises(ConfigurationError, match="no dense vector 'c'"):
        opening(peer, tmp_path, index={"vector": "c"})
    with adopting(peer, tmp_path, index={"vector": "a"}) as assay:
        assert_same(ranked(assay.search(Query(QUESTION, 5, Mode.DENSE))), nearest(QUESTION, 5))


def test_a_collection_of_sparse_vectors_only_is_refused(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    client.create_collection("docs", vectors_config={}, sparse_vectors_config={"s": models.SparseVectorParams()})
    with pytest.raises(ConfigurationError, match="no dense vectors"):
        opening(peer, tmp_path)


@pytest.mark.contract("adopted.7")
def test_a_payload_that_is_not_known_is_read_by_hand(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    payloads = [{"body": {"raw": one.text}, "where": f"{one.page}.md", "n": one.position + 1} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])
    with pytest.raises(ConfigurationError, match=r"matches no preset.*\[index\.mapping\] text.*body\.raw"):
        opening(peer, tmp_path)
    with pytest.raises(ConfigurationError, match=r"No text was found .*page_content.*body\.raw"):
        opening(peer, tmp_path, index={"preset": "langchain"})
    mapping = {"text": "body.raw", "url": ["link", "where"], "position": "n", "first_position": 1, "base_url": BASE_URL}
    with adopting(peer, tmp_path, index={"mapping": mapping}) as assay:
        ranking = assay.search(Query(QUESTION, 10, Mode.DENSE))
        assert_same(ranked(ranking), nearest(QUESTION, 10))
        best = ranking.hits[0].chunk
        expected = next(one for one in passages() if one.text == best.text)
        assert (best.document.url, best.position) == (expected.url, expected.position)
        below = Query(QUESTION, 100, Mode.DENSE, filters=Filters(url_prefix=expected.url))
        assert {hit.chunk.document.url for hit in assay.search(below).hits} == {expected.url}


def test_keys_of_any_characters_can_be_mapped_and_filtered_by(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [
        {
            'the "text"': one.text,
            "Page [URL]": one.url,
            "идентификатор": f"c-{number}",
            "é": {"part no.1": one.title},
        }
        for number, one in enumerate(passages())
    ]
    make(client, "docs", payloads, [one.text for one in passages()])
    mapping = {"text": 'the "text"', "url": "Page [URL]", "chunk_id": "идентификатор", "section": "é.part no.1"}
    wanted = passages()[40]
    with adopting(peer, tmp_path, index={"mapping": mapping}) as assay:
        assert_same(ranked(assay.search(Query(QUESTION, 10, Mode.DENSE))), nearest(QUESTION, 10))
        below = Query(QUESTION, 100, Mode.DENSE, filters=Filters(url_prefix=wanted.url))
        assert {hit.chunk.document.url for hit in assay.search(below).hits} == {wanted.url}
        titled = Query(QUESTION, 100, Mode.DENSE, filters=Filters(sections=(wanted.title,)))
        assert {hit.chunk.section for hit in assay.search(titled).hits} == {wanted.title}
        assert assay.generations()[0].documents == len({one.url for one in passages()})
    with adopting(peer, tmp_path, index={"mapping": mapping}) as assay, assay.searches.live.lease() as searcher:
        assert searcher.index.chunks(["c-40"])["c-40"].text == wanted.text


def test_a_key_that_the_server_cannot_name_is_read_and_not_filtered_by(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    payloads = [{"text": one.text, 'the "page"': one.url, "the\\id": f"c-{one.url}"} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])
    mapping = {"text": "text", "url": 'the "page"', "chunk_id": "the\\id", "section": "a..b"}
    with adopting(peer, tmp_path, index={"mapping": mapping}) as assay, assay.searches.live.lease() as searcher:
        best = assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk
        assert best.id == f"c-{best.document.url}"
        assert searcher.index.chunks(["c-40"]) == {}
        for filters in (Filters(url_prefix=BASE_URL), Filters(sections=("x",))):
            with pytest.raises(InputError, match=r"filters\.\w+: "):
                assay.search(Query(QUESTION, 1, Mode.DENSE, filters=filters))


def test_one_path_by_hand_goes_before_the_presets(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    payloads = [seed_payload(one) | {"headline": f"On {one.title}"} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])
    index = {"preset": "validation_report", "mapping": {"title": "headline"}}
    with adopting(peer, tmp_path, index=index) as assay:
        chunk = assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk
    assert chunk.document.title.startswith("On ")
    assert chunk.document.url.startswith(BASE_URL)


def test_a_collection_that_is_made_anew_with_other_vectors_is_explained(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        assay.searches.served_generation()
        client.delete_collection("docs")
        with pytest.raises(IndexNotFound, match="no collection docs"):
            assay.search(Query(QUESTION, 1, Mode.DENSE))
        client.create_collection("docs", vectors_config=models.VectorParams(size=8, distance=models.Distance.COSINE))
        with pytest.raises(VectorStoreError, match="other vectors than when it was opened"):
            assay.search(Query(QUESTION, 1, Mode.DENSE))


def test_an_adoption_needs_a_server(tmp_path: Path, peer: QdrantPeer) -> None:
    with adopting(peer, tmp_path, qdrant={"url": None}) as assay, pytest.raises(ConfigurationError, match="QDRANT_URL"):
        assay.searches.served_generation()
    with (
        adopting(peer, tmp_path, index={"store": "embedded"}) as assay,
        pytest.raises(ConfigurationError, match=r"\[index\] store"),
    ):
        assay.searches.served_generation()


# --- read only -----------------------------------------------------------------------------------------------------


def use_everything(assay: Assay) -> None:
    """Whatever can be done with an adopted collection, and whatever cannot."""
    assay.parts.store.check()
    assay.parts.store.describe()
    assay.generations()
    filters = Filters(url_prefix=BASE_URL, sources=("docs",))
    ranking = assay.search(Query(QUESTION, 50, Mode.HYBRID, filters=filters, with_vectors=True))
    with assay.searches.live.lease() as searcher:
        searcher.index.compare(embedder().embed_query(QUESTION), [hit.chunk.id for hit in ranking.hits], {})
        list(searcher.index.ids())
        searcher.index.chunks(["https://x.dev/a_3", "17", "0f8fad5b-d9cb-469f-a165-70867728950e"])
    assay.searches.health()
    for refused in (
        assay.builds.ingest,
        assay.publish,
        assay.promote,
        assay.rollback,
        lambda: assay.parts.store.create("g1", IndexSpec(256)),
        lambda: assay.parts.store.delete("adopted-docs"),
        lambda: assay.parts.store.switch_alias("g1"),
        assay.parts.catalog.build_lock,
    ):
        with pytest.raises(IndexNotOurs, match="Assay never changes"):
            refused()


@pytest.mark.contract("adopted.8")
def test_nothing_that_is_sent_changes_anything(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    make_hybrid(client)
    peer.record = True
    with adopting(peer, tmp_path, sources=[{"path": tmp_path}]) as assay:
        use_everything(assay)
    sent = {(one.method, one.path.removeprefix("/collections/docs")) for one in peer.recorded}
    assert sent - {("GET", "/")} <= READING
    assert {("POST", "/points/query/batch"), ("POST", "/points/scroll")} <= sent
    assert not (tmp_path / "none").exists()


def test_every_request_is_one_that_qdrant_describes(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, shared: Path
) -> None:
    openapi = OpenApi.read(shared / "qdrant" / "openapi-1.19.0.json")
    make_seed(client, distance=models.Distance.DOT)
    peer.record = True
    with adopting(peer, tmp_path, sources=[{"path": tmp_path}]) as assay:
        use_everything(assay)
    assert [fault for one in peer.recorded for fault in openapi.faults(**vars(one))] == []
    assert len(peer.recorded) > 10


def test_over_grpc_the_same_is_found(tmp_path: Path) -> None:
    with QdrantPeer(tmp_path / "server", grpc_port=0) as peer:
        client = QdrantClient(url=peer.url, check_compatibility=False)
        make_seed(client)
        client.close()
        settings = {"url": peer.url, "grpc": True, "grpc_port": peer.grpc_port}
        with adopting(peer, tmp_path, qdrant=settings) as assay:
            assert_same(ranked(assay.search(Query(QUESTION, 10, Mode.DENSE))), nearest(QUESTION, 10))
        assert any(request.startswith("gRPC") for request in peer.counts)


# --- surfaces ------------------------------------------------------------------------------------------------------


def test_the_collection_is_listed_as_the_generation_that_is_live(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    with adopting(peer, tmp_path) as assay:
        (generation,) = assay.generations()
        assert (generation.id, generation.state.value) == ("adopted-docs", "live")
        assert generation.chunks == len(passages())
        assert generation.documents == len({one.url for one in passages()})
        assert generation.embedder == StaticEmbedder().identity
        with pytest.raises(GenerationNotFound, match="adopted-docs"):
            assay.parts.catalog.generation("g1")


@pytest.mark.contract("adopted.2")
@pytest.mark.parametrize("whole", [True, False])
def test_every_public_shape_answers_also_where_points_have_nothing_but_text(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path, whole: bool
) -> None:
    payloads = [seed_payload(one) if whole else {"page_content": one.text} for one in passages()]
    make(client, "docs", payloads, [one.text for one in passages()])
    best, score = nearest(QUESTION, 1)[0]
    with adopting(peer, tmp_path) as assay, TestClient(create_app(assay)) as http:

        def first(route: str, body: dict[str, object], text: str, similarity: str) -> dict[str, Any]:
            answer = http.post(route, json=body)
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()["results"][0]
            assert found[text] == best
            assert found[similarity] == pytest.approx(score, abs=1e-5)
            return found

        native = first("/v1/search", {"query": QUESTION, "mode": "dense"}, "content", "similarity")
        tested = first("/query", {"query_text": QUESTION}, "content", "similarity_score")
        api = first("/search", {"query": QUESTION}, "snippet", "score")
        lowest = {"query_text": QUESTION, "similarity_threshold": 0.0}
        service = first("/api/v1/search", lowest, "content", "similarity_score")
        health = http.get("/health")
        assert (health.status_code, health.json()["status"]) == (200, "ok")
        assert http.get("/readyz").status_code == 200
    url = next(one.url for one in passages() if one.text == best)
    if whole:
        assert native["url"] == tested["url"] == service["metadata"]["url"] == url
        assert tested["created_at"] == "2025-12-15T10:00:00Z"
        assert api["title"] == native["title"] == service["metadata"]["document_title"]
    else:
        assert native["url"] == f"https://docs.invalid/docs/{native['chunk_id']}"
        assert tested["created_at"] is None
        assert api["title"] is None
        assert api["source_path"]
        assert tested["position"] == 0


def test_the_python_functions_answer_after_nothing_but_variables(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    program = (
        "import json, sys\n"
        "from assay.contracts.retrieval_layer import generate_query_embedding, retrieve_content_chunks\n"
        "vector = generate_query_embedding(sys.argv[1]).vector\n"
        "print(json.dumps([(one.text, one.relevance_score) for one in retrieve_content_chunks(vector, limit=5)]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, QUESTION],
        cwd=tmp_path,
        env=environment(QDRANT_URL=peer.url, ASSAY_INDEX__ADOPT="docs"),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert_same([(text, score) for text, score in json.loads(ran.stdout)], nearest(QUESTION, 5))


def test_every_public_shape_gives_whatever_a_point_holds_whole(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    text = "gripper " * 130_000 + "\0 \u202e 👍🏽"
    payload = {
        "content": text,
        "url": f"https://x.dev/{'a' * 5_000}",
        "title": "T" * 10_000,
        "chunk_id": "c" * 3_000,
        "slug": "s" * 3_000,
        "source_path": "p" * 3_000,
        "chunk_index": 2**53 - 1,
        "timestamp": "0001-01-01T00:00:00Z",
        "section": ["not", "a text"],
        "extra": {"": [[[{"a.b": None}]]]},
    }
    make(client, "docs", [payload], ["gripper"])
    with adopting(peer, tmp_path) as assay, TestClient(create_app(assay)) as http:
        for route, query, content in (
            ("/v1/search", "query", "content"),
            ("/query", "query_text", "content"),
            ("/search", "query", "snippet"),
            ("/api/v1/search", "query_text", "content"),
        ):
            answer = http.post(route, json={query: "the gripper"})
            assert answer.status_code == 200, answer.text[:500]
            (found,) = answer.json()["results"]
            assert found[content] == text
            assert found["chunk_id"] == "c" * 3_000


def test_a_server_that_is_down_is_503_and_healthy_again_when_it_is_back(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    ask = {"query": QUESTION}
    with adopting(peer, tmp_path) as assay, TestClient(create_app(assay)) as http:
        assert http.post("/search", json=ask).status_code == 200
        peer.stop()
        assert http.post("/search", json=ask).status_code == 503
        down = http.get("/health")
        assert (down.status_code, down.json()["qdrant"]) == (503, False)
        with pytest.raises(StoreUnavailable):
            assay.search(Query(QUESTION, 1, Mode.DENSE))
        peer.start()
        assert http.post("/search", json=ask).status_code == 200
        assert http.get("/health").status_code == 200


def test_whatever_happens_to_the_server_an_answer_is_right_or_an_error(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    expected = nearest(QUESTION, 5)
    answered, failed, over = [0], [0], threading.Event()

    def ask(assay: Assay) -> None:
        while not over.is_set():
            try:
                found = ranked(assay.search(Query(QUESTION, 5, Mode.DENSE)))
            except StoreUnavailable:
                failed[0] += 1
                continue
            assert_same(found, expected)
            answered[0] += 1

    def wait_for(counter: list[int], more: int = 10) -> None:
        wanted, until = counter[0] + more, time.monotonic() + 60
        while counter[0] < wanted and time.monotonic() < until:
            time.sleep(0.01)
        assert counter[0] >= wanted

    with adopting(peer, tmp_path) as assay, ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask, assay) for _ in range(4)]
        try:
            for _ in range(2):
                wait_for(answered)
                peer.stop()
                wait_for(failed)
                peer.start()
            wait_for(answered)
        finally:
            over.set()
        for one in asking:
            one.result(60)


def test_a_server_that_is_down_at_the_start_is_served_from_once_it_is_there(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    peer.stop()
    with adopting(peer, tmp_path) as assay, TestClient(create_app(assay)) as http:
        assert http.post("/search", json={"query": QUESTION}).status_code == 503
        peer.start()
        assert http.post("/search", json={"query": QUESTION}).status_code == 200


def test_an_alias_is_followed_to_another_collection(peer: QdrantPeer, client: QdrantClient, tmp_path: Path) -> None:
    make_seed(client, "docs-1")
    half = passages()[::2]
    make(client, "docs-2", [seed_payload(one) for one in half], [one.text for one in half])

    def lead_to(name: str) -> None:
        create = models.CreateAlias(alias_name="docs", collection_name=name)
        client.update_collection_aliases([models.CreateAliasOperation(create_alias=create)])

    lead_to("docs-1")
    with adopting(peer, tmp_path) as assay:
        assert_same(ranked(assay.search(Query(QUESTION, 10, Mode.DENSE))), nearest(QUESTION, 10))
        lead_to("docs-2")
        remaining = {one.text for one in half}
        expected = [pair for pair in nearest(QUESTION, len(passages())) if pair[0] in remaining][:10]
        assert_same(ranked(assay.search(Query(QUESTION, 10, Mode.DENSE))), expected)


def test_it_is_validated_by_labelled_queries_read_only_and_without_its_structure(
    peer: QdrantPeer, client: QdrantClient, tmp_path: Path
) -> None:
    make_seed(client)
    asked = [one for one in passages() if one.title][:5]
    topics = [
        {
            "id": f"t{number}",
            "text": one.text[:200],
            "judgments": [
                {"url": one.url, "quote": one.text[:60], "label": 2},
                {"chunk_id": str(passages().index(one) + 1), "label": 2},
            ],
        }
        for number, one in enumerate(asked)
    ]
    (tmp_path / "topics.json").write_text(json.dumps({"name": "adopted", "topics": topics}), encoding="utf-8")
    peer.record = True
    with adopting(
        peer, tmp_path, gate={"precision": "attainable", "min_precision_share": 0.5, "min_mrr": 0.5}
    ) as assay:
        validation = assay.validate(test_set=tmp_path / "topics.json")
    assert validation.provenance.target == "adopted collection docs"
    assert [value.value for value in validation.measures if value.name in {"mrr", "RR"}] == [1.0, 1.0]
    assert validation.anchoring[Anchoring.EXACT] == 10
    assert validation.verdict.outcome is Outcome.PASS
    assert "failed pages" not in {finding.check for finding in validation.verdict.findings}
    sent = {(one.method, one.path.removeprefix("/collections/docs")) for one in peer.recorded}
    assert sent - {("GET", "/")} <= READING
