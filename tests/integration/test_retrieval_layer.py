"""Seed 002's functions over an index that was really published: in this process, and in a fresh one."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from tests.borders import count_borders, share_borders, text_borders
from tests.forking import ForkedProgram
from tests.integration.web.conftest import BASE_URL, CHUNKS, settings_for, write_pages

from assay.app import Assay
from assay.app.searching import Searches
from assay.contracts import retrieval_layer
from assay.contracts.ordering import Shaping
from assay.contracts.retrieval_layer import QueryEmbedding, RetrievalResult
from assay.contracts.retriever import Retriever
from assay.errors import (
    CatalogError,
    EmbedderUnavailable,
    EmbeddingError,
    NoLiveGeneration,
    StoreUnavailable,
    VectorStoreError,
)
from assay.model.ranking import ContractMode, Mode, Query, Ranking
from assay.ports import Vector

QUESTION = "How do nodes communicate?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages and a live generation of them."""
    folder = tmp_path_factory.mktemp("layer")
    write_pages(folder / "pages")
    with Assay.open(settings_for(folder)) as assay:
        assert assay.publish().promoted
    return folder


@pytest.fixture(scope="module")
def assay(folder: Path) -> Iterator[Assay]:
    with Assay.open(settings_for(folder)) as opened:
        yield opened


@pytest.fixture
def retriever(assay: Assay) -> Retriever:
    return Retriever(assay.searches)


# --- generate_query_embedding --------------------------------------------------------------------------------------


@pytest.mark.contract("002.2", "002.10", "002.16")
@pytest.mark.parametrize(
    ("query", "accepted"),
    text_borders(1_000),
)
def test_a_query_has_1_to_1000_characters_not_all_white_space(
    retriever: Retriever, query: object, accepted: bool
) -> None:
    if accepted:
        embedding = retriever.generate_query_embedding(query)  # type: ignore[arg-type]  # a str where accepted
        assert embedding.query_text == query
    else:
        with pytest.raises(ValueError, match=r"^query: .*a string of 1 to 1,000 characters"):
            retriever.generate_query_embedding(query)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.contract("002.1", "002.3")
def test_an_embedding_has_the_models_name_and_dimension(retriever: Retriever, assay: Assay) -> None:
    embedding = retriever.generate_query_embedding(QUESTION)
    identity = assay.parts.embedder.identity
    assert embedding.model == identity.model
    assert len(embedding.vector) == identity.dimension == 256
    assert {type(element) for element in embedding.vector} == {float}


@pytest.mark.contract("002.15")
def test_an_embedding_is_that_of_a_query_bit_for_bit(retriever: Retriever, assay: Assay) -> None:
    vector = np.asarray(retriever.generate_query_embedding(QUESTION).vector, dtype=np.float32)
    assert np.array_equal(vector, assay.parts.embedder.embed_query(QUESTION))


class WithoutEmbedder(Searches):
    """Searches whose model does not answer."""

    def embed_query(self, text: str) -> Vector:
        raise EmbedderUnavailable("The model does not answer.")


@pytest.mark.contract("002.16")
def test_a_model_that_fails_is_an_embedding_error(folder: Path) -> None:
    with Assay.open(settings_for(folder)) as assay, pytest.raises(EmbeddingError):
        Retriever(WithoutEmbedder(assay.parts)).generate_query_embedding(QUESTION)


# --- retrieve_content_chunks ---------------------------------------------------------------------------------------


@pytest.mark.contract("002.6", "002.18")
def test_the_two_functions_find_what_one_search_finds(retriever: Retriever, assay: Assay) -> None:
    found = retriever.retrieve_content_chunks(retriever.generate_query_embedding(QUESTION).vector, limit=20)
    ranking = assay.search(Query(QUESTION, 20, Mode.DENSE))
    assert [(result.chunk_id, result.relevance_score) for result in found] == [
        (hit.chunk.id, hit.similarity) for hit in ranking.hits
    ]


@pytest.mark.contract("002.4", "002.5", "002.7", "002.8", "002.9")
def test_a_result_has_text_url_score_id_position_and_title(retriever: Retriever) -> None:
    best = retriever.retrieve_content_chunks(retriever.generate_query_embedding(QUESTION))[0]
    assert isinstance(best, RetrievalResult)
    assert "Nodes communicate by topics" in best.text
    assert best.source_url == f"{BASE_URL}/nodes"
    assert 0.0 < best.relevance_score <= 1.0
    assert re.fullmatch(r"[0-9a-f-]{36}", best.chunk_id)
    assert (best.position, best.title) == (0, "Nodes")


