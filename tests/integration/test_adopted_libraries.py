"""Collections that LangChain, LlamaIndex and Haystack made, with Assay over them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient, models
from tests.adopted import adopting, embedder
from tests.adopted_libraries import (
    LIBRARIES,
    NAME,
    Library,
    make_haystack,
    make_langchain,
    make_langchain_hybrid,
    make_llamaindex,
    make_llamaindex_from_files,
    pages,
)
from tests.integration.cli.commands import Run, runner
from tests.peers.qdrant import QdrantPeer

from assay.app import shipped_folder
from assay.model.ranking import Filters, Mode, Query

QUESTION = "what happens when the emergency stop is pressed"
QUESTIONS = (QUESTION, "lithium battery charger", "how is a fall detected", "the gripper drops what it holds")

pytestmark = pytest.mark.filterwarnings("default")  # what the libraries warn of is theirs


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[QdrantPeer]:
    with QdrantPeer(tmp_path / "server") as peer:
        yield peer


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, peer: QdrantPeer) -> Run:
    """Runs commands in a folder with no more than the server's address."""
    run = runner(monkeypatch, capsys, tmp_path)
    monkeypatch.setenv("QDRANT_URL", peer.url)
    return run


@pytest.fixture(params=LIBRARIES, ids=str)
def library(request: pytest.FixtureRequest) -> Library:
    found: Library = request.param
    require(found.preset)
    return found


def require(preset: str) -> None:
    """Skip where a library is not installed."""
    library = next(one for one in LIBRARIES if one.preset == preset)
    for package in library.packages:
        pytest.importorskip(package, reason=f"{package} is not installed: `make test` does")


def nearest(peer: QdrantPeer, query: str, count: int, read: Callable[[dict[str, Any]], str]) -> list[tuple[str, float]]:
    """The passages nearest to a query, by the definition, from what is stored."""
    client = QdrantClient(url=peer.url, check_compatibility=False)
    records, rest = client.scroll(NAME, limit=10_000, with_vectors=True)
    client.close()
    assert rest is None
    stored = [record.vector if isinstance(record.vector, list) else record.vector["text-dense"] for record in records]
    cosines = np.array(stored) @ embedder().embed_query(query)
    order = np.argsort(-cosines, kind="stable")[:count]
    return [(read(records[place].payload), float(cosines[place])) for place in order]


def checks_of(body: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401 - JSON
    return {check["check"]: check for check in body["checks"]}


@pytest.mark.contract("adopted.6")
def test_assay_finds_what_the_library_finds_in_the_same_order_with_the_same_scores(
    peer: QdrantPeer, tmp_path: Path, library: Library
) -> None:
    made = library.make(peer)
    with adopting(peer, tmp_path) as assay:
        for question in QUESTIONS:
            expected = library.find(made, question, 12)
            hits = assay.search(Query(question, 10, Mode.DENSE)).hits
            once = list(dict.fromkeys(text for text, _ in expected))[:10]  # Assay gives equal passages once
            assert [hit.chunk.text for hit in hits] == once
            assert [hit.similarity for hit in hits] == pytest.approx(
                [dict(reversed(expected))[text] for text in once], abs=1e-5
            )


def test_each_passage_comes_with_its_page(peer: QdrantPeer, tmp_path: Path, library: Library) -> None:
    library.make(peer)
    by_url = {page.url: page for page in pages()}
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 50, Mode.DENSE)).hits
        below = f"{hits[0].chunk.document.url}"
        within = assay.search(Query(QUESTION, 50, Mode.DENSE, filters=Filters(url_prefix=below))).hits
    assert len(hits) == 50
    for hit in hits:
        page = by_url[hit.chunk.document.url]
        assert hit.chunk.document.title == page.title
        words = hit.chunk.text.split()
        assert " ".join(words[-5:]) in " ".join(page.text.split())
    assert {hit.chunk.document.url for hit in within} == {below}
    assert any(hit.chunk.position for hit in hits) is ("position" not in library.missing)
    assert any(hit.chunk.section for hit in hits) is ("section" not in library.missing)


@pytest.mark.contract("adopted.6")
def test_the_doctor_says_what_it_is_and_what_it_lacks(assay: Run, peer: QdrantPeer, library: Library) -> None:
    library.make(peer)
    said = assay("doctor", "--adopt", NAME, "--json")
    assert said.code == 0, said.out
    found, checks = said.body["adopted"], checks_of(said.body)
    points = found["points"]
    assert points > len(pages())
    assert found["preset"] == library.preset
    assert [one["dimension"] for one in found["dense"]] == [256]
    assert found["survey"]["documents"] == len(pages())
    assert found["survey"]["whole"] is True
    missing = found["survey"]["missing"]
    assert {name for name, count in missing.items() if count == points} == library.missing
    assert not {"text", "url", "title"} & set(missing)
    assert set(found["survey"]["faults"]) <= {"duplicates"}
    assert found["model"]["verdict"] == "same"
    assert checks["payload"]["message"] == f"it looks like {library.preset} (100% of 100 sampled points)."
    assert all(check["level"] != "fail" for check in checks.values())


