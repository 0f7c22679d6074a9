import math

import pytest

from assay.errors import InvalidEmbedding
from assay.retrieval.similarity import clip_similarity, passes


@pytest.mark.parametrize("cosine", [0.0, 1e-9, 0.3, 0.5, 0.999_999_9, 1.0])
def test_a_cosine_between_zero_and_one_is_its_own_similarity(cosine: float) -> None:
    assert clip_similarity(cosine) == cosine


@pytest.mark.contract("000.11")
@pytest.mark.parametrize("cosine", [-1e-9, -0.2, -1.0, -1.000_000_1, -math.inf])
def test_a_negative_cosine_has_similarity_zero(cosine: float) -> None:
    assert clip_similarity(cosine) == 0.0


def test_a_negative_zero_is_reported_without_its_sign() -> None:
    assert math.copysign(1.0, clip_similarity(-0.0)) == 1.0


@pytest.mark.contract("000.11")
@pytest.mark.parametrize("cosine", [1.000_000_1, 1.1, math.inf])
def test_a_cosine_that_rounding_pushed_over_one_has_similarity_one(cosine: float) -> None:
    assert clip_similarity(cosine) == 1.0


def test_a_cosine_that_is_not_a_number_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidEmbedding) as caught:
        clip_similarity(math.nan)
    assert "NaN" in caught.value.message
    assert caught.value.hint


def test_a_hit_exactly_on_the_threshold_passes() -> None:
    assert passes(0.5, 0.5)
    assert passes(0.500_001, 0.5)
    assert not passes(0.499_999, 0.5)


def test_the_threshold_zero_drops_nothing() -> None:
    assert passes(clip_similarity(-0.7), 0.0)
