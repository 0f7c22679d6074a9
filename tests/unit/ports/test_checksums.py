"""A checksum belongs to one vector: it holds through a store's rounding, and no other vector has it."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.ports import CHECKSUM_BYTES, Vectors, fit_checksums, vector_checksums

Rows = NDArray[np.float32]


def _vectors(count: int, dimension: int, seed: int = 1) -> Rows:
    drawn = np.random.default_rng(seed).normal(size=(count, dimension))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


def _moved(vectors: Rows, distance: float) -> Rows:
    """Vectors of length 1 at a distance, as those of texts that are nearly the same."""
    aside = _vectors(*vectors.shape, seed=2).astype(np.float64)
    aside -= (aside * vectors).sum(axis=1, keepdims=True) * vectors
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    moved = vectors + distance * aside
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("dimension", [2, 8, 256, 1024, 3072])
@pytest.mark.parametrize("scale", [1.0, 0.9991, 1.0009])
def test_a_vector_that_a_store_scaled_to_length_1_has_its_checksum(dimension: int, scale: float) -> None:
    vectors = (_vectors(500, dimension) * np.float32(scale)).astype(np.float32)
    stored = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert all(fit_checksums(stored, vector_checksums(vectors)))


@pytest.mark.parametrize("dimension", [8, 256, 1024])
@pytest.mark.parametrize("distance", [1.4, 0.1, 0.01, 0.001])
def test_a_vector_at_a_distance_has_another(dimension: int, distance: float) -> None:
    vectors = _vectors(2_000, dimension)
    assert not any(fit_checksums(_moved(vectors, distance), vector_checksums(vectors)))


def test_no_vector_has_the_checksum_of_another() -> None:
    vectors = _vectors(210, 256)
    checksums = vector_checksums(vectors)
    for turn in range(1, 210):
        assert not any(fit_checksums(np.roll(vectors, turn, axis=0), checksums))


def _swap_two(row: Rows) -> None:
    row[[row.argmin(), row.argmax()]] = row[[row.argmax(), row.argmin()]]


def _turn_a_sign(row: Rows) -> None:
    row[row.argmax()] *= -1.0


def _clear_one(row: Rows) -> None:
    row[row.argmax()] = 0.0


def _add_a_little(row: Rows) -> None:
    row[17] += 0.001


def _negate(row: Rows) -> None:
    row *= -1.0


def _cut_half(row: Rows) -> None:
    row[len(row) // 2 :] = 0.0


@pytest.mark.parametrize("damage", [_swap_two, _turn_a_sign, _clear_one, _add_a_little, _negate, _cut_half])
def test_a_damaged_vector_has_another(damage: Callable[[Rows], None]) -> None:
    vectors = _vectors(300, 256)
    checksums = vector_checksums(vectors)
    damaged = vectors.copy()
    for row in damaged:
        damage(row)
    assert not any(fit_checksums(damaged, checksums))


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_vector_without_a_direction_fits_nothing(value: float) -> None:
    nowhere: Vectors = np.full((2, 16), value, np.float32)
    assert fit_checksums(nowhere, vector_checksums(_vectors(2, 16))) == [False, False]
    assert fit_checksums(nowhere, vector_checksums(nowhere)) == [False, False]


def test_a_checksum_is_the_same_alone_and_among_others() -> None:
    vectors = _vectors(50, 384)
    together = vector_checksums(vectors)
    assert {len(one) for one in together} == {CHECKSUM_BYTES}
    assert len(set(together)) == 50
    for vector, checksum in zip(vectors, together, strict=True):
        assert fit_checksums([vector], [checksum]) == [True]


def test_a_checksum_that_was_recorded_once_is_good_for_ever() -> None:
    vector = np.array([0.5, -0.5, 0.5, 0.5], np.float32)
    recorded = bytes.fromhex("604c95bf482b57bdb42af9be86327abf")
    assert fit_checksums([vector], [recorded]) == [True]
    assert fit_checksums([-vector], [recorded]) == [False]


def test_no_vectors_have_no_checksums() -> None:
    assert vector_checksums([]) == fit_checksums([], []) == []