@pytest.mark.contract("002.17")
def test_results_come_by_relevance_and_the_same_every_time(retriever: Retriever) -> None:
    embedding = retriever.generate_query_embedding(QUESTION)
    first, second = (retriever.retrieve_content_chunks(embedding, 20) for _ in range(2))
    scores = [result.relevance_score for result in first]
    assert scores == sorted(scores, reverse=True)
    assert first == second


@pytest.mark.contract("002.19")
def test_limit_is_5_where_it_is_not_said(retriever: Retriever) -> None:
    assert len(retriever.retrieve_content_chunks(retriever.generate_query_embedding(QUESTION))) == 5


@pytest.mark.contract("002.19")
@pytest.mark.parametrize(("limit", "accepted"), count_borders(100))
def test_limit_is_a_whole_number_from_1_to_100(retriever: Retriever, limit: int, accepted: bool) -> None:
    embedding = retriever.generate_query_embedding(QUESTION)
    if accepted:
        assert len(retriever.retrieve_content_chunks(embedding, limit)) == min(limit, CHUNKS)
    else:
        with pytest.raises(ValueError, match=r"^limit: it must be a whole number from 1 to 100; "):
            retriever.retrieve_content_chunks(embedding, limit)


@pytest.mark.contract("002.11")
@pytest.mark.parametrize("length", [0, 1, 255, 257, 1_024])
def test_a_vector_of_another_length_is_a_value_error(retriever: Retriever, length: int) -> None:
    with pytest.raises(
        ValueError, match=r"^query_embedding: (it is empty|.* has 256 dimensions; a list of [\d,]+ was)"
    ):
        retriever.retrieve_content_chunks([0.5] * length)


@pytest.mark.contract("002.18")
@pytest.mark.parametrize("element", [float("nan"), float("inf"), None, "0.5", True])
def test_a_vector_that_is_no_numbers_is_a_value_error(retriever: Retriever, element: object) -> None:
    with pytest.raises(ValueError, match=r"^query_embedding\[255\]: it must be a finite number"):
        retriever.retrieve_content_chunks([0.5] * 255 + [element])  # type: ignore[list-item]  # what the test is about


def test_a_vector_that_points_nowhere_is_a_value_error(retriever: Retriever) -> None:
    with pytest.raises(ValueError, match="no direction"):
        retriever.retrieve_content_chunks([0.0] * 256)


@pytest.mark.parametrize("factor", [1e-300, 0.5, 1_000.0, 1e300])
def test_the_length_of_a_vector_does_not_count(retriever: Retriever, factor: float) -> None:
    vector = retriever.generate_query_embedding(QUESTION).vector
    near = retriever.retrieve_content_chunks(vector, 20)
    far = retriever.retrieve_content_chunks([factor * element for element in vector], 20)
    assert [result.chunk_id for result in near] == [result.chunk_id for result in far]
    assert [result.relevance_score for result in far] == pytest.approx([result.relevance_score for result in near])


@pytest.mark.contract("002.18")
def test_an_embedding_by_another_model_is_a_value_error(retriever: Retriever) -> None:
    with pytest.raises(ValueError, match=r"its model is other, but .* is configured"):
        retriever.retrieve_content_chunks(QueryEmbedding([0.5] * 256, QUESTION, "other"))


@pytest.mark.contract("002.21")
def test_no_results_are_an_empty_list(retriever: Retriever) -> None:
    embedding = retriever.generate_query_embedding(QUESTION)
    assert retriever.retrieve_content_chunks(embedding, minimum_relevance=1.0) == []
    assert retriever.retrieve_content_chunks(embedding, filters={"sources": ["another"]}) == []


