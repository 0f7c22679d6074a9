"""A reranker orders the best hits of a search, and a search without it is what remains when it fails."""

import logging
from dataclasses import replace

import pytest
from tests.memory_reranker import MemoryReranker
from tests.worlds import World

from assay.errors import RerankerUnavailable
from assay.model.ranking import Embed, Filters, Mode, Query, Ranking, by_page
from assay.retrieval.explaining import explain
from assay.retrieval.reranking import RERANK_FAILED, Reranking
from assay.retrieval.searcher import Searcher
from assay.testing.catalog_samples import page

NAME = "g1"
QUERY = "how often is the gripper greased"
PAGES = (
    page("gripper", "The gripper opens wide.", "Gripper gripper gripper.", "Fingers of the gripper.", title="Gripper"),
    page("care", "How often is the gripper greased? Weekly.", "The gripper and its care.", title="Care"),
    page("camera", "The camera focuses.", "The camera and the gripper.", title="Camera"),
    page("copy", "The gripper opens wide.", title="Gripper again"),
    *(page(f"wheel{number}", f"The wheel {number} turns.", title=f"Wheel {number}") for number in range(9)),
)


@pytest.fixture(scope="module")
def world() -> World:
    world = World()
    world.build(NAME, *PAGES)
    return world


@pytest.fixture
def reranker() -> MemoryReranker:
    return MemoryReranker()


def _searcher(world: World, reranker: MemoryReranker, depth: int = 30) -> Searcher:
    return world.searcher(NAME, reranking=Reranking(reranker, depth))


def _texts(ranking: Ranking) -> list[str]:
    return [hit.chunk.text for hit in ranking.hits]


@pytest.mark.parametrize("mode", Mode)
def test_hits_have_the_order_of_the_rerankers_scores(world: World, reranker: MemoryReranker, mode: Mode) -> None:
    plain = world.searcher(NAME).search(Query(QUERY, 10, mode))
    ranking = _searcher(world, reranker).search(Query(QUERY, 10, mode))
    assert (plain.reranked, ranking.reranked, ranking.rerank_failed) == (False, True, False)
    assert ranking.hits[0].chunk.text == "How often is the gripper greased? Weekly."
    scores = [hit.rank_score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)
    (asked,) = reranker.asked
    scored = dict(zip(asked[1], MemoryReranker().scores(*asked), strict=True))
    assert scores == [scored[hit.chunk.embedded_text] for hit in ranking.hits]


def test_the_reranker_reads_what_was_embedded_of_each_distinct_passage_once(
    world: World, reranker: MemoryReranker
) -> None:
    ranking = _searcher(world, reranker).search(Query(QUERY, 100))
    ((query, texts),) = reranker.asked
    assert query == QUERY
    assert sorted(texts) == sorted(hit.chunk.embedded_text for hit in ranking.hits)
    assert len({hit.chunk.content_hash for hit in ranking.hits}) == len(texts)


def test_similarities_and_passages_stay_those_of_the_search(world: World, reranker: MemoryReranker) -> None:
    plain = world.searcher(NAME).search(Query(QUERY, 100))
    ranking = _searcher(world, reranker).search(Query(QUERY, 100))
    assert {hit.chunk.id: hit.similarity for hit in ranking.hits} == {
        hit.chunk.id: hit.similarity for hit in plain.hits
    }
    assert _texts(ranking) != _texts(plain)


def test_equal_scores_keep_the_order_of_the_search(world: World, reranker: MemoryReranker) -> None:
    query = Query("zeppelin", 10, Mode.DENSE)
    assert _texts(_searcher(world, reranker).search(query)) == _texts(world.searcher(NAME).search(query))


@pytest.mark.parametrize("depth", [1, 2, 5, 30])
def test_a_search_for_few_hits_gives_the_first_ones_of_a_search_for_many(
    world: World, reranker: MemoryReranker, depth: int
) -> None:
    searcher = _searcher(world, reranker, depth)
    many = searcher.search(Query(QUERY, 30)).hits
    for top_k in (1, 2, 3, 8):
        assert searcher.search(Query(QUERY, top_k)).hits == many[:top_k]
    assert {len(texts) for _, texts in reranker.asked} == {min(depth, len(many))}


