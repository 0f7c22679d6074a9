"""Tests of making, opening and removing indexes."""
# ruff: noqa: D102 - the name of a test is a sentence

from dataclasses import replace

import numpy as np
import pytest

from assay.errors import IndexCorrupt, IndexNotFound, InvalidEmbedding, VectorStoreError
from assay.ports import IndexAnswer, IndexQuery, IndexSpec, SparseVector, VectorIndex, VectorStore
from assay.testing.index_samples import DIMENSION, EVERYTHING, SPEC, direction, filled, point, points


class BuildingConformance:
    """Tests of the methods of a store. Part of VectorStoreConformance."""

    def test_a_new_store_is_empty_and_can_be_used(self, store: VectorStore) -> None:
        store.check()
        assert store.generations() == []

    def test_an_index_has_the_points_that_were_added(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        contents = points(25)
        writer.add(contents[:10])
        writer.add([])
        writer.add(contents[10:])
        writer.seal()
        index = store.open("g1", SPEC)
        assert index.count() == 25
        assert list(index.ids()) == sorted(one.chunk.id for one in contents)

    def test_a_point_replaces_the_one_with_its_id(self, store: VectorStore) -> None:
        first, other = point("page", 1), point("other", 2)
        moved = replace(first, chunk=replace(first.chunk, position=7), dense=direction(3))
        again = replace(first, chunk=replace(first.chunk, position=8), dense=direction(4))
        writer = store.create("g1", SPEC)
        writer.add([first, other])
        writer.add([moved, again])
        writer.seal()
        index = store.open("g1", SPEC)
        assert index.count() == 2
        assert index.chunks([first.chunk.id])[first.chunk.id] == again.chunk
        np.testing.assert_array_equal(index.vectors([first.chunk.id])[first.chunk.id], again.dense)

    def test_an_index_is_not_made_over_another(self, store: VectorStore) -> None:
        store.create("g1", SPEC)
        with pytest.raises(VectorStoreError, match="g1"):
            store.create("g1", SPEC)
        index = filled(store, points(1), "g2")
        with pytest.raises(VectorStoreError, match="g2"):
            store.create("g2", SPEC)
        assert index.count() == 1

    @pytest.mark.parametrize(
        "vector",
        [
            np.zeros(DIMENSION, np.float32),
            np.full(DIMENSION, np.nan, np.float32),
            np.full(DIMENSION, np.inf, np.float32),
            np.ones(DIMENSION, np.float32),
            direction(1)[:-1],
            np.concatenate([direction(1), np.zeros(1, np.float32)]),
        ],
        ids=["zero", "NaN", "infinite", "too long to be a direction", "one number short", "one number over"],
    )
    def test_a_vector_that_is_no_direction_is_refused_and_nothing_written(
        self, store: VectorStore, vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    ) -> None:
        writer = store.create("g1", SPEC)
        with pytest.raises(InvalidEmbedding):
            writer.add([point("good", 1), replace(point("bad", 2), dense=vector)])
        writer.seal()
        assert store.open("g1", SPEC).count() == 0

    def test_an_id_that_is_no_uuid_is_refused_and_nothing_written(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        bad = point("bad", 2)
        with pytest.raises(VectorStoreError, match="doc-001"):
            writer.add([point("good", 1), replace(bad, chunk=replace(bad.chunk, id="doc-001-0002"))])
        writer.seal()
        assert store.open("g1", SPEC).count() == 0

    def test_an_index_can_be_empty(self, store: VectorStore) -> None:
        index = filled(store, [])
        assert index.count() == 0
        assert list(index.ids()) == []
        assert index.search(IndexQuery(direction(1), SparseVector((1,), (1.0,)), 5, EVERYTHING)) == IndexAnswer((), ())

    # --- opening and removing ---

    def test_what_was_never_made_is_not_found(self, store: VectorStore) -> None:
        filled(store, points(1), "g1")
        with pytest.raises(IndexNotFound, match="g2"):
            store.open("g2", SPEC)

    @pytest.mark.parametrize("count", [0, 3])
    def test_what_was_never_sealed_does_not_open(self, store: VectorStore, count: int) -> None:
        store.create("g1", SPEC).add(points(count))
        with pytest.raises(IndexCorrupt, match="g1"):
            store.open("g1", SPEC)

    def test_an_index_of_another_dimension_does_not_open(self, store: VectorStore) -> None:
        filled(store, points(1)).close()
        with pytest.raises(IndexCorrupt, match="dimension"):
            store.open("g1", IndexSpec(DIMENSION + 1))

    def test_inspecting_a_sound_index_reports_no_problems(self, store: VectorStore) -> None:
        filled(store, points(3)).close()
        inspected = store.inspect("g1", SPEC)
        assert inspected.problems == ()
        assert inspected.index is not None
        assert inspected.index.count() == 3
        inspected.index.close()

    def test_inspecting_a_missing_or_unsealed_index_reports_the_problem_without_an_error(
        self, store: VectorStore
    ) -> None:
        store.create("g1", SPEC).add(points(3))
        for name in ("g1", "g2"):
            inspected = store.inspect(name, SPEC)
            assert inspected.index is None
            assert name in "".join(inspected.problems)

    def test_inspecting_an_index_reports_another_dimension(self, store: VectorStore) -> None:
        filled(store, points(1)).close()
        inspected = store.inspect("g1", IndexSpec(DIMENSION + 1))
        assert "dimension" in "".join(inspected.problems)
        if inspected.index is not None:
            inspected.index.close()

    def test_an_index_opens_more_than_once(self, store: VectorStore, index: VectorIndex) -> None:
        other = store.open("g1", SPEC)
        other.close()
        assert index.count() == 60
        assert store.open("g1", SPEC).count() == 60

    def test_all_indexes_are_listed_sealed_or_not(self, store: VectorStore) -> None:
        store.create("g3", SPEC)
        filled(store, points(1), "g1")
        store.create("g2", SPEC).add(points(1))
        assert store.generations() == ["g1", "g2", "g3"]

    def test_deleting_an_index_keeps_the_others(self, store: VectorStore) -> None:
        filled(store, points(1), "g1").close()
        kept = filled(store, points(2), "g2")
        store.create("g3", SPEC).add(points(1))
        store.delete("g1")
        store.delete("g3")
        store.delete("never-there")
        assert store.generations() == ["g2"]
        assert kept.count() == 2
        with pytest.raises(IndexNotFound):
            store.open("g1", SPEC)

    def test_a_name_can_be_reused_after_deleting(self, store: VectorStore) -> None:
        filled(store, points(3)).close()
        store.delete("g1")
        assert filled(store, points(2)).count() == 2

    def test_an_aborted_index_is_deleted(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        writer.add(points(3))
        writer.abort()
        assert store.generations() == []

    def test_a_sealed_index_cannot_be_aborted(self, store: VectorStore) -> None:
        writer = store.create("g1", SPEC)
        writer.seal()
        writer.abort()
        assert store.open("g1", SPEC).count() == 0
