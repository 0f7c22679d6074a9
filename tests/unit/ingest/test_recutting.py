"""Documents of a generation cut again: the same rules give the same chunks, and nothing is read or paid for twice."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.memory_source import MemorySource
from tests.page_limits import PAGE_LIMITS

from assay.adapters.catalog.memory import MemoryCatalog
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.memory import MemoryStore
from assay.errors import GenerationError
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.parts import BuildParts
from assay.ingest.pipeline import Pipeline
from assay.ingest.recutting import RecutParts, chunker_identity, recut
from assay.model.generations import Generation, State
from assay.ports import IndexSpec, Silence, StoredDocument, Vectors

RULES = ChunkingRules(1_800, None, 0, "characters")
SMALL = replace(RULES, max_characters=120)
PAGE = "# The {0}\n\n" + "The {0} is checked every day. " * 12 + "\n\n## Care\n\n- Clean the {0}.\n- Store it dry.\n"


class CountingEmbedder(MemoryEmbedder):
    """Knows how many texts it embedded."""

    texts = 0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed and count."""
        self.texts += len(texts)
        return super().embed_documents(texts)


class Bench:
    """A generation of three pages, and an empty place beside it."""

    def __init__(self, work_dir: Path) -> None:
        pages = {f"{name}.md": PAGE.format(name) for name in ("gripper", "camera", "battery")}
        self.embedder = CountingEmbedder(64, None)
        self.encoder = Bm25Encoder("english")
        self.catalog, self.store, self.work_dir = MemoryCatalog(), MemoryStore(), work_dir
        source = MemorySource(pages, name="docs", base_url="https://docs.example")
        first = chunker_identity(_nothing(self.embedder, self.encoder), RULES)
        parts = (self.embedder, self.encoder, self.store, self.catalog, RULES, first, work_dir, 0, PAGE_LIMITS)
        self.base = Pipeline(BuildParts((source,), *parts), Silence()).build().generation

    def recut(self, rules: ChunkingRules, catalog: MemoryCatalog, documents: MemoryCatalog | None = None) -> Generation:
        """Cut into another catalog."""
        earlier = self.store.open(self.base.id, IndexSpec.of(self.base))
        parts = RecutParts(
            self.base,
            documents or self.catalog,
            earlier,
            partial(self.catalog.embedded_chunks, self.base.id),
            self.embedder,
            self.encoder,
            None,
            catalog,
            MemoryStore(),
            self.work_dir,
        )
        return recut(parts, rules, Silence())


def _nothing(embedder: MemoryEmbedder, encoder: Bm25Encoder) -> Generation:
    from assay.testing.catalog_samples import generation

    return replace(generation("none"), embedder=embedder.identity, sparse=encoder.identity(1.0))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_rules_of_the_build_give_its_chunks_and_cost_no_vector(bench: Bench) -> None:
    before = bench.embedder.texts
    found = bench.recut(RULES, MemoryCatalog())
    assert found.content_fingerprint == bench.base.content_fingerprint
    assert (found.chunks, found.documents, found.sparse) == (bench.base.chunks, 3, bench.base.sparse)
    assert bench.embedder.texts == before


def test_other_rules_give_other_chunks_of_the_same_documents(bench: Bench) -> None:
    catalog = MemoryCatalog()
    found = bench.recut(SMALL, catalog)
    assert found.state is State.CANDIDATE
    assert found.chunks > bench.base.chunks
    assert found.chunker.max_characters == 120
    assert all(len(chunk.text) <= 120 for chunk in catalog.chunks(found.id))
    texts = {document.info.url: document.text_hash for document in bench.catalog.documents(bench.base.id)}
    assert texts == {document.info.url: document.text_hash for document in catalog.documents(found.id)}


def test_what_is_cut_again_is_not_touched(bench: Bench) -> None:
    bench.recut(SMALL, MemoryCatalog())
    assert [generation.id for generation in bench.catalog.generations()] == [bench.base.id]
    assert bench.store.generations() == [bench.base.id]


def test_documents_without_their_sections_are_refused_with_what_to_do(bench: Bench) -> None:
    class Old(MemoryCatalog):
        def documents(self, generation_id: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
            for document in bench.catalog.documents(generation_id):
                yield _without_sections(document)

    with pytest.raises(GenerationError, match="without the sections") as refused:
        bench.recut(SMALL, MemoryCatalog(), Old())
    assert "assay publish --rebuild" in refused.value.hint


def _without_sections(document: StoredDocument) -> StoredDocument:
    return replace(document, sections=None)
