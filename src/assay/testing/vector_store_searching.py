"""Tests of searches in an index."""
# ruff: noqa: D102 - the name of a test is a sentence

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import InvalidEmbedding
from assay.ports import IndexQuery, SparseVector, VectorIndex, VectorStore
from assay.testing.catalog_samples import SITE
from assay.testing.index_samples import DIMENSION, EVERYTHING, cosine, direction, filled, point, points


class SearchConformance:
    """Tests of VectorIndex.search. Part of VectorStoreConformance."""

    def test_dense_search_ranks_by_the_cosine(self, index: VectorIndex) -> None:
        query = direction(1000)
        answer = index.search(IndexQuery(query, None, 60, EVERYTHING))
        expected = {one.chunk.id: cosine(one.dense, query) for one in points(60)}
        assert dict(answer.by_chunk_id().dense) == pytest.approx(expected, abs=1e-5)
        assert min(expected.values()) < 0.0
        assert [s.score for s in answer.dense] == sorted((s.score for s in answer.dense), reverse=True)
        assert answer.sparse == ()

    def test_sparse_search_finds_what_shares_a_term_rare_terms_first(self, index: VectorIndex) -> None:
        rare, common = 3007, 2007
        answer = index.search(IndexQuery(None, SparseVector((common, rare), (1.0, 1.0)), 60, EVERYTHING))
        chunks = [index.chunks([scored.point])[scored.point].document.url for scored in answer.sparse]
        assert chunks[0] == f"{SITE}/page-7"
        assert set(chunks) == {f"{SITE}/page-{number}" for number in (7, 17, 27, 37, 47, 57)}
        assert answer.sparse[0].score > answer.sparse[1].score > 0.0
        assert answer.dense == ()

    def test_a_score_is_the_sum_of_those_of_its_terms_alone(self, index: VectorIndex) -> None:
        terms = {1000: 1.0, 2007: 0.4, 3007: 0.6}
        query = IndexQuery(None, SparseVector(tuple(terms), tuple(terms.values())), 60, EVERYTHING)
        alone = [
            dict(index.search(replace(query, sparse=SparseVector((term,), (weight,)))).sparse)
            for term, weight in terms.items()
        ]
        answer = index.search(query).sparse
        assert len(answer) == 60
        for scored in answer:
            parts = [scores.get(scored.point, 0.0) for scores in alone]
            assert scored.score == pytest.approx(sum(parts), rel=1e-5)

    def test_a_term_that_nothing_has_finds_nothing(self, index: VectorIndex) -> None:
        answer = index.search(IndexQuery(None, SparseVector((99,), (1.0,)), 10, EVERYTHING))
        assert answer.sparse == ()

    def test_a_search_of_both_sides_equals_two_separate_searches(self, index: VectorIndex) -> None:
        terms = SparseVector((2003, 3013), (1.0, 1.0))
        both = index.search(IndexQuery(direction(5), terms, 20, EVERYTHING))
        assert both.dense == index.search(IndexQuery(direction(5), None, 20, EVERYTHING)).dense
        assert both.sparse == index.search(IndexQuery(None, terms, 20, EVERYTHING)).sparse

    @pytest.mark.parametrize("limit", [1, 7, 1000])
    def test_no_more_than_the_limit_are_returned_and_they_are_the_best(self, index: VectorIndex, limit: int) -> None:
        query = IndexQuery(direction(70), SparseVector((1000,), (1.0,)), limit, EVERYTHING)
        everything = index.search(replace(query, limit=1000))
        answer = index.search(query)
        assert len(answer.dense) == len(answer.sparse) == min(limit, 60)
        assert [s.score for s in answer.dense] == [s.score for s in everything.dense[:limit]]
        assert [s.score for s in answer.sparse] == [s.score for s in everything.sparse[:limit]]

    def test_equal_scores_are_ordered_by_id(self, store: VectorStore) -> None:
        twins = [replace(point(f"twin-{number}", 0), dense=direction(3)) for number in range(20)]
        query = IndexQuery(direction(4), SparseVector((1,), (1.0,)), 50, EVERYTHING)
        answer = filled(store, twins).search(query).by_chunk_id()
        ordered = sorted(one.chunk.id for one in twins)
        assert [scored.point for scored in answer.dense] == ordered
        assert [scored.point for scored in answer.sparse] == ordered

    def test_an_exact_search_compares_with_every_vector(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(80), None, 10, EVERYTHING)
        exact, usual = index.search(replace(query, exact=True)).dense, index.search(query).dense
        assert [scored.point for scored in exact] == [scored.point for scored in usual]
        assert [scored.score for scored in exact] == pytest.approx([scored.score for scored in usual], abs=1e-6)

    @pytest.mark.parametrize(
        "vector",
        [np.zeros(DIMENSION, np.float32), np.full(DIMENSION, np.nan, np.float32), direction(1)[:-1]],
        ids=["zero", "NaN", "one number short"],
    )
    def test_an_invalid_query_vector_is_an_error_and_not_an_empty_answer(
        self, index: VectorIndex, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    ) -> None:
        with pytest.raises(InvalidEmbedding):
            index.search(IndexQuery(vector, None, 5, EVERYTHING))
        with pytest.raises(InvalidEmbedding):
            index.compare(vector, [points(1)[0].chunk.id], {})

    def test_the_length_of_a_query_vector_does_not_matter(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(6), None, 10, EVERYTHING)
        longer = index.search(replace(query, dense=direction(6) * np.float32(3.0))).dense
        assert dict(longer) == pytest.approx(dict(index.search(query).dense), abs=1e-5)

    def test_the_same_search_has_the_same_answer(self, index: VectorIndex) -> None:
        query = IndexQuery(direction(90), SparseVector((1000, 2001), (1.0, 1.0)), 30, EVERYTHING)
        assert index.search(query) == index.search(query)
