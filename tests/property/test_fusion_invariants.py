"""What holds for every fusion, whatever the scores."""

from collections.abc import Sequence
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from assay.model.ranking import FusionMethod
from assay.ports import Scored
from assay.retrieval.fusion import Fused, FusionWeights, fuse

CHUNK_IDS = [f"chunk-{number:02d}" for number in range(12)]

# Rounded, so that ties are common and no two scores differ by less than the arithmetic can tell.
cosines = st.floats(-1.0, 1.0).map(lambda x: round(x, 3) + 0.0)
bm25_scores = st.floats(0.0, 40.0).map(lambda x: round(x, 2))
weights = st.builds(
    FusionWeights,
    dense=st.floats(0.05, 5.0).map(lambda x: round(x, 2)),
    sparse=st.floats(0.05, 5.0).map(lambda x: round(x, 2)),
)
methods = st.sampled_from(FusionMethod)


def ranked(scores: dict[str, float]) -> list[Scored]:
    return [Scored(chunk_id, score) for chunk_id, score in sorted(scores.items(), key=lambda kv: (-kv[1], kv[0]))]


dense_sides = st.dictionaries(st.sampled_from(CHUNK_IDS), cosines).map(ranked)
sparse_sides = st.dictionaries(st.sampled_from(CHUNK_IDS), bm25_scores).map(ranked)


def ids(ranking: Sequence[Fused | Scored]) -> list[str]:
    return [one.point for one in ranking]


@given(methods, dense_sides, sparse_sides, weights)
def test_every_chunk_of_either_side_is_ranked_once_and_nothing_else(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights
) -> None:
    fused = ids(fuse(method, dense, sparse, weight, 60))
    assert len(fused) == len(set(fused))
    assert set(fused) == set(ids(dense)) | set(ids(sparse))


@given(methods, dense_sides, sparse_sides, weights)
def test_the_ranking_is_by_score_and_then_by_id_with_scores_from_zero_to_one(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights
) -> None:
    fused = fuse(method, dense, sparse, weight, 60)
    assert fused == sorted(fused, key=lambda one: (-one.score, one.point))
    assert all(0.0 <= one.score <= 1.0 + 1e-12 for one in fused)


@given(dense_sides, sparse_sides, weights, st.randoms(use_true_random=False))
def test_fusion_by_score_does_not_depend_on_the_order_in_which_hits_are_given(
    dense: list[Scored], sparse: list[Scored], weight: FusionWeights, random: Random
) -> None:
    shuffled_dense = random.sample(dense, len(dense))
    shuffled_sparse = random.sample(sparse, len(sparse))
    shuffled = fuse(FusionMethod.SCORE, shuffled_dense, shuffled_sparse, weight, 60)
    assert shuffled == fuse(FusionMethod.SCORE, dense, sparse, weight, 60)


@given(methods, dense_sides, sparse_sides, weights, st.permutations(CHUNK_IDS))
def test_fusion_does_not_look_at_chunk_ids_except_to_break_ties(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights, names: list[str]
) -> None:
    renamed = dict(zip(CHUNK_IDS, names, strict=True))
    before = {renamed[one.point]: one.score for one in fuse(method, dense, sparse, weight, 60)}
    new_dense, new_sparse = ([Scored(renamed[s.point], s.score) for s in one] for one in (dense, sparse))
    after = {one.point: one.score for one in fuse(method, new_dense, new_sparse, weight, 60)}
    assert after == before


@given(methods, dense_sides, sparse_sides, weights)
def test_a_chunk_that_is_better_on_both_sides_is_ranked_higher(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights
) -> None:
    cosine = {one.point: one.score for one in dense}
    score = {one.point: one.score for one in sparse}
    place = {chunk_id: rank for rank, chunk_id in enumerate(ids(fuse(method, dense, sparse, weight, 60)))}
    both = sorted(cosine.keys() & score.keys())
    for one in both:
        for other in both:
            if cosine[one] > cosine[other] and score[one] > score[other]:
                assert place[one] < place[other]


@given(methods, dense_sides, sparse_sides, weights, st.sampled_from(CHUNK_IDS), st.floats(0.01, 20.0))
def test_a_higher_bm25_score_never_lowers_a_chunk(
    method: FusionMethod,
    dense: list[Scored],
    sparse: list[Scored],
    weight: FusionWeights,
    chunk_id: str,
    rise: float,
) -> None:
    scores = {one.point: one.score for one in sparse}
    assume(chunk_id in scores)
    before = ids(fuse(method, dense, sparse, weight, 60)).index(chunk_id)
    scores[chunk_id] += round(rise, 2)
    after = ids(fuse(method, dense, ranked(scores), weight, 60)).index(chunk_id)
    assert after <= before


@given(methods, dense_sides, sparse_sides, sparse_sides)
def test_a_side_of_weight_zero_has_no_effect(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], other: list[Scored]
) -> None:
    only_dense = FusionWeights(dense=1.0, sparse=0.0)
    assert fuse(method, dense, sparse, only_dense, 60) == fuse(method, dense, other, only_dense, 60)
    assert ids(fuse(method, dense, sparse, only_dense, 60)) == ids(dense)
    only_sparse = FusionWeights(dense=0.0, sparse=1.0)
    assert ids(fuse(method, dense, sparse, only_sparse, 60)) == ids(sparse)


@given(methods, dense_sides, sparse_sides, weights)
def test_with_one_side_empty_the_ranking_is_that_of_the_other(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights
) -> None:
    assert ids(fuse(method, dense, [], weight, 60)) == ids(dense)
    assert ids(fuse(method, [], sparse, weight, 60)) == ids(sparse)


@given(methods, dense_sides, sparse_sides, weights, st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_only_the_ratio_of_the_weights_matters(
    method: FusionMethod, dense: list[Scored], sparse: list[Scored], weight: FusionWeights, factor: float
) -> None:
    # Powers of two scale without rounding, so that ties stay ties.
    scaled = FusionWeights(dense=weight.dense * factor, sparse=weight.sparse * factor)
    assert fuse(method, dense, sparse, scaled, 60) == fuse(method, dense, sparse, weight, 60)


@given(dense_sides, sparse_sides, weights, st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_the_unit_of_bm25_scores_does_not_matter(
    dense: list[Scored], sparse: list[Scored], weight: FusionWeights, factor: float
) -> None:
    scaled = [Scored(one.point, one.score * factor) for one in sparse]
    assert fuse(FusionMethod.SCORE, dense, scaled, weight, 60) == fuse(FusionMethod.SCORE, dense, sparse, weight, 60)


@given(dense_sides, sparse_sides, weights, st.integers(0, 12))
def test_going_deeper_in_dense_search_leaves_the_order_of_what_was_found_before(
    dense: list[Scored], sparse: list[Scored], weight: FusionWeights, depth: int
) -> None:
    shallow = dense[:depth]
    assume(shallow)
    seen = set(ids(shallow))
    before = [one for one in ids(fuse(FusionMethod.SCORE, shallow, sparse, weight, 60)) if one in seen]
    after = [one for one in ids(fuse(FusionMethod.SCORE, dense, sparse, weight, 60)) if one in seen]
    assert after == before
