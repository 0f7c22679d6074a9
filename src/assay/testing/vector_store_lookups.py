"""Tests of stored points by id, and of comparisons with them."""
# ruff: noqa: D102 - the name of a test is a sentence

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from assay.model.headings import InnerHeading
from assay.ports import IndexPoint, IndexQuery, SparseVector, VectorIndex, VectorStore, fit_checksums, vector_checksums
from assay.testing.catalog_samples import page
from assay.testing.index_samples import EVERYTHING, cosine, direction, filled, point, points

UNKNOWN_IDS = ("00000000-0000-5000-8000-000000000000", "doc-001-0002", "https://x.example/page_3", "")


class LookupConformance:
    """Tests of the methods that take ids. Part of VectorStoreConformance."""

    def test_chunks_are_compared_by_the_true_cosine(self, index: VectorIndex) -> None:
        chosen = points(60)[10:30]
        ids = [one.chunk.id for one in chosen]
        expected = {one.chunk.id: cosine(one.dense, direction(7)) for one in chosen}
        compared = index.compare(direction(7), [*UNKNOWN_IDS, *ids], {})
        assert {chunk_id: one.cosine for chunk_id, one in compared.items()} == pytest.approx(expected, abs=1e-5)
        assert {chunk_id: one.chunk for chunk_id, one in compared.items()} == index.chunks(ids)

    def test_comparing_agrees_with_dense_search(self, index: VectorIndex) -> None:
        answer = index.search(IndexQuery(direction(7), None, 60, EVERYTHING)).dense
        compared = index.compare(direction(7), [scored.point for scored in answer], {})
        assert {chunk_id: one.cosine for chunk_id, one in compared.items()} == pytest.approx(dict(answer), abs=1e-6)

    def test_the_length_of_a_compared_vector_does_not_matter(self, index: VectorIndex) -> None:
        ids = [one.chunk.id for one in points(60)]
        longer = index.compare(direction(6) * np.float32(3.0), ids, {})
        for chunk_id, one in index.compare(direction(6), ids, {}).items():
            assert longer[chunk_id].cosine == pytest.approx(one.cosine, abs=1e-5)

    def test_chunks_come_back_with_every_field_as_it_was(self, store: VectorStore) -> None:
        _, (first, second, third) = page(
            "deep/page?x=1", "One — ☃", "Two\n\n```\ncode\n```", "3", title="", version=None, locale=None, tags=()
        )
        odd = replace(
            first,
            repeated_before="```js\n",
            repeated_after="\n```",
            heading_path=(),
            section="",
            anchor=None,
            created_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
            inner_headings=(InnerHeading(3, 2, "näher", None), InnerHeading(9, 0, "„oben“", "oben")),
            start=2**40,
            end=2**40 + 1,
        )
        chunks = [odd, second, replace(third, created_at=None)]
        index = filled(store, [IndexPoint(c, direction(n), SparseVector((), ())) for n, c in enumerate(chunks)])
        assert index.chunks([chunk.id for chunk in chunks]) == {chunk.id: chunk for chunk in chunks}

    def test_vectors_come_back_bit_for_bit(self, index: VectorIndex) -> None:
        contents = points(60)
        stored = index.vectors([one.chunk.id for one in contents])
        assert stored.keys() == {one.chunk.id for one in contents}
        for one in contents:
            assert stored[one.chunk.id].dtype == np.float32
            np.testing.assert_array_equal(stored[one.chunk.id], one.dense)

    def test_vectors_whose_length_is_a_little_off_keep_their_checksums(self, store: VectorStore) -> None:
        scales = (0.9991, 0.99999, 1.0, 1.00001, 1.0009)
        contents = [replace(point(f"p{n}", n), dense=direction(n) * np.float32(scales[n % 5])) for n in range(50)]
        ids = [one.chunk.id for one in contents]
        stored = filled(store, contents).vectors(ids)
        assert all(fit_checksums([stored[each] for each in ids], vector_checksums([one.dense for one in contents])))

    def test_stored_points_have_every_part(self, index: VectorIndex) -> None:
        contents = points(60)
        stored = index.stored([*UNKNOWN_IDS, *(one.chunk.id for one in contents)])
        assert stored.keys() == {one.chunk.id for one in contents}
        for one in contents:
            found = stored[one.chunk.id]
            assert (found.chunk, found.problems) == (one.chunk, ())
            assert found.dense is not None
            assert found.dense.dtype == np.float32
            np.testing.assert_array_equal(found.dense, one.dense)
            assert found.sparse is not None
            assert found.sparse.indices == one.sparse.indices
            assert found.sparse.values == pytest.approx(one.sparse.values, rel=1e-6)

    def test_a_point_without_terms_comes_back_with_none_of_them(self, store: VectorStore) -> None:
        blank = replace(point("blank", 1), sparse=SparseVector((), ()))
        found = filled(store, [blank]).stored([blank.chunk.id])[blank.chunk.id]
        assert found.sparse in {None, SparseVector((), ())}

    @pytest.mark.parametrize("ids", [UNKNOWN_IDS, ()], ids=["ids that are not there", "no ids"])
    def test_nothing_is_found_for(self, index: VectorIndex, ids: tuple[str, ...]) -> None:
        assert index.chunks(ids) == {}
        assert index.vectors(ids) == {}
        assert index.stored(ids) == {}
        assert index.compare(direction(1), ids, {}) == {}

    def test_an_id_asked_for_twice_is_found_once(self, index: VectorIndex) -> None:
        chunk_id = points(1)[0].chunk.id
        assert list(index.chunks([chunk_id, chunk_id])) == [chunk_id]
        assert list(index.compare(direction(1), [chunk_id, chunk_id], {})) == [chunk_id]
