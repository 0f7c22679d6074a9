"""Cohere's API, a Qdrant server, Postgres and HTTP together: the chain that the five data models came from."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chain import SHAPES, Chain, Tally, running_chain

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

QUERIES = (
    "declare a path parameter with a type",
    "dependency injection with yield",
    "return a custom response status code",
    "upload files and form data",
    "CORS middleware origins",
    "background tasks after returning a response",
)
CLIENTS = 20
PAUSE = 0.2
"""Seconds; an outage meets every client all the same, and the processor is left to the server."""


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[Chain]:
    with running_chain(tmp_path_factory.mktemp("chain")) as chain:
        docs = shared / "corpora" / "fastapi" / "docs" / "en" / "docs" / "tutorial" / "dependencies"
        done = chain.command("publish", str(docs), "--base-url", "https://docs.example/fastapi", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["promoted"]
        chain.serve()
        yield chain


def test_every_shape_answers_with_1024_dimensions_behind_it(chain: Chain) -> None:
    truth = chain.truth(QUERIES)
    assert {shape for shape, _ in truth} == set(SHAPES)
    assert all(len(ids) == 5 for ids in truth.values())
    for query in QUERIES:  # these show the same hits in the same order: by similarity
        assert truth["000", query] == truth["003", query] == truth["004", query]
    code = (
        "from assay.contracts.retrieval_layer import generate_query_embedding, retrieve, retrieve_content_chunks\n"
        f"embedded = generate_query_embedding({QUERIES[0]!r})\n"
        "print(len(embedded.vector), len(retrieve_content_chunks(embedded.vector, 5)))\n"
        f"print(*[chunk.chunk_id for chunk in retrieve({QUERIES[0]!r}, 5, minimum_relevance=0.0)])"
    )
    dimension, nearest, *ids = chain.python(code).split()
    assert (dimension, nearest) == ("1024", "5")
    assert tuple(ids) == truth["003", QUERIES[0]]


def test_without_the_embedder_the_seeds_searches_are_502_and_keywords_answer_the_others(chain: Chain) -> None:
    tally = tally_after_outage(chain, "cohere", allowed={200, 502}, expected=502)
    assert tally.degraded > 0
    assert 502 not in tally.statuses["native"]


def test_without_the_vector_store_searches_are_503_and_come_back(chain: Chain) -> None:
    tally_after_outage(chain, "qdrant", allowed={200, 503}, expected=503, health=503)


def test_without_the_catalog_searches_go_on_and_say_what_is_missing(chain: Chain) -> None:
    tally = tally_after_outage(chain, "postgres", allowed={200}, expected=200, health=503)
    assert tally.said["partial"] > 0
    assert chain.get("/health")[1]["status"] == "ok"


def tally_after_outage(
    chain: Chain, part: str, *, allowed: set[int], expected: int, health: int | None = None
) -> Tally:
    """Kill a part while clients search, start it again, and check what every client met."""
    truth = chain.truth(QUERIES)
    with chain.clients(CLIENTS, truth, PAUSE) as tally:
        chain.kill(part)
        if health is not None:
            chain.wait_for("/health", health)
        chain.wait_for("/livez", 200)
        wait_until_met(chain, expected)
        chain.start(part)
        chain.wait_for_searches(QUERIES[0])
        chain.wait_for("/health", 200)
    assert set(tally.all_statuses()) <= allowed, tally.statuses
    assert tally.all_statuses()[expected] > 0
    assert not tally.wrong
    assert chain.truth(QUERIES) == truth
    return tally


def wait_until_met(chain: Chain, status: int) -> None:
    """Return when a search has this status, for most of a second."""
    met = 0
    for _ in range(600):
        met += chain.ask("003", QUERIES[1]).status == status
        if met >= 20:
            return
    raise AssertionError(f"no search was answered {status}")