def test_what_the_doctor_says_to_set_serves_the_collection(
    assay: Run, peer: QdrantPeer, tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = library.make(peer)
    toml = assay("doctor", "--adopt", NAME, "--json").body["adopted"]["settings"]
    (tmp_path / "assay.toml").write_text(toml, encoding="utf-8")
    monkeypatch.delenv("QDRANT_URL")
    said = assay("search", QUESTION, "--json")
    assert (said.code, said.err) == (0, "")
    assert said.body["results"][0]["content"] == library.find(made, QUESTION, 1)[0][0]
    assert said.body.get("warnings", []) == []


def test_langchains_headings_are_the_sections(peer: QdrantPeer, tmp_path: Path) -> None:
    require("langchain")
    make_langchain(peer)
    with adopting(peer, tmp_path) as assay:
        sections = {hit.chunk.section for hit in assay.search(Query(QUESTION, 50, Mode.DENSE)).hits}
        wanted = max(section for section in sections if section)
        found = assay.search(Query(QUESTION, 50, Mode.DENSE, filters=Filters(sections=(wanted,)))).hits
    assert found
    assert {hit.chunk.section for hit in found} == {wanted}


def test_langchains_hybrid_collection_is_searched_by_keywords_too(peer: QdrantPeer, tmp_path: Path) -> None:
    require("langchain")
    make_langchain_hybrid(peer, sparse_vector_params={"modifier": models.Modifier.IDF})
    with adopting(peer, tmp_path) as assay:
        hybrid = assay.search(Query("lithium battery charger", 5))
        sparse = assay.search(Query("PRE_GRASP", 3, Mode.SPARSE))
    assert (hybrid.query.mode, hybrid.warnings) == (Mode.HYBRID, ())
    assert "PRE_GRASP" in sparse.hits[0].chunk.text


def test_langchains_default_sparse_vectors_have_no_idf_and_are_not_asked(assay: Run, peer: QdrantPeer) -> None:
    require("langchain")
    make_langchain_hybrid(peer)
    checks = checks_of(assay("doctor", "--adopt", NAME, "--json").body)
    assert checks["keyword search"]["level"] == "warn"
    assert "langchain-sparse has no IDF modifier" in checks["keyword search"]["message"]


def test_a_langchain_vector_with_a_name_is_found(peer: QdrantPeer, tmp_path: Path) -> None:
    require("langchain")
    made = make_langchain(peer, vector_name="words")
    (best, _), *_ = made.similarity_search_with_score(QUESTION, k=1)
    with adopting(peer, tmp_path) as assay:
        assert assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk.text == best.page_content


def test_a_folder_that_llamaindex_read_is_served_below_a_base_url(peer: QdrantPeer, tmp_path: Path) -> None:
    require("llamaindex")
    make_llamaindex_from_files(peer)
    folder = str(shipped_folder("examples") / "handbook" / "docs")
    with adopting(peer, tmp_path) as assay:
        chunk = assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk
    assert chunk.document.source_path.startswith(folder)
    assert chunk.document.url.startswith("https://docs.invalid/")
    mapping = {"source_path": "file_name", "base_url": "https://handbook.example"}
    with adopting(peer, tmp_path, index={"mapping": mapping}) as assay:
        named = assay.search(Query(QUESTION, 1, Mode.DENSE)).hits[0].chunk
    assert named.text == chunk.text
    assert named.document.url == f"https://handbook.example/{Path(chunk.document.source_path).stem}"


def test_llamaindexs_hybrid_collection_of_other_terms_is_searched_by_meaning(peer: QdrantPeer, tmp_path: Path) -> None:
    require("llamaindex")

    def splade(texts: list[str]) -> tuple[list[list[int]], list[list[float]]]:
        return [sorted({len(word) for word in text.split()}) for text in texts], [
            [1.0] * len({len(word) for word in text.split()}) for text in texts
        ]

    make_llamaindex(peer, enable_hybrid=True, sparse_doc_fn=splade, sparse_query_fn=splade)
    with adopting(peer, tmp_path) as assay:
        ranking = assay.search(Query(QUESTION, 5))
    expected = nearest(peer, QUESTION, 5, lambda _: "")
    assert [hit.similarity for hit in ranking.hits] == pytest.approx([score for _, score in expected], abs=1e-5)
    assert "Keyword search was skipped" in ranking.warnings[0]


@pytest.mark.parametrize("similarity", ["dot_product", "l2"])
def test_haystacks_other_distances_are_reported_as_cosines(peer: QdrantPeer, tmp_path: Path, similarity: str) -> None:
    require("haystack")
    make_haystack(peer, similarity=similarity)
    with adopting(peer, tmp_path) as assay:
        hits = assay.search(Query(QUESTION, 10, Mode.DENSE)).hits
    expected = nearest(peer, QUESTION, 10, lambda payload: str(payload["content"]))
    assert [hit.chunk.text for hit in hits] == [text for text, _ in expected]
    assert [hit.similarity for hit in hits] == pytest.approx([score for _, score in expected], abs=1e-5)


def test_haystacks_sparse_index_has_its_vectors_under_names(peer: QdrantPeer, tmp_path: Path) -> None:
    require("haystack")
    made = make_haystack(peer, use_sparse_embeddings=True)
    best = next(one for one in LIBRARIES if one.preset == "haystack").find(made, QUESTION, 1)[0][0]
    with adopting(peer, tmp_path) as assay:
        ranking = assay.search(Query(QUESTION, 1))
    assert ranking.hits[0].chunk.text == best
    assert "Keyword search was skipped" in ranking.warnings[0]
