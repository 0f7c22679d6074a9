"""The order that the seeds' shapes promise."""

from tests.rankings import hit_of

from assay.contracts.ordering import by_similarity


def test_the_most_similar_comes_first() -> None:
    hits = [hit_of("low", 0.1), hit_of("high", 0.9), hit_of("middle", 0.5)]
    assert [hit.similarity for hit in by_similarity(hits)] == [0.9, 0.5, 0.1]


def test_equal_similarities_come_by_chunk_id() -> None:
    hits = [hit_of(text, 0.0) for text in ("one", "two", "three", "four")]
    ids = [hit.chunk.id for hit in by_similarity(hits)]
    assert ids == sorted(ids)
    assert by_similarity(hits[::-1]) == by_similarity(hits)
