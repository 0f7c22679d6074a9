"""Only vectors that can be used get past, and they have length 1."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.adapters.embedders.remote.vector_checks import unit_vectors
from assay.adapters.remote.unusable import UnusableAnswer


@given(arrays(np.float64, (3, 8), elements=st.floats(-1e6, 1e6)).filter(lambda a: (np.abs(a).max(axis=1) > 1e-3).all()))
def test_directions_are_kept_and_lengths_become_one(raw: np.ndarray) -> None:
    units = unit_vectors(raw.tolist(), 3, 8)
    assert units.dtype == np.float32
    assert np.linalg.norm(units, axis=1) == pytest.approx(1.0, abs=1e-6)
    cosines = (units * raw).sum(axis=1) / np.linalg.norm(raw, axis=1)
    assert cosines == pytest.approx(1.0, abs=1e-6)


def test_whole_numbers_are_numbers() -> None:
    assert unit_vectors([[3, 4]], 1, 2).tolist() == [pytest.approx([0.6, 0.8])]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (None, "not a list of lists"),
        ([1.0, 2.0], "not a list of lists"),
        ([None, [1.0, 2.0]], "not a list of lists"),
        ([[1.0, 2.0]], "it has 1 vectors for 2 texts"),
        ([[1.0, 2.0]] * 3, "it has 3 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "1 dimensions instead of 2"),
        ([[1.0, 2.0], [1.0, 2.0, 3.0]], "3 dimensions instead of 2"),
        ([[1.0, 2.0], [1.0, math.nan]], "not finite"),
        ([[1.0, 2.0], [math.inf, 1.0]], "not finite"),
        ([[1.0, 2.0], [1e200, 1e200]], "not finite"),
        ([[1.0, 2.0], [0.0, 0.0]], "is zero"),
        ([[1.0, 2.0], [0.0, 1e-9]], "is zero"),
        ([[1.0, 2.0], [1.0, None]], "not a number"),
        ([[1.0, 2.0], ["1.0", "2.0"]], "not a number"),
        ([[1.0, 2.0], [1.0, {}]], "not a number"),
        ([[True, False], [True, True]], "not a number"),
    ],
)
def test_what_cannot_be_used_is_named(rows: object, said: str) -> None:
    with pytest.raises(UnusableAnswer, match=said):
        unit_vectors(rows, 2, 2)


def test_no_texts_have_no_vectors() -> None:
    assert unit_vectors([], 0, 4).shape == (0, 4)
