"""The conformance kit for vector stores.

class TestMyStore(VectorStoreConformance):
    @pytest.fixture
    def store(self):
        yield MyStore(...)  # a new, empty one
"""
# ruff: noqa: D102 - the name of a test is a sentence

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.errors import StoreUnavailable
from assay.ports import IndexQuery, SparseVector, VectorIndex, VectorStore
from assay.testing.index_samples import EVERYTHING, direction, filled, points
from assay.testing.vector_store_building import BuildingConformance
from assay.testing.vector_store_filters import FilterConformance
from assay.testing.vector_store_lookups import LookupConformance
from assay.testing.vector_store_searching import SearchConformance


class VectorStoreConformance(BuildingConformance, SearchConformance, FilterConformance, LookupConformance):
    """Tests of assay.ports.VectorStore. Subclass it with a fixture `store`."""

    @pytest.fixture
    def store(self) -> VectorStore:
        """A new, empty store for each test."""
        raise NotImplementedError("override the fixture `store`")

    @pytest.fixture
    def index(self, store: VectorStore) -> Iterator[VectorIndex]:
        """An index of 60 different points."""
        index = filled(store, points(60))
        yield index
        index.close()

    def test_an_index_can_be_closed_twice(self, index: VectorIndex) -> None:
        index.close()
        index.close()

    def test_a_closed_index_says_so(self, index: VectorIndex) -> None:
        index.close()
        ids = [points(1)[0].chunk.id]
        for use in (
            index.count,
            lambda: index.search(IndexQuery(direction(1), None, 1, EVERYTHING)),
            lambda: index.compare(direction(1), ids, {}),
            lambda: index.chunks(ids),
            lambda: index.vectors(ids),
            lambda: index.stored(ids),
            lambda: list(index.ids()),
        ):
            with pytest.raises(StoreUnavailable, match="g1"):
                use()

    def test_many_threads_get_what_one_caller_gets(self, index: VectorIndex) -> None:
        queries = [
            IndexQuery(direction(n), SparseVector((1000, 2000 + n % 10), (1.0, 1.0)), 1 + n % 40, EVERYTHING)
            for n in range(120)
        ]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(index.search, queries)) == [index.search(query) for query in queries]