def test_hits_below_the_depth_follow_in_their_order_with_lower_scores(world: World, reranker: MemoryReranker) -> None:
    plain = world.searcher(NAME).search(Query(QUERY, 15))
    ranking = _searcher(world, reranker, 4).search(Query(QUERY, 15))
    assert _texts(ranking)[4:] == _texts(plain)[4:]
    assert set(_texts(ranking)[:4]) == set(_texts(plain)[:4])
    scores = [hit.rank_score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.rank for hit in ranking.hits] == list(range(1, len(scores) + 1))


def test_only_hits_that_reach_the_threshold_are_reranked(world: World, reranker: MemoryReranker) -> None:
    ranking = _searcher(world, reranker).search(Query(QUERY, 10, threshold=0.3))
    assert all((hit.similarity or 0.0) >= 0.3 for hit in ranking.hits)
    assert len(reranker.asked[0][1]) < len(PAGES)


def test_pages_are_in_the_order_of_their_best_reranked_passage(world: World, reranker: MemoryReranker) -> None:
    query = Query(QUERY, 3, passages_per_page=2)
    plain = by_page(world.searcher(NAME).search(query).hits)
    pages = by_page(_searcher(world, reranker).search(query).hits)
    assert pages[0][0].chunk.document.title == "Care"
    assert len(pages) == len(plain) == 3
    assert all(len(page) <= 2 for page in pages)
    assert len(reranker.asked) == 1


def test_vectors_come_with_the_hits_that_are_returned(world: World, reranker: MemoryReranker) -> None:
    ranking = _searcher(world, reranker).search(Query(QUERY, 2, with_vectors=True))
    assert [len(hit.vector or ()) for hit in ranking.hits] == [64, 64]


@pytest.mark.parametrize("query", [Query(QUERY, 10, rerank=False), Query(QUERY, 10, typing=True)])
def test_a_query_may_go_without_it_and_one_that_is_being_typed_does(
    world: World, reranker: MemoryReranker, query: Query
) -> None:
    ranking = _searcher(world, reranker).search(query)
    assert ranking.hits == world.searcher(NAME).search(query).hits
    assert (ranking.reranked, ranking.rerank_failed, ranking.timings.rerank_ms, reranker.asked) == (False, False, 0, [])


def test_nothing_found_asks_no_reranker(world: World, reranker: MemoryReranker) -> None:
    ranking = _searcher(world, reranker).search(Query(QUERY, 3, filters=Filters(sources=("none",))))
    assert (ranking.hits, ranking.reranked, ranking.rerank_failed, reranker.asked) == ((), False, False, [])


def test_a_search_by_vector_has_no_text_to_rerank_by(world: World, reranker: MemoryReranker) -> None:
    vector = world.embedder.embed_query(QUERY)
    ranking = _searcher(world, reranker).search_embedding(Query(QUERY, 3, Mode.DENSE), vector)
    assert (ranking.reranked, reranker.asked) == (False, [])


def test_its_time_is_a_stage_of_its_own(world: World, reranker: MemoryReranker) -> None:
    timings = _searcher(world, reranker).search(Query(QUERY, 3)).timings
    assert 0.0 < timings.rerank_ms < timings.total_ms


def test_a_failure_is_raised_unless_the_caller_takes_the_order_of_the_search(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    searcher = _searcher(world, MemoryReranker(RerankerUnavailable("It is down.", hint="Start it.")))
    query = Query(QUERY, 3)
    with pytest.raises(RerankerUnavailable):
        searcher.search(query)
    with caplog.at_level(logging.WARNING):
        ranking = searcher.search(query, Embed.ALWAYS, may_skip_reranker=True)
    plain = world.searcher(NAME).search(query)
    assert ranking.hits == plain.hits
    assert (ranking.reranked, ranking.rerank_failed, ranking.warnings) == (False, True, (RERANK_FAILED,))
    assert "It is down. Start it." in caplog.text


def test_an_explanation_names_both_scores(world: World, reranker: MemoryReranker) -> None:
    explanation = explain(_searcher(world, reranker), Query(QUERY, 3))
    for parts in explanation.hits:
        assert parts.rerank_score == parts.hit.rank_score
        assert parts.score == pytest.approx(parts.fused)
    plain = explain(_searcher(world, reranker), replace(Query(QUERY, 3), rerank=False))
    assert [parts.rerank_score for parts in plain.hits] == [None] * 3
