"""Each chunk gets its vector, each text is embedded once, and what was paid for is kept."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.memory_embedder import MemoryEmbedder

from assay.adapters.stores.memory import MemoryStore
from assay.errors import EmbedderRefused, EmbedderUnavailable, EmbeddingError
from assay.ingest.indexing.vectors import EarlierChunks, Embedded, VectorSupply, no_chunks
from assay.model.documents import Chunk
from assay.model.generations import EmbedderIdentity
from assay.model.ids import content_hash
from assay.ports import (
    Batching,
    EmbeddedChunk,
    IndexPoint,
    IndexSpec,
    SparseVector,
    Vector,
    Vectors,
    fit_checksums,
    vector_checksums,
)
from assay.testing.catalog_samples import page

DIMENSION = 16


class CountingEmbedder(MemoryEmbedder):
    """Counts texts and calls; may be slow, or fail at a text."""

    def __init__(self, texts: int = 10, calls: int = 3, *, costly: bool = True) -> None:
        super().__init__(DIMENSION, None)
        self._batching = Batching(texts, calls, costly)
        self._lock = threading.Lock()
        self.embedded: list[str] = []
        self.sizes: list[int] = []
        self.running = 0
        self.most_running = 0
        self.interrupted = threading.Event()
        self.fail_at: str | None = None
        self.gate: threading.Barrier | None = None

    @property
    def batching(self) -> Batching:
        return self._batching

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            self.sizes.append(len(texts))
        try:
            if self.gate is not None:
                self.gate.wait(10)
            if self.fail_at is not None and any(self.fail_at in text for text in texts):
                raise EmbedderRefused("refused")
            vectors = super().embed_documents(texts)
            with self._lock:
                self.embedded.extend(texts)
            return vectors
        finally:
            with self._lock:
                self.running -= 1

    def interrupt(self) -> None:
        self.interrupted.set()


class DictCache:
    """An embedding cache in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, Vector] = {}
        self.batches: list[int] = []

    def vectors(self, embedder: EmbedderIdentity, hashes: Sequence[str]) -> dict[str, Vector]:
        return {digest: self.kept[digest] for digest in hashes if digest in self.kept}

    def keep(self, embedder: EmbedderIdentity, vectors: Mapping[str, Vector]) -> None:
        self.kept.update(vectors)
        self.batches.append(len(vectors))

    def clear(self) -> None:
        self.kept.clear()

    def close(self) -> None:
        """Nothing to close."""


def _chunk(number: int, text: str | None = None) -> Chunk:
    _, (made,) = page(f"part-{number}", text or f"part number{number} of the robot", title="Parts")
    return replace(made, embedded_hash=content_hash(made.embedded_text))


def _batches(count: int, size: int = 7) -> list[list[Chunk]]:
    chunks = [_chunk(number) for number in range(count)]
    return [chunks[start : start + size] for start in range(0, count, size)]


def _finding(chunks: Mapping[str, EmbeddedChunk]) -> EarlierChunks:
    return lambda hashes: {digest: chunks[digest] for digest in hashes if digest in chunks}


def _supply(embedder: MemoryEmbedder, cache: DictCache | None = None) -> VectorSupply:
    return VectorSupply(embedder, None, no_chunks, cache)


def test_a_text_that_a_worker_embedded_is_not_embedded_again() -> None:
    embedder = CountingEmbedder()
    batches = _batches(20)
    known = {chunk.embedded_hash: np.ones(DIMENSION, np.float32) for chunk in batches[1]}
    supply = VectorSupply(
        embedder,
        None,
        no_chunks,
        made=lambda chunks: {c.embedded_hash: known[c.embedded_hash] for c in chunks if c.embedded_hash in known},
    )
    given = [[one.vector for one in embedded] for _, embedded in supply.stream(batches)]
    np.testing.assert_array_equal(np.stack(given[1]), np.ones((7, DIMENSION)))
    assert sorted(embedder.embedded) == sorted(chunk.embedded_text for chunk in (*batches[0], *batches[2]))
    assert (supply.embedded, supply.reused) == (20, 0)