@pytest.mark.contract("002.20")
def test_a_vector_store_that_fails_is_an_error_and_never_an_empty_list(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages")
    with Assay.open(settings_for(tmp_path)) as assay:
        assay.publish()
    for file in (tmp_path / "index" / "generations").rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged")
    with Assay.open(settings_for(tmp_path)) as assay, pytest.raises(VectorStoreError):
        Retriever(assay.searches).retrieve_content_chunks([0.5] * 256)


@pytest.mark.contract("002.20")
def test_before_the_first_promotion_there_is_an_error_and_never_an_empty_list(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages")
    with Assay.open(settings_for(tmp_path)) as assay:
        with pytest.raises(CatalogError):
            Retriever(assay.searches).retrieve(QUESTION)
        assay.builds.ingest()
        with pytest.raises(NoLiveGeneration):
            Retriever(assay.searches).retrieve(QUESTION)


# --- what goes with them -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("minimum", "accepted"), share_borders())
def test_minimum_relevance_is_a_number_from_0_to_1(retriever: Retriever, minimum: float, accepted: bool) -> None:
    if accepted:
        results = retriever.retrieve(QUESTION, 100, minimum_relevance=minimum)
        assert all(result.relevance_score >= minimum for result in results)
    else:
        with pytest.raises(ValueError, match=r"^minimum_relevance: it must be a number from 0 to 1; "):
            retriever.retrieve(QUESTION, minimum_relevance=minimum)


@pytest.mark.contract("002.23")
def test_retrieve_gives_what_reaches_a_relevance_of_0_3(retriever: Retriever) -> None:
    everything = retriever.retrieve(QUESTION, 100, minimum_relevance=0.0)
    assert any(result.relevance_score < 0.3 for result in everything)
    assert retriever.retrieve(QUESTION, 100) == [result for result in everything if result.relevance_score >= 0.3]


@pytest.mark.contract("002.24")
def test_filters_narrow_what_is_retrieved(retriever: Retriever) -> None:
    filters = {"url_prefix": f"{BASE_URL}/nodes"}
    assert {r.source_url for r in retriever.retrieve(QUESTION, filters=filters)} == {f"{BASE_URL}/nodes"}


@pytest.mark.contract("002.24")
@pytest.mark.parametrize(
    ("filters", "complaint"),
    [
        ({"url_prefix": "/docs"}, "filters.url_prefix: "),
        ({"version": ["1"]}, "There is no field `version` in filters; did you mean `versions`?"),
    ],
)
def test_a_filter_that_cannot_be_is_a_value_error(
    retriever: Retriever, filters: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(complaint)):
        retriever.retrieve(QUESTION, filters=filters)


@pytest.mark.parametrize(
    ("contract_mode", "searched", "sorts"),
    [
        (ContractMode.HYBRID, Mode.HYBRID, True),
        (ContractMode.DENSE, Mode.DENSE, True),
        (ContractMode.FUSED, Mode.HYBRID, False),
    ],
)
def test_contract_mode_decides_how_retrieve_chooses_and_orders(
    assay: Assay, contract_mode: ContractMode, searched: Mode, sorts: bool
) -> None:
    question = "robot hand gripper testing two people nodes"
    retriever = Retriever(assay.searches, Shaping.of(contract_mode, Mode.HYBRID))
    results = retriever.retrieve(question, 5, minimum_relevance=0.0)
    hits = [(hit.chunk.id, hit.similarity) for hit in assay.search(Query(question, 5, searched)).hits]
    expected = sorted(hits, key=lambda one: (-one[1], one[0])) if sorts else hits
    assert [(r.chunk_id, r.relevance_score) for r in results] == expected
    given = retriever.generate_query_embedding(question)
    dense = [hit.chunk.id for hit in assay.search(Query(question, 5, Mode.DENSE)).hits]
    assert [r.chunk_id for r in retriever.retrieve_content_chunks(given, 5)] == dense


@pytest.mark.contract("002.23")
def test_a_batch_gives_each_querys_answer_in_order(retriever: Retriever) -> None:
    questions = [QUESTION, *(f"replacing the {part}" for part in ("gripper", "camera", "lidar"))] * 5
    assert retriever.retrieve_batch(questions) == [retriever.retrieve(question) for question in questions]
    assert retriever.retrieve_batch([]) == []


@pytest.mark.parametrize("queries", [["nodes", ""], "nodes", ["nodes", None]], ids=str)
def test_a_batch_with_a_bad_query_asks_nothing(retriever: Retriever, queries: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^quer"):
        retriever.retrieve_batch(queries)
    assert retriever.statistics().queries == 0


@pytest.mark.contract("002.26")
def test_a_hundred_at_once_get_the_answers_of_one_at_a_time(retriever: Retriever) -> None:
    questions = [f"{QUESTION} {number % 10}" for number in range(100)]
    alone = [retriever.retrieve(question) for question in questions]
    gate = threading.Barrier(100)

    def ask(question: str) -> list[RetrievalResult]:
        gate.wait(60)
        return retriever.retrieve(question)

    with ThreadPoolExecutor(100) as threads:
        assert list(threads.map(ask, questions)) == alone


@pytest.mark.contract("002.25")
def test_the_statistics_count_queries_empty_answers_and_failures(retriever: Retriever, assay: Assay) -> None:
    before = retriever.statistics()
    assert (before.queries, before.empty, before.failed, before.mean_ms) == (0, 0, 0, None)
    retriever.retrieve(QUESTION)
    retriever.retrieve(QUESTION, minimum_relevance=1.0)
    after = retriever.statistics()
    assert (after.queries, after.empty, after.failed) == (2, 1, 0)
    assert after.mean_ms is not None
    assert after.mean_ms > 0
    assert (after.generation, after.documents, after.chunks) == (assay.parts.catalog.live_id(), CHUNKS, CHUNKS)
    assert (after.model, after.dimension) == (assay.parts.embedder.identity.model, 256)


class WithoutStore(Searches):
    """Searches whose vector store does not answer."""

    def search(self, *_: object, **__: object) -> Ranking:
        raise StoreUnavailable("The vector store does not answer.")


def test_the_statistics_count_what_failed_apart(folder: Path) -> None:
    with Assay.open(settings_for(folder)) as assay, closing(WithoutStore(assay.parts)) as searches:
        retriever = Retriever(searches)
        with pytest.raises(VectorStoreError):
            retriever.retrieve(QUESTION)
        statistics = retriever.statistics()
    assert (statistics.queries, statistics.failed, statistics.mean_ms) == (1, 1, None)


def test_a_configuration_that_works_has_no_problems(retriever: Retriever, assay: Assay) -> None:
    retriever.retrieve(QUESTION)
    check = retriever.check_configuration()
    assert check.ok, check.problems
    assert (check.dimension, check.generation) == (256, assay.parts.catalog.live_id())


@pytest.mark.contract("002.25")
def test_a_configuration_that_does_not_work_says_why(tmp_path: Path) -> None:
    with Assay.open(settings_for(tmp_path)) as assay:
        check = Retriever(assay.searches).check_configuration()
    assert not check.ok
    assert any("assay" in problem for problem in check.problems)
    assert check.generation is None


# --- in a process that has nothing but its environment -------------------------------------------------------------


def run(program: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a fresh interpreter, in an empty working directory."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    kept = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "SYSTEMROOT", "HOME", "TMPDIR", "TEMP")
        if name in os.environ
    }
    return subprocess.run(
        [sys.executable, "-c", program],
        env=kept | environment,
        cwd=elsewhere,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def run_forked(program: str, folder: Path) -> ForkedProgram:
    """A program in a process that has loaded Assay and opened nothing; its log is in the folder."""
    return ForkedProgram(folder / "log", _execute, program, {"ASSAY_DATA_DIR": str(folder / "index")})


def _execute(program: str, variables: Mapping[str, str]) -> None:
    os.environ.update(variables)
    exec(program, {"__name__": "__main__"})


PROGRAM = """
from assay.contracts.retrieval_layer import generate_query_embedding, retrieve_content_chunks
embedding = generate_query_embedding("How do nodes communicate?")
results = retrieve_content_chunks(embedding.vector, limit=3)
import json
print(json.dumps([embedding.model, len(embedding.vector), [[r.source_url, r.relevance_score] for r in results]]))
"""


@pytest.mark.contract("002.15", "002.17")
def test_the_functions_work_after_nothing_but_environment_variables(folder: Path, retriever: Retriever) -> None:
    done = run(PROGRAM, folder, ASSAY_DATA_DIR=str(folder / "index"))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    model, dimension, results = json.loads(done.stdout)
    assert (model, dimension) == (retriever.statistics().model, 256)
    expected = retriever.retrieve_content_chunks(retriever.generate_query_embedding(QUESTION), 3)
    assert results == [[result.source_url, result.relevance_score] for result in expected]


def test_the_example_of_the_page_works(folder: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "contracts.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(from assay.*?)```", page, re.DOTALL)
    done = run(example, folder, ASSAY_DATA_DIR=str(folder / "index"))
    assert done.returncode == 0, done.stderr
    assert f"{BASE_URL}/nodes Nodes\n" in done.stdout
    assert "Nodes communicate by topics" in done.stdout


def test_importing_the_functions_opens_nothing(folder: Path) -> None:
    program = "import sys; import assay.contracts.retrieval_layer; print('assay.app' in sys.modules)"
    assert run(program, folder, ASSAY_DATA_DIR="/nowhere").stdout == "False\n"


FOLLOWING = """
import os, sys
os.environ["ASSAY_SERVER__POLL_SECONDS"] = "0.05"
from assay.contracts.retrieval_layer import retrieve, statistics
def best():
    return retrieve("What charges the robot over night?", 1)[0].title
print(best(), statistics().generation, flush=True)
sys.stdin.readline()
import time
first = best()
limit = time.monotonic() + 60
while best() == first and time.monotonic() < limit:
    time.sleep(0.05)
print(best(), statistics().generation, flush=True)
"""


def test_the_functions_follow_a_promotion(tmp_path: Path) -> None:
    pages = write_pages(tmp_path / "pages")
    page = pages / "dock.md"
    page.write_text("---\ntitle: The dock\n---\n\nThe dock charges the robot over night.\n", encoding="utf-8")
    with Assay.open(settings_for(tmp_path)) as assay:
        assay.publish()
        with closing(run_forked(FOLLOWING, tmp_path)) as process:
            assert process.stdout.readline() == f"The dock {assay.parts.catalog.live_id()}\n"
            text = "---\ntitle: The charging station\n---\n\nThe dock charges the robot over night.\n"
            page.write_text(text, encoding="utf-8")
            assay.publish()
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"The charging station {assay.parts.catalog.live_id()}\n"
            process.wait(60)
            assert process.returncode == 0


@pytest.mark.contract("002.26")
def test_the_first_calls_of_many_threads_open_one_index(folder: Path) -> None:
    program = """
import threading
from concurrent.futures import ThreadPoolExecutor
from assay.app import Assay
from assay.app.searching import Searches
from assay.contracts.retrieval_layer import retrieve, statistics
opened = []
from_environment = Assay.from_environment
Assay.from_environment = lambda: opened.append(1) or from_environment()
gate = threading.Barrier(32)
def ask(number):
    gate.wait(60)
    return tuple(r.chunk_id for r in retrieve("How do nodes communicate?"))
with ThreadPoolExecutor(32) as threads:
    answers = set(threads.map(ask, range(32)))
print(len(opened), len(answers), statistics().queries)
"""
    with closing(run_forked(program, folder)) as done:
        assert done.stdout.read() == "1 1 32\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_forked_process_opens_its_own_and_the_parent_goes_on(folder: Path) -> None:
    program = """
import os, threading
from assay.contracts.retrieval_layer import retrieve, statistics
ask = lambda: [r.chunk_id for r in retrieve("How do nodes communicate?")]
before = ask()
child = os.fork()
if child == 0:
    same = ask() == before
    polling = any(thread.name == "live-generation" for thread in threading.enumerate())
    os._exit(0 if same and polling and statistics().queries == 1 else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), ask() == before, statistics().queries)
"""
    with closing(run_forked(program, folder)) as done:
        assert done.stdout.read() == "0 True 2\n"


def test_after_close_the_next_call_opens_anew(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(folder / "index"))
    retrieval_layer.close()
    try:
        first = retrieval_layer.retrieve(QUESTION)
        assert first
        assert retrieval_layer.retrieve_batch([QUESTION]) == [first]
        assert retrieval_layer.statistics().queries == 2
        retrieval_layer.close()
        assert retrieval_layer.retrieve(QUESTION) == first
        assert retrieval_layer.statistics().queries == 1
    finally:
        retrieval_layer.close()


def test_settings_that_cannot_work_are_a_problem_that_the_check_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_SEARCH__TOP_K", "0")
    retrieval_layer.close()
    (problem,) = retrieval_layer.check_configuration().problems
    assert "search.top_k" in problem
    monkeypatch.delenv("ASSAY_SEARCH__TOP_K")
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "none"))
    try:
        assert not retrieval_layer.check_configuration().ok
    finally:
        retrieval_layer.close()
