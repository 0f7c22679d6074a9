"""The in-memory twins do what the kits say, and refuse what the real ones refuse."""

import pytest
from tests.memory_embedder import MemoryEmbedder

from assay.adapters.stores.memory import MemoryStore
from assay.errors import InvalidEmbedding, StoreUnavailable
from assay.testing import EmbedderConformance
from assay.testing.index_samples import SPEC, points


class TestMemoryEmbedderWithALimit(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> MemoryEmbedder:
        return MemoryEmbedder(16, max_tokens=512)

    def test_a_text_over_the_limit_is_refused_not_cut(self, embedder: MemoryEmbedder) -> None:
        with pytest.raises(InvalidEmbedding, match="513 words"):
            embedder.embed_query("word " * 513)


def test_two_embedders_give_a_text_the_same_bits() -> None:
    one, other = MemoryEmbedder(8, None), MemoryEmbedder(8, None)
    other.embed_query("something else first")
    assert one.embed_query("wheels turn").tobytes() == other.embed_query("wheels turn").tobytes()


def test_another_dimension_is_another_identity() -> None:
    assert MemoryEmbedder(8, None).identity != MemoryEmbedder(9, None).identity


def test_a_sealed_index_takes_no_more_points() -> None:
    writer = MemoryStore().create("g1", SPEC)
    writer.seal()
    with pytest.raises(StoreUnavailable, match="sealed"):
        writer.add(points(1))