def _check(embedder: MemoryEmbedder, made: list[tuple[Sequence[Chunk], list[Embedded]]]) -> None:
    for chunks, embedded in made:
        expected = MemoryEmbedder(DIMENSION, None).embed_documents([c.embedded_text for c in chunks])
        np.testing.assert_array_equal(np.stack([one.vector for one in embedded]), expected)
        assert all(fit_checksums(expected, [one.checksum for one in embedded]))


@pytest.mark.parametrize(("texts", "calls"), [(1, 1), (3, 2), (10, 3), (512, 1), (100, 8)])
def test_batches_come_in_order_with_the_vectors_of_their_chunks(texts: int, calls: int) -> None:
    embedder = CountingEmbedder(texts, calls)
    batches = _batches(100)
    made = list(_supply(embedder).stream(batches))
    assert [list(chunks) for chunks, _ in made] == batches
    _check(embedder, made)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == 100
    assert max(embedder.sizes) <= texts


def test_calls_are_full_across_the_borders_of_batches() -> None:
    embedder = CountingEmbedder(10, 3)
    list(_supply(embedder).stream(_batches(100)))
    assert sorted(embedder.sizes) == [10] * 10


def test_as_many_calls_go_on_as_the_embedder_wants_and_no_more() -> None:
    embedder = CountingEmbedder(5, 4)
    embedder.gate = threading.Barrier(4)
    list(_supply(embedder).stream(_batches(100)))
    assert embedder.most_running == 4


def test_equal_texts_are_embedded_once_however_far_apart_they_stand() -> None:
    embedder = CountingEmbedder(4, 3)
    batches = [
        [_chunk(number, f"same words{number % 10}") for number in range(start, start + 5)] for start in (0, 5, 10)
    ]
    batches += [[_chunk(number, "same words3") for number in range(50, 53)]]
    supply = _supply(embedder)
    made = list(supply.stream(batches))
    _check(embedder, made)
    assert len(embedder.embedded) == 10
    assert (supply.embedded, supply.reused) == (10, 8)


def test_memory_holds_a_few_calls_however_many_chunks_there_are() -> None:
    embedder = CountingEmbedder(5, 2)
    read = 0

    def reading() -> Iterator[list[Chunk]]:
        nonlocal read
        for batch in _batches(400, 4):
            read += len(batch)
            yield batch

    given, most = 0, 0
    for chunks, _ in _supply(embedder).stream(reading()):
        most = max(most, read - given)
        given += len(chunks)
    assert most <= 2 * 5 * 2 + 2 * 4


def test_every_call_is_kept_before_the_next_is_made() -> None:
    cache, embedder = DictCache(), CountingEmbedder(10, 1)
    list(_supply(embedder, cache).stream(_batches(100)))
    assert cache.batches == [10] * 10


def test_what_was_kept_is_not_paid_for_again() -> None:
    cache = DictCache()
    list(_supply(CountingEmbedder(), cache).stream(_batches(60)))
    embedder = CountingEmbedder()
    supply = _supply(embedder, cache)
    made = list(supply.stream(_batches(100)))
    _check(embedder, made)
    assert len(embedder.embedded) == 40
    assert (supply.embedded, supply.recovered, supply.reused) == (40, 60, 60)


def test_vectors_that_cost_nothing_are_not_kept() -> None:
    cache = DictCache()
    list(_supply(CountingEmbedder(costly=False), cache).stream(_batches(50)))
    assert cache.kept == {}


def test_vectors_of_the_generation_before_are_used_first() -> None:
    embedder = CountingEmbedder()
    store = MemoryStore()
    before = [_chunk(number) for number in range(20)]
    writer = store.create("before", IndexSpec(DIMENSION))
    vectors = embedder.embed_documents([c.embedded_text for c in before])
    writer.add([IndexPoint(c, vector, SparseVector((1,), (1.0,))) for c, vector in zip(before, vectors, strict=True)])
    writer.seal()
    embedder.embedded.clear()
    index = store.open("before", IndexSpec(DIMENSION))
    earlier = {c.embedded_hash: EmbeddedChunk(c.id, None) for c in before}
    supply = VectorSupply(embedder, index, _finding(earlier), DictCache())
    made = list(supply.stream(_batches(30)))
    _check(embedder, made)
    assert len(embedder.embedded) == 10
    assert (supply.embedded, supply.reused, supply.recovered) == (10, 20, 0)


def test_a_vector_that_is_not_the_one_recorded_is_made_again() -> None:
    embedder, store = CountingEmbedder(), MemoryStore()
    before = [_chunk(number) for number in range(20)]
    vectors = embedder.embed_documents([c.embedded_text for c in before])
    checksums = vector_checksums(vectors)
    wrong = vectors.copy()
    wrong[[4, 7]] = vectors[[7, 4]]
    wrong[11] = -vectors[11]
    writer = store.create("before", IndexSpec(DIMENSION))
    writer.add([IndexPoint(c, vector, SparseVector((1,), (1.0,))) for c, vector in zip(before, wrong, strict=True)])
    writer.seal()
    embedder.embedded.clear()
    earlier = {c.embedded_hash: EmbeddedChunk(c.id, one) for c, one in zip(before, checksums, strict=True)}
    supply = VectorSupply(embedder, store.open("before", IndexSpec(DIMENSION)), _finding(earlier))
    made = list(supply.stream(_batches(20)))
    _check(embedder, made)
    assert sorted(embedder.embedded) == sorted(before[number].embedded_text for number in (4, 7, 11))
    assert (supply.embedded, supply.reused, supply.damaged) == (3, 17, 3)
    assert [one.checksum for _, embedded in made for one in embedded] == checksums


def test_a_failure_ends_the_others_waiting_and_keeps_what_they_bring() -> None:
    cache, embedder = DictCache(), CountingEmbedder(5, 3)
    embedder.fail_at = "number50 "
    with pytest.raises(EmbedderRefused, match="refused"):
        list(_supply(embedder, cache).stream(_batches(400)))
    assert embedder.interrupted.is_set()
    assert len(cache.kept) == len(embedder.embedded)
    assert 50 <= len(embedder.embedded) < 100
    assert embedder.running == 0


def test_who_stops_reading_stops_the_calls() -> None:
    cache, embedder = DictCache(), CountingEmbedder(5, 3)
    stream = _supply(embedder, cache).stream(_batches(400))
    next(stream)
    stream.close()
    assert embedder.interrupted.is_set()
    assert len(cache.kept) == len(embedder.embedded) < 60


def test_an_error_of_the_reader_is_not_lost() -> None:
    def reading() -> Iterator[list[Chunk]]:
        yield from _batches(50)
        raise EmbedderUnavailable("the reader broke")

    with pytest.raises(EmbeddingError, match="the reader broke"):
        list(_supply(CountingEmbedder()).stream(reading()))


def test_nothing_gives_nothing() -> None:
    assert list(_supply(CountingEmbedder()).stream([])) == []


def test_a_text_whose_vector_was_made_counts_once_while_others_wait() -> None:
    embedder = CountingEmbedder(texts=100, costly=False)
    missing, ready = _chunk(1), _chunk(2)
    vector = embedder.embed_documents([ready.embedded_text])[0]
    supply = VectorSupply(
        embedder, None, no_chunks, made=lambda chunks: {c.embedded_hash: vector for c in chunks if c == ready}
    )
    list(supply.stream([[missing], [ready], [ready], [ready]]))
    assert (supply.embedded, supply.reused) == (2, 2)


def test_few_chunks_wait_for_a_call_that_does_not_fill() -> None:
    embedder = CountingEmbedder(texts=2, calls=1, costly=False)
    ready = _chunk(2)
    vector = embedder.embed_documents([ready.embedded_text])[0]
    supply = VectorSupply(
        embedder, None, no_chunks, made=lambda chunks: {c.embedded_hash: vector for c in chunks if c == ready}
    )
    taken = 0

    def batches() -> Iterator[list[Chunk]]:
        nonlocal taken
        for number in range(500):
            taken += 1
            yield [ready if number else _chunk(1)]

    next(supply.stream(batches()))
    assert taken < 100
